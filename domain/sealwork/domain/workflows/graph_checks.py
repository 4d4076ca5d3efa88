"""Checks of the graph: where processes begin, and which states they reach.

Source: language.md, "Workflow DSL v2"; X-22, X-23, X-26.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from sealwork.domain.issues import Issue, Place, did_you_mean, error, listed, warning
from sealwork.domain.workflows.words import placed
from sealwork.domain.workflows.workflow import Action, Workflow


def kind_issues(workflow: Workflow) -> Iterator[Issue]:
    """Return where `type`, `from`, `to` and `auto` contradict each other."""
    for name, action in workflow.actions.items():
        match action.kind:
            case "create":
                yield from _creating(name, action)
            case "transition" if action.to is None:
                yield error("WF_MISSING_FIELD", "a transition says in `to` where it leads", "actions", name, "to")
            case "update" if action.to is not None and set(action.from_states) != {action.to}:
                message = "an update leaves the state as it is: drop `to`, or write type transition"
                yield error("WF_UPDATE_MOVES", message, "actions", name, "to")
        if action.kind != "create" and not action.from_states:
            message = (
                "only an action of type create begins from nothing: say in `from` in which states it may be taken"
            )
            yield error("WF_MISSING_FIELD", message, "actions", name, "from")


def _creating(name: str, action: Action) -> Iterator[Issue]:
    place = ("actions", name)
    if action.to is None:
        yield error("WF_MISSING_FIELD", "say in `to` in which state a process begins", *place, "to")
    if action.from_ is not None:
        yield error(
            "WF_CREATE_HAS_FROM", "before it is created a process has no state: drop `from`", *place, "from"
        )
    if action.is_automatic:
        message = "nothing is there yet to make it available: drop `auto`"
        yield error("WF_CREATE_AUTO", message, *place, "auto")


def state_issues(workflow: Workflow) -> Iterator[Issue]:
    """Return which states actions name although nobody declared them, leave although terminal, never leave."""
    if workflow.states is None:
        return
    left = {state for action in workflow.actions.values() for state in action.from_states}
    terminal = workflow.terminal_states
    for name, action in workflow.actions.items():
        for state, place in _named(name, action):
            if state not in workflow.states:
                hint = did_you_mean(state, workflow.states) or f"; write one of {listed(workflow.states)}"
                yield error("WF_UNKNOWN_STATE", f"{state!r} is not one of the states{hint}", *place)
        for state, place in placed(action.from_, "actions", name, "from"):
            if state in terminal:
                yield error(
                    "WF_LEAVES_TERMINAL", f"{state!r} is terminal, nothing may be done there: take it out", *place
                )
    for state, declared in workflow.states.items():
        if not declared.terminal and state not in left:
            yield warning("WF_DEAD_END", f"nothing can be done in {state!r}: mark it terminal", "states", state)


def reach_issues(workflow: Workflow) -> Iterator[Issue]:
    """Return that no process can begin, or which states and actions no process ever comes to."""
    creates = [action for action in workflow.actions.values() if action.kind == "create"]
    if not creates:
        message = "no process can begin: add an action of type create, usually named start"
        yield error("WF_NO_START", message, "actions")
    starts = {action.to for action in creates if action.to is not None}
    if not starts:
        return
    onward = closure(ways(workflow.actions.values()))
    reached = starts.union(*(onward.get(state, ()) for state in starts))
    for state in sorted(workflow.state_names - reached):
        yield _unreachable(workflow, state)
    for name, action in workflow.actions.items():
        if action.from_states and reached.isdisjoint(action.from_states):
            message = f"no process comes to {listed(action.from_states)}, so this can never be done: correct it"
            yield warning("WF_DEAD_ACTION", message, "actions", name)


def _unreachable(workflow: Workflow, state: str) -> Issue:
    message = f"no process ever comes to {state!r}: let an action lead there, or take it out"
    if workflow.states is not None:
        return error("WF_UNREACHABLE", message, "states", state)
    named = chain.from_iterable(_named(name, action) for name, action in workflow.actions.items())
    return warning("WF_UNREACHABLE", message, *next(place for word, place in named if word == state))


def _named(name: str, action: Action) -> tuple[tuple[str, Place], ...]:
    """Return each state that an action names, with its place."""
    return (*placed(action.from_, "actions", name, "from"), *placed(action.to, "actions", name, "to"))


def ways(actions: Iterable[Action]) -> dict[str, set[str]]:
    """Return for each state those that one of `actions` leads to from it."""
    led: dict[str, set[str]] = {}
    for action in actions:
        for state in action.from_states:
            led.setdefault(state, set()).add(action.state_after(state))
    return led


def closure(led: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return for each state all that can be reached from it in one step or more (Warshall)."""
    reached = {state: set(next_) for state, next_ in led.items()}
    for via in reached:
        for state in reached:
            if via in reached[state]:
                reached[state] |= reached[via]
    return reached
