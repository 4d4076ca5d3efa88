"""Withdrawing versions, and listing them. Source: D-10; language.md ("Withdrawing a version")."""

from __future__ import annotations

import pytest

from open_box import OpenBox, an_open_box
from sealing import ONBOARDING, accepted
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.workflows.definition import WorkflowDefinition

PATH = "customer/onboarding"


def withdraw(box: OpenBox, version: int = 1, *, path: str = PATH, by: str = "admin") -> Appended | Refused:
    """Withdraw; nothing is written unless it was done."""
    before = box.picture()
    answer = box.withdraw(box.tenant, path, version, box.key(by))
    assert (box.picture() == before) is isinstance(answer, Refused)
    return answer


def is_refused(answer: object, code: RefusalCode, pointer: str | None) -> None:
    assert isinstance(answer, Refused), answer
    assert (answer.code, answer.pointer) == (code, pointer)


def standing(definition: WorkflowDefinition) -> list[tuple[int, bool]]:
    return [(version.ref.version, version.withdrawn) for version in definition.versions]


def test_a_withdrawal_is_a_signed_event_of_the_workflow() -> None:
    box = an_open_box()

    receipt = accepted(withdraw(box))

    assert (receipt.stream, receipt.seq) == (f"workflow/{PATH}", 2)
    assert standing(box.definitions.of(box.tenant, PATH)) == [(1, True)]


def test_nothing_new_begins_with_a_withdrawn_version_and_what_runs_goes_on() -> None:
    box = an_open_box()
    box.begin("c-1")
    ref = box.definitions.find(box.tenant, PATH)
    assert isinstance(ref, DefinitionRef)
    withdraw(box)

    begun = box.start(box.tenant, "c-2", ref, box.key("maria"), input_={})
    acted = box.act(box.tenant, "c-1", "submit", box.key("maria"), input_={})

    is_refused(begun, RefusalCode.DEFINITION_WITHDRAWN, "/definition")
    assert isinstance(acted, Appended)


def test_what_was_withdrawn_can_be_published_again_as_a_new_version() -> None:
    box = an_open_box()
    accepted(withdraw(box))

    ref = box.published(ONBOARDING)

    assert ref.version == 2
    assert standing(box.definitions.of(box.tenant, PATH)) == [(1, True), (2, False)]
    box.begin("c-1")


def test_a_version_is_withdrawn_once() -> None:
    box = an_open_box()
    withdraw(box)

    is_refused(withdraw(box), RefusalCode.CONFLICT, "/input/version")


@pytest.mark.parametrize(("path", "version"), [(PATH, 2), (PATH, 0), ("customer/other", 1)])
def test_a_version_that_was_never_published_is_not_found(path: str, version: int) -> None:
    is_refused(withdraw(an_open_box(), version, path=path), RefusalCode.DEFINITION_MISMATCH, "/definition")


def test_withdrawing_needs_the_permission_to_publish() -> None:
    is_refused(withdraw(an_open_box(), by="maria"), RefusalCode.PERMISSION, "/key")


def test_every_workflow_of_the_tenant_is_listed_by_its_path_with_all_its_versions() -> None:
    box = an_open_box()
    box.begin("c-1")
    box.published({**ONBOARDING, "path": "back/office"})
    box.published({**ONBOARDING, "title": "second"})
    withdraw(box, 1)

    listed = box.list(box.tenant)

    assert [(each.path, standing(each)) for each in listed] == [
        ("back/office", [(1, False)]),
        (PATH, [(1, True), (2, False)]),
    ]
    assert box.list("globex") == ()


def test_one_workflow_is_listed_even_if_every_version_was_withdrawn() -> None:
    box = an_open_box()
    withdraw(box)

    definition = box.list.under(box.tenant, PATH)

    assert isinstance(definition, WorkflowDefinition)
    assert standing(definition) == [(1, True)]


def test_a_workflow_that_was_never_published_is_not_listed() -> None:
    is_refused(an_open_box().list.under("acme", "customer"), RefusalCode.DEFINITION_MISMATCH, "/definition")
