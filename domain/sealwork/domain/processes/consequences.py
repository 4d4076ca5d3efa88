"""The consequences of an act that is permitted: its effects, in the order in which a record lists them.

Source: events.md, "Record", `effects`; S1-012, S1-109.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from uuid import UUID

from sealwork.domain.expressions.guards import Facts
from sealwork.domain.ids import child_process_id
from sealwork.domain.ledger.canonical import MAX_RECORD_BYTES
from sealwork.domain.ledger.effects import Auto, Cancel, Effect, Place, Spawn, derived_id
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.processes.availability import Asked, automatic
from sealwork.domain.processes.timers import Span, scheduled, span_of
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.workflows.compiled import CompiledAction, CompiledChild, CompiledTimer, CompiledWorkflow
from sealwork.domain.workflows.queued_input import QueuedInput, queued_input

Versions = Mapping[str, DefinitionRef]
"""The workflow versions that children may begin with, by `path@version`."""
NO_VERSIONS: Versions = MappingProxyType({})
MAX_MADE = 2 * MAX_RECORD_BYTES
"""Entries and characters that one event makes for what it queues: more than a record holds, so that one row whose
data is too large is born failed, and many of them do not keep the engine busy."""


def consequences(
    workflow: CompiledWorkflow, action: CompiledAction, after: Facts, place: Place, versions: Versions
) -> tuple[Effect, ...] | Refused:
    """Return the effects of an event at `place`: cancel, schedule and spawn by id, auto by action, bytewise.

    `after` is the event with the state and data that it leaves. The index of an effect gives it its derived id.
    """
    timers = _timers(action, after)
    if isinstance(timers, Refused):
        return timers
    listing = _Listing(place, _cancels(action, timers))
    for timer, span in timers:
        if span is not None:
            queued = queued_input(timer.data, after, workflow.actions[timer.entry.action].input)
            if not listing.has_room_for(queued):
                return _too_large()
            listing.effects.append(scheduled(timer, span, queued, str(listing.next_id)))
    for child in action.children:
        queued = queued_input(child.data, after, None)
        spawn = _spawn(child, queued, listing.next_id, versions)
        if isinstance(spawn, Refused) or not listing.has_room_for(queued):
            return spawn if isinstance(spawn, Refused) else _too_large()
        listing.effects.append(spawn)
    for asked in automatic(workflow, after):
        if not listing.has_room_for(asked.input):
            return _too_large()
        if asked.is_available:
            listing.effects.append(_auto(asked, str(listing.next_id)))
    return tuple(listing.effects)


@dataclass(slots=True)
class _Listing:
    """The effects so far, and how much was made for them."""

    place: Place
    effects: list[Effect]
    size: int = 0

    @property
    def next_id(self) -> UUID:
        """Return the id of what the next effect makes."""
        return derived_id(self.place, len(self.effects))

    def has_room_for(self, queued: QueuedInput) -> bool:
        """Return whether all that was made still fits, `queued` included."""
        self.size += queued.size
        return self.size <= MAX_MADE


def _too_large() -> Refused:
    detail = f"what the event would queue exceeds {MAX_MADE} entries and characters"
    return refused(RefusalCode.TOO_LARGE, detail, None)


def _cancels(action: CompiledAction, timers: list[tuple[CompiledTimer, Span | None]]) -> list[Effect]:
    over = {timer.entry.id for timer, span in timers if span is None}
    return [Cancel(id=id_) for id_ in sorted({*action.action.cancel, *over}, key=str.encode)]


def _auto(asked: Asked, work: str) -> Auto:
    queued = asked.input
    return Auto(work=work, action=asked.action, data=queued.data, hash_at=queued.hash_at, failed=queued.failed)


def _timers(action: CompiledAction, after: Facts) -> list[tuple[CompiledTimer, Span | None]] | Refused:
    """Return the timers with their spans. One that is over before it begins only ends the live one of its id."""
    timers: list[tuple[CompiledTimer, Span | None]] = []
    for timer in action.timers:
        span = span_of(timer, after)
        if isinstance(span, Refused):
            return span
        timers.append((timer, span))
    return timers


def _spawn(child: CompiledChild, queued: QueuedInput, derived: UUID, versions: Versions) -> Spawn | Refused:
    """A child has no row that could be born failed: what cannot be resolved refuses the whole event (ADR 0014)."""
    entry = child.entry
    definition = versions.get(entry.workflow)
    if definition is None:
        detail = f"the child {entry.id!r} cannot begin: {entry.workflow} is not published, or withdrawn"
        return refused(RefusalCode.DEFINITION_WITHDRAWN, detail, "/action")
    if queued.failed:
        detail = f"the child {entry.id!r} cannot begin: {queued.failed}"
        return refused(RefusalCode.INVALID_INPUT, detail, "/input")
    return Spawn(
        id=entry.id,
        process=child_process_id(derived),
        definition=definition,
        action=entry.action,
        data=queued.data,
        hash_at=queued.hash_at,
    )
