"""What expressions mean in their place: said of documents whose shape is right."""

from __future__ import annotations

import pytest

from sealwork.domain.issues import Issue
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.workflows.compiled import CompiledWorkflow
from sealwork.domain.workflows.definition import Surroundings, issues_of
from workflow_documents import SCREEN, START, SUBMIT, a_timer, compiled, the_workflow

CLOSED: JsonObject = {
    "type": "object",
    "properties": {
        "amount": {"type": "number"},
        "customer": {"type": "object", "properties": {"name": {}}, "additionalProperties": False},
        "by": {"type": "string"},
    },
    "additionalProperties": False,
}
A_REASON: JsonObject = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "source": {"type": "string", "pattern": "^[0-9a-f]{64}$"}},
    "required": ["reason"],
    "additionalProperties": False,
}
CHILD: JsonObject = {"path": "b", "actions": {"start": {**START, "input": A_REASON}, "submit": SUBMIT}}


def said_about(
    actions: JsonObject, surroundings: Surroundings | None = None, **fields: JsonValue
) -> tuple[Issue, ...]:
    """What is said about draft -> ready -> done with `actions` added, or in place of its own."""
    own: JsonObject = {"start": START, "submit": SUBMIT, "screen": SCREEN}
    return issues_of({"path": "a", "actions": {**own, **actions}, **fields}, surroundings)[1]


def the_issue(
    actions: JsonObject, surroundings: Surroundings | None = None, **fields: JsonValue
) -> tuple[str, str, str, str]:
    """Level, code, pointer and message of the one thing that is wrong."""
    issues = said_about(actions, surroundings, **fields)
    assert len(issues) == 1, issues
    return issues[0].level, issues[0].code, issues[0].pointer, issues[0].message


def submitting_when(when: str, **fields: JsonValue) -> JsonObject:
    return {"submit": {**SUBMIT, "when": when, **fields}}


def screening(**fields: JsonValue) -> JsonObject:
    return {"screen": {**SCREEN, **fields}}


def writing(**mutate: JsonValue) -> JsonObject:
    return {"submit": {**SUBMIT, "mutate": {f"${word}": fields for word, fields in mutate.items()}}}


# Guards that never pass


@pytest.mark.parametrize(
    "when",
    [
        "state = 'ready'",
        "state != 'draft'",
        "state in ['ready', 'done']",
        "not (state = 'draft')",
        "data.n > 1 and state = 'ready'",
    ],
)
def test_a_condition_on_the_state_that_passes_nowhere_is_refused(when: str) -> None:
    level, code, pointer, message = the_issue(submitting_when(when))

    assert (level, code, pointer) == ("error", "WF_WHEN_NEVER", "/actions/submit/when")
    part = when.removeprefix("data.n > 1 and ")
    assert message == f"`from` allows draft, so {part} can never be true: correct one of the two"


@pytest.mark.parametrize(
    "when",
    [
        "state = 'draft'",
        "state = 'ready' or data.n > 1",
        "state = 'ready' and data.n > 1 or data.m > 1",
        "state = 'ready' and data.n > 1 ? data.m > 1 : true",
        "(state = 'ready' or data.n > 1) and data.m > 1",
        "state in ['draft', 'done']",
        "state = data.wanted",
    ],
)
def test_a_condition_that_may_pass_is_left_alone(when: str) -> None:
    assert said_about(submitting_when(when)) == ()


def test_one_of_several_states_in_which_a_condition_passes_is_enough() -> None:
    note: JsonObject = {"role": "clerk", "from": ["draft", "ready"], "when": "state = 'ready'"}

    assert said_about({"note": note}) == ()


def test_the_message_names_the_part_that_cannot_be_true() -> None:
    assert the_issue(submitting_when("data.n > 1 and state = 'done'"))[3] == (
        "`from` allows draft, so state = 'done' can never be true: correct one of the two"
    )


