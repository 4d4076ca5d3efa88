"""What the chains of a deployment promise, and whether its work rows keep it.

The chains are asked: which effect stands where, and what was fired for it. Nothing here knows how a store works.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple, TypeAlias

from sealwork.domain.instants import instant_of, instant_text
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.effects import Auto, Cancel, Schedule
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.record import Record
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.work.misfire import Misfire, too_late
from sealwork.domain.work.provenance import claimed_work
from sealwork.domain.work.work_row import ClaimedWork, WorkKind, WorkRow, WorkStatus

Unit: TypeAlias = tuple[str, int]
"""A unit of work: (work id, occurrence)."""
Chains: TypeAlias = Mapping[str, Sequence[SealedEvent]]
Rows: TypeAlias = Mapping[str, WorkRow]
"""The rows by work id."""

BEGUN = {WorkStatus.PENDING, WorkStatus.CLAIMED}
"""What somebody is at, or must be."""
_LIVE_TIMER = {WorkStatus.ACTIVE, WorkStatus.CLAIMED}
_TIMER_ENDED = {WorkStatus.EXHAUSTED, WorkStatus.SKIPPED, WorkStatus.FAILED, WorkStatus.CANCELLED}
_QUEUE_ENDED = {WorkStatus.COMPLETED, WorkStatus.SKIPPED, WorkStatus.FAILED}


@dataclass
class Promise:
    """An effect that becomes a row, and the event that made it."""

    event: SealedEvent
    record: Record
    effect: Auto | Schedule
    withdrawn_at: int | None = None
    """The position of the event that cancelled or replaced it."""

    @property
    def action(self) -> str:
        """The action that made it."""
        intent = self.event.read_intent
        return intent.action if isinstance(intent, Intent) else self.record.action or ""

    def planned(self, occurrence: int) -> datetime:
        """Return the planned instant of an occurrence of a timer."""
        assert isinstance(self.effect, Schedule)
        return instant_of(self.effect.run_at) + timedelta(seconds=self.effect.every or 0) * (occurrence - 1)

    def is_beyond(self, occurrence: int) -> bool:
        """Return whether a timer has no such occurrence."""
        assert isinstance(self.effect, Schedule)
        if self.effect.every is None:
            return occurrence > 1
        return self.effect.until is not None and self.planned(occurrence) > instant_of(self.effect.until)


class Fire(NamedTuple):
    """An event of the machine: where it stands, what was signed, and what that says of its row."""

    event: SealedEvent
    intent: Intent
    told: JsonObject


class Books(NamedTuple):
    """All that the chains say of work: what every effect promises, and the one event of every unit of work."""

    promised: Mapping[str, Promise]
    fired: Mapping[Unit, Fire]

    def fires_of(self, work: str) -> list[Fire]:
        """Return all events that were fired for one row."""
        return [fire for (id_, _), fire in self.fired.items() if id_ == work]


def books_of(chains: Chains) -> Books:
    """Read the chains; no unit of work may have two events in them."""
    promised: dict[str, Promise] = {}
    fired: dict[Unit, Fire] = {}
    for events in chains.values():
        promised |= _promised(events)
        for fire in _fires(events):
            unit = claimed_work(fire.intent)
            assert unit is not None
            assert unit not in fired, f"two events for {unit}: {fired[unit].event.hash} and {fire.event.hash}"
            fired[unit] = fire
    return Books(promised, fired)


def _promised(events: Sequence[SealedEvent]) -> dict[str, Promise]:
    found: dict[str, Promise] = {}
    live: dict[str, Promise] = {}
    for event in events:
        record = event.read_record
        assert isinstance(record, Record)
        for effect in record.effects:
            if isinstance(effect, Cancel | Schedule) and effect.id in live:
                live.pop(effect.id).withdrawn_at = event.seq
            if isinstance(effect, Auto | Schedule):
                found[effect.work] = Promise(event, record, effect)
            if isinstance(effect, Schedule):
                live[effect.id] = found[effect.work]
    return found


def _fires(events: Sequence[SealedEvent]) -> Iterator[Fire]:
    for event in events:
        intent = event.read_intent
        meta = intent.input.get("meta") if isinstance(intent, Intent) else None
        told = meta.get("automation") if isinstance(meta, dict) else None
        if isinstance(intent, Intent) and isinstance(told, dict):
            yield Fire(event, intent, told)


def each_fire_is_what_was_promised(books: Books, key: str) -> None:
    """Every event of the machine says what its effect says, and no key but the machine's signed it."""
    for (work, occurrence), (event, intent, told) in books.fired.items():
        promise = books.promised[work]
        effect, cause = promise.effect, promise.event
        data = {name: value for name, value in intent.input.items() if name != "meta"}
        assert (event.stream, intent.action, data) == (cause.stream, effect.action, effect.data)
        assert intent.key == told["fired_by_actor"] == key
        verb = "scheduled" if isinstance(effect, Schedule) else "queued"
        assert told[f"{verb}_by_event_hash"] == cause.hash
        assert told[f"{verb}_by_action"] == promise.action
        assert told[f"{verb}_by_actor"] == promise.record.actor
        assert told[f"{verb}_at"] == promise.record.recorded_at
        if isinstance(effect, Schedule):
            assert (told["kind"], told["schedule_id"]) == ("scheduled_action", effect.id)
            assert told["run_at"] == instant_text(promise.planned(occurrence))
        else:
            assert (told["kind"], occurrence) == ("auto_action", 1)
            assert told["available_state"] == promise.record.state.name


