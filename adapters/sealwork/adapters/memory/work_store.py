"""Work rows in memory: the twin of the SQL functions `claim_work`, `settle_work`, `renew_lease`, `next_due`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from itertools import zip_longest
from uuid import UUID

from sealwork.adapters.memory.tables import Tables, Work, clean_error
from sealwork.application.ports.work_store import SettleAs, Settlement
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.record import Record
from sealwork.domain.work.listing import ListedWork, Rank
from sealwork.domain.work.misfire import GRACE, Misfire
from sealwork.domain.work.work_row import ClaimedWork, WorkRow, WorkStatus


class MemoryWorkStore:
    """A work store that forgets at exit."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._claims = 0

    def claim(self, tenants: Sequence[str], *, limit: int, token: UUID, lease: timedelta) -> Sequence[ClaimedWork]:
        """See `WorkStore.claim`."""
        with self._tables.lock:
            now = self._tables.clock.now()
            lanes = self._in_turn(
                [self._due(tenant, timers, now) for tenant in tenants for timers in (True, False)]
            )
            turns = [work for turn in zip_longest(*lanes) for work in turn if work is not None]
            first_of_process = {(w.row.tenant, w.row.stream): w for w in reversed(turns)}
            chosen = [w for w in turns if first_of_process[w.row.tenant, w.row.stream] is w][:limit]
            return [self._claimed(work, token, now, lease) for work in chosen]

    def settle(self, token: UUID, settlements: Sequence[Settlement]) -> Sequence[str]:
        """See `WorkStore.settle`."""
        with self._tables.lock:
            return [self._settle(token, settlement) for settlement in settlements]

    def renew(self, token: UUID, works: Sequence[ClaimedWork], *, lease: timedelta) -> Sequence[UUID]:
        """See `WorkStore.renew`."""
        with self._tables.lock:
            ours = [work for work in map(self._row, works) if work and _holds(work, token)]
            for work in ours:
                work.leased_until = self._tables.clock.now() + lease
            return [work.row.id for work in ours]

    def next_due(self, tenants: Sequence[str]) -> datetime | None:
        """See `WorkStore.next_due`."""
        with self._tables.lock:
            return min(
                (w.due for w in self._tables.work.values() if w.due and w.row.tenant in tenants), default=None
            )

    def of_process(self, tenant: str, stream: str) -> Sequence[WorkRow]:
        """See `WorkStore.of_process`."""
        with self._tables.lock:
            return [w.row for w in self._tables.work.values() if (w.row.tenant, w.row.stream) == (tenant, stream)]

    def listing(
        self,
        tenant: str,
        statuses: Collection[WorkStatus],
        *,
        stream: str | None = None,
        limit: int,
        after: ListedWork | None = None,
    ) -> Sequence[ListedWork]:
        """See `WorkStore.listing`."""
        with self._tables.lock:
            listed = [_listed(w) for w in self._tables.work.values() if w.row.tenant == tenant]
        asked = [w for w in listed if w.row.status in statuses and stream in (None, w.row.stream)]
        ordered = [work for rank in Rank for work in _in_order(rank, asked)]
        return [work for work in ordered if after is None or _comes_after(work, after)][:limit]

    def find(self, tenant: str, work_id: UUID) -> ListedWork | None:
        """See `WorkStore.find`."""
        with self._tables.lock:
            work = self._tables.work.get((tenant, work_id))
            return _listed(work) if work else None

    def _due(self, tenant: str, timers: bool, now: datetime) -> list[Work]:
        waiting = [w for w in self._tables.work.values() if w.row.tenant == tenant and w.is_timer is timers]
        dated = [(w.due, w) for w in waiting if w.due is not None and w.due <= now]
        return [work for _, work in sorted(dated, key=lambda pair: pair[0])]

    def _in_turn(self, lanes: list[list[Work]]) -> list[list[Work]]:
        """Return the lanes, each time another one first: a claim of one row must reach them all."""
        self._claims += 1
        first = self._claims % len(lanes) if lanes else 0
        return lanes[first:] + lanes[:first]

    def _claimed(self, work: Work, token: UUID, now: datetime, lease: timedelta) -> ClaimedWork:
        if work.missed is None:
            _freeze(work, _passed(work, now))
        work.first_claimed_at = first_claimed_at = work.first_claimed_at or now
        work.leased_until = now + lease
        work.change(
            status=WorkStatus.CLAIMED,
            lease_token=token,
            missed=work.missed,
            attempts=work.row.attempts + 1,
            deaths=work.row.deaths + (work.row.lease_token is not None),
        )
        last = self._tables.chains[(work.row.tenant, work.row.stream)].events[-1]
        told = last.read_record if last.intent is None else last.read_intent
        assert isinstance(told, Intent | Record) and told.definition is not None
        return ClaimedWork(
            row=work.row,
            lease_token=token,
            seq=last.seq,
            hash=last.hash,
            definition=told.definition,
            first_claimed_at=first_claimed_at,
            misfire=work.misfire,
        )

    def _row(self, claimed: ClaimedWork) -> Work | None:
        return self._tables.work.get((claimed.row.tenant, claimed.row.id))

    def _settle(self, token: UUID, settlement: Settlement) -> str:
        claimed = settlement.work.row
        work = self._row(settlement.work)
        fired = self._tables.fired.get((claimed.tenant, str(claimed.id), claimed.occurrence))
        end = SettleAs.COMPLETE if fired else settlement.end
        if work is None or not _open(work, token, claimed.occurrence, fired.hash if fired else None, end):
            return "no_event" if settlement.end is SettleAs.COMPLETE else "lost"
        if fired is not None:
            work.fires += 1
            work.change(fired_event_hash=fired.hash)
        became = _became(work, end)
        if became is WorkStatus.CLAIMED:
            return self._keep(work, settlement)
        error = None if end is SettleAs.COMPLETE else clean_error(settlement.error)
        work.change(status=became, lease_token=None, last_error=error, deaths=0)
        work.leased_until = None
        if became is WorkStatus.ACTIVE:
            _move_on(work)
        return became.value

    def _keep(self, work: Work, settlement: Settlement) -> str:
        work.leased_until = self._tables.clock.now() + settlement.wait
        if settlement.end is SettleAs.RELEASE:
            work.change(lease_token=None, attempts=work.row.attempts - 1)
        else:
            work.change(lease_token=None, last_error=clean_error(settlement.error), deaths=0)
        return settlement.end.value


