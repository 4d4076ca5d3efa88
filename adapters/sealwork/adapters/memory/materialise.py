"""Making the effects of an event: the in-memory twin of what `append_events` does with work rows."""

from __future__ import annotations

from datetime import timedelta

from sealwork.adapters.memory.tables import LIVE, Tables, Work, clean_error
from sealwork.domain.ledger.effects import Cancel, Schedule
from sealwork.domain.ledger.record import Record
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.work.promised import promised
from sealwork.domain.work.work_row import StoredWork, WorkKind, WorkStatus


def materialise(tables: Tables, event: SealedEvent, record: Record) -> None:
    """Cancel first, then schedule and queue."""
    for effect in record.effects:
        if isinstance(effect, Cancel | Schedule):
            _end_timer(tables, event, effect.id)
    for new in promised(event, record):
        if not _is_suppressed(tables, new):
            tables.work[(event.tenant, new.row.id)] = _born(tables, new)


def _end_timer(tables: Tables, event: SealedEvent, schedule_id: str) -> None:
    for work in tables.work.values():
        row = work.row
        named = (row.tenant, row.stream, row.schedule_id) == (event.tenant, event.stream, schedule_id)
        if named and row.status in LIVE:
            work.change(status=WorkStatus.CANCELLED, lease_token=None)
            work.leased_until = None


def _is_suppressed(tables: Tables, new: StoredWork) -> bool:
    """A pending row of an automatic action keeps its first cause: the new one needs no row (X-25)."""
    row = new.row
    if row.kind is not WorkKind.AUTO_ACTION or row.status is not WorkStatus.PENDING:
        return False
    named = (row.tenant, row.stream, row.action, row.kind)
    return any(
        (other.tenant, other.stream, other.action, other.kind) == named
        for other in (work.row for work in tables.work.values())
        if other.status is WorkStatus.PENDING
    )


def _born(tables: Tables, new: StoredWork) -> Work:
    recurrence = new.recurrence
    work = Work(
        row=new.row,
        seq=new.seq,
        every=timedelta(seconds=recurrence.every) if recurrence.every else None,
        until=recurrence.until,
        count=recurrence.count,
        misfire=recurrence.misfire,
    )
    work.change(last_error=clean_error(new.row.last_error))
    if not work.is_timer:
        work.change(run_at=tables.clock.now())
    return work
