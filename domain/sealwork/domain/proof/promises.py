"""What the events of one process promise, held against its work rows and against what was fired: both ways.

Memory does not grow with the length of a chain: what has ended, and what never got a row, is forgotten.

Source: events.md, "Verification" (provenance); worker.md, "Provenance"; S1-149, S1-155; X-25.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sealwork.domain.instants import instant_of, instant_text
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.canonical import canonical
from sealwork.domain.ledger.effects import Cancel, Schedule
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.record import Record
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.proof.chain import DECISION_TIME
from sealwork.domain.proof.findings import Finding, FindingCode
from sealwork.domain.work.promised import promised
from sealwork.domain.work.provenance import claimed_work, told_missed
from sealwork.domain.work.work_row import StoredWork, UnreadableWork, WorkKind, WorkRow, WorkStatus

_FIXED = (
    "kind",
    "stream",
    "action",
    "depth",
    "caused_by",
    "schedule_id",
    "available_state",
    "reason",
    "rule",
    "rule_version",
)
"""What a row says from its birth on."""
_UNFIRED = frozenset({WorkStatus.ACTIVE, WorkStatus.PENDING, WorkStatus.SKIPPED, WorkStatus.FAILED})
"""What a row of one occurrence never says once it was fired."""


_STATUSES = {
    True: frozenset(WorkStatus) - {WorkStatus.PENDING, WorkStatus.COMPLETED},
    False: frozenset(WorkStatus) - {WorkStatus.ACTIVE, WorkStatus.EXHAUSTED, WorkStatus.CANCELLED},
}
"""What a row may say, by whether it is a timer."""
_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(slots=True)
class _Open:
    """A row whose story is not over: its last occurrence so far, and how often it was fired."""

    stored: StoredWork
    is_there: bool = True
    occurrence: int = 0
    fires: int = 0
    last: str | None = None
    before: str | None = None
    """The hashes of the last event that fired it, and of the one before."""

    def may_fire(self, occurrence: int) -> bool:
        """Return whether this occurrence can come next."""
        return occurrence > self.occurrence and (occurrence == 1 or self.stored.recurrence.every is not None)


class Promises:
    """The promises of one process. `rows` are its work rows, in the order of the events that they name.

    Give it every event once, in order; then ask what is `left`.
    """

    def __init__(self, tenant: str, stream: str, rows: Iterator[StoredWork | UnreadableWork]) -> None:
        self._tenant = tenant
        self._stream = stream
        self._rows = _Peekable(rows)
        self._open: dict[UUID, _Open] = {}
        self._timers: dict[str, StoredWork] = {}
        """By schedule id, the rows of timers that no event has ended so far."""
        self._cancelled: dict[UUID, StoredWork] = {}
        """Rows that say that they were cancelled, while no event has done so yet."""
        self._unmet: dict[UUID, StoredWork] = {}
        """Rows that say that they were fired, by an event that has not come yet."""
        self._queued: set[str] = set()
        """The automatic actions that ever had a row."""
        self.rows = 0
        """Rows that were looked at."""
        self.suppressed = 0
        """Automatic actions without a row of their own, for which an older row may have stood."""

    def fired(self, event: SealedEvent) -> WorkRow | None | Finding:
        """Return the row that an event fires, as it was when it was claimed; None if it fires none."""
        intent = event.read_intent
        claim = claimed_work(intent) if isinstance(intent, Intent) else None
        if claim is None or not isinstance(intent, Intent):
            return None
        work_id, occurrence = claim
        known = self._open.get(_uuid(work_id))
        if known is None or not known.may_fire(occurrence) or _is_beyond(known.stored, occurrence):
            what = f"work {work_id}, occurrence {occurrence}"
            detail = f"no event of this process promised {what}, or it had ended before"
            return _finding(event, FindingCode.NOT_PROMISED, detail)
        missed = told_missed(intent)
        if not 0 <= missed < occurrence - known.occurrence:
            detail = f"{missed} occurrences before occurrence {occurrence} cannot have been missed"
            return _finding(event, FindingCode.NOT_PROMISED, detail)
        row = known.stored.row
        changes = {"occurrence": occurrence, "missed": missed, "status": WorkStatus.CLAIMED}
        if row.kind is WorkKind.SCHEDULED_ACTION:
            changes["run_at"] = _planned(known.stored, occurrence)
        return row.model_copy(update=changes)

    def check(self, event: SealedEvent, record: Record, fires: WorkRow | None) -> Iterator[Finding]:
        """Return what is wrong with the row that an event fires, the timers it ends and the rows it makes."""
        if fires is not None:
            yield from self._fire(event, record, fires)
        for effect in record.effects:
            if isinstance(effect, Cancel | Schedule):
                yield from self._end(event, effect)
        yield from self._make(event, record)

    def left(self) -> Iterator[Finding]:
        """Return what is wrong with rows whose event never came."""
        for stored in self._rows:
            yield self._unfounded(stored) if isinstance(stored, StoredWork) else self._unreadable(stored)
        for known in self._open.values():
            yield from self._books(known)
        for stored in self._cancelled.values():
            yield self._of_row(stored, "it was cancelled, but no event cancelled it")
        for stored in self._unmet.values():
            yield self._of_row(stored, "it says that it was fired, but not by an event of this process")

    def _fire(self, event: SealedEvent, record: Record, row: WorkRow) -> Iterator[Finding]:
        known = self._open[row.id]
        known.occurrence, known.fires = row.occurrence, known.fires + 1
        known.last, known.before = event.hash, known.last
        stored, recurrence = known.stored, known.stored.recurrence
        is_timer = row.kind is WorkKind.SCHEDULED_ACTION
        if is_timer and row.run_at - instant_of(record.recorded_at) > DECISION_TIME:
            detail = f"it was due at {instant_text(row.run_at)}, and recorded at {record.recorded_at}"
            yield _finding(event, FindingCode.FIRED_EARLY, detail)
        if stored.row.fired_event_hash in (event.hash, None):
            self._unmet.pop(row.id, None)
        over = recurrence.every is None or known.fires == recurrence.count
        if not over and recurrence.until is not None:
            over = _planned(stored, row.occurrence + 1) > recurrence.until
        if over:
            del self._open[row.id]
            yield from self._books(known)
        if recurrence.every is None and stored.row.status in _UNFIRED:
            yield self._of_row(stored, f"it is {stored.row.status}, but event {event.seq} fired it")

    def _books(self, known: _Open) -> Iterator[Finding]:
        """A row names its last fire; while an attempt is not settled it may still name the one before, or none."""
        if not known.is_there:
            return
        row = known.stored.row
        settled = row.status not in (WorkStatus.CLAIMED, WorkStatus.CANCELLED, *_UNFIRED)
        going_on = row.status is WorkStatus.ACTIVE and known.stored.recurrence.every is not None
        named = {known.last} if settled or going_on else {known.last, known.before}
        if known.fires and row.fired_event_hash not in named:
            yield self._of_row(known.stored, "it does not name the event that fired it last")
        if known.stored.recurrence.every is not None and row.occurrence < known.occurrence:
            yield self._of_row(known.stored, f"it says occurrence {row.occurrence}; {known.occurrence} was fired")

    def _end(self, event: SealedEvent, effect: Cancel | Schedule) -> Iterator[Finding]:
        stored = self._timers.pop(effect.id, None)
        if stored is None:
            return
        known = self._open.pop(stored.row.id, None)
        if known is not None:
            yield from self._books(known)
        self._cancelled.pop(stored.row.id, None)
        if stored.row.status in (WorkStatus.ACTIVE, WorkStatus.CLAIMED):
            yield self._of_row(stored, f"it is {stored.row.status}, but event {event.seq} ended it")

    def _make(self, event: SealedEvent, record: Record) -> Iterator[Finding]:
        made = {_id(stored): stored for stored in self._rows.up_to(event.seq)}
        self.rows += len(made)
        for promise in promised(event, record):
            stored = made.pop(promise.row.id, None)
            if isinstance(stored, UnreadableWork):
                yield self._unreadable(stored)
                self._remember(promise, _given_up(promise), is_there=False)
            elif stored is not None:
                yield from self._compare(promise, stored)
                self._remember(promise, stored)
            elif promise.row.kind is WorkKind.AUTO_ACTION and promise.row.action in self._queued:
                self.suppressed += 1
            else:
                detail = f"the row of {promise.row.action} that this event made is not there"
                yield _finding(event, FindingCode.ROW_MISSING, detail)
                self._remember(promise, _given_up(promise), is_there=False)
        for other in made.values():
            yield self._unfounded(other) if isinstance(other, StoredWork) else self._unreadable(other)

    def _compare(self, promise: StoredWork, stored: StoredWork) -> Iterator[Finding]:
        ours, theirs = promise.row, stored.row
        differ = [name for name in _FIXED if getattr(ours, name) != getattr(theirs, name)]
        if not _same(ours.data, theirs.data):
            differ.append("data")
        if theirs.status not in _STATUSES[theirs.kind is WorkKind.SCHEDULED_ACTION]:
            differ.append("status")
        if promise.recurrence.every is None and theirs.occurrence != 1:
            differ.append("occurrence")
        if promise.recurrence != stored.recurrence:
            differ.append("recurrence")
        if theirs.kind is WorkKind.SCHEDULED_ACTION and theirs.run_at != _planned(promise, theirs.occurrence):
            differ.append("run_at")
        if ours.status is WorkStatus.FAILED and theirs.status is not WorkStatus.FAILED:
            differ.append("status")
        if differ:
            yield self._of_row(stored, f"its {', '.join(differ)} differ from what event {promise.seq} promised")

    def _remember(self, promise: StoredWork, stored: StoredWork, *, is_there: bool = True) -> None:
        """Believe the event, not the row, but for what only the row knows: how it stands."""
        row = promise.row.model_copy(
            update={
                "status": stored.row.status,
                "fired_event_hash": stored.row.fired_event_hash,
                "occurrence": stored.row.occurrence,
            }
        )
        known = StoredWork(seq=promise.seq, row=row, recurrence=promise.recurrence)
        if row.kind is WorkKind.SCHEDULED_ACTION and row.schedule_id is not None:
            if promise.row.status is not WorkStatus.FAILED:
                self._timers[row.schedule_id] = known
            if row.status is WorkStatus.CANCELLED:
                self._cancelled[row.id] = known
        elif row.kind is WorkKind.AUTO_ACTION:
            self._queued.add(row.action)
        ended = row.status is WorkStatus.COMPLETED or (
            row.status is WorkStatus.EXHAUSTED and promise.recurrence.every is None
        )
        if row.fired_event_hash is not None or (ended and is_there):
            self._unmet[row.id] = known
        if row.fired_event_hash is not None or row.status not in (WorkStatus.SKIPPED, WorkStatus.FAILED):
            self._open[row.id] = _Open(known, is_there)

    def _unfounded(self, stored: StoredWork) -> Finding:
        detail = f"work {stored.row.id}, {stored.row.action}, is no effect of the event that it names"
        return self._at(stored.seq, FindingCode.ROW_UNFOUNDED, detail)

    def _unreadable(self, stored: UnreadableWork) -> Finding:
        return self._at(stored.seq, FindingCode.ROW_DIFFERS, f"work {stored.id} cannot be read: {stored.detail}")

    def _of_row(self, stored: StoredWork, what: str) -> Finding:
        detail = f"work {stored.row.id}, {stored.row.action}: {what}"
        return self._at(stored.seq, FindingCode.ROW_DIFFERS, detail)

    def _at(self, seq: int, code: FindingCode, detail: str) -> Finding:
        return Finding(code=code, tenant=self._tenant, stream=self._stream, seq=seq, detail=detail)


class _Peekable:
    """Rows in order, taken as far as one wants."""

    def __init__(self, rows: Iterator[StoredWork | UnreadableWork]) -> None:
        self._rows = rows
        self._next = next(rows, None)

    def __iter__(self) -> Iterator[StoredWork | UnreadableWork]:
        while self._next is not None:
            row, self._next = self._next, next(self._rows, None)
            yield row

    def up_to(self, seq: int) -> Iterator[StoredWork | UnreadableWork]:
        """Give the rows of events up to `seq`."""
        while self._next is not None and self._next.seq <= seq:
            row, self._next = self._next, next(self._rows, None)
            yield row


def _planned(stored: StoredWork, occurrence: int) -> datetime:
    """Return the planned instant of an occurrence; `stored` says the first."""
    first = stored.row.run_at
    try:
        return first + timedelta(seconds=stored.recurrence.every or 0) * (occurrence - 1)
    except OverflowError:
        return _NEVER


def _is_beyond(stored: StoredWork, occurrence: int) -> bool:
    """Return whether an occurrence lies behind the end of its timer."""
    until = stored.recurrence.until
    return until is not None and _planned(stored, occurrence) > until


def _id(stored: StoredWork | UnreadableWork) -> UUID:
    return stored.row.id if isinstance(stored, StoredWork) else stored.id


def _same(ours: JsonObject, theirs: JsonObject) -> bool:
    try:
        return canonical(ours) == canonical(theirs)
    except ValueError:
        return False


def _given_up(promise: StoredWork) -> StoredWork:
    """Return what is taken for a row that is not there, so that nothing more is said of it."""
    ended = WorkStatus.EXHAUSTED if promise.row.kind is WorkKind.SCHEDULED_ACTION else WorkStatus.COMPLETED
    return promise.model_copy(update={"row": promise.row.model_copy(update={"status": ended})})


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        return UUID(int=0)


def _finding(event: SealedEvent, code: FindingCode, detail: str) -> Finding:
    return Finding(code=code, tenant=event.tenant, stream=event.stream, seq=event.seq, detail=detail)
