"""The system log: what the worker tried, for whoever looks for the reason. It decides nothing (S1-100, S1-101)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from pydantic import BaseModel, ConfigDict

KEPT = 100_000
"""How many attempts of a tenant are kept: the newest."""


class AttemptResult(StrEnum):
    """How an attempt ended. RELEASED: given back, as if it had not been; LOST: the row is another's by now."""

    ACCEPTED = "accepted"
    SKIPPED = "skipped"
    FAILED = "failed"
    TRANSIENT_ERROR = "transient_error"
    RELEASED = "released"
    LOST = "lost"


class Attempt(BaseModel):
    """One attempt on a work row; `number` counts the attempts on this occurrence, from 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tenant: str
    work_id: UUID
    stream: str
    action: str
    occurrence: int
    number: int
    result: AttemptResult
    reason: str | None = None
    fired_event_hash: str | None = None


class LoggedAttempt(Attempt):
    """An attempt as the log keeps it; `at` is when it was written, by the clock of the store."""

    at: datetime


class SystemLog(Protocol):
    """Attempts, only ever added. Diagnostic: nobody may read it to decide anything, and no work may hang on it."""

    def write(self, attempts: Sequence[Attempt]) -> None:
        """Add attempts, in order; their reasons are cut to 2,000 bytes and cleaned of control characters.

        Of each tenant the newest `KEPT` stay. May be lost in a crash of the database.

        Raises:
            Unavailable: perhaps nothing was written.
        """
        ...

    def newest(self, tenant: str, *, stream: str | None = None, limit: int) -> Sequence[LoggedAttempt]:
        """Return at most `limit` attempts of a tenant, or of one process in it, the newest first.

        Raises:
            Unavailable: the log did not answer.
        """
        ...