def _listed(work: Work) -> ListedWork:
    return ListedWork(row=work.row, due=work.due)


def _in_order(rank: Rank, listed: Sequence[ListedWork]) -> list[ListedWork]:
    mine = [work for work in listed if work.rank is rank]
    return sorted(mine, key=lambda work: (work.at, work.row.id), reverse=rank is not Rank.LIVE)


def _comes_after(work: ListedWork, other: ListedWork) -> bool:
    if work.rank is not other.rank:
        return work.rank > other.rank
    place, before = (work.at, work.row.id), (other.at, other.row.id)
    return place > before if work.rank is Rank.LIVE else place < before


def _holds(work: Work, token: UUID) -> bool:
    return work.row.status is WorkStatus.CLAIMED and work.row.lease_token == token


def _open(work: Work, token: UUID, occurrence: int, fired: str | None, end: SettleAs) -> bool:
    """Return whether this attempt may still close the row: by its event, or else by its lease."""
    if work.row.occurrence != occurrence:
        return False
    if fired is None:
        return end is not SettleAs.COMPLETE and _holds(work, token)
    if work.row.status is WorkStatus.CLAIMED:
        return work.row.fired_event_hash != fired
    return work.is_timer and work.row.status is WorkStatus.CANCELLED and work.row.fired_event_hash != fired


def _became(work: Work, end: SettleAs) -> WorkStatus:
    match end:
        case SettleAs.FAIL:
            return WorkStatus.FAILED
        case SettleAs.RETRY | SettleAs.RELEASE:
            return WorkStatus.CLAIMED
        case SettleAs.COMPLETE | SettleAs.SKIP if not work.is_timer:
            return WorkStatus.COMPLETED if end is SettleAs.COMPLETE else WorkStatus.SKIPPED
        case SettleAs.COMPLETE | SettleAs.SKIP:
            return _timer_became(work, end)


def _timer_became(work: Work, end: SettleAs) -> WorkStatus:
    if work.every is None:
        return WorkStatus.SKIPPED if end is SettleAs.SKIP else WorkStatus.EXHAUSTED
    if work.row.status is WorkStatus.CANCELLED:
        return WorkStatus.CANCELLED
    counted = work.count is not None and work.fires >= work.count
    ended = work.until is not None and work.row.run_at + work.every > work.until
    return WorkStatus.EXHAUSTED if counted or ended else WorkStatus.ACTIVE


def _move_on(work: Work) -> None:
    if work.every is not None:
        run_at, occurrence = work.row.run_at + work.every, work.row.occurrence + 1
        work.change(run_at=run_at, occurrence=occurrence, missed=0, attempts=0)
        work.missed = work.first_claimed_at = None


def _freeze(work: Work, passed: int) -> None:
    """Let the last instant that passed stand for those before it; so it stays through every retry and takeover."""
    work.missed = passed
    run_at = work.row.run_at + (work.every or timedelta()) * passed
    work.change(occurrence=work.row.occurrence + passed, run_at=run_at)


def _passed(work: Work, now: datetime) -> int:
    """Return how many planned instants after this one have also passed; with their grace, if they are skipped."""
    if work.every is None:
        return 0
    last = now - GRACE - timedelta.resolution if work.misfire is Misfire.SKIP else now
    if work.until is not None:
        last = min(last, work.until)
    return max(0, (last - work.row.run_at) // work.every)
