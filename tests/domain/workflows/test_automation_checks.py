from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.workflows.checks import check
from workflow_documents import (
    SCREEN,
    START,
    a_timer,
    a_workflow,
    a_workflow_of,
    errors,
    found,
    only_issue,
    scheduling,
    submitting,
)


def test_an_automatic_action_that_the_worker_may_not_take_is_refused() -> None:
    issue = only_issue(a_workflow({"screen": {**SCREEN, "role": ["clerk", "analyst"]}}))

    assert (issue.code, issue.pointer) == ("WF_AUTO_ROLE", "/actions/screen/role")


def test_a_person_may_take_an_automatic_action_too() -> None:
    assert check(a_workflow({"screen": {**SCREEN, "role": ["clerk", "AUTOMATION"]}})) == ()


def test_auto_as_an_empty_object_is_warned_about() -> None:
    issue = only_issue(a_workflow({"screen": {**SCREEN, "auto": {}}}), "warning")

    assert (issue.code, issue.pointer) == ("WF_AUTO_EMPTY", "/actions/screen/auto")


@pytest.mark.parametrize("auto", [{"data": {}}, {"input": {}}])
def test_auto_with_empty_data_is_no_issue(auto: JsonObject) -> None:
    assert check(a_workflow({"screen": {**SCREEN, "auto": auto}})) == ()


@pytest.mark.parametrize("target", [{}, {"to": "ready"}])
def test_an_automatic_action_that_stays_eligible_is_refused(target: JsonObject) -> None:
    issue = only_issue(a_workflow({"tick": {"role": "AUTOMATION", "auto": True, "from": "ready", **target}}))

    assert (issue.code, issue.pointer) == ("WF_AUTO_LOOP", "/actions/tick/auto")
    assert "go round ready (tick), for ever" in issue.message


def test_automatic_actions_that_go_in_a_circle_are_refused() -> None:
    issue = only_issue(a_workflow({"back": {"role": "AUTOMATION", "auto": True, "from": "done", "to": "ready"}}))

    assert (issue.code, issue.pointer) == ("WF_AUTO_LOOP", "/actions/screen/auto")
    assert "go round done, ready (back, screen), for ever" in issue.message


def test_a_circle_that_a_person_must_close_is_no_issue() -> None:
    assert check(a_workflow({"back": {"role": ["AUTOMATION", "clerk"], "from": "done", "to": "ready"}})) == ()


def test_a_condition_on_what_the_circle_does_not_write_cannot_end_it() -> None:
    workflow = a_workflow(
        {"back": {"role": "AUTOMATION", "auto": True, "from": "done", "to": "ready", "when": "data.n < 3"}}
    )

    (issue,) = errors(workflow)
    assert (issue.code, issue.pointer) == ("WF_AUTO_LOOP", "/actions/screen/auto")


@pytest.mark.parametrize("written", ["n", "n.of", "count"])
def test_a_circle_in_which_a_guard_looks_at_what_is_written_is_warned_about(written: str) -> None:
    """Loops of automatic actions end only by what they write; here `n`, what lies in it, or another action's."""
    back: JsonObject = {"role": "AUTOMATION", "auto": True, "from": "done", "to": "ready"}
    when = "data.n < 3" if written != "count" else "input.left > 0"
    auto: JsonValue = True if written != "count" else {"data": {"left": "${3 - data.count}"}}
    guarded: JsonObject = {**back, "auto": auto, "when": when}
    workflow = a_workflow({"back": guarded, "screen": {**SCREEN, "mutate": {"$inc": {written: 1}}}})

    issue = only_issue(workflow, "warning")
    assert (issue.code, issue.pointer) == ("WF_AUTO_LOOP", "/actions/screen/auto")


def test_a_condition_beside_an_endless_circle_does_not_end_it() -> None:
    workflow = a_workflow(
        {
            "tick": {"role": "AUTOMATION", "auto": True, "from": "ready"},
            "count": {"role": "AUTOMATION", "auto": True, "from": "ready", "when": "data.n < 3"},
        }
    )

    assert [(issue.code, issue.level) for issue in errors(workflow)] == [("WF_AUTO_LOOP", "error")]


def test_two_circles_are_two_issues_even_if_one_leads_to_the_other() -> None:
    workflow = a_workflow(
        {
            "submit": {**SCREEN, "from": "draft", "to": "ready"},
            "tick": {"role": "AUTOMATION", "auto": True, "from": "draft"},
            "tock": {"role": "AUTOMATION", "auto": True, "from": "ready"},
        }
    )

    assert found(workflow) == [("WF_AUTO_LOOP", "/actions/tick/auto"), ("WF_AUTO_LOOP", "/actions/tock/auto")]


