"""Workflow documents for tests: one that uses everything, small ones, and a sound workflow to change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

from sealwork.domain.issues import Issue
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.workflows.checks import check
from sealwork.domain.workflows.compiled import CompiledWorkflow, compile_workflow
from sealwork.domain.workflows.meaning_checks import check_meaning
from sealwork.domain.workflows.workflow import Action, Workflow, read_workflow

_STORIES = Path(__file__).resolve().parents[1].parent / "shared" / "stories"

EVERYTHING: JsonObject = {
    "path": "customer/retail/onboarding",
    "version": 3,
    "title": "Onboarding",
    "states": {"draft": {}, "open": {"description": "being worked on"}, "closed": {"terminal": True}},
    "roles": ["clerk", "AUTOMATION"],
    "data": {"type": "object"},
    "actions": {
        "start": {"type": "create", "role": "clerk", "to": "draft"},
        "open": {
            "type": "transition",
            "title": "Open",
            "description": "Take it on",
            "role": ["clerk", "AUTOMATION"],
            "from": ["draft"],
            "to": "open",
            "when": "data.ready",
            "input": {"type": "object"},
            "not_actor": "made_by",
            "mutate": {
                "$set": {"state": "open", "customer.name": None, "tags": []},
                "$append": {"log": {"by": "${event.actor}"}},
                "$unset": ["draft_of"],
                "$inc": {"n": 1, "m": "${input.m}"},
            },
            "spawn": [{"workflow": "billing/invoice@2", "action": "start", "id": "invoice-1", "data": {"a": [1]}}],
            "schedule": [
                {"id": "sla-1", "action": "close", "in": "3bd", "data": {}, "calendar": "se"},
                {
                    "id": "review",
                    "action": "close",
                    "every": "1y",
                    "data": {"deep": {"er": [1.5]}},
                    "until": "2030-01-01T00:00:00+01:00",
                    "count": 3,
                    "calendar": "se",
                    "adjust": "following",
                    "misfire": "skip",
                },
                {"id": "once", "action": "close", "at": "${data.due}", "data": {}},
            ],
            "cancel": ["sla-1"],
            "auto": {"data": {"why": "event.hash"}},
        },
        "close": {"role": "AUTOMATION", "from": "open", "to": "closed", "auto": False},
    },
}


START: JsonObject = {"type": "create", "role": "clerk", "to": "draft"}
SUBMIT: JsonObject = {"role": "clerk", "from": "draft", "to": "ready"}
SCREEN: JsonObject = {"role": "AUTOMATION", "auto": True, "from": "ready", "to": "done"}
STATES: JsonObject = {"draft": {}, "ready": {}, "done": {"terminal": True}}


def a_workflow(actions: JsonObject | None = None, **fields: JsonValue) -> Workflow:
    """A sound workflow, draft -> ready -> done, with `actions` added or put in place of its own."""
    own: JsonObject = {"start": START, "submit": SUBMIT, "screen": SCREEN}
    return the_workflow({"path": "a", "actions": {**own, **(actions or {})}, **fields})


def a_workflow_of(actions: JsonObject, **fields: JsonValue) -> Workflow:
    return the_workflow({"path": "a", "actions": actions, **fields})


def the_workflow(document: JsonValue) -> Workflow:
    workflow, issues = read_workflow(document)
    assert workflow is not None, issues
    return workflow


def a_timer(**fields: JsonValue) -> JsonObject:
    return {"id": "sla", "action": "screen", "data": {}, **{name.rstrip("_"): fields[name] for name in fields}}


def submitting(**fields: JsonValue) -> JsonObject:
    return {"submit": {**SUBMIT, **fields}}


def scheduling(*timers: JsonObject) -> JsonObject:
    return submitting(schedule=[*timers])


def everything_wrong_with(workflow: Workflow) -> list[Issue]:
    """What is said about a workflow whose shape is right."""
    compiled, flaws = compile_workflow(workflow)
    return [*check(workflow), *flaws, *check_meaning(compiled, None)]


def compiled(workflow: Workflow) -> CompiledWorkflow:
    ready, flaws = compile_workflow(workflow)
    assert not flaws, flaws
    return ready


def found(workflow: Workflow) -> list[tuple[str, str]]:
    return [(issue.code, issue.pointer) for issue in everything_wrong_with(workflow)]


def errors(workflow: Workflow) -> list[Issue]:
    return [issue for issue in everything_wrong_with(workflow) if issue.level == "error"]


def only_issue(workflow: Workflow, level: str = "error") -> Issue:
    issues = everything_wrong_with(workflow)
    assert [issue.level for issue in issues] == [level], issues
    return issues[0]


def a_document(**fields: JsonValue) -> JsonObject:
    return {"path": "a", "actions": {"start": {"type": "create", "role": "clerk", "to": "draft"}}, **fields}


def a_document_with(action: JsonValue) -> JsonObject:
    return a_document(actions={"act": action})


def an_action(**fields: JsonValue) -> Action:
    return Action.model_validate({"role": "clerk", **{name.rstrip("_"): value for name, value in fields.items()}})


def a_schedule(**fields: JsonValue) -> JsonObject:
    return a_document_with({"role": "clerk", "schedule": [{"id": "sla", "action": "act", "data": {}, **fields}]})


def a_spawn(**fields: JsonValue) -> JsonObject:
    return a_document_with({"role": "r", "spawn": [{"workflow": "b@1", "action": "start", "id": "c", **fields}]})


def issues_of(document: JsonValue) -> list[tuple[str, str]]:
    return [(issue.code, issue.pointer) for issue in read_workflow(document)[1]]


def only_issue_of(document: JsonValue) -> Issue:
    workflow, issues = read_workflow(document)
    assert workflow is None
    assert len(issues) == 1
    return issues[0]


def as_written(workflow: Workflow) -> JsonValue:
    return cast(JsonValue, workflow.model_dump(mode="json", by_alias=True, exclude_unset=True))


def story_workflows(name: str = "") -> list[JsonObject]:
    """The workflows of the stories whose file begins with `name`; none where the stories are not at hand."""
    stories = [json.loads(path.read_text()) for path in sorted(_STORIES.glob(f"{name}*.json"))]
    return [workflow for story in stories for workflow in story["workflows"]]
