"""Checks of what happens without a person: automatic actions, timers, children.

Source: language.md, "Workflow DSL v2"; S1-020, S1-026..032; X-17, X-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealwork.domain.issues import Issue, Place, did_you_mean, error, listed, warning
from sealwork.domain.ledger.actors import AUTOMATION_ROLE
from sealwork.domain.timing.durations import is_business_duration
from sealwork.domain.workflows.workflow import Auto, Schedule, Workflow


def auto_issues(workflow: Workflow) -> Iterator[Issue]:
    """Return which automatic actions the worker could not take, or are written in a misleading way."""
    for name, action in workflow.actions.items():
        if action.is_automatic and AUTOMATION_ROLE not in action.roles:
            message = f"an automatic action is taken by the worker: add {AUTOMATION_ROLE!r}"
            yield error("WF_AUTO_ROLE", message, "actions", name, "role")
        if isinstance(action.auto, Auto) and action.auto.data is None and action.auto.input is None:
            yield warning("WF_AUTO_EMPTY", "without data this means true: write true", "actions", name, "auto")


def schedule_issues(workflow: Workflow) -> Iterator[Issue]:
    """Return which timers could not start, never fire, never end, or stand in each other's way."""
    cancelled = {id_ for action in workflow.actions.values() for id_ in action.cancel}
    first: dict[str, str] = {}
    for name, action in workflow.actions.items():
        own: set[str] = set()
        for index, entry in enumerate(action.schedule):
            place = ("actions", name, "schedule", index)
            if entry.id in own:
                message = f"{entry.id!r} is scheduled twice by this action: give each timer its own id"
                yield error("WF_SCHEDULE_DUPLICATE", message, *place, "id")
            elif first.setdefault(entry.id, name) != name:
                message = f"{first[entry.id]!r} schedules {entry.id!r} too: the later one replaces the earlier"
                yield warning("WF_SCHEDULE_SHARED", message, *place, "id")
            own.add(entry.id)
            yield from _target_issues(workflow, entry, place)
            yield from _time_issues(entry, place, cancelled)


def _target_issues(workflow: Workflow, entry: Schedule, place: Place) -> Iterator[Issue]:
    target = workflow.actions.get(entry.action)
    if target is None:
        hint = did_you_mean(entry.action, workflow.actions) or f"; write one of {listed(workflow.actions)}"
        message = f"{entry.action!r} is not one of the actions{hint}"
        yield error("WF_UNKNOWN_ACTION", message, *place, "action")
    elif target.kind == "create":
        message = (
            f"{entry.action!r} begins a process, and this one has begun: name another action, or spawn a child"
        )
        yield error("WF_SCHEDULE_CREATE", message, *place, "action")
    elif AUTOMATION_ROLE not in target.roles:
        message = f"the worker could never take {entry.action!r}: add {AUTOMATION_ROLE!r} to its role"
        yield error("WF_SCHEDULE_ROLE", message, *place, "action")


def _time_issues(entry: Schedule, place: Place, cancelled: set[str]) -> Iterator[Issue]:
    written = {"in": entry.in_, "every": entry.every, "at": entry.at}
    given = [name for name, value in written.items() if value is not None]
    if len(given) != 1:
        found = f"; here are {' and '.join(given)}" if given else ""
        yield error("WF_SCHEDULE_WHEN", f"write exactly one of in, every, at{found}", *place)
    bounds = [name for name in ("until", "count") if getattr(entry, name) is not None]
    if entry.every is None:
        for name in bounds:
            yield error("WF_SCHEDULE_BOUND", f"{name} ends what recurs: it goes only with every", *place, name)
    elif not bounds and entry.id not in cancelled:
        message = "recurs for ever: write until or count, or let an action cancel it"
        yield warning("WF_SCHEDULE_UNBOUNDED", message, *place)
    if entry.calendar is None:
        yield from _calendar_issues(entry, place)
    else:
        message = "business calendars are not executed by this version yet: leave calendar out, count in h or d"
        yield error("WF_NOT_YET", message, *place, "calendar")


def _calendar_issues(entry: Schedule, place: Place) -> Iterator[Issue]:
    for name, text in (("in", entry.in_), ("every", entry.every)):
        if text is not None and is_business_duration(text):
            message = f"{text!r} counts business time: name the calendar in `calendar`"
            yield error("WF_SCHEDULE_CALENDAR", message, *place, name)
    if entry.adjust in ("following", "preceding"):
        message = "only a calendar knows which days are business days: name it in `calendar`"
        yield error("WF_SCHEDULE_CALENDAR", message, *place, "adjust")


def timers_of(workflow: Workflow) -> frozenset[str]:
    """Return the ids of all timers that actions of `workflow` start."""
    return frozenset(entry.id for action in workflow.actions.values() for entry in action.schedule)


def cancel_issues(workflow: Workflow, earlier_timers: frozenset[str] = frozenset()) -> Iterator[Issue]:
    """Return which cancellations end nothing, or what the same action starts.

    A version may cancel what an earlier one scheduled.
    """
    scheduled = earlier_timers | timers_of(workflow)
    for name, action in workflow.actions.items():
        own = {entry.id for entry in action.schedule}
        for index, id_ in enumerate(action.cancel):
            place = ("actions", name, "cancel", index)
            if id_ not in scheduled:
                message = (
                    f"no action schedules {id_!r}{did_you_mean(id_, scheduled) or ': drop it, or schedule it'}"
                )
                yield error("WF_CANCEL_UNKNOWN", message, *place)
            if id_ in own:
                message = f"this action schedules {id_!r} too, and scheduling replaces anyway: drop it here"
                yield warning("WF_CANCEL_OWN", message, *place)


def spawn_issues(workflow: Workflow) -> Iterator[Issue]:
    """Return which children of one action share an id."""
    for name, action in workflow.actions.items():
        own: set[str] = set()
        for index, child in enumerate(action.spawn):
            if child.id in own:
                message = f"{child.id!r} is spawned twice by this action: give each child its own id"
                yield error("WF_SPAWN_DUPLICATE", message, "actions", name, "spawn", index, "id")
            own.add(child.id)
