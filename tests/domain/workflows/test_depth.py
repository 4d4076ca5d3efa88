"""How deep values may lie: what is written must be read again, with everything that will stand around it."""

from __future__ import annotations

from datetime import UTC, datetime

from builders import MARIA, ORIGIN, PROCESS, TENANT
from decision_laws import check_record
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import MAX_DEPTH
from sealwork.domain.ledger.effects import Auto, Place, Schedule
from sealwork.domain.processes.act import Act
from sealwork.domain.processes.process import Decision, ProcessState, decide, parse_state
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.workflows.compiled import CompiledWorkflow
from workflow_documents import a_workflow, compiled, submitting


def nested(depth: int) -> JsonValue:
    value: JsonValue = 1
    for _ in range(depth):
        value = [value]
    return value


def an_act(**input_: JsonValue) -> Act:
    return Act(
        action="submit",
        actor=MARIA.actor,
        roles=frozenset({"clerk"}),
        input=input_,
        place=Place(origin=ORIGIN, tenant=TENANT, stream=PROCESS, seq=2),
        recorded_at=datetime(2026, 6, 18, tzinfo=UTC),
    )


def submitted(workflow: CompiledWorkflow, input_: JsonObject) -> Decision | Refused:
    return decide(workflow, ProcessState(state="draft", data={}), an_act(**input_))


def test_data_as_deep_as_a_state_can_hold_is_read_again() -> None:
    workflow = compiled(a_workflow(submitting(mutate={"$set": {"a.b": "${input.x}"}})))

    decision = submitted(workflow, {"x": nested(MAX_DEPTH - 3)})

    assert isinstance(decision, Decision)
    assert parse_state(decision.state.to_bytes()) == decision.state


def test_data_that_no_state_could_be_read_back_with_refuses() -> None:
    workflow = compiled(a_workflow(submitting(mutate={"$set": {"a.b": "${input.x}"}})))

    decision = submitted(workflow, {"x": nested(MAX_DEPTH - 2)})

    assert isinstance(decision, Refused)
    assert decision.code is RefusalCode.INVALID_RESULT
    assert decision.pointer == "/data/a/b" + "/0" * (MAX_DEPTH - 3)


def test_queued_data_as_deep_as_a_record_can_hold_is_read_again() -> None:
    timer: JsonValue = {"id": "t", "action": "screen", "in": "1h", "data": {"x": "${input.x}"}}
    workflow = compiled(a_workflow(submitting(schedule=[timer])))

    decision = submitted(workflow, {"x": nested(MAX_DEPTH - 4)})

    assert isinstance(decision, Decision)
    assert isinstance(decision.effects[0], Schedule)
    assert decision.effects[0].failed is None
    check_record(decision, an_act())


def test_a_row_whose_data_would_lie_too_deep_in_the_record_is_born_failed() -> None:
    timer: JsonValue = {"id": "t", "action": "screen", "in": "1h", "data": {"x": "${input.x}"}}
    workflow = compiled(a_workflow(submitting(schedule=[timer])))

    decision = submitted(workflow, {"x": nested(MAX_DEPTH - 3)})

    assert isinstance(decision, Decision)
    assert isinstance(decision.effects[0], Schedule)
    assert decision.effects[0].data == {}
    assert (decision.effects[0].failed or "").endswith("nested deeper than 32")
    check_record(decision, an_act())


def test_an_automatic_action_is_queued_no_deeper_than_the_record_can_hold() -> None:
    screen: JsonValue = {"role": "AUTOMATION", "auto": {"data": {"x": "${data.x}"}}, "from": "ready", "to": "done"}
    mutate: JsonValue = {"$set": {"x": "${input.x}"}}
    workflow = compiled(a_workflow({**submitting(mutate=mutate), "screen": screen}))

    decision = submitted(workflow, {"x": nested(MAX_DEPTH - 3)})

    assert isinstance(decision, Decision)
    assert isinstance(decision.effects[0], Auto)
    assert decision.effects[0].failed is not None
    check_record(decision, an_act())
