"""A workflow executed: timers, conditions, four eyes, and what automation is asked again when it fires."""

from __future__ import annotations

from datetime import timedelta

import pytest

from builders import ANA, MARIA
from process_runs import NOON, Run, a_begun_run
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.effects import Auto, Cancel, Effect, Schedule
from sealwork.domain.refusals import RefusalCode
from workflow_documents import SCREEN, START, SUBMIT, a_timer

REMIND: JsonObject = {"role": "AUTOMATION", "from": ["draft", "ready"]}


def begun(document: JsonObject | None = None, **submit: JsonValue) -> Run:
    actions: JsonObject = {"start": START, "submit": {**SUBMIT, **submit}, "remind": REMIND, **(document or {})}
    return a_begun_run({"path": "a", "actions": actions})


def reminding(**fields: JsonValue) -> Run:
    return begun(schedule=[a_timer(action="remind", **fields)])


def only_timer(run: Run) -> Schedule:
    (timer,) = run.takes("submit", input_={"due": "2026-07-01T02:00:00+02:00"})
    assert isinstance(timer, Schedule)
    return timer


def autos(effects: tuple[Effect, ...]) -> list[str]:
    return [effect.action for effect in effects if isinstance(effect, Auto)]


# Timers


@pytest.mark.parametrize("at", ["2026-07-01T00:00:00Z", "${input.due}"])
def test_a_timer_at_an_instant_is_due_then_in_whatever_zone_it_was_written(at: str) -> None:
    assert only_timer(reminding(at=at)).run_at == "2026-07-01T00:00:00.000000Z"


def test_a_recurrence_keeps_its_end_and_its_policy() -> None:
    timer = only_timer(reminding(every="1d", until="${input.due}", count=3, misfire="skip"))

    assert (timer.every, timer.until) == (86_400, "2026-07-01T00:00:00.000000Z")
    assert (timer.count, timer.misfire) == (3, "skip")


@pytest.mark.parametrize(("left", "starts"), [(timedelta(days=1), True), (timedelta(hours=23), False)])
def test_the_end_of_a_recurrence_still_counts(left: timedelta, starts: bool) -> None:
    run = reminding(every="1d", until=instant_text(NOON + left))

    assert [isinstance(effect, Schedule) for effect in run.takes("submit")] == [starts]


def test_a_recurrence_that_is_over_before_it_begins_ends_the_live_one_of_its_id() -> None:
    assert reminding(every="1d", until=instant_text(NOON)).takes("submit") == (Cancel(id="sla"),)


def test_data_of_a_timer_is_fixed_when_it_starts() -> None:
    run = reminding(in_="1h", data={"why": "${input.due}", "state": "${state}", "by": "event.action"})

    data = only_timer(run).data

    assert data == {"why": "2026-07-01T02:00:00+02:00", "state": "ready", "by": "submit"}


def test_a_timer_beyond_the_calendar_refuses_its_event() -> None:
    run = reminding(in_="100y")
    answer = run.tried("submit", at=NOON.replace(year=9950))

    assert "lies beyond the year 9999" in str(answer)


# Conditions


@pytest.mark.parametrize(("n", "why"), [(1, "that is not so"), (None, "undecided, data.n is missing")])
def test_a_condition_that_does_not_pass_refuses_and_says_why(n: int | None, why: str) -> None:
    start: JsonObject = {**START, "mutate": {"$set": {} if n is None else {"n": n}}}
    refusal = begun({"start": start}, when="data.n > 1").refused("submit")

    assert refusal.code is RefusalCode.GUARD
    assert refusal.detail == f"submit may be taken when data.n > 1: {why}"


def test_a_condition_sees_the_input_and_the_roles_of_who_acts() -> None:
    run = begun(when="input.yes and 'clerk' in actor.roles", role=["clerk", "boss"])

    assert run.why_not("submit", yes=False) is RefusalCode.GUARD
    assert run.refused("submit", role="boss", input_={"yes": True}).code is RefusalCode.GUARD
    run.takes("submit", input_={"yes": True})
    assert run.stands == ("ready", {})


# Four eyes


def four_eyes() -> Run:
    signed: JsonObject = {**SUBMIT, "mutate": {"$set": {"by": "event.actor"}}}
    approve: JsonObject = {"role": "clerk", "from": "ready", "to": "done", "not_actor": "by"}
    return begun({"submit": signed, "approve": approve})


def test_who_handed_in_does_not_approve() -> None:
    run = four_eyes()
    run.takes("submit", by=MARIA.actor)

    assert run.refused("approve", by=MARIA.actor).code is RefusalCode.SAME_ACTOR
    run.takes("approve", by=ANA.actor)
    assert run.stands[0] == "done"


