"""`doctor`, seen from the database: each thing that can be wrong is told, with what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from scribe import Scribe, auto, timer
from sealing import ORIGIN, Deployment
from sealwork.adapters.clocks import SteppingClock, SystemClock
from sealwork.adapters.postgres.database import Connection, Database
from sealwork.adapters.postgres.health import PATIENCE, examine, notices
from sealwork.application.ports.clock import Clock
from sealwork.application.upkeep.diagnosis import Diagnosis, Level
from servers import Server


def examined(database: Database, *, origin: str = ORIGIN, clock: Clock | None = None) -> dict[str, Diagnosis]:
    """What is told, by the thing that it is about."""
    return {line.check: line for line in examine(database, origin=origin, clock=clock or SystemClock())}


def as_owner(database: Database, *statements: str) -> None:
    with database.owner() as owner:
        for statement in statements:
            owner.execute(statement.encode())


def test_all_is_told_of_a_database_in_order(emptied: Database) -> None:
    found = examined(emptied)

    levels = {check: line.level for check, line in found.items()}
    assert levels == {
        "version": Level.OK,
        "clock": Level.OK,
        "durability": Level.BAD,  # the servers of the tests do not wait for the disk
        "notices": Level.OK,
        "schema": Level.OK,
        "triggers": Level.OK,
        "rights": Level.WARN,  # nor have they more than one login
        "origin": Level.OK,
        "due work": Level.OK,
        "failed work": Level.OK,
    }
    assert all((line.advice is None) == (line.level is Level.OK) for line in found.values())
    assert "fsync = off" in found["durability"].what
    assert "may do everything" in found["rights"].what


def test_looking_over_writes_nothing(conninfo: str) -> None:
    with Database(make_conninfo(conninfo, options="-c default_transaction_read_only=on")) as database:
        assert len(examined(database)) == 10


@pytest.mark.parametrize(
    ("change", "check", "said"),
    [
        ("DELETE FROM sealwork.migrations WHERE number > 15", "schema", r"\d+ migrations are missing"),
        ("UPDATE sealwork.migrations SET sha256 = 'x' WHERE number = 3", "schema", "0003_bytes.sql was changed"),
        (
            "INSERT INTO sealwork.migrations VALUES (9999, '9999_x.sql', 'x')",
            "schema",
            "newer: it knows 9999_x.sql",
        ),
        ("DROP SCHEMA sealwork CASCADE", "schema", "there is none"),
        ("ALTER TABLE sealwork.events DISABLE TRIGGER append_only", "triggers", "not always on: those of events"),
        ("ALTER TABLE sealwork.documents ENABLE TRIGGER append_only", "triggers", "those of documents"),
        ("DROP TRIGGER append_only ON sealwork.system_log", None, ""),
        (
            "DROP TRIGGER append_only ON sealwork.events; DROP TRIGGER never_truncated ON sealwork.events",
            "triggers",
            "those of events",
        ),
        ("DELETE FROM sealwork.settings", "origin", "none yet"),
        (
            "UPDATE sealwork.settings SET origin = 'test.example/other'",
            "origin",
            "holds the log test.example/other",
        ),
    ],
)
def test_what_is_to_be_mended_is_told(change: str, check: str | None, said: str, database: Database) -> None:
    before = {name for name, line in examined(database).items() if line.level is Level.BAD}
    as_owner(database, change)

    bad = {name: line for name, line in examined(database).items() if line.level is Level.BAD}

    assert bad.keys() - before == ({check} if check else set())
    if check:
        assert re.search(said, bad[check].what)
        assert bad[check].advice


def test_clocks_that_differ_are_told(emptied: Database) -> None:
    for ahead in (timedelta(seconds=-7), timedelta(seconds=7)):
        found = examined(emptied, clock=SteppingClock(datetime.now(UTC) + ahead))["clock"]
        assert found.level is Level.WARN


def test_work_that_nobody_fires_and_work_that_failed_is_told(deployment: Deployment, emptied: Database) -> None:
    Scribe(deployment).write("process/p-1", auto(), timer())
    deployment.wait(PATIENCE + timedelta(minutes=2))
    waiting = examined(emptied)
    as_owner(emptied, "UPDATE sealwork.automation_queue SET status = 'failed'")
    failed = examined(emptied)

    assert (waiting["due work"].level, waiting["failed work"].level) == (Level.WARN, Level.OK)
    assert "has waited for 7 min" in waiting["due work"].what
    assert (failed["failed work"].level, failed["failed work"].what) == (Level.WARN, "1 rows")


@contextmanager
def a_login(server: Server, conninfo: str, *grants: str) -> Iterator[Database]:
    """A login of its own, with these grants."""
    with psycopg.connect(conninfo, autocommit=True) as superuser:
        superuser.execute("CREATE ROLE clerk LOGIN")
        try:
            for grant in grants:
                superuser.execute(f"GRANT {grant} TO clerk".encode())
            with Database(make_conninfo(conninfo, user="clerk")) as database:
                yield database
        finally:
            superuser.execute("DROP OWNED BY clerk; DROP ROLE clerk")


@pytest.mark.parametrize(
    ("grants", "level", "said"),
    [
        ((), Level.BAD, "clerk has the roles of nobody"),
        (("sealwork_reader",), Level.OK, "clerk has the roles sealwork_reader"),
        (("sealwork_engine",), Level.OK, "clerk has the roles sealwork_engine"),
        (("sealwork_worker", "sealwork_reader"), Level.OK, "sealwork_worker, sealwork_reader"),
        (("sealwork_worker", "sealwork_engine"), Level.WARN, "one login both claims and appends"),
        (("sealwork_owner",), Level.WARN, "clerk may do everything"),
        (
            ("sealwork_worker", "USAGE ON SCHEMA sealwork", "UPDATE ON sealwork.heads"),
            Level.BAD,
            "clerk may write heads past the functions",
        ),
    ],
    ids=lambda value: "+".join(value) or "nothing" if isinstance(value, tuple) else None,
)
def test_a_login_has_no_more_than_it_needs(
    grants: tuple[str, ...], level: Level, said: str, server: Server, conninfo: str
) -> None:
    with a_login(server, conninfo, *grants) as database:
        found = examined(database)

    assert found["rights"].level is level
    assert said in found["rights"].what
    assert found["schema"].level is Level.WARN
    assert ("origin" in found) == (bool(grants) and grants != ("sealwork_owner",))


class Pooled:
    """A pooler in transaction mode: statement by statement another session, and no notice is passed on."""

    def __init__(self, *sessions: Connection) -> None:
        self._sessions, self._turn = sessions, 0

    def execute(self, statement: bytes) -> Any:
        """Run a statement in the next session."""
        self._turn += 1
        return self._sessions[self._turn % len(self._sessions)].execute(statement)

    def notifies(self, *, timeout: float, stop_after: int) -> Iterator[object]:
        """Hear nothing."""
        return iter(())


@pytest.mark.parametrize(("sessions", "said"), [(2, "another session"), (1, "LISTEN hears no NOTIFY")])
def test_a_pooler_that_passes_no_notices_is_told(sessions: int, said: str, conninfo: str) -> None:
    connections = [psycopg.connect(conninfo, autocommit=True) for _ in range(sessions)]
    try:
        found = notices(cast(Connection, Pooled(*connections)))
    finally:
        for connection in connections:
            connection.close()

    assert found.level is Level.BAD
    assert said in found.what
