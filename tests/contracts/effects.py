"""What every `EventLog` makes of effects, and which events may fire the rows that stand there afterwards.

Fixtures: `deployment`, empty, and its `scribe`.
"""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from scribe import DEFINITION, HOUR, Scribe, auto, rule, timer
from sealing import START, Deployment
from sealwork.application.ports.event_log import AppendStatus, Item
from sealwork.application.ports.work_store import SettleAs
from sealwork.domain.instants import instant_of, instant_text
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.effects import Cancel, Effect, Place, derived_id
from sealwork.domain.ledger.record import Record
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.work.provenance import fired_input
from sealwork.domain.work.work_row import ClaimedWork, WorkKind, WorkRow, WorkStatus

STREAM = "process/p-1"
APPENDED, DUPLICATE, NOT_CLAIMED = AppendStatus.APPENDED, AppendStatus.DUPLICATE, AppendStatus.NOT_CLAIMED


class EffectsContract:
    """Rows: made, replaced, cancelled, suppressed, fired once."""

    def test_a_timer_stands_as_its_effect_says(self, scribe: Scribe) -> None:
        event = scribe.write(STREAM, timer("t", HOUR, data={"a": [1.5, None, "é"]}), action="submit")

        (row,) = scribe.rows(STREAM)

        assert row == WorkRow(
            kind=WorkKind.SCHEDULED_ACTION,
            tenant="acme",
            id=_id_of(event, 0),
            stream=STREAM,
            action="tick",
            data={"a": [1.5, None, "é"]},
            status=WorkStatus.ACTIVE,
            occurrence=1,
            run_at=START + HOUR,
            missed=0,
            depth=0,
            caused_by=row.caused_by,
            schedule_id="t",
        )
        _is_caused_by(row, event, "submit", scribe)

    def test_an_automatic_action_stands_as_its_effect_says(self, scribe: Scribe) -> None:
        event = scribe.write(STREAM, timer(), auto("screen", {"b": {}}), action="submit")

        (row,) = (row for row in scribe.rows(STREAM) if row.kind is WorkKind.AUTO_ACTION)

        assert row == WorkRow(
            kind=WorkKind.AUTO_ACTION,
            tenant="acme",
            id=_id_of(event, 1),
            stream=STREAM,
            action="screen",
            data={"b": {}},
            status=WorkStatus.PENDING,
            occurrence=1,
            run_at=row.run_at,
            missed=0,
            depth=1,
            caused_by=row.caused_by,
            available_state="open",
            reason="auto action became available",
        )
        assert instant_of(_recorded_at(event)) <= row.run_at < START + HOUR
        _is_caused_by(row, event, "submit", scribe)

    def test_the_action_of_a_rule_names_rule_and_version(self, scribe: Scribe) -> None:
        scribe.write(STREAM, rule("remind", "rul_9", 4))

        (row,) = scribe.rows(STREAM)

        assert (row.kind, row.rule, row.rule_version) == (WorkKind.RULE, "rul_9", 4)
        assert (row.reason, row.available_state, row.depth) == ("rule matched", "open", 1)

    def test_an_event_that_is_not_appended_makes_no_rows(self, scribe: Scribe) -> None:
        begun = scribe.head(STREAM)
        scribe.write(STREAM)

        scribe.append(scribe.item(STREAM, timer(), auto(), over=begun))

        assert list(scribe.rows(STREAM)) == []

    def test_a_cancelled_timer_ends(self, scribe: Scribe) -> None:
        scribe.write(STREAM, timer("a"), timer("b"))
        scribe.write("process/p-2", timer("a"))

        scribe.write(STREAM, Cancel(id="a"), Cancel(id="unknown"))

        assert _timers(scribe) == {"a": ["cancelled"], "b": ["active"]}
        assert [row.status for row in scribe.rows("process/p-2")] == [WorkStatus.ACTIVE]

    def test_a_timer_of_the_same_id_replaces_the_live_one(self, scribe: Scribe) -> None:
        scribe.write(STREAM, timer("a"))
        scribe.write(STREAM, timer("a", 2 * HOUR))
        scribe.write(STREAM, Cancel(id="a"), timer("a", 3 * HOUR))

        assert _timers(scribe) == {"a": ["cancelled", "cancelled", "active"]}

    def test_a_timer_that_was_cancelled_may_begin_and_be_cancelled_again(self, scribe: Scribe) -> None:
        for hours in (1, 2):
            scribe.write(STREAM, timer("a", hours * HOUR))
            scribe.write(STREAM, Cancel(id="a"))
        scribe.write(STREAM, timer("a", 3 * HOUR))

        assert _timers(scribe) == {"a": ["cancelled", "cancelled", "active"]}

    def test_cancel_beats_a_claim(self, scribe: Scribe) -> None:
        scribe.write(STREAM, timer("a", -HOUR))
        (work,) = scribe.claim()

        scribe.write(STREAM, Cancel(id="a"))

        (row,) = scribe.rows(STREAM)
        assert (row.status, row.lease_token) == (WorkStatus.CANCELLED, None)
        assert scribe.append(scribe.firing(work)).status is NOT_CLAIMED

    def test_a_waiting_automatic_action_is_not_queued_twice(self, scribe: Scribe) -> None:
        first = scribe.write(STREAM, auto("screen"), auto("index"))
        scribe.write(STREAM, auto("screen"))

        causes = {row.action: row.caused_by.event_hash for row in scribe.rows(STREAM)}

        assert causes == {"screen": first.hash, "index": first.hash}
        assert len(scribe.rows(STREAM)) == 2

    def test_a_claimed_automatic_action_does_not_suppress_the_next(self, scribe: Scribe) -> None:
        scribe.write(STREAM, auto())
        scribe.claim()

        second = scribe.write(STREAM, auto())

        rows = {row.status: row for row in scribe.rows(STREAM)}
        assert set(rows) == {WorkStatus.CLAIMED, WorkStatus.PENDING}
        assert rows[WorkStatus.PENDING].caused_by.event_hash == second.hash

    def test_what_a_rule_raises_is_never_suppressed(self, scribe: Scribe) -> None:
        scribe.write(STREAM, auto("remind"), rule("remind"))
        scribe.write(STREAM, auto("remind"), rule("remind"))

        assert sorted(row.kind for row in scribe.rows(STREAM)) == ["auto_action", "rule", "rule"]

    @pytest.mark.parametrize("effect", [auto(), rule()], ids=["auto", "rule"])
    def test_too_deep_a_cascade_is_born_failed(self, scribe: Scribe, effect: Effect) -> None:
        deepest = scribe.resealed(scribe.item("process/25", effect), depth=24)
        too_deep = scribe.resealed(scribe.item("process/26", effect), depth=25)

        scribe.log.append([(deepest,), (too_deep,)])

        (row,) = scribe.rows("process/26")
        assert (row.status, row.depth, row.last_error) == (WorkStatus.FAILED, 26, "cascade_limit")
        assert [work.row.stream for work in scribe.claim()] == ["process/25"]
        scribe.deployment.wait(10 * HOUR)
        assert [work.row.stream for work in scribe.claim()] == ["process/25"]

    def test_the_depth_of_a_cascade_does_not_reach_a_timer(self, scribe: Scribe) -> None:
        scribe.append(scribe.resealed(scribe.item(STREAM, timer()), depth=25))

        assert [(row.status, row.depth) for row in scribe.rows(STREAM)] == [(WorkStatus.ACTIVE, 0)]

    def test_the_hash_of_the_event_stands_where_the_effect_leaves_room(self, scribe: Scribe) -> None:
        data: JsonObject = {"source": None, "a/b": {"~": [1, None]}, "other": None}
        room = ("/source", "/a~1b/~0/1")
        event = scribe.write(STREAM, auto("screen", data, room), timer("t", HOUR, data=data, hash_at=room))

        rows = scribe.rows(STREAM)

        filled = {"source": event.hash, "a/b": {"~": [1, event.hash]}, "other": None}
        assert [row.data for row in rows] == [filled, filled]

    def test_a_row_is_fired_by_the_event_that_holds_its_lease(self, scribe: Scribe) -> None:
        scribe.write(STREAM, auto())
        (work,) = scribe.claim()

        item = scribe.firing(work)

        assert scribe.append(item).status is APPENDED
        fired = scribe.head(STREAM, work=(str(work.row.id), 1)).fired
        assert fired == item.event.receipt

    @pytest.mark.parametrize("wrong", ["no lease", "another lease", "another occurrence", "another process"])
    def test_no_other_event_fires_a_claimed_row(self, scribe: Scribe, wrong: str) -> None:
        scribe.write(STREAM, timer("t", -HOUR, every=60))
        (work,) = scribe.claim()
        right = scribe.firing(work)
        items = {
            "no lease": right.model_copy(update={"lease": None}),
            "another lease": right.model_copy(update={"lease": uuid4()}),
            "another occurrence": scribe.firing(_with(work, occurrence=2)),
            "another process": scribe.firing(_with(work, stream="process/p-2")),
        }

        assert scribe.append(items[wrong]).status is NOT_CLAIMED
        assert scribe.append(right).status is APPENDED

    def test_a_row_that_nobody_claimed_is_not_fired(self, scribe: Scribe) -> None:
        scribe.write(STREAM, auto())
        (row,) = scribe.rows(STREAM)
        head = scribe.head(STREAM)
        guess = ClaimedWork(
            row=row,
            lease_token=uuid4(),
            seq=head.seq,
            hash=head.hash,
            definition=DEFINITION,
            first_claimed_at=START,
        )

        assert scribe.append(scribe.firing(guess)).status is NOT_CLAIMED
        assert scribe.append(scribe.firing(_with(guess, id=uuid4()))).status is NOT_CLAIMED

    def test_a_row_under_an_old_lease_is_not_fired(self, scribe: Scribe) -> None:
        scribe.write(STREAM, auto())
        (old,) = scribe.claim()
        scribe.deployment.wait(2 * HOUR)
        (new,) = scribe.claim()

        assert scribe.append(scribe.firing(old)).status is NOT_CLAIMED
        assert scribe.append(scribe.firing(new)).status is APPENDED

    def test_a_lease_that_ran_out_still_counts_until_somebody_takes_the_row_over(self, scribe: Scribe) -> None:
        scribe.write(STREAM, auto())
        (work,) = scribe.claim()
        scribe.deployment.wait(2 * HOUR)

        assert scribe.append(scribe.firing(work)).status is APPENDED

    def test_a_row_in_the_hands_of_a_retry_is_not_fired(self, scribe: Scribe) -> None:
        scribe.write(STREAM, auto())
        (work,) = scribe.claim()
        scribe.settle(work, SettleAs.RETRY)

        assert scribe.append(scribe.firing(work)).status is NOT_CLAIMED

    def test_a_unit_of_work_becomes_one_event_whoever_tries_again(self, scribe: Scribe) -> None:
        scribe.write(STREAM, auto())
        (first,) = scribe.claim()
        event = scribe.fire(first)
        scribe.deployment.wait(2 * HOUR)
        (second,) = scribe.claim()

        for again in (scribe.firing(second), scribe.firing(first), _in_vain(scribe.firing(first))):
            verdict = scribe.append(again)
            assert (verdict.status, verdict.seq, verdict.hash) == (DUPLICATE, 2, event.hash)
        assert scribe.head(STREAM).seq == 2

    def test_another_tenant_may_have_the_same_work(self, scribe: Scribe, deployment: Deployment) -> None:
        other, id_ = Scribe(deployment, "globex"), str(UUID(int=7))
        for each in (scribe, other):
            each.append(each.item(STREAM, auto().model_copy(update={"work": id_})))
        (ours,), (theirs,) = scribe.claim(), other.claim()

        scribe.fire(ours)

        assert theirs.row.id == ours.row.id
        assert other.head(STREAM, work=(id_, 1)).fired is None
        assert other.append(other.firing(theirs)).status is APPENDED

    def test_the_head_shows_the_row_that_an_intent_claims(self, scribe: Scribe) -> None:
        scribe.write(STREAM, timer("t", -HOUR, every=7200), auto(), rule())
        (work,) = scribe.claim(1)
        for row in scribe.rows(STREAM):
            shown = scribe.head(STREAM, work=(str(row.id), 1)).work

            assert shown is not None
            assert fired_input(shown, "k") == fired_input(row, "k")
            held = (row.status, row.lease_token, row.stream, row.action, row.depth)
            assert (shown.status, shown.lease_token, shown.stream, shown.action, shown.depth) == held

        assert scribe.head(STREAM, work=("no id at all", 1)).work is None
        assert work.lease_token in {row.lease_token for row in scribe.rows(STREAM)}

    def test_rows_are_told_oldest_first_and_for_one_process(self, scribe: Scribe, deployment: Deployment) -> None:
        for action in ("c", "a", "b"):
            scribe.write(STREAM, auto(action))
            deployment.wait(timedelta(minutes=1))
        scribe.write("process/p-2", auto())
        Scribe(deployment, "globex").write(STREAM, auto())

        assert [row.action for row in scribe.rows(STREAM)] == ["c", "a", "b"]


