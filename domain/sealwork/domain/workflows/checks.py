"""The meaning of a workflow whose shape is right: everything that is wrong with it, at once, in this order.

Guards, templates and JSON Schemas are not read here: see `meaning_checks`.

Source: language.md, "Workflow DSL v2"; X-21, X-22.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from sealwork.domain.issues import Issue, Place, bounded, did_you_mean, error, quoted, warning
from sealwork.domain.ledger.actors import AUTOMATION_ROLE
from sealwork.domain.workflows.automation_checks import (
    auto_issues,
    cancel_issues,
    schedule_issues,
    spawn_issues,
)
from sealwork.domain.workflows.graph_checks import kind_issues, reach_issues, state_issues
from sealwork.domain.workflows.words import placed
from sealwork.domain.workflows.workflow import Action, Mutate, Workflow


def check(workflow: Workflow, earlier_timers: frozenset[str] = frozenset()) -> tuple[Issue, ...]:
    """Return every issue of meaning, group by group, in each group in the order of the document."""
    groups = (
        kind_issues(workflow),
        state_issues(workflow),
        reach_issues(workflow),
        role_issues(workflow),
        repetition_issues(workflow),
        auto_issues(workflow),
        schedule_issues(workflow),
        cancel_issues(workflow, earlier_timers),
        spawn_issues(workflow),
        mutate_issues(workflow),
    )
    return bounded(chain.from_iterable(groups))


def role_issues(workflow: Workflow) -> Iterator[Issue]:
    """Return which roles nobody can hold, and actions that nobody may take."""
    declared = workflow.roles
    for role, place in placed(declared, "roles"):
        if _is_automation_misspelt(role):
            yield error("WF_UNKNOWN_ROLE", _spelled(role, AUTOMATION_ROLE), *place)
    for name, action in workflow.actions.items():
        if not action.roles:
            yield error("WF_NO_ROLE", "nobody may do this: name at least one role", "actions", name, "role")
        for role, place in placed(action.role, "actions", name, "role"):
            if _is_automation_misspelt(role):
                yield error("WF_UNKNOWN_ROLE", _spelled(role, AUTOMATION_ROLE), *place)
            elif declared is not None and role not in (*declared, AUTOMATION_ROLE):
                yield error("WF_UNKNOWN_ROLE", _unknown_role(role, declared), *place)


def _is_automation_misspelt(role: str) -> bool:
    return role.upper() == AUTOMATION_ROLE and role != AUTOMATION_ROLE


def _spelled(role: str, right: str) -> str:
    return f"{role!r} is not {right!r}: roles are compared letter by letter, write {right!r}"


def _unknown_role(role: str, declared: tuple[str, ...]) -> str:
    same = next((other for other in declared if other.casefold() == role.casefold()), None)
    hint = did_you_mean(role, declared) or ": declare it in `roles`, or correct it"
    return _spelled(role, same) if same else f"{role!r} is not one of the roles{hint}"


def repetition_issues(workflow: Workflow) -> Iterator[Issue]:
    """Return what stands twice in a list that says no more for it."""
    yield from _repeated(workflow.roles, "roles")
    for name, action in workflow.actions.items():
        yield from _repeated(action.role, "actions", name, "role")
        yield from _repeated(action.from_, "actions", name, "from")
        yield from _repeated(action.cancel, "actions", name, "cancel")


def _repeated(written: str | tuple[str, ...] | None, *place: str | int) -> Iterator[Issue]:
    seen: set[str] = set()
    for word, at in placed(written, *place):
        if word in seen:
            yield warning("WF_DUPLICATE", f"{word!r} stands here twice: write it once", *at)
        seen.add(word)


def mutate_issues(workflow: Workflow) -> Iterator[Issue]:
    """Return which fields an action would write twice, and where it would write the state."""
    for name, action in workflow.actions.items():
        if action.mutate is not None:
            yield from _state_writes(action, action.mutate, ("actions", name, "mutate"))
            yield from _conflicts(action.mutate, ("actions", name, "mutate"))


def _state_writes(action: Action, mutate: Mutate, place: Place) -> Iterator[Issue]:
    for field, at in _fields(mutate):
        if field.partition(".")[0] != "state":
            continue
        is_set = at == ("$set", "state") and action.to is not None
        if is_set and mutate.set_["state"] == action.to:
            continue
        right = f"only {action.to!r}, as in `to`" if is_set else "drop it, for only `to` changes the state"
        yield error("WF_MUTATE_STATE", f"state is no data field: {right}", *place, *at)


def _conflicts(mutate: Mutate, place: Place) -> Iterator[Issue]:
    written = {field for field, _ in _fields(mutate)}
    seen: set[str] = set()
    for field, at in _fields(mutate):
        steps = field.split(".")
        outer = next((above for n in range(1, len(steps)) if (above := ".".join(steps[:n])) in written), None)
        if field in seen:
            yield error("WF_MUTATE_CONFLICT", f"{quoted(field)} is written twice: write it once", *place, *at)
        elif outer is not None:
            message = f"{quoted(field)} lies inside {quoted(outer)}, which is written too: write one of them"
            yield error("WF_MUTATE_CONFLICT", message, *place, *at)
        seen.add(field)


def _fields(mutate: Mutate) -> Iterator[tuple[str, Place]]:
    for word, fields in (("$set", mutate.set_), ("$append", mutate.append), ("$inc", mutate.inc)):
        yield from ((field, (word, field)) for field in fields)
    yield from placed(mutate.unset, "$unset")
