"""The order in which people look at work: what failed, then what waits, then what has ended."""

from __future__ import annotations

from datetime import datetime
from enum import IntEnum
from typing import assert_never

from pydantic import BaseModel, ConfigDict

from sealwork.domain.work.work_row import WorkRow, WorkStatus


class Rank(IntEnum):
    """Which rows come first. Inside LIVE the earliest due comes first, elsewhere the newest."""

    FAILED = 0
    LIVE = 1
    ENDED = 2


class ListedWork(BaseModel):
    """A work row with the instant at which it may be claimed or taken over; None once it has ended."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    row: WorkRow
    due: datetime | None

    @property
    def rank(self) -> Rank:
        """Return which rows it stands among."""
        return rank_of(self.row.status)

    @property
    def at(self) -> datetime:
        """Return the instant by which it is ordered among them; the id decides where two are equal."""
        return self.due or self.row.run_at


def rank_of(status: WorkStatus) -> Rank:
    """Return the rank of all rows of a status."""
    match status:
        case WorkStatus.FAILED:
            return Rank.FAILED
        case WorkStatus.ACTIVE | WorkStatus.PENDING | WorkStatus.CLAIMED:
            return Rank.LIVE
        case WorkStatus.COMPLETED | WorkStatus.EXHAUSTED | WorkStatus.SKIPPED | WorkStatus.CANCELLED:
            return Rank.ENDED
        case _:
            assert_never(status)