def _timers(scribe: Scribe) -> dict[str, list[str]]:
    """The statuses of the timers under each schedule id, in the order of their instants."""
    rows = sorted(scribe.rows(STREAM), key=lambda row: row.run_at)
    ids = sorted({str(row.schedule_id) for row in rows})
    return {id_: [row.status.value for row in rows if row.schedule_id == id_] for id_ in ids}


def _id_of(event: SealedEvent, index: int) -> UUID:
    record = event.read_record
    assert isinstance(record, Record)
    place = Place(origin=record.origin, tenant=event.tenant, stream=event.stream, seq=event.seq)
    return derived_id(place, index)


def _recorded_at(event: SealedEvent) -> str:
    record = event.read_record
    assert isinstance(record, Record)
    return record.recorded_at


def _is_caused_by(row: WorkRow, event: SealedEvent, action: str, scribe: Scribe) -> None:
    cause = row.caused_by
    assert (cause.event_hash, cause.action, cause.actor) == (event.hash, action, scribe.actor.actor)
    assert instant_text(cause.at) == _recorded_at(event)


def _with(work: ClaimedWork, **changes: object) -> ClaimedWork:
    return work.model_copy(update={"row": work.row.model_copy(update=changes)})


def _in_vain(item: Item) -> Item:
    return item.model_copy(update={"lease": None})
