"""What an event promises: the work rows that its effects make, as they are born.

Source: events.md, "Record", `effects`; S1-050, S1-055; ADR 0014.
"""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from sealwork.domain.instants import instant_of
from sealwork.domain.ledger.effects import Auto, RuleAction, Schedule, with_hash
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.record import Record
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.work.misfire import Misfire
from sealwork.domain.work.work_row import (
    AVAILABLE,
    MAX_CASCADE_DEPTH,
    CausedBy,
    Recurrence,
    StoredWork,
    WorkKind,
    WorkRow,
    WorkStatus,
)

RULE_MATCHED = "rule matched"
"""The reason of every row that a rule raised."""


def promised(event: SealedEvent, record: Record) -> Iterator[StoredWork]:
    """Give a row for each timer, automatic action and action of a rule, in the order of the record.

    A queue row becomes available in the instant of its event. Whether an automatic action needs a row of its own
    is not asked here: a waiting one of the same name may stand for it.
    """
    for effect in record.effects:
        match effect:
            case Schedule():
                yield _timer(event, record, effect)
            case Auto() | RuleAction():
                yield _queued(event, record, effect)
            case _:
                pass


def action_of(event: SealedEvent, record: Record) -> str:
    """Return the action that an event is: its intent says it, or the record of what has a cause instead."""
    intent = event.read_intent
    return intent.action if isinstance(intent, Intent) else record.action or ""


def _caused_by(event: SealedEvent, record: Record) -> CausedBy:
    return CausedBy(
        event_hash=event.hash,
        action=action_of(event, record),
        actor=record.actor,
        at=instant_of(record.recorded_at),
    )


def _timer(event: SealedEvent, record: Record, effect: Schedule) -> StoredWork:
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
        caused_by=_caused_by(event, record),
        schedule_id=effect.id,
        last_error=effect.failed,
    )
    recurrence = Recurrence(
        every=effect.every,
        until=instant_of(effect.until) if effect.until else None,
        count=effect.count,
        misfire=Misfire(effect.misfire or "fire_once"),
    )
    return StoredWork(seq=event.seq, row=row, recurrence=recurrence)


def _queued(event: SealedEvent, record: Record, effect: Auto | RuleAction) -> StoredWork:
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
        run_at=instant_of(record.recorded_at),
        missed=0,
        depth=depth,
        caused_by=_caused_by(event, record),
        available_state=record.state.name,
        reason=RULE_MATCHED if rule else AVAILABLE,
        rule=rule.rule if rule else None,
        rule_version=rule.version if rule else None,
        last_error=failed,
    )
    return StoredWork(seq=event.seq, row=row)
