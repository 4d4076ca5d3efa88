from __future__ import annotations

import contextlib
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from sealwork.adapters.local_postgres import LocalPostgres, server_version
from sealwork.adapters.local_postgres.account import server_account
from sealwork.adapters.local_postgres.locks import is_held, within

COMMAND = """
import sys
from pathlib import Path
from sealwork.adapters.local_postgres import LocalPostgres

print("begins", flush=True)
try:
    with LocalPostgres(Path(sys.argv[1]), binaries=Path(sys.argv[2])) as conninfo:
        print(conninfo, flush=True)
        sys.stdin.read()
except KeyboardInterrupt:
    sys.exit(130)
"""
COMES_AND_GOES = """
import random, sys, time, psycopg
from pathlib import Path
from sealwork.adapters.local_postgres import LocalPostgres

chance = random.Random(int(sys.argv[3]))
for _ in range(6):
    time.sleep(chance.uniform(0, 0.1))
    local = LocalPostgres(Path(sys.argv[1]), binaries=Path(sys.argv[2]))
    with local as conninfo, psycopg.connect(conninfo) as connection:
        time.sleep(chance.choice([0, 0.05]))
        connection.execute("SELECT 1")
"""
BUSY_FOR_A_SECOND = """
    DO $$ DECLARE till timestamptz := clock_timestamp() + '1 s';
    BEGIN LOOP EXIT WHEN clock_timestamp() > till; END LOOP; END $$
"""


