"""The attacks of the store in which two race for one row or one head.

Source: the spike `store`, whose names they keep. They run on one version only; the contracts run on all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import count
from threading import Event
from uuid import uuid4

import pytest

from scribe import HOUR, Scribe, auto, timer
from sealing import Deployment
from sealwork.adapters.event_log.recorded_log import RecordedEventLog
from sealwork.adapters.postgres.database import Database, Inside, Role
from sealwork.adapters.postgres.recorder import PostgresRecorder
from sealwork.adapters.postgres.work_store import PostgresWorkStore
from sealwork.application.ports.event_log import AppendStatus, Item
from sealwork.application.ports.work_store import SettleAs
from sealwork.domain.ledger.effects import Cancel
from together import all_at_once

pytestmark = pytest.mark.parametrize("server", ["18"], indirect=True, ids=["PostgreSQL 18"])

APPENDED, STALE, NOT_CLAIMED = AppendStatus.APPENDED, AppendStatus.STALE, AppendStatus.NOT_CLAIMED
DUPLICATE, CONTEXT_MOVED = AppendStatus.DUPLICATE, AppendStatus.CONTEXT_MOVED


def test_identical_events_of_eight_connections_are_one(scribe: Scribe) -> None:
    for number in range(30):
        item = scribe.item(f"process/i-{number % 8}", id_=str(uuid4()))

        verdicts = all_at_once([partial(scribe.append, item)] * 8)

        assert Counter(verdict.status for verdict in verdicts) == {APPENDED: 1, DUPLICATE: 7}
        assert {(verdict.seq, verdict.hash) for verdict in verdicts} == {(item.event.seq, item.event.hash)}


class Race:
    """A timer that is claimed: one fires it, another cancels it; `first` says who waits for whom."""

    def __init__(self, scribe: Scribe, stream: str, first: str) -> None:
        self._scribe, self._stream, self._first = scribe, stream, first
        self._fired, self._cancelled = Event(), Event()
        scribe.write(stream, timer("t", -HOUR))
        (self._work,) = scribe.claim()

    def fire(self) -> AppendStatus:
        """Fire and settle; return what became of the event."""
        if self._first == "the cancellation":
            assert self._cancelled.wait(60)
        while (status := self._scribe.append(self._scribe.firing(self._work)).status) is STALE:
            pass
        self._fired.set()
        end = self._scribe.settle(self._work, SettleAs.COMPLETE if status is APPENDED else SettleAs.RETRY)
        assert end == ("exhausted" if status is APPENDED else "lost")
        return status

    def cancel(self) -> AppendStatus:
        """Cancel; return what became of the event."""
        if self._first == "the fire":
            assert self._fired.wait(60)
        stop = partial(self._scribe.item, self._stream, Cancel(id="t"), action="stop")
        while (status := self._scribe.append(stop()).status) is STALE:
            pass
        self._cancelled.set()
        return status


@pytest.mark.parametrize(
    ("first", "possible"),
    [("either", {APPENDED, NOT_CLAIMED}), ("the fire", {APPENDED}), ("the cancellation", {NOT_CLAIMED})],
)
def test_cancels_against_fires(scribe: Scribe, first: str, possible: set[AppendStatus]) -> None:
    """A timer ends exhausted with one event, or cancelled with none; nothing between."""
    stories = {
        APPENDED: ("exhausted", True, ["note", "tick", "stop"]),
        NOT_CLAIMED: ("cancelled", False, ["note", "stop"]),
    }
    for number in range(25):
        stream = f"process/c-{number}"
        race = Race(scribe, stream, first)

        outcome, cancelled = all_at_once([race.fire, race.cancel])

        (row,) = scribe.rows(stream)
        actions = [getattr(event.read_intent, "action", "") for event in scribe.events(stream)]
        assert (row.status, row.fired_event_hash is not None, actions) == stories[outcome]
        assert outcome in possible
        assert cancelled is APPENDED


def test_retries_while_the_same_action_is_queued_again(scribe: Scribe) -> None:
    """Both rows live, both fire, each keeps its cause; a third is suppressed by the one that waits."""
    for number in range(30):
        stream = f"process/r-{number}"
        first = scribe.write(stream, auto())
        (work,) = scribe.claim()
        again = scribe.item(stream, auto())

        def queue(again: Item = again) -> str:
            return scribe.append(again).status.value

        calls: list[Callable[[], str]] = [partial(scribe.settle, work, SettleAs.RETRY), queue]
        answers = all_at_once(calls)
        scribe.write(stream, auto())

        assert answers == ["retry", "appended"]
        rows = {(row.status, row.caused_by.event_hash, row.attempts) for row in scribe.rows(stream)}
        assert rows == {("claimed", first.hash, 1), ("pending", again.event.hash, 0)}
        for _ in range(2):
            (work,) = scribe.claim()
            scribe.fire(work)
            assert scribe.settle(work, SettleAs.COMPLETE) == "completed"
        assert scribe.claim() == []


def test_lost_settlements_and_zombies(scribe: Scribe, deployment: Deployment) -> None:
    scribe.write("process/l", auto())
    (first,) = scribe.claim()
    event = scribe.fire(first)  # and its settlement is lost
    assert scribe.claim() == []
    deployment.wait(2 * HOUR)
    (second,) = scribe.claim()
    assert second.row.attempts == 2
    again = scribe.append(scribe.firing(second))
    assert (again.status, again.seq, again.hash) == (DUPLICATE, event.seq, event.hash)
    assert scribe.settle(second, SettleAs.FAIL, error="the fence is asked first") == "completed"
    assert scribe.settle(first, SettleAs.COMPLETE) == "no_event"
    assert scribe.settle(first, SettleAs.RETRY) == "lost"

    scribe.write("process/z", auto())
    (zombie,) = scribe.claim()
    signed = scribe.firing(zombie)
    deployment.wait(2 * HOUR)
    (heir,) = scribe.claim()
    assert scribe.append(signed).status is NOT_CLAIMED
    assert scribe.settle(zombie, SettleAs.FAIL) == "lost"
    assert scribe.append(scribe.firing(heir)).status is APPENDED


def test_takeovers_of_one_row_by_many(scribe: Scribe, deployment: Deployment) -> None:
    scribe.write("process/t", auto())
    scribe.claim()
    for _ in range(10):
        deployment.wait(2 * HOUR)

        claims = all_at_once([scribe.claim] * 6)

        assert sorted(map(len, claims)) == [0, 0, 0, 0, 0, 1]


def test_publish_against_events(scribe: Scribe, emptied: Database) -> None:
    """No event carries a rule epoch that had ended before it was written."""
    published, seen = Event(), Counter[AppendStatus]()

    def publish() -> None:
        for number in range(25):
            rule = scribe.item(f"rule/r-{number}", action="publish")
            epoch = scribe.without_intent(scribe.item("rules/set"), rule.event)
            verdicts = scribe.log.append([(rule, epoch)])
            assert [verdict.status for verdict in verdicts] == [APPENDED, APPENDED]
        published.set()

    def act(name: str) -> None:
        for number in count():
            if published.is_set():
                return
            stream = f"process/p-{name}-{number}"
            while (status := scribe.append(scribe.item(stream)).status) is not APPENDED:
                assert status is CONTEXT_MOVED
                seen[status] += 1

    lives: list[Callable[[], None]] = [publish, *(partial(act, name) for name in "abc")]
    all_at_once(lives)

    with emptied.owner() as owner:
        (wrong, all_events) = owner.execute(
            """
            WITH event AS (SELECT *, (convert_from(record, 'UTF8')::jsonb->>'rules')::bigint AS epoch
                           FROM sealwork.events WHERE stream LIKE 'process/p-%%'),
                 epoch AS (SELECT seq, txid FROM sealwork.events WHERE stream = 'rules/set')
            SELECT count(*) FILTER (WHERE own.txid >= event.txid OR next.txid <= event.txid), count(*)
            FROM event
            LEFT JOIN epoch AS own ON own.seq = event.epoch
            LEFT JOIN epoch AS next ON next.seq = event.epoch + 1
            """
        ).fetchone() or (1, 0)
    assert wrong == 0
    assert all_events > 0


def test_an_epoch_that_ended_while_an_event_was_decided_is_told(scribe: Scribe) -> None:
    decided = scribe.item("process/p-1")
    scribe.append(scribe.without_intent(scribe.item("rules/set"), scribe.write("rule/r-1")))

    assert scribe.append(decided).status is CONTEXT_MOVED


@pytest.mark.parametrize("order", ["a claim, then an event", "an event, then a claim"])
def test_an_event_is_durable_whatever_the_session_chose(scribe: Scribe, emptied: Database, order: str) -> None:
    """Neither a setting nor a claim in the same transaction makes an append asynchronous."""
    scribe.write("process/w", auto())
    with emptied.owner() as owner:
        owner.execute("SET synchronous_commit = off")
        with owner.transaction():
            log = RecordedEventLog(PostgresRecorder(Inside(owner), Role.ENGINE))
            store = PostgresWorkStore(Inside(owner), Role.WORKER)
            steps: list[Callable[[], object]] = [
                lambda: store.claim(["acme"], limit=1, token=uuid4(), lease=HOUR),
                lambda: log.append([(scribe.item("process/m"),)]),
            ]
            for step in steps if order == "a claim, then an event" else reversed(steps):
                assert step()
            assert owner.execute("SHOW synchronous_commit").fetchone() == ("on",)


def test_a_claim_alone_does_not_wait_for_the_disk(scribe: Scribe, emptied: Database) -> None:
    scribe.write("process/w", auto())
    with emptied.owner() as owner, owner.transaction():
        store = PostgresWorkStore(Inside(owner), Role.WORKER)
        (work,) = store.claim(["acme"], limit=1, token=uuid4(), lease=HOUR)

        assert owner.execute("SHOW synchronous_commit").fetchone() == ("off",)
        assert work.row.stream == "process/w"
