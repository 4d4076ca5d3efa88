"""Making the effects of an event: the in-memory twin of what `append_events` does with work rows."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from sealwork.adapters.memory.tables import LIVE, Tables, Work, clean_error
from sealwork.domain.instants import instant_of
from sealwork.domain.ledger.effects import Auto, Cancel, RuleAction, Schedule, with_hash
from sealwork.domain.ledger.record import Record
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.work.misfire import Misfire
from sealwork.domain.work.work_row import (
    AVAILABLE,
    MAX_CASCADE_DEPTH,
    CausedBy,
    WorkKind,
    WorkRow,
    WorkStatus,
)

_RULE_MATCHED = "rule matched"


def materialise(tables: Tables, event: SealedEvent, record: Record, action: str) -> None:
    """Cancel first, then schedule, then queue."""
    caused_by = CausedBy(
        event_hash=event.hash, action=action, actor=record.actor, at=instant_of(record.recorded_at)
    )
    for effect in record.effects:
        match effect:
            case Cancel() | Schedule():
                _end_timer(tables, event, effect.id)
            case _:
                pass
    for effect in record.effects:
        match effect:
            case Schedule():
                _insert(tables, _timer(event, effect, caused_by))
            case Auto() | RuleAction():
                _queue(tables, _queued(tables, event, record, effect, caused_by))
            case _:
                pass


def _end_timer(tables: Tables, event: SealedEvent, schedule_id: str) -> None:
    for work in tables.work.values():
        row = work.row
        named = (row.tenant, row.stream, row.schedule_id) == (event.tenant, event.stream, schedule_id)
        if named and row.status in LIVE:
            work.change(status=WorkStatus.CANCELLED, lease_token=None)
            work.leased_until = None


def _timer(event: SealedEvent, effect: Schedule, caused_by: CausedBy) -> Work:
    row = WorkRow(
        kind=WorkKind.SCHEDULED_ACTION,
        tenant=event.tenant,
        id=UUID(effect.work),
        stream=event.stream,
        action=effect.action,
        data=with_hash(effect.data, effect.hash_at or (), event.hash),
        status=WorkStatus.ACTIVE if effect.failed is None else WorkStatus.FAILED,
        occurrence=1,
        run_at=instant_of(effect.run_at),
        missed=0,
        depth=0,
        caused_by=caused_by,
        schedule_id=effect.id,
        last_error=clean_error(effect.failed),
    )
    return Work(
        row=row,
        seq=event.seq,
        every=timedelta(seconds=effect.every) if effect.every else None,
        until=instant_of(effect.until) if effect.until else None,
        count=effect.count,
        misfire=Misfire(effect.misfire or "fire_once"),
    )


def _queued(
    tables: Tables, event: SealedEvent, record: Record, effect: Auto | RuleAction, caused_by: CausedBy
) -> Work:
    depth = record.depth + 1
    automatic = effect if isinstance(effect, Auto) else None
    rule = effect if isinstance(effect, RuleAction) else None
    failed = "cascade_limit" if depth > MAX_CASCADE_DEPTH else automatic.failed if automatic else None
    row = WorkRow(
        kind=WorkKind.RULE if rule else WorkKind.AUTO_ACTION,
        tenant=event.tenant,
        id=UUID(effect.work),
        stream=event.stream,
        action=effect.action,
        data=with_hash(effect.data, (automatic.hash_at if automatic else None) or (), event.hash),
        status=WorkStatus.PENDING if failed is None else WorkStatus.FAILED,
        occurrence=1,
        run_at=tables.clock.now(),
        missed=0,
        depth=depth,
        caused_by=caused_by,
        available_state=record.state.name,
        reason=_RULE_MATCHED if rule else AVAILABLE,
        rule=rule.rule if rule else None,
        rule_version=rule.version if rule else None,
        last_error=clean_error(failed),
    )
    return Work(row=row, seq=event.seq)


def _queue(tables: Tables, work: Work) -> None:
    """A pending row of this action keeps its first cause: the new one is suppressed (X-25). Not so for rules."""
    new = work.row
    waits = any(
        (row.tenant, row.stream, row.action, row.kind) == (new.tenant, new.stream, new.action, new.kind)
        for row in (other.row for other in tables.work.values())
        if row.status is WorkStatus.PENDING
    )
    if not waits or new.kind is WorkKind.RULE or new.status is not WorkStatus.PENDING:
        _insert(tables, work)


def _insert(tables: Tables, work: Work) -> None:
    tables.work[(work.row.tenant, work.row.id)] = work
