"""Showing a process: where it stands, what waits for it, and how it came there."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import assert_never

from pydantic import BaseModel, ConfigDict

from sealwork.application.ledger.actor_registries import folded
from sealwork.application.ports.event_log import EventLog, Question
from sealwork.application.ports.work_store import WorkStore
from sealwork.application.workflows.decide_process import pinned_definition
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import ACTOR_REGISTRY, process_stream
from sealwork.domain.instants import instant_of
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import ActorRegistry
from sealwork.domain.ledger.effects import Auto, Cancel, Effect, RuleAction, Schedule, Spawn
from sealwork.domain.ledger.intent import DefinitionRef, Intent
from sealwork.domain.ledger.members import document_of
from sealwork.domain.ledger.record import Record
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.processes.process import ProcessState, parse_state
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.work.work_row import WorkRow


class ProcessView(BaseModel):
    """A process as it stands now, with its work rows, oldest first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    process_id: str
    workflow: DefinitionRef
    state: str
    data: JsonObject
    seq: int
    hash: str
    work: tuple[WorkRow, ...]


class TimelineEntry(BaseModel):
    """One event, as a reader wants it. `why` is the provenance of an automated one, or the cause of
    a child's first: its input stands in the spawn of that cause."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seq: int
    hash: str
    at: datetime
    action: str
    actor: str
    label: str
    state: str
    input: JsonObject
    why: JsonObject | None
    effects: tuple[str, ...]


class ShowProcess:
    """Read one process. Reading checks nothing: that is `verify`."""

    def __init__(self, log: EventLog, work: WorkStore) -> None:
        self._log = log
        self._work = work

    def __call__(self, tenant: str, process_id: str) -> ProcessView | Refused:
        """Return the process as it stands.

        Raises:
            Misconfigured: the stored state cannot be read.
        """
        stream = process_stream(process_id)
        head = self._log.head(Question(tenant=tenant, stream=stream))
        if head.seq == 0:
            return _no_process(tenant, process_id)
        state = parse_state(head.state or b"")
        workflow = pinned_definition(head)
        if not isinstance(state, ProcessState) or workflow is None:
            raise Misconfigured(f"the state of {process_id} cannot be read: run `sealwork verify`")
        return ProcessView(
            process_id=process_id,
            workflow=workflow,
            state=state.state,
            data=state.data,
            seq=head.seq,
            hash=head.hash,
            work=tuple(self._work.of_process(tenant, stream)),
        )

    def timeline(self, tenant: str, process_id: str) -> tuple[TimelineEntry, ...] | Refused:
        """Return every event of a process, oldest first.

        Raises:
            Misconfigured: an event cannot be read.
        """
        actors = self._log.load(tenant, ACTOR_REGISTRY, folded)
        entries = self._log.load(
            tenant, process_stream(process_id), lambda events: tuple(_entries(events, actors))
        )
        return entries or _no_process(tenant, process_id)


def _entries(events: Iterable[SealedEvent], actors: ActorRegistry) -> Iterable[TimelineEntry]:
    for event in events:
        entry = entry_of(event, actors)
        if entry is None:
            raise Misconfigured(f"event {event.seq} of {event.stream} cannot be read: run `sealwork verify`")
        yield entry


def entry_of(event: SealedEvent, actors: ActorRegistry) -> TimelineEntry | None:
    """Return an event for a reader, None if its bytes cannot be read."""
    record, intent = event.read_record, event.read_intent
    if not isinstance(record, Record) or isinstance(intent, Refused):
        return None
    actor = actors.keys.get(record.actor)
    return TimelineEntry(
        seq=event.seq,
        hash=event.hash,
        at=instant_of(record.recorded_at),
        action=intent.action if intent else record.action or "",
        actor=record.actor,
        label=actor.label if actor else "unknown",
        state=record.state.name,
        input=intent.input if intent else {},
        why=_why(record, intent),
        effects=tuple(told_effect(effect) for effect in record.effects),
    )


def _why(record: Record, intent: Intent | None) -> JsonObject | None:
    if record.cause is not None:
        return {"kind": "spawn", **document_of(record.cause)}
    meta = intent.input.get("meta") if intent else None
    why = meta.get("automation") if isinstance(meta, dict) else None
    return why if isinstance(why, dict) else None


def told_effect(effect: Effect) -> str:
    """Return an effect in a few words: its kind, what it is about, and when."""
    match effect:
        case Schedule():
            return f"schedule {effect.id} at {effect.run_at}{_born_failed(effect)}"
        case Cancel():
            return f"cancel {effect.id}"
        case Spawn():
            return f"spawn {effect.id} as {effect.process}"
        case Auto():
            return f"auto {effect.action}{_born_failed(effect)}"
        case RuleAction():
            return f"rule {effect.action}"
        case _:
            assert_never(effect)


def _born_failed(effect: Schedule | Auto) -> str:
    return f", born failed: {effect.failed}" if effect.failed else ""


def _no_process(tenant: str, process_id: str) -> Refused:
    return refused(RefusalCode.NO_PROCESS, f"there is no process {process_id!r} in {tenant}", "/stream")
