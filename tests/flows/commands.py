"""The installed command `sealwork` as a user meets it: in a process of its own, in a home of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg

from sealwork.adapters.local_postgres import LocalPostgres
from sealwork.domain.json_value import JsonObject, JsonValue

COMMAND = Path(sys.executable).with_name("sealwork")
PATIENCE = 120
"""Seconds after which a command that has not ended is taken for hanging."""
_PROC = Path("/proc")
_OURS = ("SEALWORK_", "PG", "ENGINE_SK", "AUTOMATION_ACTOR_SK")


@dataclass(frozen=True)
class Done:
    """How a command ended; a negative code is the signal that killed it."""

    code: int
    out: str
    err: str


class Running:
    """A command under way, the leader of a process group."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._read: list[bytes] = []

    @property
    def ended(self) -> bool:
        """Return whether it has ended."""
        return self._process.poll() is not None

    def says(self, words: str) -> None:
        """Wait until it prints a line with these words."""
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            self._read.append(line)
            if words in line.decode():
                return
        raise AssertionError(f"it ended without saying {words!r}: {self.end()}")

    def reaches(self, moment: Callable[[], object]) -> None:
        """Wait until `moment` has come."""
        wait_for(lambda: self.ended or moment())
        assert not self.ended, f"it ended before that: {self.end()}"

    def signalled(self, number: signal.Signals) -> Done:
        """Send a signal to its whole group, as the terminal does, and wait for its end, even if it rested."""
        os.killpg(self._process.pid, number)
        os.killpg(self._process.pid, signal.SIGCONT)
        return self.end()

    def rests(self) -> None:
        """Stand still, whole group, until it `goes_on`."""
        assert not self.ended
        os.killpg(self._process.pid, signal.SIGSTOP)

    def goes_on(self) -> None:
        """Continue after `rests`."""
        os.killpg(self._process.pid, signal.SIGCONT)

    def turns_away(self) -> None:
        """Read no more of what it prints, as `head` does."""
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process.stdout = None

    def end(self) -> Done:
        """Wait for its end. No command ever shows a traceback."""
        out, err = self._process.communicate(timeout=PATIENCE)
        told = b"".join(self._read) + (out or b"")
        assert b"Traceback" not in told + err, (told + err).decode()
        return Done(self._process.returncode, told.decode(), err.decode())


class Place:
    """A home, and commands in it."""

    def __init__(self, home: Path, *, before: Sequence[str] = ()) -> None:
        self.home = home
        self._before = before

    def begin(
        self, *arguments: str, stdin: int = subprocess.DEVNULL, env: Mapping[str, str] | None = None
    ) -> Running:
        """Start a command."""
        return Running(
            subprocess.Popen(
                [*self._before, COMMAND, *arguments],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.home.parent,
                env=surroundings() | {"SEALWORK_HOME": str(self.home)} | {**(env or {})},
                start_new_session=True,
            )
        )

    def run(self, *arguments: str, env: Mapping[str, str] | None = None) -> Done:
        """Run a command to its end."""
        return self.begin(*arguments, env=env).end()

    def does(self, *arguments: str, env: Mapping[str, str] | None = None) -> str:
        """Return what a command says that must succeed."""
        done = self.run(*arguments, env=env)
        assert done.code == 0, done
        return done.out

    def document(self, *arguments: str, code: int = 0, env: Mapping[str, str] | None = None) -> JsonObject:
        """Return the one JSON object that a command prints, and that it prints beside it nothing."""
        done = self.run(*arguments, "--json", env=env)
        assert (done.code, done.err) == (code, ""), done
        document: JsonValue = json.loads(done.out)
        assert isinstance(document, dict)
        return document

    def events(self) -> int:
        """Return how many events `verify` counts in a log in which it finds nothing wrong."""
        count = self.document("verify")["events"]
        assert isinstance(count, int)
        return count

    @property
    def postgres(self) -> Path:
        """Return where the local server keeps its data."""
        return LocalPostgres(self.home / "postgres").folder

    def processes(self) -> list[int]:
        """Return the processes that work on the data of this place; none where there is no /proc."""
        data = os.fsencode(self.postgres)
        return [int(entry.name) for entry in _PROC.glob("[0-9]*") if data in _whereabouts(entry)]

    def servers(self) -> list[int]:
        """Return those of them that no other of them has started."""
        parents = {pid: _parent(_PROC / str(pid)) for pid in self.processes()}
        return [pid for pid, parent in parents.items() if parent is not None and parent not in parents]

    def environments(self) -> dict[int, bytes]:
        """Return the environment of each process of this place."""
        return {pid: _bytes(_PROC / str(pid) / "environ") for pid in self.processes()}


@contextlib.contextmanager
def a_place(name: str = "home", *, owner: int | None = None, before: Sequence[str] = ()) -> Iterator[Place]:
    """Give a home that is not there yet, in a new folder; no process and no file of it is left."""
    folder = Path(tempfile.mkdtemp(prefix="flow-")).resolve()
    folder.chmod(0o711)  # root's server runs as another user, who must pass
    if owner is not None:
        os.chown(folder, owner, owner)
    place = Place(folder / name, before=before)
    try:
        yield place
    finally:
        for pid in place.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if place.postgres != place.home / "postgres":
            shutil.rmtree(place.postgres, ignore_errors=True)
        shutil.rmtree(folder)


def surroundings() -> dict[str, str]:
    """Return the environment of the tests, without what would configure Sealwork or PostgreSQL."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}


def contents(conninfo: str) -> dict[str, tuple[int, int]]:
    """Return how many rows each table has, and a sum over all that stands in them."""
    with psycopg.connect(conninfo) as connection:
        tables = connection.execute(
            "SELECT quote_ident(table_name) FROM information_schema.tables "
            "WHERE table_schema = 'sealwork' AND table_type = 'BASE TABLE'"
        ).fetchall()
        sums = {}
        for (table,) in tables:
            statement = f"SELECT count(*), coalesce(sum(hashtext(t::text)), 0) FROM sealwork.{table} AS t"
            row = connection.execute(statement.encode()).fetchone()
            assert row is not None
            sums[table] = (int(row[0]), int(row[1]))
    assert sums["events"][0] > 0
    return sums


def wait_for(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait until `condition` holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that in time"
        time.sleep(0.002)


def _whereabouts(entry: Path) -> bytes:
    """What a process was started with, and where it works."""
    try:
        return _bytes(entry / "cmdline") + b"\0" + os.fsencode((entry / "cwd").readlink())
    except OSError:
        return _bytes(entry / "cmdline")


def _parent(entry: Path) -> int | None:
    """Which process has started this one, None if it has ended."""
    fields = _bytes(entry / "stat").rpartition(b")")[2].split()
    return int(fields[1]) if fields else None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
