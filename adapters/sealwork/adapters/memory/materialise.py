"""Making the effects of an event: the in-memory twin of what `append_events` does with work rows."""

from __future__ import annotations

from datetime import timedelta
from typing import cast
from uuid import UUID

from sealwork.adapters.memory.tables import LIVE, Tables, Work
from sealwork.domain.instants import instant_of
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.effects import Auto, Cancel, RuleAction, Schedule
from sealwork.domain.ledger.record import Record
from sealwork.domain.ledger.sealed_event import SealedEvent
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
        data=_with_hash(effect.data, effect.hash_at, event.hash),
        status=WorkStatus.ACTIVE,
        occurrence=1,
        run_at=instant_of(effect.run_at),
        missed=0,
        depth=0,
        caused_by=caused_by,
        schedule_id=effect.id,
    )
    return Work(
        row=row,
        every=timedelta(seconds=effect.every) if effect.every else None,
        until=instant_of(effect.until) if effect.until else None,
        count=effect.count,
        misfire=effect.misfire or "fire_once",
    )


def _queued(
    tables: Tables, event: SealedEvent, record: Record, effect: Auto | RuleAction, caused_by: CausedBy
) -> Work:
    rule = effect if isinstance(effect, RuleAction) else None
    depth = record.depth + 1
    too_deep = depth > MAX_CASCADE_DEPTH
    row = WorkRow(
        kind=WorkKind.RULE if rule else WorkKind.AUTO_ACTION,
        tenant=event.tenant,
        id=UUID(effect.work),
        stream=event.stream,
        action=effect.action,
        data=_with_hash(effect.data, None if rule else getattr(effect, "hash_at", None), event.hash),
        status=WorkStatus.FAILED if too_deep else WorkStatus.PENDING,
        occurrence=1,
        run_at=tables.clock.now(),
        missed=0,
        depth=depth,
        caused_by=caused_by,
        available_state=record.state.name,
        reason=_RULE_MATCHED if rule else AVAILABLE,
        rule=rule.rule if rule else None,
        rule_version=rule.version if rule else None,
        last_error="cascade_limit" if too_deep else None,
    )
    return Work(row=row)


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


def _with_hash(data: JsonObject, pointers: tuple[str, ...] | None, event_hash: str) -> JsonObject:
    value: JsonValue = data
    for pointer in pointers or ():
        path = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
        value = _replaced(value, path, event_hash)
    return cast(JsonObject, value)


def _replaced(value: JsonValue, path: list[str], event_hash: str) -> JsonValue:
    if not path:
        return event_hash
    step, rest = path[0], path[1:]
    if isinstance(value, list):
        index = int(step)
        return [_replaced(item, rest, event_hash) if at == index else item for at, item in enumerate(value)]
    if isinstance(value, dict):
        return {name: _replaced(item, rest, event_hash) if name == step else item for name, item in value.items()}
    return value
