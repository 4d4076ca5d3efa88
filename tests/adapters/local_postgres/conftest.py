from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sealwork.adapters.local_postgres import LocalPostgres, debian_binaries, server_version
from sealwork.adapters.local_postgres.binaries import wheel_binaries
from sealwork.adapters.local_postgres.locks import is_held, within

ALL_PROGRAMS = [folder for folder in (wheel_binaries(), debian_binaries()) if folder]


@pytest.fixture(scope="module", params=ALL_PROGRAMS, ids=lambda folder: f"PostgreSQL {server_version(folder)}")
def programs(request: pytest.FixtureRequest) -> Path:
    """The programs of every version of PostgreSQL on this machine."""
    found: Path = request.param
    return found


@pytest.fixture
def new_home() -> Iterator[Path]:
    """A home without data."""
    with _a_place() as place:
        yield place / "home"


@pytest.fixture
def home(_home_with_data: Path) -> Iterator[Path]:
    """A home with data of the version of `programs`, and no server."""
    yield _home_with_data
    _end_server(_home_with_data)


@pytest.fixture(scope="module")
def _home_with_data(programs: Path) -> Iterator[Path]:
    with _a_place() as place:
        with LocalPostgres(place / "home", binaries=programs):
            pass
        yield place / "home"


@contextlib.contextmanager
def _a_place() -> Iterator[Path]:
    """Yield a folder that the user to whom root steps down may pass; no server and no file of it is left."""
    place = Path(tempfile.mkdtemp(prefix="localpg-"))
    place.chmod(0o711)
    try:
        yield place
    finally:
        for home in {lock.parent for lock in place.rglob("turn")}:
            _end_server(home)
            if (elsewhere := LocalPostgres(home).folder) != home and elsewhere.exists():
                shutil.rmtree(elsewhere)
                with contextlib.suppress(OSError):
                    elsewhere.parent.rmdir()
        shutil.rmtree(place)


def _end_server(home: Path) -> None:
    """End what a failed test has left, by the pid that it wrote: the locks may be what failed."""
    data = LocalPostgres(home).folder / "data"
    with contextlib.suppress(OSError):
        pid = int((data / "postmaster.pid").read_text().split()[0])
        if Path(f"/proc/{pid}/cwd").samefile(data):
            os.kill(pid, signal.SIGQUIT)
            within(10, lambda: not Path(f"/proc/{pid}/exe").exists())
    assert within(10, lambda: not is_held(home / "server"))
