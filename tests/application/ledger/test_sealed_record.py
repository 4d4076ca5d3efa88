"""What the engine adds to an intent, and what follows from it. Source: events.md, "Record"; S1-109..112."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256

import pytest

from open_box import OpenBox, an_open_box
from sealing import ONBOARDING, ORIGIN, START, TENANT
from sealwork.adapters.signing import Ed25519Verifier
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.effects import Auto, Cancel, Place, Schedule, derived_id
from sealwork.domain.ledger.envelope import genesis
from sealwork.domain.ledger.intent import intent_hash
from sealwork.domain.ledger.record import (
    Positions,
    Record,
    StateMark,
    parse_record,
    record_hash,
    signed_record_bytes,
    state_bytes,
    state_hash,
)
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.work.work_row import WorkKind, WorkStatus

STREAM = "process/c-1"


def record_of(event: SealedEvent) -> Record:
    """What the engine countersigned."""
    record = event.read_record
    assert isinstance(record, Record)
    return record


def a_screened_box() -> OpenBox:
    """A deployment where c-1 was begun, handed in and screened by the machine."""
    box = an_open_box()
    box.begin("c-1")
    box.take("c-1", "submit", "maria")
    box.fire_due()
    return box


def test_a_record_says_all_that_the_specification_lists() -> None:
    box = an_open_box()
    box.begin("c-1")
    (event,) = box.events(STREAM)
    assert event.intent is not None
    assert event.intent_sig is not None

    assert record_of(event) == Record(
        origin=ORIGIN,
        tenant=TENANT,
        stream=STREAM,
        seq=1,
        prev=genesis(ORIGIN, TENANT, STREAM),
        intent=intent_hash(event.intent),
        intent_sig=event.intent_sig.hex(),
        actor=box.key("maria").actor,
        recorded_at=instant_text(START),
        engine_key=box.key("engine").actor,
        actors=Positions(tenant=len(box.events("actors/registry")), system=1),
        rules=0,
        depth=0,
        state=StateMark(name="draft", sha256=state_hash(state_bytes("draft", {}))),
        effects=(),
    )


def test_the_engine_countersigns_and_the_receipt_is_what_is_stored() -> None:
    box = an_open_box()

    receipt = box.begin("c-1")

    assert receipt == box.events(STREAM)[0].receipt
    assert receipt.hash == record_hash(receipt.record)
    message = signed_record_bytes(receipt.record)
    assert Ed25519Verifier().verify(box.key("engine").actor, message, receipt.record_sig)


def test_each_event_names_the_one_before_it() -> None:
    events = a_screened_box().events(STREAM)

    assert [record_of(event).prev for event in events[1:]] == [event.hash for event in events[:-1]]
    assert [event.seq for event in events] == [1, 2, 3]


def test_the_head_keeps_the_state_that_the_record_marks() -> None:
    box = a_screened_box()

    state = box.chain(STREAM).state

    assert state == state_bytes("screening", {"screening": "started"})
    assert record_of(box.events(STREAM)[-1]).state == StateMark(name="screening", sha256=state_hash(state))


def test_the_time_of_a_record_is_that_of_the_log_not_that_of_the_actor() -> None:
    box = an_open_box()
    definition = box.definitions.find(TENANT, "customer/onboarding")
    said = instant_text(START + timedelta(days=400))

    box.process_event(box.submission(STREAM, "start", "maria", definition=definition, at=said))

    assert record_of(box.events(STREAM)[0]).recorded_at == instant_text(START)


def test_a_record_is_never_older_than_the_one_before_it_even_when_the_clock_goes_back() -> None:
    box = an_open_box()
    box.begin("c-1")
    box.wait(timedelta(hours=-3))

    box.take("c-1", "submit", "maria")

    assert [record_of(event).recorded_at for event in box.events(STREAM)] == [instant_text(START)] * 2
    assert box.verify().intact


def test_not_after_is_held_against_the_time_that_is_recorded() -> None:
    box = an_open_box()
    box.begin("c-1")
    box.wait(timedelta(hours=-3))
    definition = box.definitions.find(TENANT, "customer/onboarding")

    answer = box.process_event(
        box.submission(
            STREAM, "submit", "maria", definition=definition, not_after=instant_text(START - timedelta(hours=1))
        )
    )

    assert isinstance(answer, Refused)
    assert answer.code is RefusalCode.EXPIRED_INTENT


def test_an_automatic_action_becomes_an_effect_and_a_row_in_the_same_commit() -> None:
    box = an_open_box()
    box.begin("c-1")
    cause = box.take("c-1", "submit", "maria")
    place = Place(origin=ORIGIN, tenant=TENANT, stream=STREAM, seq=2)

    (row,) = box.rows("c-1")

    assert record_of(box.events(STREAM)[1]).effects == (
        Auto(work=str(derived_id(place, 0)), action="screen", data={}),
    )
    assert (row.kind, row.id, row.action) == (WorkKind.AUTO_ACTION, derived_id(place, 0), "screen")
    assert (row.status, row.depth, row.available_state) == (WorkStatus.PENDING, 1, "ready")
    assert (row.caused_by.event_hash, row.caused_by.action) == (cause.hash, "submit")


def test_a_timer_becomes_an_effect_and_a_row_due_after_the_time_that_is_recorded() -> None:
    box = an_open_box()
    box.begin("c-1")
    box.take("c-1", "submit", "maria")
    box.wait(timedelta(minutes=7))
    box.fire_due()
    due = START + timedelta(minutes=7, hours=48)
    place = Place(origin=ORIGIN, tenant=TENANT, stream=STREAM, seq=3)

    (row,) = (row for row in box.rows("c-1") if row.kind is WorkKind.SCHEDULED_ACTION)

    assert record_of(box.events(STREAM)[2]).effects == (
        Schedule(
            id="deadline",
            work=str(derived_id(place, 0)),
            action="escalate",
            data={"reason": "sla"},
            run_at=instant_text(due),
        ),
    )
    assert (row.schedule_id, row.run_at, row.status, row.depth) == ("deadline", due, WorkStatus.ACTIVE, 0)
    assert row.data == {"reason": "sla"}


def test_a_cancelled_timer_becomes_an_effect_and_ends_in_the_same_commit() -> None:
    box = a_screened_box()

    box.take("c-1", "clear", "ana")

    assert record_of(box.events(STREAM)[-1]).effects == (Cancel(id="deadline"),)
    assert [row.status for row in box.rows("c-1")] == [WorkStatus.COMPLETED, WorkStatus.CANCELLED]


def steps(depth: int) -> JsonObject:
    """A workflow that runs through `depth` automatic actions, the last of which sets a timer."""
    names = [f"s{number:02}" for number in range(depth + 2)]
    actions: JsonObject = {"start": {"type": "create", "role": "intake", "to": names[0]}}
    for here, there in zip(names[:-2], names[1:-1], strict=True):
        actions[f"to_{there}"] = {"role": "AUTOMATION", "auto": True, "from": here, "to": there}
    last = actions[f"to_{names[-2]}"]
    assert isinstance(last, dict)
    last["schedule"] = [{"id": "end", "action": "finish", "in": "1h", "data": {}}]
    actions["finish"] = {"role": "AUTOMATION", "from": names[-2], "to": names[-1]}
    states: JsonObject = {name: {"terminal": name == names[-1]} for name in names}
    return {"path": "deep/steps", "states": states, "actions": actions}


def test_depth_counts_the_hops_since_a_person_and_a_timer_begins_anew() -> None:
    box = an_open_box(steps(3))
    box.begin("c-1", path="deep/steps")

    box.fire_due()
    box.wait(timedelta(hours=2))
    box.fire_due()

    assert [record_of(event).depth for event in box.events(STREAM)] == [0, 1, 2, 3, 0]
    assert sorted(row.depth for row in box.rows("c-1")) == [0, 1, 2, 3]


def test_a_cascade_ends_after_25_hops() -> None:
    box = an_open_box(steps(27))
    box.begin("c-1", path="deep/steps")

    box.fire_due()

    last = max(box.rows("c-1"), key=lambda row: row.depth)
    assert record_of(box.events(STREAM)[-1]).depth == 25
    assert (last.depth, last.status, last.last_error) == (26, WorkStatus.FAILED, "cascade_limit")


def test_only_a_publication_keeps_the_document_that_travels_beside_it() -> None:
    box = an_open_box()
    documents = dict(box.tables.documents)
    stray = b'{"stray":true}'
    definition = box.definitions.find(TENANT, "customer/onboarding")
    named: JsonObject = {"sha256": sha256(stray).hexdigest()}
    submission = box.submission(STREAM, "start", "maria", definition=definition, input=named)

    box.process_event(submission.model_copy(update={"document": stray}))

    assert len(box.events(STREAM)) == 1
    assert box.tables.documents == documents


@pytest.mark.parametrize("filled", ["effects", "state"])
def test_a_record_or_a_state_that_is_too_large_is_refused(filled: str) -> None:
    actions = ONBOARDING["actions"]
    assert isinstance(actions, dict)
    big: JsonObject = {"text": "x" * 262_144}
    action: JsonObject = {
        "effects": {"role": "AUTOMATION", "auto": {"data": big}, "from": "draft", "to": "done"},
        "state": {"role": "intake", "from": "draft", "to": "done", "mutate": {"$set": big}},
    }
    changed = action[filled]
    box = an_open_box({**ONBOARDING, "actions": {**actions, "big": changed}})
    definition = box.definitions.find(TENANT, "customer/onboarding")
    name = "start" if filled == "effects" else "big"
    if filled == "state":
        box.begin("c-1")
    before = box.picture()

    answer = box.process_event(box.submission(STREAM, name, "maria", definition=definition))

    assert isinstance(answer, Refused)
    assert answer.code is RefusalCode.TOO_LARGE
    assert box.picture() == before


def test_what_was_sealed_is_read_back_from_its_bytes() -> None:
    for event in a_screened_box().events(STREAM):
        record = parse_record(event.record)
        assert isinstance(record, Record)
        assert record.to_bytes() == event.record
