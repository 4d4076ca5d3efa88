"""The tables of the in-memory store: the same facts as in PostgreSQL, in dictionaries behind one lock."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from threading import RLock
from uuid import UUID

from sealwork.application.ports.clock import Clock
from sealwork.application.ports.system_log import LoggedAttempt
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.work.misfire import Misfire
from sealwork.domain.work.work_row import Recurrence, StoredWork, WorkKind, WorkRow, WorkStatus

MAX_ERROR_BYTES = 2000
_CONTROL = re.compile("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")
LIVE = frozenset({WorkStatus.ACTIVE, WorkStatus.PENDING, WorkStatus.CLAIMED})


@dataclass
class Work:
    """A work row with the fields that only its own bookkeeping needs; `missed` is None before the first claim."""

    row: WorkRow
    seq: int
    """The event that made it."""
    every: timedelta | None = None
    until: datetime | None = None
    count: int | None = None
    misfire: Misfire = Misfire.FIRE_ONCE
    fires: int = 0
    missed: int | None = None
    first_claimed_at: datetime | None = None
    leased_until: datetime | None = None

    @property
    def due(self) -> datetime | None:
        """Return when the row can be claimed: planned, or when its lease runs out; None once it ended."""
        match self.row.status:
            case WorkStatus.ACTIVE | WorkStatus.PENDING:
                return self.row.run_at
            case WorkStatus.CLAIMED:
                return self.leased_until
            case _:
                return None

    @property
    def is_timer(self) -> bool:
        """Return whether this is a row of `scheduled_actions`."""
        return self.row.kind is WorkKind.SCHEDULED_ACTION

    def stored(self) -> StoredWork:
        """Return the row as a value, with how it goes on."""
        every = int(self.every.total_seconds()) if self.every else None
        recurrence = Recurrence(every=every, until=self.until, count=self.count, misfire=self.misfire)
        return StoredWork(seq=self.seq, row=self.row, recurrence=recurrence)

    def change(self, **changes: object) -> None:
        """Replace fields of the row."""
        self.row = self.row.model_copy(update=changes)


@dataclass
class Chain:
    """The events of one stream, and the state after the last."""

    events: list[SealedEvent] = field(default_factory=list)
    state: bytes = b""


@dataclass
class Tables:
    """Everything, and the one lock that makes a commit whole."""

    origin: str
    clock: Clock
    lock: RLock = field(default_factory=RLock)
    chains: dict[tuple[str, str], Chain] = field(default_factory=dict)
    fired: dict[tuple[str, str, int], SealedEvent] = field(default_factory=dict)
    documents: dict[tuple[str, str], bytes] = field(default_factory=dict)
    work: dict[tuple[str, UUID], Work] = field(default_factory=dict)
    attempts: dict[str, list[LoggedAttempt]] = field(default_factory=dict)
    """The system log of each tenant, oldest first."""

    def copied(self) -> Tables:
        """Return tables of their own with the same rows."""
        with self.lock:
            return replace(
                self,
                lock=RLock(),
                chains={key: Chain([*chain.events], chain.state) for key, chain in self.chains.items()},
                fired={**self.fired},
                documents={**self.documents},
                work={key: replace(work) for key, work in self.work.items()},
                attempts={tenant: [*attempts] for tenant, attempts in self.attempts.items()},
            )

    def position(self, tenant: str, stream: str) -> int:
        """Return how many events a stream has."""
        chain = self.chains.get((tenant, stream))
        return len(chain.events) if chain else 0

    def work_of(self, tenant: str, work_id: str) -> Work | None:
        """Return a work row by the text of its id, which may be no id at all."""
        try:
            return self.work.get((tenant, UUID(work_id)))
        except ValueError:
            return None


def clean_error(error: str | None) -> str | None:
    """Return at most 2,000 bytes of `error`, cut between characters, without what could rewrite a terminal."""
    if error is None:
        return None
    text = _CONTROL.sub(" ", error[:MAX_ERROR_BYTES])
    return text.encode(errors="replace")[:MAX_ERROR_BYTES].decode(errors="ignore")
