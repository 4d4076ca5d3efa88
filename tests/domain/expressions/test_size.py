"""How much a template may come to: it ends where no state or record could hold it, however often it asks."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import MAX_RECORD_BYTES
from sealwork.domain.ledger.effects import Auto
from sealwork.domain.processes.process import Decision, ProcessState, decide
from sealwork.domain.refusals import RefusalCode, Refused
from surviving import an_act, counted_steps
from workflow_documents import a_workflow, compiled, submitting

ENOUGH = 262_144 // 50_000
MOST_STEPS = 3_000_000
"""Resolving all two hundred fields would take more than eight times as many."""


def submitted(actions: JsonObject, input_: JsonObject) -> Decision | Refused:
    workflow = compiled(a_workflow(actions))
    act = replace(an_act(workflow.workflow, "submit", Random(1)), input=input_)
    return decide(workflow, ProcessState(state="draft", data={}), act)


def writing(value: JsonValue) -> JsonObject:
    return submitting(mutate={"$set": {"x": value}})


def test_what_a_state_can_hold_may_be_written_from_many_expressions() -> None:
    answer = submitted(writing(["${input.t}"] * ENOUGH), {"t": "x" * 50_000})

    assert isinstance(answer, Decision)
    assert answer.state.data == {"x": ["x" * 50_000] * ENOUGH}


def test_text_that_repeats_a_long_one_beyond_all_measure_refuses() -> None:
    answer = submitted(writing("${input.t}" * 2_000), {"t": "x" * 50_000})

    assert isinstance(answer, Refused)
    assert (answer.code, answer.pointer) == (RefusalCode.INVALID_INPUT, "/input")
    assert str(MAX_RECORD_BYTES) in answer.detail


def test_a_list_that_repeats_a_long_one_beyond_all_measure_refuses() -> None:
    answer = submitted(writing(["${input.t}"] * 500), {"t": [1] * 10_000})

    assert isinstance(answer, Refused)
    assert answer.code is RefusalCode.INVALID_INPUT
    assert answer.detail.startswith("x/26 cannot be written")


def test_fields_that_repeat_a_long_value_beyond_all_measure_refuse() -> None:
    mutate: JsonObject = {"$set": {f"x{index}": "${input}" for index in range(200)}}

    with counted_steps() as steps:
        answer = submitted(submitting(mutate=mutate), {"t": [{"a": 1}] * 5_000})

    assert isinstance(answer, Refused)
    assert (answer.code, answer.pointer) == (RefusalCode.TOO_LARGE, None)
    assert steps[0] < MOST_STEPS


def test_a_row_whose_data_would_repeat_a_long_value_is_born_failed() -> None:
    auto: JsonObject = {"data": {"x": ["${input}"] * 500}}
    screen: JsonObject = {"role": "AUTOMATION", "auto": auto, "from": "ready", "to": "done"}

    answer = submitted({**submitting(), "screen": screen}, {"t": [1] * 10_000})

    assert isinstance(answer, Decision)
    assert isinstance(answer.effects[0], Auto)
    assert answer.effects[0].data == {}
    assert answer.effects[0].failed == (
        f"invalid_input: data/x/26: the whole has more than {MAX_RECORD_BYTES} entries and characters"
    )


def test_many_rows_whose_data_would_be_too_large_refuse_the_event() -> None:
    auto: JsonObject = {"data": {"x": ["${input}"] * 90}}
    screens: JsonObject = {
        f"screen_{n}": {"role": "AUTOMATION", "auto": auto, "from": "ready", "to": "done"} for n in range(50)
    }

    with counted_steps() as steps:
        answer = submitted({**submitting(), **screens}, {"t": [1] * 10_000})

    assert isinstance(answer, Refused)
    assert (answer.code, answer.pointer) == (RefusalCode.TOO_LARGE, None)
    assert steps[0] < 3 * MOST_STEPS
