"""A worker dies, or is stopped for too long, at each point of its way: another one does what is left, once.

Real processes, a real SIGKILL, each point five times. Leases run out because the clock of the database is moved.

Source: worker.md, "Faults that must leave exactly one event per unit of work and a verifying chain".
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import Connection as Line

import pytest

from attackers import Report, fire_and_die, fire_when_told
from forked import PATIENCE_SECONDS, Start, ended
from lock_waits import until, waiter
from scribe import HOUR, Scribe
from sealing import Deployment, a_deployment
from sealwork.adapters.postgres.database import Connection, Database
from sealwork.application.ports.work_store import SettleAs
from sealwork.application.work.fire_work import Fired
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.work.outcomes import Unanswered
from sealwork.domain.work.work_row import WorkKind, WorkRow

pytestmark = pytest.mark.parametrize("server", ["18"], indirect=True, ids=["PostgreSQL 18"])

FIVE_TIMES = pytest.mark.parametrize("time", range(1, 6))
STREAM = "process/c-1"
KILLED = {-signal.SIGKILL: 1}


@pytest.fixture
def deployment(database: Database) -> Deployment:
    """A deployment where one automatic action waits."""
    deployment = a_deployment(database)
    deployment.begin("c-1")
    deployment.take("c-1", "submit", "maria")
    return deployment


@FIVE_TIMES
@pytest.mark.parametrize(
    ("dies_at", "stands"),
    [("claimed", False), ("signed", False), ("committed", True)],
    ids=["after the claim", "after the signature", "after the commit"],
)
def test_what_a_dead_worker_had_begun_is_done_once(
    start: Start, conninfo: str, deployment: Deployment, time: int, dies_at: str, stands: bool
) -> None:
    assert ended([start(fire_and_die, conninfo, dies_at)]) == KILLED
    assert _row(deployment).status == "claimed"

    fired = _heir(deployment)

    assert _was_there_before(fired) is stands
    _assert_done_once(deployment)


@FIVE_TIMES
def test_an_event_whose_writer_died_before_the_commit_is_written_by_another(
    start: Start, conninfo: str, database: Database, deployment: Deployment, time: int
) -> None:
    """The server notices that its client is gone: what was being written is rolled back."""
    with database.owner() as owner:
        (name,) = owner.execute("SELECT current_database()").fetchone() or ("",)
        owner.execute(f"ALTER DATABASE {name} SET client_connection_check_interval = '10ms'".encode())
        with owner.transaction():
            session = _killed_while_it_writes(start, conninfo, database, owner)
            until(lambda: _has_ended(database, session))

    fired = _heir(deployment)

    assert not _was_there_before(fired)
    _assert_done_once(deployment)


@FIVE_TIMES
def test_an_event_whose_writer_died_before_the_commit_may_still_be_written(
    start: Start, conninfo: str, database: Database, deployment: Deployment, time: int
) -> None:
    """The server does not notice before it has written what it was given: the other finds the event."""
    with database.owner() as owner, owner.transaction():
        session = _killed_while_it_writes(start, conninfo, database, owner)
    until(lambda: _has_ended(database, session))

    fired = _heir(deployment)

    assert _was_there_before(fired)
    _assert_done_once(deployment)


def _take_over(deployment: Deployment) -> None:
    assert len(Scribe(deployment).claim()) == 1


def _take_over_and_fire(deployment: Deployment) -> None:
    assert len(deployment.fire_due()) == 1


@pytest.mark.parametrize("stops_at", ["signed", "decided"])
@pytest.mark.parametrize(
    ("heir", "answer", "became"),
    [(_take_over, RefusalCode.NOT_CLAIMED, "lost"), (_take_over_and_fire, "duplicate", "no_event")],
    ids=["taken over", "taken over and fired"],
)
def test_a_zombie_neither_appends_nor_settles(
    start: Start,
    conninfo: str,
    database: Database,
    deployment: Deployment,
    stops_at: str,
    heir: Callable[[Deployment], None],
    answer: str,
    became: str,
) -> None:
    ours, theirs = Pipe()
    zombie = start(fire_when_told, conninfo, stops_at, theirs)
    theirs.close()
    assert _heard(ours) == stops_at
    assert zombie.pid
    os.kill(zombie.pid, signal.SIGSTOP)
    deployment.wait(HOUR)
    heir(deployment)
    before = _everything(database)

    ours.send("go on")
    os.kill(zombie.pid, signal.SIGCONT)
    report = _heard(ours)

    assert isinstance(report, Report)
    assert (_said(report.answer), report.became) == (answer, became)
    assert report.settled == dict.fromkeys(SettleAs, "lost") | {SettleAs.COMPLETE: "no_event"}
    assert list(report.renewed) == []
    assert _everything(database) == before
    assert ended([zombie]) == {0: 1}
    deployment.wait(2 * HOUR)
    deployment.fire_due()
    _assert_done_once(deployment)


def _killed_while_it_writes(start: Start, conninfo: str, database: Database, holder: Connection) -> int:
    """Kill a worker while its append waits for the head, which `holder` has locked; return its session."""
    assert holder.execute("SELECT 1 FROM sealwork.heads WHERE stream = %s FOR UPDATE", (STREAM,)).fetchone()
    worker = start(fire_and_die, conninfo, None)
    session = waiter(database, unless=lambda: not worker.is_alive())
    assert session
    worker.kill()
    assert ended([worker]) == KILLED
    return session


def _has_ended(database: Database, session: int) -> bool:
    with database.owner() as owner:
        return not owner.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", (session,)).fetchone()


def _heir(deployment: Deployment) -> Fired:
    """Let another worker do what is due once the lease has run out."""
    assert deployment.fire_due() == []
    deployment.wait(HOUR)
    (fired,) = deployment.fire_due()
    assert fired.became == "completed"
    return fired


def _was_there_before(fired: Fired) -> bool:
    assert isinstance(fired.answer, Appended)
    return fired.answer.duplicate


def _said(answer: Appended | Refused | Unanswered) -> str:
    if isinstance(answer, Appended):
        return "duplicate" if answer.duplicate else "appended"
    return answer.code


def _assert_done_once(deployment: Deployment) -> None:
    """The chain verifies, its last event is the only one of this unit of work, and completed the row."""
    events, row = Scribe(deployment).events(STREAM), _row(deployment)
    assert [getattr(event.read_intent, "action", "") for event in events] == ["start", "submit", "screen"]
    assert (row.status, row.fired_event_hash) == ("completed", events[-1].hash)
    assert deployment.verify().intact


def _row(deployment: Deployment) -> WorkRow:
    (row,) = (row for row in Scribe(deployment).rows(STREAM) if row.kind is WorkKind.AUTO_ACTION)
    return row


def _heard(line: Line) -> object:
    assert line.poll(PATIENCE_SECONDS)
    return line.recv()


def _everything(database: Database) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table but the system log, where a zombie may tell what it tried."""
    tables = b"SELECT tablename FROM pg_tables WHERE schemaname = 'sealwork' AND tablename <> 'system_log'"
    with database.owner() as owner:
        return {
            name: owner.execute(f"SELECT t::text FROM sealwork.{name} AS t ORDER BY 1".encode()).fetchall()
            for (name,) in owner.execute(tables).fetchall()
        }
