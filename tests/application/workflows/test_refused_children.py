"""A child that cannot begin: the whole event is refused, the child is named, and nothing is written.

Source: events.md, "Record" (a child's first record); X-26.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from families import BILL, INVOICE, ORDER, SHIP, a_box_with_families, an_order, children_of
from open_box import OpenBox
from scribe import Scribe, document_input
from sealing import TENANT, accepted
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.canonical import canonical
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.workflows.definition import normalised

AMOUNT: JsonObject = {"amount": 12.5}


def approving(box: OpenBox, input_: JsonObject | None = None) -> Refused:
    """Why maria may not approve o-1. Nothing is written."""
    before = box.picture()
    answer = box.act(TENANT, "o-1", "approve", box.key("maria"), input_=input_ or {})
    assert isinstance(answer, Refused), answer
    assert box.picture() == before
    return answer


def withdrawn(box: OpenBox) -> None:
    """Withdraw the first version of invoices."""
    accepted(
        box.process_event(box.submission("workflow/billing/invoice", "withdraw", "admin", input={"version": 1}))
    )


def published_past_the_checks(box: OpenBox, document: JsonObject) -> None:
    """Make `document` the first version of its path, whatever is wrong with it."""
    body = canonical(normalised(document, 1))
    scribe = Scribe(box)
    named: JsonObject = {"version": 1, **document_input(body)}
    item = scribe.item(f"workflow/{document['path']}", action="publish", input_=named, document=body)
    assert scribe.append(item).hash


@pytest.mark.parametrize(
    ("input_", "code", "pointer", "why"),
    [
        (
            {"amount": 0.0},
            RefusalCode.GUARD,
            "/action",
            "open may be taken when input.amount > 0.0: that is not so",
        ),
        ({"amount": "much"}, RefusalCode.INVALID_INPUT, "/action", "open does not take this input: "),
        ({"amount": 1001.0}, RefusalCode.INVALID_RESULT, "/action", "after open the data would not be what"),
        ({}, RefusalCode.INVALID_INPUT, "/input", ""),
    ],
    ids=["guard", "input", "data", "undecided"],
)
def test_the_rules_of_the_child_refuse_the_event(
    input_: JsonObject, code: RefusalCode, pointer: str, why: str
) -> None:
    box = a_box_with_families(ORDER)
    box.begin("o-1", path="sales/order")

    refusal = approving(box, input_)

    assert (refusal.code, refusal.pointer) == (code, pointer)
    assert refusal.detail.startswith(f"the child 'bill' cannot begin: {why}")


def test_a_child_of_a_withdrawn_version_cannot_begin() -> None:
    box = a_box_with_families(ORDER)
    box.begin("o-1", path="sales/order")
    withdrawn(box)

    refusal = approving(box, AMOUNT)

    assert refusal.code is RefusalCode.DEFINITION_WITHDRAWN
    assert refusal.detail == "the child 'bill' cannot begin: billing/invoice@1 is not published, or withdrawn"


def test_a_newer_version_does_not_take_the_place_of_one_withdrawn() -> None:
    box = a_box_with_families(ORDER)
    box.begin("o-1", path="sales/order")
    box.published({**INVOICE, "title": "better"})
    withdrawn(box)

    assert approving(box, AMOUNT).code is RefusalCode.DEFINITION_WITHDRAWN


def test_a_child_that_runs_goes_on_when_its_version_is_withdrawn() -> None:
    box = a_box_with_families(ORDER)
    box.begin("o-1", path="sales/order")
    box.take("o-1", "approve", "maria", AMOUNT)
    withdrawn(box)

    assert [fired.became for fired in box.fire_due()] == ["completed"]
    box.take(children_of(box, "o-1")["bill"], "pay", "ana")


@pytest.mark.parametrize("workflow", ["billing/invoice@2", "nobody/knows@1"])
def test_a_version_that_was_never_published_cannot_begin(workflow: str) -> None:
    box = a_box_with_families(ORDER)
    published_past_the_checks(box, an_order({**BILL, "workflow": workflow}, path="rash/order"))
    box.begin("o-1", path="rash/order")

    refusal = approving(box, AMOUNT)

    assert refusal.code is RefusalCode.DEFINITION_WITHDRAWN
    assert refusal.detail == f"the child 'bill' cannot begin: {workflow} is not published, or withdrawn"


@pytest.mark.parametrize(
    ("action", "code"), [("pay", RefusalCode.NO_PROCESS), ("burn", RefusalCode.NO_ACTION)], ids=["another", "none"]
)
def test_an_action_that_begins_nothing_begins_no_child(action: str, code: RefusalCode) -> None:
    box = a_box_with_families(ORDER)
    published_past_the_checks(box, an_order({**BILL, "action": action}, path="rash/order"))
    box.begin("o-1", path="rash/order")

    refusal = approving(box, AMOUNT)

    assert refusal.code is code
    assert refusal.detail.startswith("the child 'bill' cannot begin: ")


def test_a_child_whose_definition_is_lost_cannot_begin() -> None:
    box = a_box_with_families(ORDER)
    box.begin("o-1", path="sales/order")
    ref = box.definitions.find(TENANT, "billing/invoice")
    assert isinstance(ref, DefinitionRef)
    del box.tables.documents[(TENANT, ref.sha256)]
    restarted = OpenBox(box.tables, box.stepping)

    refusal = approving(restarted, AMOUNT)

    assert refusal.code is RefusalCode.CHAIN_BROKEN
    assert refusal.detail == (
        "the child 'bill' cannot begin: billing/invoice@1 is not stored: run `sealwork verify`"
    )


def test_the_child_that_is_refused_takes_its_sisters_with_it() -> None:
    box = a_box_with_families(an_order(SHIP, BILL, {**SHIP, "id": "a"}))
    box.begin("o-1", path="sales/order")

    assert approving(box, {"amount": 0.0}).detail.startswith("the child 'bill' cannot begin")


def test_a_grandchild_that_is_refused_refuses_the_event() -> None:
    order = an_order(start={"spawn": [{**BILL, "data": {"amount": 0.0}}]})
    case = an_order({"workflow": "sales/order@1", "action": "start", "id": "order"}, path="case")
    box = a_box_with_families(order, case)
    box.begin("o-1", path="case")

    refusal = approving(box)

    assert refusal.code is RefusalCode.GUARD
    assert refusal.detail.startswith("the child 'bill' cannot begin: open may be taken when")


def test_a_child_may_not_be_given_provenance() -> None:
    box = a_box_with_families(an_order({**SHIP, "data": {"meta": "${input.meta2}"}}))
    box.begin("o-1", path="sales/order")

    refusal = approving(box, {"meta2": {"automation": {"kind": "auto_action"}}})

    assert refusal.code is RefusalCode.INVALID_INPUT
    assert refusal.detail.startswith("the child 'ship' cannot begin: ")


def a_family_of(*children: int) -> OpenBox:
    """O-1 waits for approval; it would begin as many children as are named, each with so many of its own."""
    kinds = sorted(set(children))
    nests = [
        an_order(start={"spawn": [{**SHIP, "id": f"s{i}"} for i in range(kind)]}, path=f"nest/n{kind}")
        for kind in kinds
    ]
    begun: Iterator[JsonObject] = (
        {"workflow": f"nest/n{kind}@1", "action": "start", "id": f"c{i:02}"} for i, kind in enumerate(children)
    )
    box = a_box_with_families(*nests, an_order(*begun))
    box.begin("o-1", path="sales/order")
    return box


def test_a_hundred_begin_with_one_event() -> None:
    box = a_family_of(*[1] * 50)

    box.take("o-1", "approve", "maria")

    assert sum(stream.startswith("process/prc_") for _, stream in box.tables.chains) == 100
    assert box.verify().intact


def test_a_hundred_and_one_do_not() -> None:
    refusal = approving(a_family_of(*[1] * 49, 2))

    assert refusal.code is RefusalCode.CASCADE_LIMIT
    assert refusal.detail == "the child 's1' cannot begin: one event begins at most 100 processes"


@pytest.mark.parametrize("who", ["parent", "child"])
def test_a_record_that_would_be_too_large_begins_nothing(who: str) -> None:
    big = "x" * 60_000
    copies: JsonObject = {f"n{i}": "${input.big}" for i in range(4 if who == "parent" else 1)}
    doubled: JsonObject = {
        "path": "doubled",
        "states": {"begun": {}},
        "actions": {
            "start": {
                "type": "create",
                "role": "boss",
                "to": "begun",
                "spawn": [
                    {**SHIP, "id": id_, "data": {f"m{i}": "${input.n0}" for i in range(4)}} for id_ in ("a", "b")
                ],
            }
        },
    }
    box = a_box_with_families(
        doubled,
        an_order(
            {"workflow": "doubled@1", "action": "start", "id": "c", "data": copies},
            {"workflow": "doubled@1", "action": "start", "id": "d", "data": copies},
        ),
    )
    box.begin("o-1", path="sales/order")

    refusal = approving(box, {"big": big})

    child = "the child 'c' cannot begin: " if who == "child" else ""
    assert refusal.code is RefusalCode.TOO_LARGE
    assert refusal.detail == f"{child}the record would exceed 262144 bytes"
