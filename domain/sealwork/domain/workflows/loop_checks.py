"""Checks of automation that would go in circles.

A circle can end only if a guard in it looks at something that the circle itself writes: what does not change
decides the same in every round. The limit on cascades stops the others at run time.

Source: language.md, "Workflow DSL v2" (a loop of automatic actions); X-26; cases/language.md, 28 to 30.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from sealwork.domain.issues import Issue, error, listed, warning
from sealwork.domain.workflows.compiled import CompiledAction, CompiledWorkflow
from sealwork.domain.workflows.graph_checks import closure, ways


def loop_issues(compiled: CompiledWorkflow) -> Iterator[Issue]:
    """Return the circles of automatic actions: errors where no guard can end them, else warnings."""
    automatic = {name: action for name, action in compiled.actions.items() if action.action.is_automatic}
    for circle, names in _circles(automatic):
        round_ = {name: automatic[name] for name in names}
        written = {field for action in round_.values() for field in _writes(action)}
        endless = {name: action for name, action in round_.items() if not _can_end(action, written)}
        inner = list(_circles(endless))
        for states, taken in inner:
            message = f"{_round_trip(states, taken)}, for ever: no `when` in it looks at what it writes"
            yield error("WF_AUTO_LOOP", message, "actions", taken[0], "auto")
        if not inner:
            message = f"{_round_trip(circle, names)}, while `when` holds: make sure that it ends"
            yield warning("WF_AUTO_LOOP", message, "actions", names[0], "auto")


def _can_end(action: CompiledAction, written: Set[str]) -> bool:
    if action.guard is None:
        return action.action.when is not None  # it is wrong by itself, and says so
    reads = set(action.guard.reads)
    if action.auto is not None and any(name.split(".")[0] == "input" for name in reads):
        reads.update(action.auto.reads)
    return any(_overlap(read, field) for read in reads for field in written)


def _writes(action: CompiledAction) -> Iterator[str]:
    mutate = action.mutate
    names = (*mutate.set_, *mutate.append, *mutate.unset, *mutate.inc)
    return (f"data.{name}" for name in names if name != "state")


def _overlap(one: str, other: str) -> bool:
    """Return whether one dotted name is the other, or lies inside it."""
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


def _round_trip(circle: Iterable[str], names: Iterable[str]) -> str:
    return f"automatic actions go round {listed(circle)} ({listed(names)})"


def _circles(actions: Mapping[str, CompiledAction]) -> Iterator[tuple[frozenset[str], list[str]]]:
    """Return the largest groups of states that `actions` lead round in, and which of them do, by first name."""
    reached = closure(ways(action.action for action in actions.values()))
    round_trips = [state for state in sorted(reached) if state in reached[state]]
    groups = (
        frozenset(other for other in round_trips if other in reached[state] and state in reached[other])
        for state in round_trips
    )
    for circle in dict.fromkeys(groups):
        yield circle, [name for name, action in actions.items() if _stays_in(circle, action)]


def _stays_in(circle: frozenset[str], action: CompiledAction) -> bool:
    own = action.action
    return any(state in circle and own.state_after(state) in circle for state in own.from_states)
