"""Who waits for whom, and in which order rows are locked; one lock at a time, where races show it by chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from lock_waits import waiter
from scribe import HOUR, Scribe, auto, timer
from sealwork.adapters.event_log.recorded_log import RecordedEventLog
from sealwork.adapters.postgres.database import Connection, Database, Inside, Role
from sealwork.adapters.postgres.recorder import PostgresRecorder
from sealwork.application.ports.event_log import AppendStatus, Commit
from sealwork.application.ports.work_store import SettleAs, Settlement
from sealwork.domain.ledger.effects import Effect
from sealwork.domain.work.work_row import ClaimedWork

pytestmark = pytest.mark.parametrize("server", ["18"], indirect=True, ids=["PostgreSQL 18"])

Call = Callable[[Scribe, Sequence[ClaimedWork]], object]


def fire(scribe: Scribe, works: Sequence[ClaimedWork]) -> object:
    return scribe.log.append([(scribe.firing(work),) for work in works])


def settle(scribe: Scribe, works: Sequence[ClaimedWork]) -> object:
    ends = [Settlement(work=work, end=SettleAs.RETRY) for work in works]
    return scribe.store.settle(works[0].lease_token, ends)


def renew(scribe: Scribe, works: Sequence[ClaimedWork]) -> object:
    return scribe.store.renew(works[0].lease_token, works, lease=HOUR)


def assert_locked_in_order(database: Database, rows: Sequence[str], call: Callable[[], object]) -> None:
    """Assert that `call`, while it waits for the first of two rows, holds no lock on the second."""
    first, second = (f"SELECT 1 FROM {row} FOR UPDATE NOWAIT".encode() for row in rows)
    with ThreadPoolExecutor(1) as pool, database.owner() as owner, owner.transaction():
        assert owner.execute(first).fetchone()
        waiting = pool.submit(call)
        assert waiter(database, unless=waiting.done)
        assert owner.execute(second).fetchone()


def test_heads_are_locked_in_one_order(scribe: Scribe, emptied: Database) -> None:
    streams = ["process/a", "process/b"]
    for stream in streams:
        scribe.write(stream)
    commits = [(scribe.item(stream),) for stream in reversed(streams)]
    rows = [f"sealwork.heads WHERE stream = '{stream}'" for stream in streams]

    assert_locked_in_order(emptied, rows, lambda: scribe.log.append(commits))


@pytest.mark.parametrize("call", [fire, settle, renew])
@pytest.mark.parametrize(
    ("effect", "table"),
    [(auto(), "automation_queue"), (timer("t", -HOUR), "scheduled_actions")],
    ids=["queue rows", "timers"],
)
def test_work_is_locked_in_one_order(
    scribe: Scribe, emptied: Database, effect: Effect, table: str, call: Call
) -> None:
    scribe.write("process/a", effect)
    scribe.write("process/b", effect)
    works = sorted(scribe.claim(token=uuid4()), key=lambda work: work.row.id)
    rows = [f"sealwork.{table} WHERE id = '{work.row.id}'" for work in works]

    assert_locked_in_order(emptied, rows, lambda: call(scribe, works[::-1]))


def test_an_event_waits_for_the_one_before_it(scribe: Scribe, emptied: Database) -> None:
    scribe.write("process/p-1")
    first, second = _event(scribe), _event(scribe)

    with ThreadPoolExecutor(1) as pool, emptied.owner() as owner:
        with owner.transaction():
            _append_inside(owner, first)
            waiting = pool.submit(scribe.log.append, [second])
            assert waiter(emptied, unless=waiting.done)
        (verdict,) = waiting.result()

    assert verdict.status is AppendStatus.STALE


def test_an_event_waits_for_an_epoch_that_is_being_written(scribe: Scribe, emptied: Database) -> None:
    """And is told to decide again: it was decided by rules that have ended."""
    event, epoch = _event(scribe), _epoch(scribe)

    with ThreadPoolExecutor(1) as pool, emptied.owner() as owner:
        with owner.transaction():
            _append_inside(owner, epoch)
            waiting = pool.submit(scribe.log.append, [event])
            assert waiter(emptied, unless=waiting.done)
        (verdict,) = waiting.result()

    assert verdict.status is AppendStatus.CONTEXT_MOVED


def test_an_epoch_waits_for_the_events_that_are_being_written(scribe: Scribe, emptied: Database) -> None:
    event, epoch = _event(scribe), _epoch(scribe)

    with ThreadPoolExecutor(1) as pool, emptied.owner() as owner:
        with owner.transaction():
            _append_inside(owner, event)
            waiting = pool.submit(scribe.log.append, [epoch])
            assert waiter(emptied, unless=waiting.done)
        verdicts = waiting.result()

    assert [verdict.status for verdict in verdicts] == [AppendStatus.APPENDED] * 2


def _event(scribe: Scribe) -> Commit:
    return (scribe.item("process/p-1"),)


def _epoch(scribe: Scribe) -> Commit:
    rule = scribe.item("rule/r-1", action="publish")
    return rule, scribe.without_intent(scribe.item("rules/set"), rule.event)


def _append_inside(owner: Connection, commit: Commit) -> None:
    log = RecordedEventLog(PostgresRecorder(Inside(owner), Role.ENGINE))
    assert {verdict.status for verdict in log.append([commit])} == {AppendStatus.APPENDED}
