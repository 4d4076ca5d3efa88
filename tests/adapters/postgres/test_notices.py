"""Notices: heard after the commit that they tell of, small, and never more than a hint (S1-062..065)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

import psycopg
import pytest

from scribe import HOUR, Scribe, auto, rule, spawn, timer
from sealing import START, Deployment
from sealwork.adapters.event_log.recorded_log import RecordedEventLog
from sealwork.adapters.postgres.database import Database, Inside, Role
from sealwork.adapters.postgres.recorder import PostgresRecorder
from sealwork.application.ports.event_log import AppendStatus, EventLog
from sealwork.application.ports.work_store import SettleAs, Settlement
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.effects import Cancel
from sealwork.domain.work.work_row import WorkKind, WorkStatus

STREAM = "process/p-1"
TIMERS, QUEUE = "scheduled_actions_changed", "automation_queue_changed"
MARK = "sealwork_test_mark"


class Listener:
    """A second connection that listens. What was said before a mark has been heard when the mark has."""

    def __init__(self, connection: psycopg.Connection[tuple[object, ...]], database: Database) -> None:
        self._connection, self._database = connection, database
        for channel in (TIMERS, QUEUE, MARK):
            connection.execute(f"LISTEN {channel}".encode())

    def heard(self) -> list[tuple[str, str]]:
        """Return channel and payload of everything said since the last call."""
        mark = str(uuid4())
        with self._database.owner() as owner:
            owner.execute("SELECT pg_notify(%s, %s)", (MARK, mark))
        told: list[tuple[str, str]] = []
        for notice in self._connection.notifies(timeout=30):
            if notice.payload == mark:
                return told
            told.append((notice.channel, notice.payload))
        raise AssertionError("the mark was not heard")

    def documents(self) -> list[tuple[str, JsonObject]]:
        """Return channel and payload, read as JSON."""
        return [(channel, json.loads(payload)) for channel, payload in self.heard()]


@pytest.fixture
def listener(deployment: Deployment, emptied: Database) -> Iterator[Listener]:
    """A reader who listens to everything."""
    with emptied.owner() as connection:
        connection.execute(f"SET ROLE {Role.READER}".encode())
        yield Listener(connection, emptied)


def test_nothing_is_heard_before_the_commit(scribe: Scribe, emptied: Database, listener: Listener) -> None:
    with emptied.owner() as connection:
        with connection.transaction():
            log = _inside(connection)
            assert log.append([(scribe.item(STREAM, timer(), auto()),)])[0].status is AppendStatus.APPENDED
            assert listener.heard() == []

        assert [channel for channel, _ in listener.heard()] == [TIMERS, QUEUE]


def test_a_rollback_leaves_neither_event_nor_row_nor_notice(
    scribe: Scribe, emptied: Database, listener: Listener
) -> None:
    with emptied.owner() as connection, connection.transaction(force_rollback=True):
        log = _inside(connection)
        assert log.append([(scribe.item(STREAM, timer(), auto()),)])[0].status is AppendStatus.APPENDED
        assert len(log.load("acme", STREAM, list)) == 1

    assert listener.heard() == []
    assert (scribe.events(STREAM), list(scribe.rows(STREAM))) == ([], [])
    assert list(scribe.log.streams()) == []


def test_a_refused_event_is_not_heard_of(scribe: Scribe, listener: Listener) -> None:
    stale = scribe.item(STREAM, timer(), auto(), over=scribe.head(STREAM).model_copy(update={"seq": 4}))

    scribe.append(stale)

    assert listener.heard() == []


def test_a_notice_names_the_row_and_its_instant(scribe: Scribe, listener: Listener) -> None:
    scribe.write(STREAM, timer("t", HOUR), auto(), rule())
    rows = {row.kind: row for row in scribe.rows(STREAM)}

    told = listener.documents()

    assert [channel for channel, _ in told] == [TIMERS, QUEUE, QUEUE]
    for _, notice in told:
        row = rows.pop(WorkKind(str(notice["kind"])))
        assert notice == {
            "kind": row.kind,
            "op": "upsert",
            "tenant_id": "acme",
            "id": str(row.id),
            "process_id": "p-1",
            "run_at": instant_text(row.run_at),
        }
    assert rows == {}


def test_a_row_that_is_born_failed_wakes_nobody(scribe: Scribe, listener: Listener) -> None:
    scribe.write(STREAM, timer("t", failed="no"), auto(failed="no"))
    assert listener.heard() == []

    scribe.write("process/p-2", timer("a", failed="no"), timer("b"), auto("index", failed="no"), auto("screen"))

    told, waiting = listener.documents(), (WorkStatus.ACTIVE, WorkStatus.PENDING)
    assert [channel for channel, _ in told] == [TIMERS, QUEUE]
    assert {notice["id"] for _, notice in told} == {
        str(row.id) for row in scribe.rows("process/p-2") if row.status in waiting
    }


def test_a_timer_that_one_born_failed_replaces_is_told_of_alone(scribe: Scribe, listener: Listener) -> None:
    scribe.write(STREAM, timer("t", HOUR))
    listener.heard()

    scribe.write(STREAM, timer("t", 2 * HOUR, failed="no"))

    assert [(notice["op"], notice["run_at"]) for _, notice in listener.documents()] == [
        ("cancel", instant_text(START + HOUR))
    ]


def test_the_work_of_a_child_is_told_with_the_name_of_the_child(scribe: Scribe, listener: Listener) -> None:
    parent = scribe.item(STREAM, spawn())
    child = scribe.child(parent, timer("t"), auto())

    scribe.log.append([(parent, child)])

    told = [(channel, notice["process_id"]) for channel, notice in listener.documents()]
    name = child.event.stream.removeprefix("process/")
    assert told == [(TIMERS, name), (QUEUE, name)]


def test_replacing_and_cancelling_are_told(scribe: Scribe, listener: Listener) -> None:
    scribe.write(STREAM, timer("t", HOUR))
    scribe.write(STREAM, timer("t", 2 * HOUR))
    scribe.write(STREAM, Cancel(id="t"))
    scribe.write(STREAM, Cancel(id="t"), Cancel(id="unknown"))

    told = [(notice["op"], notice["run_at"]) for _, notice in listener.documents()]

    first, second = instant_text(START + HOUR), instant_text(START + 2 * HOUR)
    assert told == [("upsert", first), ("cancel", first), ("upsert", second), ("cancel", second)]


def test_a_row_that_was_suppressed_or_born_failed_is_not_heard_of(scribe: Scribe, listener: Listener) -> None:
    scribe.write(STREAM, auto())
    scribe.write(STREAM, auto())
    scribe.append(scribe.resealed(scribe.item("process/deep", auto(), rule()), depth=25))

    assert len(listener.heard()) == 1


def test_the_next_occurrence_is_told(scribe: Scribe, listener: Listener) -> None:
    scribe.write(STREAM, timer("t", -HOUR, every=7200))
    (work,) = scribe.claim()
    scribe.fire(work)
    listener.heard()

    scribe.settle(work, SettleAs.COMPLETE)

    ((channel, notice),) = listener.documents()
    assert (channel, notice["op"], notice["run_at"]) == (TIMERS, "upsert", instant_text(START + HOUR))


def test_a_notice_is_small_and_says_nothing_of_the_business(deployment: Deployment, listener: Listener) -> None:
    other = Scribe(deployment, "t" * 63)
    secret: JsonObject = {"secret": "x" * 9000}
    stream = "process/" + "p" * 192

    other.write(stream, timer("t", HOUR, action="a" * 63, data=secret), auto("b" * 63, secret), rule("c" * 63))

    payloads = [payload for _, payload in listener.heard()]
    assert len(payloads) == 3
    assert max(len(payload.encode()) for payload in payloads) < 500
    assert not any("secret" in payload or "xxx" in payload for payload in payloads)


@pytest.mark.parametrize(("processes", "notices"), [(20, 20), (21, 1)])
def test_many_rows_are_one_notice(scribe: Scribe, listener: Listener, processes: int, notices: int) -> None:
    items = [scribe.item(f"process/m-{number}", auto(), timer()) for number in range(processes)]

    scribe.log.append([(item,) for item in items])

    told = listener.documents()
    assert len([notice for channel, notice in told if channel == QUEUE]) == notices
    assert len([notice for channel, notice in told if channel == TIMERS]) == notices
    if notices == 1:
        assert [notice for _, notice in told] == [{"op": "many", "rows": processes}] * 2


def test_claims_are_not_heard_of(scribe: Scribe, listener: Listener) -> None:
    scribe.write(STREAM, auto())
    listener.heard()
    token = uuid4()
    works = scribe.claim(token=token)
    scribe.store.renew(token, works, lease=timedelta(hours=2))
    scribe.store.settle(token, [Settlement(work=work, end=SettleAs.RETRY) for work in works])

    assert listener.heard() == []


def _inside(connection: psycopg.Connection[tuple[object, ...]]) -> EventLog:
    """The log as the open transaction of `connection` sees and writes it."""
    connection.execute(f"SET LOCAL ROLE {Role.ENGINE}".encode())
    return RecordedEventLog(PostgresRecorder(Inside(connection), Role.ENGINE))
