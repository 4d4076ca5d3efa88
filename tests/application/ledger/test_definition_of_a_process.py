"""Which workflow version a process runs. Source: X-15; events.md, "Order of checks"; S1-119."""

from __future__ import annotations

import pytest

from open_box import OpenBox, an_open_box
from sealing import ONBOARDING, accepted
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.refusals import RefusalCode, Refused

SECOND: JsonObject = {**ONBOARDING, "title": "the second version"}
WORKFLOW = "workflow/customer/onboarding"


def version(box: OpenBox, number: int | None = None) -> DefinitionRef:
    """A published version."""
    found = box.definitions.find(box.tenant, "customer/onboarding", number)
    assert isinstance(found, DefinitionRef)
    return found


def withdraw(box: OpenBox, number: int) -> None:
    """Nothing new begins with this version."""
    accepted(box.process_event(box.submission(WORKFLOW, "withdraw", "admin", input={"version": number})))


def starting(box: OpenBox, definition: DefinitionRef | None, action: str = "start") -> Appended | Refused:
    """The answer to maria beginning c-1, which writes nothing if it is no."""
    before = box.picture()
    answer = box.process_event(box.submission("process/c-1", action, "maria", definition=definition))
    assert isinstance(answer, Appended) or box.picture() == before
    return answer


def is_refused(answer: Appended | Refused, code: RefusalCode, pointer: str) -> None:
    assert isinstance(answer, Refused), answer
    assert (answer.code, answer.pointer) == (code, pointer)


@pytest.mark.parametrize("change", [{"version": 2}, {"sha256": "0" * 64}, {"path": "customer/other"}], ids=str)
def test_a_process_begins_with_a_version_that_was_published_here(change: dict[str, object]) -> None:
    box = an_open_box()

    answer = starting(box, version(box).model_copy(update=change))

    is_refused(answer, RefusalCode.DEFINITION_MISMATCH, "/definition")


def test_a_process_names_the_version_that_it_begins_with() -> None:
    is_refused(starting(an_open_box(), None), RefusalCode.DEFINITION_MISMATCH, "/definition")


def test_a_withdrawn_version_begins_nothing() -> None:
    box = an_open_box()
    withdraw(box, 1)

    answer = starting(box, box.definitions.of(box.tenant, "customer/onboarding").versions[0].ref)

    is_refused(answer, RefusalCode.DEFINITION_WITHDRAWN, "/definition")


def test_a_running_process_goes_on_by_a_withdrawn_version() -> None:
    box = an_open_box()
    box.begin("c-1")
    withdraw(box, 1)

    assert box.take("c-1", "submit", "maria").seq == 2
    assert [fired.became for fired in box.fire_due()] == ["completed"]


def test_a_running_process_keeps_its_version_when_a_new_one_is_published() -> None:
    box = an_open_box()
    box.begin("c-1")
    first = version(box)
    second = box.published(SECOND)

    answer = box.process_event(box.submission("process/c-1", "submit", "maria", definition=second))

    is_refused(answer, RefusalCode.DEFINITION_MISMATCH, "/definition")
    assert accepted(box.process_event(box.submission("process/c-1", "submit", "maria", definition=first)))


def test_a_running_process_repeats_its_definition_in_every_intent() -> None:
    box = an_open_box()
    box.begin("c-1")

    answer = box.process_event(box.submission("process/c-1", "submit", "maria"))

    is_refused(answer, RefusalCode.DEFINITION_MISMATCH, "/definition")


@pytest.mark.parametrize("action", ["submit", "fly"])
def test_without_a_process_only_a_create_action_helps(action: str) -> None:
    box = an_open_box()

    is_refused(starting(box, version(box), action), RefusalCode.NO_PROCESS, "/stream")


def test_there_is_no_action_without_a_workflow_that_defines_it() -> None:
    box = an_open_box()
    box.begin("c-1")

    answer = box.act(box.tenant, "c-1", "fly", box.key("maria"), input_={})

    is_refused(answer, RefusalCode.NO_ACTION, "/action")
    assert isinstance(answer, Refused)
    assert "clear, escalate, screen, start, submit" in answer.detail


@pytest.mark.parametrize("process_id", ["prc_0001", "a/b", "x" * 129])
def test_some_names_are_not_for_callers(process_id: str) -> None:
    box = an_open_box()

    answer = box.start(box.tenant, process_id, version(box), box.key("maria"), input_={})

    is_refused(answer, RefusalCode.INVALID_INPUT, "/stream")


def test_a_definition_whose_document_is_gone_is_a_broken_chain() -> None:
    box = an_open_box()
    ref = version(box)
    del box.tables.documents[(box.tenant, ref.sha256)]

    is_refused(starting(box, ref), RefusalCode.CHAIN_BROKEN, "/definition")