def test_what_only_leads_into_a_circle_is_not_part_of_it() -> None:
    workflow = a_workflow(
        {
            "submit": {**SCREEN, "from": "draft", "to": "ready"},
            "tick": {"role": "AUTOMATION", "auto": True, "from": "ready"},
        }
    )

    assert "go round ready (tick), for ever" in only_issue(workflow).message


def test_a_large_circle_is_told_in_a_short_message() -> None:
    steps: JsonObject = {
        f"step_{n:02}": {"role": "AUTOMATION", "auto": True, "from": f"s{n:02}", "to": f"s{(n + 1) % 20:02}"}
        for n in range(20)
    }

    issue = only_issue(a_workflow_of({"start": {**START, "to": "s00"}, **steps}))
    assert "s07 and 12 more (step_00" in issue.message


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=10),
    st.integers(0, 6),
)
def test_an_endless_circle_is_found_exactly_when_walking_would_never_end(
    ways: list[tuple[int, int]], begin: int
) -> None:
    steps: JsonObject = {
        f"step_{n}": {"role": "AUTOMATION", "auto": True, "from": f"s{a}", "to": f"s{b}"}
        for n, (a, b) in enumerate(ways)
    }
    workflow = a_workflow_of({"start": {**START, "to": f"s{begin}"}, **steps})

    ends = set(range(7))
    for _ in range(7):
        ends = {b for a, b in ways if a in ends}
    assert ("WF_AUTO_LOOP" in {issue.code for issue in errors(workflow)}) == bool(ends)


# Schedules


@pytest.mark.parametrize(
    "timer",
    [
        a_timer(in_="48h"),
        a_timer(at="2026-06-18T10:00:00Z"),
        a_timer(every="1y", count=3),
        a_timer(every="1y", until="2030-01-01T00:00:00Z"),
        a_timer(at="2026-06-18T10:00:00Z", adjust="none"),
    ],
)
def test_a_sound_timer_has_no_issue(timer: JsonObject) -> None:
    assert check(a_workflow(scheduling(timer))) == ()


def test_business_calendars_are_not_executed_yet_and_nothing_is_ignored() -> None:
    issue = only_issue(a_workflow(scheduling(a_timer(in_="3bd", calendar="se"))))

    assert (issue.code, issue.pointer) == ("WF_NOT_YET", "/actions/submit/schedule/0/calendar")


def test_a_timer_of_an_unknown_action_is_told_what_was_probably_meant() -> None:
    issue = only_issue(a_workflow(scheduling(a_timer(action="scren", in_="1h"))))

    assert (issue.code, issue.pointer) == ("WF_UNKNOWN_ACTION", "/actions/submit/schedule/0/action")
    assert "did you mean 'screen'?" in issue.message


def test_a_timer_of_an_action_that_is_like_no_other_is_told_which_there_are() -> None:
    issue = only_issue(a_workflow(scheduling(a_timer(action="zzz", in_="1h"))))

    assert issue.message == "'zzz' is not one of the actions; write one of screen, start, submit"


def test_a_timer_of_an_action_that_the_worker_may_not_take_is_refused() -> None:
    issue = only_issue(a_workflow(scheduling(a_timer(action="submit", in_="1h"))))

    assert (issue.code, issue.pointer) == ("WF_SCHEDULE_ROLE", "/actions/submit/schedule/0/action")


def test_a_timer_cannot_create_a_process() -> None:
    issue = only_issue(a_workflow(scheduling(a_timer(action="start", in_="1h"))))

    assert (issue.code, issue.pointer) == ("WF_SCHEDULE_CREATE", "/actions/submit/schedule/0/action")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "write exactly one of in, every, at"),
        ({"in": "1h", "every": "1d", "count": 1}, "write exactly one of in, every, at; here are in and every"),
        ({"in": "1h", "at": "2026-06-18T10:00:00Z"}, "write exactly one of in, every, at; here are in and at"),
    ],
)
def test_a_timer_has_exactly_one_time(fields: JsonObject, message: str) -> None:
    issue = only_issue(a_workflow(scheduling(a_timer(**fields))))

    assert (issue.code, issue.pointer) == ("WF_SCHEDULE_WHEN", "/actions/submit/schedule/0")
    assert issue.message == message


@pytest.mark.parametrize("bound", [{"until": "2030-01-01T00:00:00Z"}, {"count": 2}])
@pytest.mark.parametrize("time", [{"in": "1h"}, {"at": "2026-06-18T10:00:00Z"}])
def test_only_what_recurs_has_an_end(bound: JsonObject, time: JsonObject) -> None:
    issue = only_issue(a_workflow(scheduling(a_timer(**time, **bound))))

    assert (issue.code, issue.pointer) == ("WF_SCHEDULE_BOUND", f"/actions/submit/schedule/0/{next(iter(bound))}")


