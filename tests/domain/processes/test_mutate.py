"""What an action writes into the data of its process."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acts import an_act, decided, refused
from builders import MARIA
from laws import law
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import MAX_NUMBER
from sealwork.domain.processes.mutate import Changes, mutated
from sealwork.domain.processes.process import ProcessState
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.workflows.compiled import CompiledWorkflow
from workflow_documents import compiled, the_workflow

NUMBERS = st.integers(-MAX_NUMBER, MAX_NUMBER) | st.floats(-1e15, 1e15)


def why_not(data: JsonObject, changes: Changes) -> Refused:
    refusal = mutated(data, changes)
    assert isinstance(refusal, Refused), refusal
    assert refusal.code is RefusalCode.INVALID_RESULT
    return refusal


def after(mutate: JsonObject, data: JsonObject, input_: JsonObject | None = None) -> JsonObject:
    return decided(
        _writing(mutate), ProcessState(state="open", data=data), an_act("write", input_=input_)
    ).state.data


def _writing(mutate: JsonObject) -> CompiledWorkflow:
    actions: JsonObject = {
        "start": {"type": "create", "role": "clerk", "to": "open"},
        "write": {"role": "clerk", "from": "open", "mutate": mutate},
    }
    return compiled(the_workflow({"path": "a", "actions": actions}))


def test_append_puts_one_entry_at_the_end_of_a_list_and_begins_one() -> None:
    changes = Changes(append={"log": [2], "new.list": None})

    assert mutated({"log": [1]}, changes) == {"log": [1, [2]], "new": {"list": [None]}}


@pytest.mark.parametrize("there", [None, "text", {}, 3])
def test_append_to_what_is_no_list_refuses(there: JsonValue) -> None:
    refusal = why_not({"log": there}, Changes(append={"log": 1}))

    assert refusal.pointer == "/data/log"
    assert "$append needs a list" in refusal.detail


def test_unset_takes_a_field_away_and_leaves_what_is_not_there() -> None:
    data: JsonObject = {"a": 1, "in": {"b": 2, "c": 3}, "text": "x"}

    assert mutated(data, Changes(unset=("a", "in.b", "no", "no.way", "text.no"))) == {"in": {"c": 3}, "text": "x"}


def test_inc_adds_and_begins_with_nothing() -> None:
    assert mutated({"n": 2, "in": {"x": 0.5}}, Changes(inc={"n": -3, "in.x": 1, "new": 4})) == {
        "n": -1,
        "in": {"x": 1.5},
        "new": 4,
    }


@law
@given(NUMBERS, NUMBERS)
def test_whole_stays_whole_and_what_cannot_be_signed_refuses(one: int | float, other: int | float) -> None:
    result = mutated({"n": one}, Changes(inc={"n": other}))

    if isinstance(result, Refused):
        assert abs(one + other) > MAX_NUMBER
        return
    sum_ = result["n"]
    assert isinstance(sum_, int | float)
    assert sum_ == one + other
    assert isinstance(sum_, int) or isinstance(one, float) or isinstance(other, float)
    assert str(sum_) != "-0.0"


@pytest.mark.parametrize(("there", "added"), [("1", 1), (1, "1"), (True, 1), (1, None), ([], 1)])
def test_inc_adds_numbers_only(there: JsonValue, added: JsonValue) -> None:
    assert why_not({"n": there}, Changes(inc={"n": added})).pointer == "/data/n"


def test_a_sum_beyond_what_a_number_can_hold_refuses() -> None:
    assert str(MAX_NUMBER) in why_not({"n": MAX_NUMBER}, Changes(inc={"n": 1})).detail


def test_what_is_in_the_way_is_named() -> None:
    refusal = why_not({"a": {"b": "text"}}, Changes(set_={"a.b.c.d": 1}))

    assert refusal.pointer == "/data/a/b"
    assert "a.b.c.d cannot be written: b is not an object" in refusal.detail


@law
@given(st.dictionaries(st.sampled_from("abcd"), st.integers(0, 9)), st.sampled_from("abcd"))
def test_the_data_that_is_changed_is_not_touched(data: dict[str, int], name: str) -> None:
    before: JsonObject = {**data}

    for changes in (Changes(set_={name: 1}), Changes(inc={name: 1}), Changes(unset=(name,))):
        mutated(before, changes)

    assert before == data


def test_templates_see_the_state_before_the_event_and_the_event() -> None:
    written = after(
        {
            "$set": {"was": "${data.n}", "by": "event.actor", "in": "${state}", "what": "event.action"},
            "$inc": {"n": "${input.step}"},
            "$append": {"steps": {"step": "${input.step}", "at": "event.at"}},
        },
        {"n": 1},
        {"step": 2},
    )

    assert written == {
        "was": 1,
        "by": MARIA.actor,
        "in": "open",
        "what": "write",
        "n": 3,
        "steps": [{"step": 2, "at": "2026-06-18T12:00:00.000000Z"}],
    }


@pytest.mark.parametrize("operator", ["$set", "$append", "$inc"])
def test_a_template_that_comes_to_nothing_refuses_the_event(operator: str) -> None:
    state = ProcessState(state="open", data={})

    refusal = refused(_writing({operator: {"n": "${input.n}"}}), state, an_act("write"))

    assert (refusal.code, refusal.pointer) == (RefusalCode.INVALID_INPUT, "/input")
    assert "n cannot be written: input.n is missing" in refusal.detail


def test_the_data_afterwards_is_what_its_bytes_read() -> None:
    """In memory 0.5 + 0.5 is 1.0, in the chain it is 1: what decides next must not see the difference."""
    whole = after({"$inc": {"n": 0.5}}, {"n": 0.5})["n"]

    assert (whole, type(whole)) == (1, int)
