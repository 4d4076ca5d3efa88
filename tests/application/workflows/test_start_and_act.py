"""What a person's use cases do beside the engine: find the head, compose, sign, submit."""

from __future__ import annotations

from datetime import timedelta

import pytest

from open_box import OpenBox, an_open_box
from sealing import START, TENANT, accepted
from sealwork.application.ledger.sign_and_submit import Wish
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.intent import DefinitionRef, Intent
from sealwork.domain.refusals import RefusalCode, Refused


def version(box: OpenBox) -> DefinitionRef:
    """The newest version of the workflow."""
    found = box.definitions.find(TENANT, "customer/onboarding")
    assert isinstance(found, DefinitionRef)
    return found


def is_refused(answer: object, code: RefusalCode, pointer: str) -> None:
    assert isinstance(answer, Refused), answer
    assert (answer.code, answer.pointer) == (code, pointer)


def test_a_process_begins_with_what_the_person_signed() -> None:
    box = an_open_box()

    receipt = accepted(box.start(TENANT, "c-1", version(box), box.key("maria"), input_={"customer": "4711"}))

    intent = box.events("process/c-1")[0].read_intent
    assert isinstance(intent, Intent)
    assert (receipt.stream, receipt.seq) == ("process/c-1", 1)
    assert (intent.action, intent.definition, intent.input) == ("start", version(box), {"customer": "4711"})
    assert (intent.key, intent.at) == (box.key("maria").actor, instant_text(START))


def test_a_process_may_begin_by_another_action() -> None:
    box = an_open_box()

    answer = box.start(TENANT, "c-1", version(box), box.key("maria"), action="submit", input_={})

    is_refused(answer, RefusalCode.NO_PROCESS, "/stream")


def test_a_process_begins_once() -> None:
    box = an_open_box()
    box.begin("c-1")

    answer = box.start(TENANT, "c-1", version(box), box.key("maria"), input_={})

    is_refused(answer, RefusalCode.WRONG_STATE, "/action")


def test_who_acts_follows_the_version_that_the_process_pins() -> None:
    box = an_open_box()
    box.begin("c-1")
    pinned = version(box)
    box.wait(timedelta(minutes=1))

    box.take("c-1", "submit", "maria", {"country": "SE"})

    intent = box.events("process/c-1")[1].read_intent
    assert isinstance(intent, Intent)
    assert (intent.definition, intent.input) == (pinned, {"country": "SE"})


def test_there_is_nothing_to_act_on_without_a_process() -> None:
    box = an_open_box()
    before = box.picture()

    answer = box.act(TENANT, "c-1", "submit", box.key("maria"), input_={})

    is_refused(answer, RefusalCode.NO_PROCESS, "/stream")
    assert box.picture() == before


@pytest.mark.parametrize(
    ("process_id", "action", "pointer"),
    [("c 1", "start", "/stream"), ("", "start", "/stream"), ("prc_1", "start", "/stream")],
)
def test_what_no_process_may_be_called_is_refused_before_it_is_signed(
    process_id: str, action: str, pointer: str
) -> None:
    box = an_open_box()

    answer = box.start(TENANT, process_id, version(box), box.key("maria"), action=action, input_={})

    is_refused(answer, RefusalCode.INVALID_INPUT, pointer)


@pytest.mark.parametrize(
    ("input_", "pointer"),
    [
        ({"a": float("nan")}, "/input/a"),
        ({"a": [2**53]}, "/input/a/0"),
        ({"a": "\x00"}, "/input/a"),
        ({"a": "\ud800"}, "/input/a"),
    ],
    ids=["NaN", "big number", "U+0000", "surrogate"],
)
def test_what_has_no_one_form_is_refused_before_it_is_signed(input_: JsonObject, pointer: str) -> None:
    box = an_open_box()

    is_refused(
        box.start(TENANT, "c-1", version(box), box.key("maria"), input_=input_),
        RefusalCode.NOT_CANONICAL,
        pointer,
    )


def test_a_wish_over_an_old_head_is_stale() -> None:
    box = an_open_box()
    box.begin("c-1")
    seen = box.submit.head(TENANT, "process/c-1")
    box.take("c-1", "submit", "maria")
    wish = Wish(tenant=TENANT, stream="process/c-1", action="submit", input={}, definition=version(box))

    answer = box.submit(wish, box.key("maria"), over=seen)

    is_refused(answer, RefusalCode.STALE_HEAD, "/prev")
