"""What can still be said of a workflow whose shape is wrong in some of its actions.

A person wants every mistake at once. So the members that are wrong are taken away, and the rest is looked at; what
only their absence could have caused is not said.

Source: language.md, "Workflow DSL v2" (all issues at once: shape per action, then meaning of what parsed).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sealwork.domain.issues import Issue
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.actors import AUTOMATION_ROLE
from sealwork.domain.workflows.checks import check
from sealwork.domain.workflows.compiled import compile_workflow
from sealwork.domain.workflows.meaning_checks import check_meaning
from sealwork.domain.workflows.workflow import read_workflow

_OF_THE_WHOLE = frozenset(
    {"WF_NO_START", "WF_UNREACHABLE", "WF_DEAD_ACTION", "WF_DEAD_END", "WF_AUTO_LOOP"}
    | {"WF_CANCEL_UNKNOWN", "WF_SCHEDULE_SHARED", "WF_SCHEDULE_UNBOUNDED", "WF_SCHEDULE_CREATE"}
)
"""Issues that a member of another action can cause or heal."""


def issues_of_sound_parts(document: JsonValue, wrong: Iterable[Issue]) -> Iterator[Issue]:
    """Return what is wrong with the parts of `document` whose shape is right; `wrong` is what its shape is not."""
    members = [issue.pointer.split("/")[1:4] for issue in wrong]
    if not isinstance(document, dict) or any(len(steps) < 3 or steps[0] != "actions" for steps in members):
        return
    broken: dict[str, set[str]] = {}
    for _, action, member in members:
        broken.setdefault(action, set()).add(member)
    workflow, _ = read_workflow(_without(document, broken))
    if workflow is None:
        return
    compiled, flaws = compile_workflow(workflow)
    for issue in (*check(workflow), *check_meaning(compiled, None)):
        if _named_action(issue) not in broken and issue.code not in _OF_THE_WHOLE:
            yield issue
    for flaw in flaws:
        if flaw.code != "EXPR_NEVER_EQUAL" or workflow.states is not None:
            yield flaw


def _named_action(issue: Issue) -> str | None:
    steps = issue.pointer.split("/")
    return steps[2] if len(steps) > 2 and steps[1] == "actions" else None


def _without(document: JsonObject, broken: dict[str, set[str]]) -> JsonObject:
    actions = document.get("actions")
    if not isinstance(actions, dict):
        return document
    return {**document, "actions": {name: _mended(action, broken.get(name)) for name, action in actions.items()}}


def _mended(action: JsonValue, broken: set[str] | None) -> JsonValue:
    """Return the action without what is broken in it; somebody must be able to take it, so the machine may."""
    if broken is None or not isinstance(action, dict):
        return action
    rest = {name: value for name, value in action.items() if name not in broken}
    return {**rest, "role": AUTOMATION_ROLE} if "role" in broken else rest
