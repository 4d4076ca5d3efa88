"""What the engine reads must be what it countersigned; on anything else nothing is built. Source: events.md."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from open_box import OpenBox, an_open_box
from sealing import ONBOARDING
from sealwork.domain.ids import ACTOR_REGISTRY
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.intent import DefinitionRef, Intent
from sealwork.domain.ledger.record import Record, StateMark, state_bytes, state_hash
from sealwork.domain.refusals import RefusalCode, Refused

STREAM = "process/c-1"


def a_begun_box() -> OpenBox:
    """A deployment where maria has begun c-1."""
    box = an_open_box()
    box.begin("c-1")
    return box


def head_of(box: OpenBox) -> tuple[Intent, Record]:
    """What the last event of c-1 says."""
    event = box.events(STREAM)[-1]
    assert isinstance(event.read_intent, Intent)
    assert isinstance(event.read_record, Record)
    return event.read_intent, event.read_record


def is_broken(box: OpenBox, detail: str) -> None:
    """The next action is refused because of what is stored, and nothing is written."""
    before = box.picture()
    answer = box.act(box.tenant, "c-1", "submit", box.key("maria"), input_={})
    assert isinstance(answer, Refused), answer
    assert (answer.code, answer.pointer) == (RefusalCode.CHAIN_BROKEN, "/stream")
    assert detail in answer.detail
    assert "sealwork verify" in answer.detail
    assert box.picture() == before


@pytest.mark.parametrize(
    "state",
    [state_bytes("ready", {}), state_bytes("draft", {"vip": True}), b'{"data": {}, "state": "draft"}', b""],
    ids=["another state", "other data", "other bytes", "none"],
)
def test_a_state_that_was_changed_is_noticed(state: bytes) -> None:
    box = a_begun_box()
    box.chain(STREAM).state = state

    is_broken(box, "state is not the one that was countersigned")


def test_a_state_that_was_changed_together_with_the_record_is_noticed_at_the_head() -> None:
    box = a_begun_box()
    _, record = head_of(box)
    box.open_log.head_rows[STREAM] = {"hash": box.events(STREAM)[-1].hash}
    box.chain(STREAM).state = state_bytes("ready", {})
    mark = StateMark(name="ready", sha256=state_hash(box.chain(STREAM).state))
    box.alter(STREAM, 1, record=record.model_copy(update={"state": mark}).to_bytes())

    is_broken(box, "does not hash to the head")


@pytest.mark.parametrize("record", [b"", b"{}", b"null", b"\xff"], ids=repr)
def test_a_record_that_is_none_is_noticed(record: bytes) -> None:
    box = a_begun_box()
    box.alter(STREAM, 1, record=record)

    is_broken(box, "does not hash to the head")


@pytest.mark.parametrize("gone", ["head_record", "state"])
def test_a_head_without_its_event_is_noticed(gone: str) -> None:
    box = a_begun_box()
    box.open_log.head_rows[STREAM] = {gone: None}

    is_broken(box, "names an event that is not there")


def other_definition(box: OpenBox) -> bytes:
    """The last intent, pinning another version."""
    intent, _ = head_of(box)
    second = box.published({**ONBOARDING, "title": "the second version"})
    assert isinstance(second, DefinitionRef)
    return intent.model_copy(update={"definition": second}).to_bytes()


@pytest.mark.parametrize("change", [other_definition, lambda _: b"{}"], ids=["another definition", "no intent"])
def test_an_intent_that_was_changed_is_noticed_because_it_pins_the_definition(
    change: Callable[[OpenBox], bytes],
) -> None:
    box = a_begun_box()
    box.alter(STREAM, 1, intent=change(box))

    is_broken(box, "intent is not the one that was countersigned")


def test_an_intent_that_was_taken_away_is_noticed() -> None:
    box = a_begun_box()
    box.open_log.head_rows[STREAM] = {"head_intent": None}

    is_broken(box, "intent is not the one that was countersigned")


def test_the_worker_does_not_build_on_it_either_and_its_row_asks_for_attention() -> None:
    box = a_begun_box()
    box.take("c-1", "submit", "maria")
    box.chain(STREAM).state = state_bytes("ready", {"vip": True})

    (fired,) = box.fire_due()

    assert isinstance(fired.answer, Refused)
    assert (fired.answer.code, fired.became) == (RefusalCode.CHAIN_BROKEN, "failed")
    assert len(box.events(STREAM)) == 2


def test_other_processes_go_on() -> None:
    box = a_begun_box()
    box.begin("c-2")
    box.chain(STREAM).state = b""

    assert box.take("c-2", "submit", "maria").seq == 2


def test_an_edited_admission_gives_nobody_a_role() -> None:
    """The registry's chain is checked like every other before anybody is judged by it."""
    box = a_begun_box()
    box.admit("eve", KeyClass.PERSON, "analyst")
    seq = len(box.events(ACTOR_REGISTRY))
    admission = box.events(ACTOR_REGISTRY)[-1].read_intent
    assert isinstance(admission, Intent)
    edited = admission.model_copy(update={"input": {**admission.input, "roles": ["intake"]}})
    box.alter(ACTOR_REGISTRY, seq, intent=edited.to_bytes())

    answer = box.act(box.tenant, "c-1", "submit", box.key("eve"), input_={})

    assert isinstance(answer, Refused)
    assert (answer.code, answer.pointer) == (RefusalCode.CHAIN_BROKEN, "/tenant")