def rows_say_what_was_promised(books: Books, rows: Rows) -> None:
    """Every row has its effect, and names no event but its own."""
    for id_, row in rows.items():
        promise = books.promised[id_]
        effect = promise.effect
        assert (row.stream, row.action, row.data) == (promise.event.stream, effect.action, effect.data)
        assert row.caused_by.event_hash == promise.event.hash
        assert (row.kind is WorkKind.SCHEDULED_ACTION) == isinstance(effect, Schedule)
        assert row.fired_event_hash in {None, *(fire.event.hash for fire in books.fires_of(id_))}


def without_a_row(books: Books, before: Rows, after: Rows, known: Set[str]) -> Set[str]:
    """Return the effects that newly have no row: automatic actions, while an older row of them waited.

    Those that are `known` to have none never get one.
    """
    assert not known & after.keys()
    missing = books.promised.keys() - after.keys() - known
    for promise in map(books.promised.__getitem__, missing):
        event, effect = promise.event, promise.effect
        assert isinstance(effect, Auto), f"the timer {effect.id} has no row"
        alike = [row for row in after.values() if (row.stream, row.action) == (event.stream, effect.action)]
        older = [id_ for id_ in (str(row.id) for row in alike) if books.promised[id_].event.seq < event.seq]
        assert any(id_ not in before or before[id_].status is WorkStatus.PENDING for id_ in older), promise
    return missing


def statuses_move_along_the_arrows(books: Books, before: Rows, after: Rows) -> None:
    """No row vanishes; none goes back, none leaves its end. Source: domain.md, "State machines"."""
    assert before.keys() <= after.keys()
    for id_, row in after.items():
        is_timer = row.kind is WorkKind.SCHEDULED_ACTION
        assert row.status in (_LIVE_TIMER | _TIMER_ENDED if is_timer else BEGUN | _QUEUE_ENDED)
        assert row.lease_token is None or row.status is WorkStatus.CLAIMED
        old = before.get(id_, row)
        assert row.occurrence >= old.occurrence
        assert row.run_at >= old.run_at
        if old.status is WorkStatus.CLAIMED:
            assert row.status is not WorkStatus.PENDING
            assert row.status is not WorkStatus.ACTIVE or row.occurrence > old.occurrence, f"set back: {row}"
        elif (old.status, row.status) == (WorkStatus.CANCELLED, WorkStatus.EXHAUSTED):
            assert (id_, row.occurrence) in books.fired, "only by the event that was faster than its cancellation"
        elif old.status in _TIMER_ENDED | _QUEUE_ENDED:
            assert row.status is old.status, f"it had ended: {old} became {row}"


