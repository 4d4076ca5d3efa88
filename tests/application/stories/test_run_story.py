"""Stories as tests: what holds, and how it is told that something came out otherwise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sealwork.adapters.entrypoints.rehearsal import memory_stage
from sealwork.application.stories.run_story import RunStory, StoryReport
from sealwork.application.stories.story import Story, read_story
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.refusals import Refused

STORIES = Path(__file__).resolve().parents[3].parent / "shared" / "stories"
WORKFLOW: JsonObject = {
    "path": "office/expense",
    "actions": {
        "start": {"type": "create", "role": "clerk", "to": "open", "mutate": {"$set": {"n": "${input.n}"}}},
        "check": {"role": "AUTOMATION", "auto": True, "from": "open", "to": "checked"},
        "expire": {"role": "AUTOMATION", "from": "checked", "to": "expired"},
        "wait": {
            "role": "clerk",
            "from": "checked",
            "schedule": [{"id": "late", "action": "expire", "in": "1h", "data": {}}],
        },
    },
}
BEGIN: JsonObject = {
    "do": "start",
    "process": "p",
    "workflow": "office/expense",
    "actor": "maria",
    "input": {"n": 1},
}


def a_story(*steps: JsonObject, workflow: JsonObject = WORKFLOW, **members: JsonValue) -> Story:
    story = read_story(
        {
            "story": "T1",
            "title": "a test",
            "clock_start": "2026-06-18T10:00:00Z",
            "actors": {"maria": {"roles": ["clerk"]}},
            "workflows": [workflow],
            "steps": [*steps],
            **members,
        }
    )
    assert isinstance(story, Story), story
    return story


def played(*steps: JsonObject) -> StoryReport:
    return RunStory(memory_stage())(a_story(*steps))


def wrong(*steps: JsonObject) -> list[tuple[int, str, JsonValue, JsonValue]]:
    report = played(*steps)
    assert not report.holds
    return [
        (step.number, mismatch.where, mismatch.expected, mismatch.got)
        for step in report.steps
        for mismatch in step.mismatches
    ]


@pytest.mark.parametrize("name", ["s01", "s04", "s09", "s10"])
def test_the_stories_hold(name: str) -> None:
    files = sorted(STORIES.glob(f"{name}-*.json"))
    if not files:
        pytest.skip("the stories are not beside this repository")

    story = read_story(json.loads(files[0].read_bytes()))
    assert isinstance(story, Story), story
    report = RunStory(memory_stage())(story)

    assert report.holds, [step for step in report.steps if step.mismatches]
    assert (report.not_taken, len(report.steps)) == (0, len(story.steps))


def test_what_is_expected_is_compared_and_nothing_else() -> None:
    report = played(
        {**BEGIN, "expect": {"state": "open", "data": {"n": 1}, "queue": [["check", "pending"]]}},
        {"do": "worker", "process": "p", "expect": {"fired": [{"action": "check", "result": "accepted"}]}},
        {"do": "act", "process": "p", "action": "wait", "actor": "maria"},
        {"do": "check", "process": "p", "expect": {"timers": {"late": "2026-06-18T13:00:00+02:00"}}},
        {"do": "advance", "by": "1h"},
        {
            "do": "worker",
            "process": "p",
            "expect": {
                "fired": [{"action": "expire", "result": "accepted", "process": "p"}],
                "provenance": {"caused_by_actor": "maria", "caused_by_action": "wait", "occurrence": 1},
                "actions": ["start", "check", "wait", "expire"],
                "verify": "ok",
            },
        },
    )

    assert report.holds, report


@pytest.mark.parametrize(
    ("expect", "got"),
    [
        ({"state": "closed"}, "open"),
        ({"data": {"n": 2}}, 1),
        ({"queue": []}, [["check", "pending"]]),
        ({"timers": {"late": "2026-06-18T10:00:00Z"}}, {}),
        ({"timer_statuses": [["late", "active"]]}, []),
        ({"actions": ["begin"]}, ["start"]),
        ({"verify": "broken_at:1"}, "ok"),
        ({"result": "refused"}, "accepted"),
        ({"why": "guard", "result": "accepted"}, None),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) and value else "",
)
def test_what_came_out_otherwise_is_told_with_its_place(expect: JsonObject, got: JsonValue) -> None:
    ((number, where, _, really),) = wrong({**BEGIN, "expect": expect})

    assert (number, really) == (1, got)
    assert where.split(".")[0] == next(iter(expect))


def test_an_action_that_nobody_expected_to_be_refused_is_a_difference_and_the_reason_is_told() -> None:
    report = played({**BEGIN, "input": {}})

    (step,) = report.steps
    assert [(m.where, m.expected, m.got) for m in step.mismatches] == [("result", "accepted", "refused")]
    assert step.detail is not None
    assert "input.n is missing" in step.detail


def test_a_refusal_that_is_expected_is_none() -> None:
    assert played({**BEGIN, "input": {}, "expect": {"result": "refused", "why": "invalid_input"}}).holds


def test_what_was_fired_is_compared_whole() -> None:
    fired: list[JsonValue] = [{"action": "check", "result": "accepted"}, {"action": "check", "result": "accepted"}]

    assert wrong(BEGIN, {"do": "worker", "expect": {"fired": fired}}) == [
        (2, "fired", ["check accepted", "check accepted"], ["check accepted"])
    ]


def test_a_step_of_a_later_version_is_told_and_not_left_out_in_silence() -> None:
    report = played({"do": "publish_rule", "rule": {}}, BEGIN)

    assert (report.holds, report.not_taken) == (True, 1)
    assert report.steps[0].not_taken


def test_a_workflow_that_cannot_be_published_ends_the_story() -> None:
    actions = WORKFLOW["actions"]
    assert isinstance(actions, dict)
    broken: JsonObject = {**WORKFLOW, "actions": {**actions, "odd": {"role": "clerk"}}}

    report = RunStory(memory_stage())(a_story(BEGIN, workflow=broken))

    assert not report.holds
    assert report.steps == ()
    assert {issue.code for issue in report.issues} == {"WF_MISSING_FIELD"}


@pytest.mark.parametrize(
    ("step", "pointer"),
    [
        ({"do": "jump"}, "/steps/0"),
        ({"do": "act", "process": "p", "actor": "maria"}, "/steps/0/action"),
        ({"do": "advance", "by": "2 hours"}, "/steps/0/by"),
        ({**BEGIN, "expect": {"stat": "open"}}, "/steps/0/expect/stat"),
    ],
)
def test_a_story_that_does_not_fit_is_refused_with_the_place(step: JsonObject, pointer: str) -> None:
    document: JsonObject = {
        "story": "T",
        "title": "t",
        "clock_start": "2026-06-18T10:00:00Z",
        "actors": {},
        "workflows": [],
        "steps": [step],
    }

    refusal = read_story(document)
    assert isinstance(refusal, Refused)
    assert refusal.pointer == pointer


@pytest.mark.parametrize(
    "step",
    [
        {"do": "check", "process": "ghost", "expect": {"state": "open"}},
        {"do": "check", "process": "ghost", "expect": {"verify": "ok"}},
        {"do": "check", "process": "ghost", "expect": {"actions": []}},
        {"do": "worker", "expect": {"queue": []}},
        {"do": "advance", "by": "1h", "expect": {"data": {}}},
        {"do": "advance", "by": "1h", "expect": {"fired": []}},
    ],
)
def test_what_is_expected_of_nothing_is_no_success(step: JsonObject) -> None:
    ((number, where, _, got),) = wrong(step)

    assert (number, got) == (1, None)
    assert where in step["expect"] if isinstance(step["expect"], dict) else False


def test_time_does_not_go_back() -> None:
    assert wrong({"do": "goto", "at": "2026-06-18T09:59:59Z"}) == [
        (1, "at", "not before 2026-06-18T10:00:00.000000Z", "2026-06-18T09:59:59Z")
    ]