def test_a_recurrence_that_nothing_ends_is_warned_about() -> None:
    issue = only_issue(a_workflow(scheduling(a_timer(every="1d"))), "warning")

    assert (issue.code, issue.pointer) == ("WF_SCHEDULE_UNBOUNDED", "/actions/submit/schedule/0")


def test_a_recurrence_that_an_action_cancels_ends() -> None:
    actions: JsonObject = {**scheduling(a_timer(every="1d")), "screen": {**SCREEN, "cancel": ["sla"]}}

    assert check(a_workflow(actions)) == ()


def test_one_action_does_not_schedule_an_id_twice() -> None:
    issue = only_issue(a_workflow(scheduling(a_timer(in_="1h"), a_timer(in_="2h"))))

    assert (issue.code, issue.pointer) == ("WF_SCHEDULE_DUPLICATE", "/actions/submit/schedule/1/id")


def test_an_id_that_two_actions_schedule_is_warned_about() -> None:
    timer = a_timer(in_="1h")
    workflow = a_workflow({**scheduling(timer), "again": {"role": "clerk", "from": "ready", "schedule": [timer]}})

    issue = only_issue(workflow, "warning")
    assert (issue.code, issue.pointer) == ("WF_SCHEDULE_SHARED", "/actions/again/schedule/0/id")


@pytest.mark.parametrize(
    ("fields", "member"),
    [
        ({"in": "3bd"}, "in"),
        ({"every": "8bh", "count": 2}, "every"),
        ({"in": "1d", "adjust": "following"}, "adjust"),
        ({"in": "1d", "adjust": "preceding"}, "adjust"),
    ],
)
def test_business_time_needs_a_calendar(fields: JsonObject, member: str) -> None:
    issue = only_issue(a_workflow(scheduling(a_timer(**fields))))

    assert (issue.code, issue.pointer) == ("WF_SCHEDULE_CALENDAR", f"/actions/submit/schedule/0/{member}")


# Cancel, spawn


def test_a_cancellation_of_what_nothing_schedules_is_refused() -> None:
    workflow = a_workflow({**scheduling(a_timer(in_="1h")), "screen": {**SCREEN, "cancel": ["slaa"]}})

    issue = only_issue(workflow)
    assert (issue.code, issue.pointer) == ("WF_CANCEL_UNKNOWN", "/actions/screen/cancel/0")
    assert "did you mean 'sla'?" in issue.message


def test_an_action_that_cancels_what_it_schedules_is_warned_about() -> None:
    issue = only_issue(a_workflow(submitting(cancel=["sla"], schedule=[a_timer(in_="1h")])), "warning")

    assert (issue.code, issue.pointer) == ("WF_CANCEL_OWN", "/actions/submit/cancel/0")


def test_children_of_one_action_have_their_own_ids() -> None:
    child: JsonObject = {"workflow": "billing/invoice@1", "action": "start", "id": "invoice"}

    assert check(a_workflow(submitting(spawn=[child, {**child, "id": "other"}]))) == ()
    issue = only_issue(a_workflow(submitting(spawn=[child, child])))
    assert (issue.code, issue.pointer) == ("WF_SPAWN_DUPLICATE", "/actions/submit/spawn/1/id")


# Reserved input


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ({"meta": {"automation": {"kind": "auto_action"}}}, "meta/automation"),
        ({"meta": {"automation": None}}, "meta/automation"),
        ({"_automation": 1}, "_automation"),
    ],
)
@pytest.mark.parametrize("queued", ["schedule", "spawn", "auto_data", "auto_input"])
def test_provenance_is_written_by_the_worker_only(data: JsonObject, place: str, queued: str) -> None:
    workflow, at = {
        "schedule": (
            a_workflow(scheduling(a_timer(in_="1h", data=data))),
            "/actions/submit/schedule/0/data",
        ),
        "spawn": (
            a_workflow(submitting(spawn=[{"workflow": "b@1", "action": "start", "id": "b", "data": data}])),
            "/actions/submit/spawn/0/data",
        ),
        "auto_data": (a_workflow({"screen": {**SCREEN, "auto": {"data": data}}}), "/actions/screen/auto/data"),
        "auto_input": (a_workflow({"screen": {**SCREEN, "auto": {"input": data}}}), "/actions/screen/auto/input"),
    }[queued]

    issue = only_issue(workflow)
    assert (issue.code, issue.pointer) == ("TPL_RESERVED", f"{at}/{place}")


def test_other_members_of_meta_are_free() -> None:
    data: JsonObject = {"meta": {"note": 1, "deep": {"automation": 1}}, "automation": 1}

    assert check(a_workflow(scheduling(a_timer(in_="1h", data=data)))) == ()