class Command:
    """A command in a process of its own, which uses the server of `home` until it is told to leave."""

    def __init__(self, home: Path, programs: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, home, programs],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        assert self._says() == "begins"

    def __enter__(self) -> Command:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream
            stream.close()

    def enters(self) -> str:
        """Wait until it is inside, and return how it connects."""
        conninfo = self._says()
        assert "dbname=postgres" in conninfo
        return conninfo

    def may_leave(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()

    def leaves(self) -> int:
        self.may_leave()
        return self._process.wait(60)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(60)

    def press_ctrl_c(self) -> int:
        """Interrupt its process group, as a terminal does, and return its exit status."""
        os.killpg(self._process.pid, signal.SIGINT)
        return self._process.wait(60)

    def _says(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()


def runs(home: Path) -> bool:
    return is_held(home / "server")


def postmaster(home: Path) -> int:
    return int((LocalPostgres(home).folder / "data" / "postmaster.pid").read_text().split()[0])


def ask(conninfo: str, question: str) -> str:
    with psycopg.connect(conninfo) as connection:
        row = connection.execute(question.encode()).fetchone()
    return str(row[0]) if row else ""


def test_a_command_gets_a_durable_utf8_server_for_itself_alone(new_home: Path, programs: Path) -> None:
    names = ("listen_addresses", "fsync", "data_checksums", "server_encoding", "timezone", "max_connections")
    with LocalPostgres(new_home, binaries=programs) as conninfo:
        settings = [ask(conninfo, f"SHOW {name}") for name in names]
        version = int(ask(conninfo, "SHOW server_version_num")) // 10_000
        superuser = ask(conninfo, "SELECT usesuper FROM pg_user WHERE usename = current_user")
        data = LocalPostgres(new_home).folder / "data"
        modes = [stat.S_IMODE(path.stat().st_mode) for path in (data, data / ".s.PGSQL.5432")]

    assert settings == ["", "on", "on", "UTF8", "UTC", "50"]
    assert (version, superuser) == (server_version(programs), "True")
    assert modes == [0o700, 0o700]


def test_when_the_only_command_leaves_the_server_stops_and_nothing_holds_a_lock(
    home: Path, programs: Path
) -> None:
    with LocalPostgres(home, binaries=programs) as conninfo:
        left_open = psycopg.connect(conninfo)
        held_inside = [name for name in ("turn", "users", "server") if is_held(home / name)]
    left_open.close()

    assert held_inside == ["users", "server"]
    assert [name for name in ("turn", "users", "server") if is_held(home / name)] == []
    assert not (LocalPostgres(home).folder / "data" / "postmaster.pid").exists()


def test_two_commands_share_one_server_and_the_last_one_stops_it(home: Path, programs: Path) -> None:
    with Command(home, programs) as first, Command(home, programs) as second:
        same = first.enters() == second.enters()
        assert first.leaves() == 0
        runs_for_the_second = runs(home)
        assert second.leaves() == 0

    assert (same, runs_for_the_second, runs(home)) == (True, True, False)


def test_the_server_of_a_killed_command_is_taken_over_and_stopped_by_the_next(home: Path, programs: Path) -> None:
    with Command(home, programs) as killed:
        killed.enters()
        left_behind = postmaster(home)
        killed.kill()
    held = [name for name in ("turn", "users", "server") if is_held(home / name)]

    with LocalPostgres(home, binaries=programs) as conninfo:
        taken_over = postmaster(home)
        answer = ask(conninfo, "SELECT 1")

    assert held == ["server"]
    assert (answer, taken_over, runs(home)) == ("1", left_behind, False)


def test_a_server_killed_under_a_command_comes_back_with_all_that_was_committed(
    home: Path, programs: Path
) -> None:
    with LocalPostgres(home, binaries=programs) as conninfo:
        with psycopg.connect(conninfo) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS seven")
        os.kill(postmaster(home), signal.SIGKILL)

    with LocalPostgres(home, binaries=programs) as conninfo:
        assert ask(conninfo, "SELECT seven FROM kept") == "7"


def test_the_last_query_of_a_killed_server_is_waited_out_before_it_is_started_again(
    home: Path, programs: Path
) -> None:
    with LocalPostgres(home, binaries=programs) as conninfo:
        connection = psycopg.connect(conninfo)
        backend = connection.info.backend_pid

        def query() -> None:
            with contextlib.suppress(psycopg.Error):
                connection.execute(BUSY_FOR_A_SECOND)

        querying = threading.Thread(target=query)
        querying.start()
        state = f"SELECT state FROM pg_stat_activity WHERE pid = {backend}"
        assert within(10, lambda: ask(conninfo, state) == "active")
        os.kill(postmaster(home), signal.SIGKILL)

        with LocalPostgres(home, binaries=programs):
            still_there = Path(f"/proc/{backend}/exe").exists()
        querying.join()
        connection.close()

    assert not still_there


@pytest.mark.parametrize("reaped", [True, False], ids=["a stranger's", "a zombie's"])
def test_after_a_crash_of_the_machine_the_old_pid_may_be_somebody_elses(
    home: Path, programs: Path, reaped: bool
) -> None:
    data = LocalPostgres(home).folder / "data"
    user = server_account().uid if os.geteuid() == 0 else None
    with (
        subprocess.Popen(["sleep", "60" if reaped else "0"], user=user) as stranger,
        contextlib.ExitStack() as last,
    ):
        last.callback(stranger.kill)
        if not reaped:
            os.waitid(os.P_PID, stranger.pid, os.WEXITED | os.WNOWAIT)
        for left_behind in ("postmaster.pid", ".s.PGSQL.5432.lock"):
            (data / left_behind).write_text(f"{stranger.pid}\n{data}\n1\n5432\n{data}\n\n")
        (data / ".s.PGSQL.5432").touch()

        with LocalPostgres(home, binaries=programs) as conninfo:
            answer = ask(conninfo, "SELECT 1")

        assert (answer, stranger.poll()) == ("1", None if reaped else 0)


def test_a_command_killed_while_it_creates_the_data_leaves_the_next_a_clean_start(
    new_home: Path, programs: Path
) -> None:
    with Command(new_home, programs) as killed:
        assert within(30, (new_home / "data.new" / "PG_VERSION").exists)
        killed.kill()

    with LocalPostgres(new_home, binaries=programs) as conninfo:
        assert ask(conninfo, "SELECT 1") == "1"
    assert sorted(path.name for path in new_home.iterdir()) == ["data", "log", "server", "turn", "users"]


@pytest.mark.parametrize("moment", ["data.new", "data.new/global"])
def test_ctrl_c_while_the_data_are_created_leaves_nothing(new_home: Path, programs: Path, moment: str) -> None:
    with Command(new_home, programs) as command:
        assert within(30, (new_home / moment).exists)
        status = command.press_ctrl_c()

    assert status == 130
    assert {path.name for path in new_home.iterdir()} - {"log"} == {"turn"}
    assert not is_held(new_home / "turn")


@pytest.mark.parametrize("moment", ["postmaster.pid", ".s.PGSQL.5432.lock", ".s.PGSQL.5432"])
def test_ctrl_c_while_the_server_starts_leaves_nothing_running(home: Path, programs: Path, moment: str) -> None:
    with Command(home, programs) as command:
        assert within(30, (LocalPostgres(home).folder / "data" / moment).exists)
        status = command.press_ctrl_c()

    assert (status, runs(home), is_held(home / "turn")) == (130, False, False)


def test_ctrl_c_in_a_command_reaches_the_server_only_through_its_leaving(home: Path, programs: Path) -> None:
    with Command(home, programs) as interrupted, LocalPostgres(home, binaries=programs) as conninfo:
        interrupted.enters()
        interrupted.press_ctrl_c()
        answer = ask(conninfo, "SELECT 1")

    assert (answer, runs(home)) == ("1", False)


def test_commands_killed_at_any_moment_do_not_spoil_it_for_the_next(home: Path, programs: Path) -> None:
    chance = random.Random(1)
    for _ in range(8):
        with Command(home, programs) as killed:
            killed.may_leave()
            time.sleep(chance.uniform(0, 0.12))
            killed.kill()

    with LocalPostgres(home, binaries=programs) as conninfo:
        assert ask(conninfo, "SELECT 1") == "1"
    assert not runs(home)


def test_eight_processes_that_come_and_go_at_random_never_fail(home: Path, programs: Path) -> None:
    command = [sys.executable, "-c", COMES_AND_GOES, str(home), str(programs)]
    together = [subprocess.Popen([*command, str(seed)]) for seed in range(8)]

    assert [process.wait(60) for process in together] == [0] * 8
    assert not runs(home)


def test_threads_of_one_process_share_it_like_processes(home: Path, programs: Path) -> None:
    ours = LocalPostgres(home, binaries=programs)

    def come_and_go(number: int) -> list[str]:
        answers = []
        for local in (LocalPostgres(home, binaries=programs), ours):
            with local as conninfo:
                answers.append(ask(conninfo, f"SELECT {number}"))
        return answers

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(come_and_go, range(16)))

    assert answers == [[str(number)] * 2 for number in range(16)]
    assert not runs(home)