def test_a_process_that_begins_is_in_no_state() -> None:
    _, code, pointer, message = the_issue({"start": {**START, "when": "state = 'draft'"}})

    assert (code, pointer) == ("WF_WHEN_NEVER", "/actions/start/when")
    assert message == "a process has no state before it begins, so state = 'draft' can never be true: drop it"


# Automatic actions


def test_an_automatic_action_that_waits_for_the_clock_is_warned_about() -> None:
    level, code, pointer, message = the_issue(screening(when="event.at > timestamp('2026-06-18T10:00:00Z')"))

    assert (level, code, pointer) == ("warning", "WF_WHEN_CLOCK", "/actions/screen/when")
    assert "let an action schedule this one instead" in message


def test_what_also_looks_at_the_data_does_not_wait_for_the_clock() -> None:
    assert said_about(screening(when="event.at > timestamp(data.due)")) == ()


def test_a_person_may_be_asked_about_the_clock() -> None:
    assert said_about(submitting_when("event.at > timestamp('2026-06-18T10:00:00Z')")) == ()


@pytest.mark.parametrize("auto", [True, {"data": {}}])
def test_an_automatic_action_without_data_cannot_look_at_its_input(auto: JsonValue) -> None:
    level, code, pointer, message = the_issue(screening(auto=auto, when="input.n > 1"))

    assert (level, code, pointer) == ("warning", "WF_AUTO_WHEN_INPUT", "/actions/screen/when")
    assert "give it data" in message


def test_an_automatic_action_may_look_at_the_data_that_it_is_queued_with() -> None:
    assert said_about(screening(auto={"data": {"n": "${data.n}"}}, when="input.n > 1")) == ()


# Fields of the data


def test_nobody_can_be_barred_before_a_process_begins() -> None:
    _, code, pointer, message = the_issue({"start": {**START, "not_actor": "by"}})

    assert (code, pointer) == ("WF_NOT_ACTOR_CREATE", "/actions/start/not_actor")
    assert "drop `not_actor`" in message


@pytest.mark.parametrize(
    ("actions", "place", "hint"),
    [
        (writing(set={"amuont": 1}), "mutate/$set/amuont", "did you mean 'amount'?"),
        (writing(append={"zzz": 1}), "mutate/$append/zzz", "it has amount, by, customer"),
        (writing(inc={"amuont": 1}), "mutate/$inc/amuont", "did you mean 'amount'?"),
        (writing(unset=["amount", "amuont"]), "mutate/$unset/1", "did you mean 'amount'?"),
        (writing(set={"customer.nmae": 1}), "mutate/$set/customer.nmae", "did you mean 'name'?"),
        ({"submit": {**SUBMIT, "not_actor": "bye"}}, "not_actor", "did you mean 'by'?"),
    ],
)
def test_a_field_that_a_closed_schema_does_not_have_is_refused(actions: JsonObject, place: str, hint: str) -> None:
    level, code, pointer, message = the_issue(actions, data=CLOSED)

    assert (level, code, pointer) == ("error", "WF_UNKNOWN_DATA", f"/actions/submit/{place}")
    assert hint in message


@pytest.mark.parametrize("data", [CLOSED, {"type": "object"}])
def test_a_field_that_a_schema_may_have_is_left_alone(data: JsonObject) -> None:
    mutate = writing(set={"customer.name": "x", "state": "ready"}, inc={"amount": 1}, unset=["by"])

    assert said_about(mutate, data=data) == ()


def test_a_schema_without_fields_says_so() -> None:
    closed: JsonObject = {"additionalProperties": False}

    assert "it has no fields" in the_issue(writing(set={"a": 1}), data=closed)[3]


def test_the_state_is_told_once_where_it_is_taken_for_a_field() -> None:
    assert the_issue(writing(unset=["state"]), data=CLOSED)[1] == "WF_MUTATE_STATE"


