"""What one action makes of a process: a pure decision, with its effects in the order of the record."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acts
from acts import NOON, PLACE, an_act
from laws import law
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.effects import Auto, Cancel, Effect, Schedule, derived_id
from sealwork.domain.processes.act import Act
from sealwork.domain.processes.availability import automatic
from sealwork.domain.processes.mutate import Changes, mutated
from sealwork.domain.processes.process import Decision, ProcessState, action_of, parse_state
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.workflows.compiled import CompiledWorkflow
from workflow_documents import compiled, the_workflow

DATA = st.dictionaries(st.sampled_from("abc"), st.integers(0, 9))
FIELDS = st.dictionaries(st.sampled_from("abcd"), st.none())
ACTIONS: dict[str, JsonValue] = {
    "start": {"type": "create", "role": "clerk", "to": "draft"},
    "submit": {"role": "clerk", "from": "draft", "to": "ready", "mutate": {"$set": {"file": "complete"}}},
    "note": {"role": ["clerk", "boss"], "from": ["draft", "ready"], "mutate": {"$set": {"note.text": "called"}}},
    "check": {"role": "AUTOMATION", "auto": True, "from": "ready", "to": "checked"},
    "remind": {"role": "AUTOMATION", "from": ["ready", "checked"]},
}


def a_workflow(**actions: JsonValue) -> CompiledWorkflow:
    return compiled(the_workflow({"path": "a/workflow", "actions": {**ACTIONS, **actions}}))


def a_state(name: str = "draft", **data: JsonValue) -> ProcessState:
    return ProcessState(state=name, data=data)


def decided(act: Act, state: ProcessState | None, workflow: CompiledWorkflow | None = None) -> Decision:
    return acts.decided(workflow or a_workflow(), state, act)


def refused(
    act: Act, state: ProcessState | None, workflow: CompiledWorkflow | None = None
) -> tuple[RefusalCode, str | None]:
    refusal = acts.refused(workflow or a_workflow(), state, act)
    return refusal.code, refusal.pointer


def offered(workflow: CompiledWorkflow, state: str) -> list[tuple[str, JsonObject]]:
    facts = an_act("submit").facts(state, {})
    return [(each.action, each.input.data) for each in automatic(workflow, facts) if each.is_available]


def ids(effects: tuple[Effect, ...]) -> list[str]:
    return [effect.id if isinstance(effect, Cancel | Schedule) else effect.action for effect in effects]


# Who may, and when


def test_a_create_action_begins_a_process() -> None:
    assert decided(an_act("start"), None) == Decision(state=a_state("draft"), effects=())


def test_an_action_that_the_workflow_does_not_define_is_none() -> None:
    assert refused(an_act("subnit"), a_state()) == (RefusalCode.NO_ACTION, "/action")
    known = action_of(a_workflow(), "subnit")
    assert isinstance(known, Refused) and "submit" in known.detail


def test_a_role_that_was_not_granted_does_not_act() -> None:
    assert refused(an_act("submit", "boss"), a_state()) == (RefusalCode.WRONG_ROLE, "/key")


def test_roles_are_compared_letter_by_letter() -> None:
    assert refused(an_act("submit", "Clerk"), a_state()) == (RefusalCode.WRONG_ROLE, "/key")


def test_one_of_several_roles_is_enough() -> None:
    assert decided(an_act("note", "boss", "guest"), a_state()).state.state == "draft"


def test_an_action_is_taken_in_its_states_only() -> None:
    assert refused(an_act("submit"), a_state("ready")) == (RefusalCode.WRONG_STATE, "/action")


def test_a_process_that_has_begun_is_not_created_again() -> None:
    assert refused(an_act("start"), a_state("draft")) == (RefusalCode.WRONG_STATE, "/action")


def test_what_has_not_begun_takes_no_other_action() -> None:
    assert refused(an_act("submit"), None) == (RefusalCode.NO_PROCESS, "/stream")


def test_the_role_is_asked_before_the_state() -> None:
    assert refused(an_act("submit", "boss"), a_state("ready"))[0] is RefusalCode.WRONG_ROLE


# What it makes


def test_a_transition_leads_where_it_says_and_writes_its_fields() -> None:
    state = decided(an_act("submit"), a_state("draft", country="SE")).state

    assert state == a_state("ready", country="SE", file="complete")


def test_an_update_leaves_the_state_and_makes_what_is_missing_on_the_way() -> None:
    assert decided(an_act("note"), a_state("draft")).state == a_state("draft", note={"text": "called"})


def test_a_field_below_something_that_is_no_object_refuses() -> None:
    assert refused(an_act("note"), a_state("draft", note="text")) == (RefusalCode.INVALID_RESULT, "/data/note")


def test_a_state_that_grew_too_large_refuses() -> None:
    assert refused(an_act("note"), a_state("draft", big="x" * 262_144))[0] is RefusalCode.TOO_LARGE


def test_the_state_that_was_decided_on_is_not_touched() -> None:
    before = a_state("draft", note={"by": "maria"})

    decided(an_act("note"), before)

    assert before == a_state("draft", note={"by": "maria"})


def test_set_state_repeats_to_and_is_no_data() -> None:
    workflow = a_workflow(
        submit={"role": "clerk", "from": "draft", "to": "ready", "mutate": {"$set": {"state": "ready", "n": 1}}}
    )

    assert decided(an_act("submit"), a_state(), workflow).state == a_state("ready", n=1)


@law
@given(DATA, FIELDS)
def test_what_is_set_stands_there_and_the_rest_stays(data: dict[str, int], fields: dict[str, None]) -> None:
    before: JsonObject = {**data}
    result = mutated(before, Changes(set_=fields))

    assert result == {**data, **fields}
    assert before == data


def test_what_is_written_is_read_back_from_its_bytes() -> None:
    state = a_state("ready", note={"text": "é"}, n=1.5, nothing=None)

    assert parse_state(state.to_bytes()) == state


# Effects


def test_an_automatic_action_is_available_where_it_may_be_taken() -> None:
    effects = decided(an_act("submit"), a_state()).effects

    assert effects == (Auto(work=str(derived_id(PLACE, 0)), action="check", data={}),)


def test_no_action_names_the_automation_that_follows_it() -> None:
    """S1-016: an automatic action is added, and no other action is written in another way."""
    workflow = a_workflow(
        audit={"role": "AUTOMATION", "auto": {"data": {"by": "x"}}, "from": "ready", "to": "checked"}
    )

    written = workflow.workflow.actions
    assert {**written, "audit": None} == {**a_workflow().workflow.actions, "audit": None}
    assert offered(workflow, "ready") == [("audit", {"by": "x"}), ("check", {})]


@pytest.mark.parametrize("state", ["draft", "checked"])
def test_nothing_is_available_where_no_automatic_action_may_be_taken(state: str) -> None:
    assert offered(a_workflow(), state) == []


def test_a_timer_runs_from_the_instant_of_the_record() -> None:
    timer: JsonValue = {"id": "late", "action": "remind", "in": "48h", "data": {"reason": "sla"}}
    workflow = a_workflow(submit={"role": "clerk", "from": "draft", "to": "checked", "schedule": [timer]})

    (effect,) = decided(an_act("submit"), a_state(), workflow).effects

    assert effect == Schedule(
        id="late",
        work=str(derived_id(PLACE, 0)),
        action="remind",
        data={"reason": "sla"},
        run_at=instant_text(NOON + timedelta(hours=48)),
    )


def test_effects_are_cancel_then_schedule_then_auto_each_in_order_of_its_bytes() -> None:
    timers: list[JsonValue] = [
        {"id": name, "action": "remind", "in": "1h", "data": {}} for name in ("z", "a-b", "a_b")
    ]
    workflow = a_workflow(
        submit={
            "role": "clerk",
            "from": "draft",
            "to": "ready",
            "cancel": ["z", "b", "b"],
            "schedule": timers,
        },
        also={"role": "AUTOMATION", "auto": True, "from": "ready", "to": "checked"},
    )

    effects = decided(an_act("submit"), a_state(), workflow).effects

    assert ids(effects) == ["b", "z", "a-b", "a_b", "z", "also", "check"]
    works = [effect.work for effect in effects if isinstance(effect, Schedule | Auto)]
    assert works == [str(derived_id(PLACE, index)) for index in range(2, 7)]


def test_the_same_decision_has_the_same_bytes() -> None:
    once, again = (decided(an_act("submit"), a_state("draft", b=1, a=2)) for _ in range(2))

    assert once == again
    assert once.state.to_bytes() == b'{"data":{"a":2,"b":1,"file":"complete"},"state":"ready"}'
