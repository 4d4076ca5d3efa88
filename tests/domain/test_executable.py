from __future__ import annotations

import pytest

from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.workflows.checks import check
from sealwork.domain.workflows.executable import not_yet_executable
from sealwork.domain.workflows.issues import Issue
from sealwork.domain.workflows.workflow import Workflow
from workflow_documents import story_workflows, the_workflow


def a_workflow(**fields: JsonValue) -> Workflow:
    """A workflow with one action, `act`, that has `fields`."""
    return the_workflow(
        {
            "path": "a",
            "actions": {
                "start": {"type": "create", "role": "clerk", "to": "draft"},
                "act": {"role": ["clerk", "AUTOMATION"], "from": "draft", "to": "done", **fields},
            },
        }
    )


def scheduling(**fields: JsonValue) -> Workflow:
    timer = {name.rstrip("_"): value for name, value in fields.items()}
    return a_workflow(schedule=[{"id": "sla", "action": "act", "data": {}, **timer}])


def only_issue(workflow: Workflow) -> Issue:
    issues = not_yet_executable(workflow)
    assert len(issues) == 1, issues
    return issues[0]


def reduced(value: JsonValue) -> JsonValue:
    """What this version executes of a story's workflow: its conditions, schemas and templates left out."""
    if not isinstance(value, dict):
        return value
    later = ("when", "not_actor", "input")
    kept = {name: member for name, member in value.items() if name not in later and not is_template(member)}
    return {
        name: [*map(reduced, member)] if isinstance(member, list) else reduced(member)
        for name, member in kept.items()
    }


def is_template(value: JsonValue) -> bool:
    return isinstance(value, str) and "${" in value


def test_all_that_this_version_executes_is_taken() -> None:
    workflow = the_workflow(
        {
            "path": "a",
            "version": 1,
            "title": "A",
            "states": {"draft": {"description": "begun"}, "done": {"terminal": True}},
            "roles": ["clerk"],
            "actions": {
                "start": {"type": "create", "role": "clerk", "to": "draft"},
                "note": {"type": "update", "role": "clerk", "from": "draft", "auto": False},
                "act": {
                    "type": "transition",
                    "title": "Act",
                    "description": "Do it",
                    "role": ["clerk", "AUTOMATION"],
                    "from": ["draft"],
                    "to": "done",
                    "mutate": {"$set": {"state": "done", "a.b": {"c": [1, None, True, "text"]}}},
                    "schedule": [{"id": "sla", "action": "act", "in": "48h", "data": {"why": "sla"}}],
                    "cancel": ["sla"],
                    "auto": {"data": {"why": "entry"}},
                },
            },
        }
    )

    assert not_yet_executable(workflow) == ()


def test_the_first_story_is_executed_once_conditions_schemas_and_templates_are_left_out() -> None:
    stories = story_workflows("s01")
    if not stories:
        pytest.skip("the stories are not beside this repository")

    workflow = the_workflow(reduced(stories[0]))

    assert set(workflow.actions) >= {"start", "submit_onboarding", "start_screening", "escalate_review"}
    assert check(workflow) == not_yet_executable(workflow) == ()


@pytest.mark.parametrize(
    ("feature", "value"),
    [
        ("when", "data.n > 1"),
        ("not_actor", "made_by"),
        ("input", {"type": "object"}),
        ("spawn", [{"workflow": "b@1", "action": "start", "id": "b"}]),
    ],
)
def test_a_feature_of_an_action_that_would_be_ignored_is_refused(feature: str, value: JsonValue) -> None:
    issue = only_issue(a_workflow(**{feature: value}))

    assert (issue.code, issue.pointer, issue.level) == ("WF_NOT_YET", f"/actions/act/{feature}", "error")
    assert repr(feature) in issue.message


@pytest.mark.parametrize(("feature", "value"), [("$append", {"n": 1}), ("$unset", ["n"]), ("$inc", {"n": 1})])
def test_a_change_of_data_that_would_be_ignored_is_refused(feature: str, value: JsonValue) -> None:
    issue = only_issue(a_workflow(mutate={feature: value}))

    assert (issue.code, issue.pointer) == ("WF_NOT_YET", f"/actions/act/mutate/{feature}")


@pytest.mark.parametrize(
    ("feature", "value"),
    [
        ("every", "1d"),
        ("at", "2026-06-18T10:00:00Z"),
        ("until", "2026-06-18T10:00:00Z"),
        ("count", 1),
        ("calendar", "se"),
        ("adjust", "none"),
        ("misfire", "fire_once"),
        ("in", "3bd"),
    ],
)
def test_a_feature_of_a_timer_that_would_be_ignored_is_refused(feature: str, value: JsonValue) -> None:
    issue = only_issue(scheduling(**{feature: value}))

    assert (issue.code, issue.pointer) == ("WF_NOT_YET", f"/actions/act/schedule/0/{feature}")


def test_a_schema_of_the_data_that_would_be_ignored_is_refused() -> None:
    start: JsonObject = {"type": "create", "role": "clerk", "to": "draft"}
    workflow = the_workflow({"path": "a", "data": {"type": "object"}, "actions": {"start": start}})

    assert only_issue(workflow).pointer == "/data"


def test_an_empty_list_asks_for_nothing() -> None:
    assert not_yet_executable(a_workflow(spawn=[], mutate={"$unset": [], "$inc": {}}, input={})) == ()


@pytest.mark.parametrize(
    "text",
    [
        "${data.x}",
        "case ${process.id}",
        "$${no template}",
        "event.hash",
        "event.at",
        "event.hsah",
        "process.id",
        "data.x",
        "data.items[0].n",
        "input.x",
        "actor.roles",
        "state.name",
        "facts.x",
    ],
)
@pytest.mark.parametrize("where", ["$set", "schedule", "auto", "alias"])
def test_a_reference_that_would_stay_text_is_refused(text: str, where: str) -> None:
    inner: JsonObject = {"deep": [{"er": text}]}
    workflow, place = {
        "$set": (a_workflow(mutate={"$set": {"field": inner}}), "mutate/$set/field"),
        "schedule": (scheduling(in_="1h", data=inner), "schedule/0/data"),
        "auto": (a_workflow(auto={"data": inner}), "auto/data"),
        "alias": (a_workflow(auto={"input": inner}), "auto/input"),
    }[where]

    issue = only_issue(workflow)

    assert (issue.code, issue.pointer) == ("WF_NOT_YET", f"/actions/act/{place}/deep/0/er")
    assert "write a constant" in issue.message


def test_a_template_in_the_name_of_a_member_is_refused() -> None:
    issue = only_issue(a_workflow(auto={"data": {"${data.x}": 1}}))

    assert (issue.code, issue.pointer) == ("WF_NOT_YET", "/actions/act/auto/data/${data.x}")


@pytest.mark.parametrize(
    "text", ["", "state", "data", "event", "events.hash", "see data.x", "data.", "$5", "a.b", "Event.hash"]
)
def test_text_that_refers_to_nothing_is_a_constant(text: str) -> None:
    assert not_yet_executable(a_workflow(auto={"data": {"text": text, "data.x": 1}})) == ()