# Input that nothing takes


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ({}, ""),
        ({"reason": 1}, "/reason"),
        ({"reason": "sla", "more": 1}, ""),
        ({"reason": 1, "source": "event.hash"}, "/reason"),
    ],
)
def test_constant_data_that_the_action_does_not_take_is_refused(data: JsonObject, place: str) -> None:
    timed: JsonObject = {
        "submit": {**SUBMIT, "schedule": [a_timer(in_="1h", data=data)]},
        **screening(auto=False, input=A_REASON),
    }
    queued = screening(auto={"data": data}, input=A_REASON)

    level, code, pointer, message = the_issue(timed)
    assert (level, code, pointer) == ("error", "WF_INPUT_MISMATCH", f"/actions/submit/schedule/0/data{place}")
    assert message.startswith("the action does not take this input: ")
    assert the_issue(queued)[:3] == ("error", "WF_INPUT_MISMATCH", f"/actions/screen/auto/data{place}")


def test_auto_true_does_not_fit_an_action_that_requires_something() -> None:
    assert the_issue(screening(input=A_REASON))[:3] == ("error", "WF_INPUT_MISMATCH", "/actions/screen/auto")


def test_the_other_word_for_data_is_named_where_it_was_written() -> None:
    issue = the_issue(screening(auto={"input": {"reason": 1}}, input=A_REASON))

    assert issue[2] == "/actions/screen/auto/input/reason"


@pytest.mark.parametrize("data", [{"reason": "sla", "source": "event.hash"}, {"reason": "${data.n}"}])
def test_the_hash_of_the_event_fits_as_text_and_an_expression_is_left_to_run_time(data: JsonObject) -> None:
    assert said_about(screening(auto={"data": data}, input=A_REASON)) == ()


# Children


def spawning(**fields: JsonValue) -> JsonObject:
    child: JsonObject = {"workflow": "b@1", "action": "start", "id": "c", "data": {"reason": "x"}, **fields}
    return {"submit": {**SUBMIT, "spawn": [child]}}


def beside(child: CompiledWorkflow | None) -> Surroundings:
    return Surroundings(earlier_timers=frozenset(), children={"b@1": child})


PUBLISHED = beside(compiled(the_workflow(CHILD)))


def test_a_child_that_can_begin_is_no_issue() -> None:
    assert said_about(spawning(), PUBLISHED) == ()


def test_a_child_of_a_workflow_that_is_not_published_is_refused() -> None:
    _, code, pointer, message = the_issue(spawning(), beside(None))

    assert (code, pointer) == ("WF_UNKNOWN_WORKFLOW", "/actions/submit/spawn/0/workflow")
    assert message == "b@1 is not published here, or was withdrawn: publish it first"


@pytest.mark.parametrize(
    ("action", "hint"), [("strat", "did you mean 'start'?"), ("submit", "write start"), ("zzz", "write start")]
)
def test_a_child_begins_with_an_action_that_creates(action: str, hint: str) -> None:
    _, code, pointer, message = the_issue(spawning(action=action), PUBLISHED)

    assert (code, pointer) == ("WF_SPAWN_ACTION", "/actions/submit/spawn/0/action")
    assert hint in message


def test_a_child_with_constant_data_that_it_does_not_take_is_refused() -> None:
    issue = the_issue(spawning(data={"reason": 1}), PUBLISHED)

    assert issue[:3] == ("error", "WF_INPUT_MISMATCH", "/actions/submit/spawn/0/data/reason")


def test_nothing_is_said_about_children_where_nobody_knows_what_is_published() -> None:
    assert said_about(spawning(action="zzz")) == ()


# Earlier versions


def test_a_timer_of_an_earlier_version_may_be_cancelled() -> None:
    cancelling = screening(cancel=["old-sla"])

    assert said_about(cancelling, Surroundings(frozenset({"old-sla"}), {})) == ()
    assert the_issue(cancelling, Surroundings(frozenset(), {}))[1] == "WF_CANCEL_UNKNOWN"
    assert (
        "did you mean 'old-sla'?"
        in the_issue(screening(cancel=["old-sal"]), Surroundings(frozenset({"old-sla"}), {}))[3]
    )