def test_where_no_key_is_known_nobody_approves() -> None:
    approve: JsonObject = {"role": "clerk", "from": "draft", "to": "done", "not_actor": "by"}
    refusal = begun({"approve": approve}).refused("approve")

    assert (refusal.code, refusal.pointer) == (RefusalCode.SAME_ACTOR, "/action")
    assert "data.by holds no key" in refusal.detail


# Writing


def test_what_an_action_writes_is_read_before_it_writes() -> None:
    start: JsonObject = {**START, "mutate": {"$set": {"a": 1, "b": 2, "old": True, "log": ["begun"]}}}
    swap: JsonObject = {
        "$set": {"a": "${data.b}", "b": "${data.a}", "said": "${input.word}"},
        "$append": {"log": "swapped by ${event.action}"},
        "$unset": ["old"],
        "$inc": {"n": "${data.b + 1}"},
    }
    run = begun({"start": start}, mutate=swap)
    run.takes("submit", input_={"word": "hello"})

    assert run.stands == (
        "ready",
        {"a": 2, "b": 1, "log": ["begun", "swapped by submit"], "n": 3, "said": "hello"},
    )


def test_data_that_the_workflow_does_not_allow_refuses() -> None:
    actions: JsonObject = {"start": START, "submit": {**SUBMIT, "mutate": {"$set": {"n": "${input.n}"}}}}
    run = a_begun_run({"path": "a", "data": {"properties": {"n": {"type": "integer"}}}, "actions": actions})

    refusal = run.refused("submit", input_={"n": "x"})

    assert (refusal.code, refusal.pointer) == (RefusalCode.INVALID_RESULT, "/data/n")


def test_input_that_the_action_does_not_take_refuses() -> None:
    refusal = begun(input={"required": ["n"]}).refused("submit")

    assert (refusal.code, refusal.pointer) == (RefusalCode.INVALID_INPUT, "/input")


# Automatic actions


def test_an_automatic_action_is_asked_for_after_every_event_that_leaves_its_state() -> None:
    note: JsonObject = {"role": "clerk", "from": "ready", "mutate": {"$inc": {"n": 1}}}
    run = begun({"note": note, "screen": {**SCREEN, "when": "data.n = 2"}})

    effects = [autos(run.takes(action)) for action in ("submit", "note", "note", "note")]

    assert effects == [[], [], ["screen"], []]


def test_several_ways_into_a_state_share_the_automatic_action() -> None:
    skip: JsonObject = {"role": "clerk", "from": "draft", "to": "ready"}

    for way in ("submit", "skip"):
        assert autos(begun({"skip": skip, "screen": SCREEN}).takes(way)) == ["screen"]


def test_an_automatic_action_is_asked_for_with_the_role_and_the_input_that_it_will_have() -> None:
    screen: JsonObject = {
        **SCREEN,
        "auto": {"data": {"n": 2}},
        "when": "input.n = 2 and actor.roles = ['AUTOMATION']",
    }

    assert autos(begun({"screen": screen}).takes("submit")) == ["screen"]


def test_what_was_queued_is_asked_again_when_it_fires() -> None:
    """Each rule in turn is broken between the event that queued and the machine that fires."""
    screen: JsonObject = {
        **SCREEN,
        "input": {"required": ["why"]},
        "auto": {"data": {"why": "x"}},
        "when": "data.open",
        "not_actor": "by",
    }
    close: JsonObject = {"role": "clerk", "from": "ready", "mutate": {"$set": {"open": False}}}
    leave: JsonObject = {"role": "clerk", "from": "ready", "to": "left"}
    opened: JsonObject = {"$set": {"open": True, "by": "event.actor"}}

    def queued() -> Run:
        run = begun({"screen": screen, "close": close, "leave": leave}, mutate=opened)
        assert autos(run.takes("submit")) == ["screen"]
        return run

    def answer(run: Run, role: str = "AUTOMATION", by: str = ANA.actor, **input_: JsonValue) -> RefusalCode:
        return run.refused("screen", role=role, input_=input_, by=by).code

    assert answer(queued(), role="clerk", why="x") is RefusalCode.WRONG_ROLE
    assert answer(queued()) is RefusalCode.INVALID_INPUT
    assert answer(queued(), by=MARIA.actor, why="x") is RefusalCode.SAME_ACTOR
    closed, left = queued(), queued()
    closed.takes("close")
    left.takes("leave")
    assert answer(closed, why="x") is RefusalCode.GUARD
    assert answer(left, why="x") is RefusalCode.WRONG_STATE
