"""Whether an act is permitted, in the order of the checks."""

from __future__ import annotations

import pytest

from acts import AUTOMATION, an_act, decided, refused
from builders import ANA, MARIA
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.processes.act import Act
from sealwork.domain.processes.process import ProcessState, decide, decide_child
from sealwork.domain.refusals import RefusalCode, Refused
from workflow_documents import compiled, the_workflow

PAYMENT = compiled(
    the_workflow(
        {
            "path": "treasury/payment",
            "actions": {
                "start": {"type": "create", "role": "maker", "to": "drafted", "when": "input.amount > 0"},
                "release": {
                    "role": "checker",
                    "from": "drafted",
                    "to": "released",
                    "input": {"type": "object", "required": ["note"], "properties": {"note": {"type": "string"}}},
                    "when": "data.amount < 1000 or 'boss' in actor.roles",
                    "not_actor": "made.by",
                    "mutate": {"$set": {"note": "${input.note}"}},
                },
            },
        }
    )
)


def drafted(**data: JsonValue) -> ProcessState:
    return ProcessState(state="drafted", data={"amount": 10, "made": {"by": MARIA.actor}, **data})


def a_release(*roles: str, note: str = "x") -> Act:
    return an_act("release", "checker", *roles, actor=ANA.actor, input_={"note": note})


def test_what_is_permitted_is_done() -> None:
    after = decided(PAYMENT, drafted(), a_release(note="fine")).state

    assert (after.state, after.data["note"]) == ("released", "fine")


@pytest.mark.parametrize(
    ("roles", "state", "input_", "amount", "code", "pointer"),
    [
        (["maker"], "released", {}, 5000, RefusalCode.WRONG_ROLE, "/key"),
        (["checker"], "released", {}, 5000, RefusalCode.WRONG_STATE, "/action"),
        (["checker"], "drafted", {}, 5000, RefusalCode.INVALID_INPUT, "/input"),
        (["checker"], "drafted", {"note": 7}, 5000, RefusalCode.INVALID_INPUT, "/input/note"),
        (["checker"], "drafted", {"note": "x"}, 5000, RefusalCode.GUARD, "/action"),
        (["checker"], "drafted", {"note": "x"}, 10, RefusalCode.SAME_ACTOR, "/key"),
    ],
)
def test_the_first_rule_that_does_not_hold_refuses(
    roles: list[str], state: str, input_: JsonObject, amount: int, code: RefusalCode, pointer: str
) -> None:
    """Role, state, schema of the input, guard, who may not act: each case breaks all that come after it, too."""
    current = drafted(amount=amount).model_copy(update={"state": state})
    act = an_act("release", *roles, actor=MARIA.actor, input_=input_)

    refusal = refused(PAYMENT, current, act)
    assert (refusal.code, refusal.pointer) == (code, pointer)


@pytest.mark.parametrize(("missing", "named"), [("amount", "data.amount is missing"), ("made", "data.made.by")])
def test_what_cannot_be_decided_refuses_and_says_what_was_missing(missing: str, named: str) -> None:
    current = drafted()
    del current.data[missing]

    assert named in refused(PAYMENT, current, a_release()).detail


def test_a_guard_that_fails_is_quoted() -> None:
    detail = refused(PAYMENT, drafted(amount=5000), a_release()).detail

    assert "data.amount < 1000 or 'boss' in actor.roles" in detail


def test_a_guard_sees_the_roles_of_whoever_acts() -> None:
    act = a_release("boss")

    assert decided(PAYMENT, drafted(amount=5000), act).state.state == "released"


@pytest.mark.parametrize("holder", [None, 7, ["ed25519:x"], {"key": "ed25519:x"}])
def test_nobody_acts_while_the_field_that_bars_an_actor_holds_no_key(holder: JsonValue) -> None:
    act = a_release()

    assert refused(PAYMENT, drafted(made={"by": holder}), act).code is RefusalCode.SAME_ACTOR


def test_who_is_barred_is_barred_with_every_key_of_their_line() -> None:
    act = an_act("release", "checker", actor=ANA.actor, others=frozenset({MARIA.actor}), input_={"note": "x"})

    refusal = refused(PAYMENT, drafted(), act)
    assert (refusal.code, refusal.pointer) == (RefusalCode.SAME_ACTOR, "/key")
    assert "held the one in data.made.by" in refusal.detail


def test_the_guard_of_a_create_action_sees_its_input_and_empty_data() -> None:
    assert decided(PAYMENT, None, an_act("start", "maker", input_={"amount": 1})).state.data == {}
    assert refused(PAYMENT, None, an_act("start", "maker", input_={"amount": 0})).code is RefusalCode.GUARD


def test_a_child_begins_without_a_role_but_not_against_its_guard() -> None:
    assert not isinstance(decide_child(PAYMENT, an_act("start", AUTOMATION, input_={"amount": 1})), Refused)

    refusal = decide_child(PAYMENT, an_act("start", AUTOMATION, input_={"amount": 0}))
    assert isinstance(refusal, Refused)
    assert refusal.code is RefusalCode.GUARD


@pytest.mark.parametrize("action", ["release", "nothing"])
def test_a_child_begins_only_by_an_action_that_creates(action: str) -> None:
    refusal = decide_child(PAYMENT, an_act(action, "checker", input_={"note": "x"}))

    assert isinstance(refusal, Refused)
    assert refusal.code in (RefusalCode.NO_PROCESS, RefusalCode.NO_ACTION)


@pytest.mark.parametrize(
    ("written", "pointer"), [({"limit": 0}, "/data/limit"), ({}, "/data"), ({"limit": "x"}, "/data/limit")]
)
def test_data_that_the_workflow_does_not_allow_refuses_the_event(written: JsonObject, pointer: str) -> None:
    schema: JsonObject = {"required": ["limit"], "properties": {"limit": {"type": "integer", "minimum": 1}}}
    start: JsonObject = {"type": "create", "role": "maker", "to": "open", "mutate": {"$set": written}}
    workflow = compiled(the_workflow({"path": "a", "data": schema, "actions": {"start": start}}))

    refusal = decide(workflow, None, an_act("start", "maker"))
    assert isinstance(refusal, Refused)
    assert (refusal.code, refusal.pointer) == (RefusalCode.INVALID_RESULT, pointer)
