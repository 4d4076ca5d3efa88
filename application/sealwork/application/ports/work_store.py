"""The rows behind automation: claimed by lease, settled by outcome."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from sealwork.domain.work.listing import ListedWork
from sealwork.domain.work.work_row import ClaimedWork, WorkRow, WorkStatus


class SettleAs(StrEnum):
    """How an attempt ended. `complete` needs no lease: the event decides.

    `release` gives the attempt back: the row was not tried.
    """

    COMPLETE = "complete"
    SKIP = "skip"
    FAIL = "fail"
    RETRY = "retry"
    RELEASE = "release"


class Settlement(BaseModel):
    """The end of one attempt; `wait` is how long a retry or release keeps the row from being claimed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    work: ClaimedWork
    end: SettleAs
    wait: timedelta = timedelta(0)
    error: str | None = None


class WorkStore(Protocol):
    """Durable work. A claimed row is never set back: until it is settled it can only be taken over (X-25)."""

    def claim(self, tenants: Sequence[str], *, limit: int, token: UUID, lease: timedelta) -> Sequence[ClaimedWork]:
        """Claim up to `limit` due rows of different processes, fairly over tenants and lanes.

        A row is due when pending or its instant has come, or when its lease ran out. Two callers never hold
        one row under two live leases. Whoever takes a row over adds one to its deaths, if its lease ran out.

        Raises:
            Unavailable: at worst rows stay claimed until `lease` runs out.
        """
        ...

    def settle(self, token: UUID, settlements: Sequence[Settlement]) -> Sequence[str]:
        """Close the attempts and return what each row became, or `lost` (no longer ours), `no_event`.

        If the event of (work id, occurrence) exists, every end is a `complete`. Every end but a `release`
        sets the deaths of the row to 0.

        Raises:
            Unavailable: the leases run out, and the rows are taken over.
        """
        ...

    def renew(self, token: UUID, works: Sequence[ClaimedWork], *, lease: timedelta) -> Sequence[UUID]:
        """Return the ids of the rows that are still ours, now for `lease` longer.

        Raises:
            Unavailable: nothing was renewed.
        """
        ...

    def next_due(self, tenants: Sequence[str]) -> datetime | None:
        """Return the earliest instant at which something can be claimed, None if nothing waits.

        Raises:
            Unavailable: the store did not answer.
        """
        ...

    def of_process(self, tenant: str, stream: str) -> Sequence[WorkRow]:
        """Return all rows of a process, in the order of the events that made them, and of their records.

        Raises:
            Unavailable: the store did not answer.
        """
        ...

    def listing(
        self,
        tenant: str,
        statuses: Collection[WorkStatus],
        *,
        stream: str | None = None,
        limit: int,
        after: ListedWork | None = None,
    ) -> Sequence[ListedWork]:
        """Return up to `limit` rows of these statuses in the order of `Rank`, of one process if `stream` names it.

        `after` is the last row of the page before. What has ended is not read where it is not asked for.

        Raises:
            Unavailable: the store did not answer.
        """
        ...

    def find(self, tenant: str, work_id: UUID) -> ListedWork | None:
        """Return the row with this id, None if the tenant has none.

        Raises:
            Unavailable: the store did not answer.
        """
        ...