def what_waits_is_one_of_a_name(rows: Rows) -> None:
    """At most one timer of a schedule id lives in a process, and at most one row of an automatic action waits."""
    named = [
        (row.kind, row.stream, row.schedule_id or row.action) for row in rows.values() if _keeps_its_name(row)
    ]
    assert len(named) == len(set(named)), named


def _keeps_its_name(row: WorkRow) -> bool:
    return row.status in _LIVE_TIMER if row.kind is WorkKind.SCHEDULED_ACTION else row.status is WorkStatus.PENDING


def what_was_withdrawn_is_over(books: Books, rows: Rows) -> None:
    """Cancel beats claim: what the chain cancelled or replaced lives no more and fires no more, and only that."""
    for id_, row in rows.items():
        withdrawn_at = books.promised[id_].withdrawn_at
        assert withdrawn_at is not None or row.status is not WorkStatus.CANCELLED, row
        if withdrawn_at is not None:
            assert row.status in _TIMER_ENDED, row
            assert all(fire.event.seq <= withdrawn_at for fire in books.fires_of(id_)), row


def no_occurrence_is_left_out(
    books: Books, rows: Rows, claimed: Mapping[Unit, ClaimedWork], unfired: Set[Unit]
) -> None:
    """Claims follow each other without a gap, counting what was missed; all but the last of a row was closed.

    `claimed` holds the first claim of every unit that was seen; `unfired` are those closed without an event.
    """
    last = dict.fromkeys(rows, 0)
    for unit, work in sorted(claimed.items(), key=lambda item: item[0]):
        id_, occurrence = unit
        assert occurrence - work.row.missed == last[id_] + 1, work
        assert occurrence == rows[id_].occurrence or unit in books.fired.keys() | unfired, work
        late = too_late(work.misfire, work.row.run_at, work.first_claimed_at)
        assert not (late and unit in books.fired), f"fired, and should have been skipped: {work}"
        if work.row.kind is WorkKind.SCHEDULED_ACTION:
            _is_the_last_that_was_due(books.promised[id_], work)
        last[id_] = occurrence
    for id_, row in rows.items():
        begun, follows = row.occurrence == last[id_], row.occurrence - row.missed == last[id_] + 1
        match row.status:
            case WorkStatus.ACTIVE | WorkStatus.PENDING:
                assert follows and row.missed == 0, row
            case WorkStatus.CANCELLED:
                assert begun or follows, row
            case _:
                assert begun, row


def _is_the_last_that_was_due(promise: Promise, work: ClaimedWork) -> None:
    """One fire stands for all instants that had passed. Where late ones are skipped it stands for itself alone."""
    row, at, skips = work.row, work.first_claimed_at, work.misfire is Misfire.SKIP
    assert row.run_at == promise.planned(row.occurrence) <= at, work
    following = promise.planned(row.occurrence + 1)
    passed = too_late(work.misfire, following, at) if skips else following <= at
    assert promise.is_beyond(row.occurrence + 1) or not passed, work
    assert not (skips and row.missed) or too_late(work.misfire, row.run_at, at), work


def all_has_ended_or_waits(books: Books, rows: Rows, unfired: Set[Unit], now: datetime) -> None:
    """Every row is at the end that its events, or the workers without an event, have brought it to."""
    for id_, row in rows.items():
        unit, promise = (id_, row.occurrence), books.promised[id_]
        match row.status:
            case WorkStatus.ACTIVE:
                assert row.run_at > now, row
            case WorkStatus.COMPLETED:
                assert row.fired_event_hash == books.fired[unit].event.hash, row
            case WorkStatus.SKIPPED:
                assert unit in unfired - books.fired.keys(), row
            case WorkStatus.CANCELLED:
                assert promise.withdrawn_at is not None, row
            case WorkStatus.EXHAUSTED:
                assert isinstance(promise.effect, Schedule)
                assert unit in books.fired.keys() | unfired, row
                counted = len(books.fires_of(id_)) == promise.effect.count
                assert counted or promise.is_beyond(row.occurrence + 1), row
            case WorkStatus.FAILED:
                assert unit in unfired - books.fired.keys(), row
                assert (row.last_error or "").startswith("workers_ended: "), row
            case _:
                raise AssertionError(f"neither at its end nor waiting: {row}")
