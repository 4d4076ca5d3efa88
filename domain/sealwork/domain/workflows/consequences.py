"""The consequences of an act that is permitted: its effects, in the order in which a record lists them.

Source: events.md, "Record", `effects`; S1-012, S1-109.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sealwork.domain.ids import child_process_id
from sealwork.domain.ledger.effects import Auto, Cancel, Effect, Place, Spawn, derived_id
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.workflows.availability import available
from sealwork.domain.workflows.compiled import CompiledAction, CompiledChild, CompiledTimer, CompiledWorkflow
from sealwork.domain.workflows.guards import Facts
from sealwork.domain.workflows.queued_input import queued_input
from sealwork.domain.workflows.timers import Span, scheduled, span_of

Versions = Mapping[str, DefinitionRef]
"""The workflow versions that children may begin with, by `path@version`."""
NO_VERSIONS: Versions = MappingProxyType({})


def consequences(
    workflow: CompiledWorkflow, action: CompiledAction, after: Facts, place: Place, versions: Versions
) -> tuple[Effect, ...] | Refused:
    """Return the effects of an event at `place`: cancel, schedule and spawn by id, auto by action, bytewise.

    `after` is the event with the state and data that it leaves. The index of an effect gives it its derived id.
    """
    timers = _timers(action, after)
    if isinstance(timers, Refused):
        return timers
    over = {timer.entry.id for timer, span in timers if span is None}
    ended = sorted({*action.action.cancel, *over}, key=str.encode)
    effects: list[Effect] = [Cancel(id=id_) for id_ in ended]
    for timer, span in timers:
        if span is not None:
            target = workflow.actions[timer.entry.action]
            effects.append(scheduled(timer, span, after, target.input, _work(place, effects)))
    for child in action.children:
        spawn = _spawn(child, after, place, len(effects), versions)
        if isinstance(spawn, Refused):
            return spawn
        effects.append(spawn)
    for free in available(workflow, after):
        queued = free.input
        effects.append(
            Auto(
                work=_work(place, effects),
                action=free.action,
                data=queued.data,
                hash_at=queued.hash_at,
                failed=queued.failed,
            )
        )
    return tuple(effects)


def _work(place: Place, before: list[Effect]) -> str:
    """Return the id of the row that the next effect makes."""
    return str(derived_id(place, len(before)))


def _timers(action: CompiledAction, after: Facts) -> list[tuple[CompiledTimer, Span | None]] | Refused:
    """Return the timers with their spans. One that is over before it begins only ends the live one of its id."""
    timers: list[tuple[CompiledTimer, Span | None]] = []
    for timer in action.timers:
        span = span_of(timer, after)
        if isinstance(span, Refused):
            return span
        timers.append((timer, span))
    return timers


def _spawn(child: CompiledChild, after: Facts, place: Place, index: int, versions: Versions) -> Spawn | Refused:
    """A child has no row that could be born failed: what cannot be resolved refuses the whole event (ADR 0014)."""
    entry = child.entry
    definition = versions.get(entry.workflow)
    if definition is None:
        detail = f"the child {entry.id!r} cannot begin: {entry.workflow} is not published, or withdrawn"
        return refused(RefusalCode.DEFINITION_WITHDRAWN, detail, "/action")
    queued = queued_input(child.data, after, None)
    if queued.failed:
        detail = f"the child {entry.id!r} cannot begin: {queued.failed}"
        return refused(RefusalCode.INVALID_INPUT, detail, "/input")
    return Spawn(
        id=entry.id,
        process=child_process_id(derived_id(place, index)),
        definition=definition,
        action=entry.action,
        data=queued.data,
        hash_at=queued.hash_at,
    )
