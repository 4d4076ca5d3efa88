"""A work row: the durable intent to attempt one action, as the engine wrote it and the worker keeps its books.

Source: S1-050, S1-055, X-13, X-14; worker.md.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.work.misfire import Misfire

MAX_CASCADE_DEPTH = 25
"""Hops without delay after which a row is born failed (X-26)."""
MAX_FAMILY = 100
"""Children, and children of children, that one event may begin."""
AVAILABLE = "auto action became available"
"""The reason of every row that the engine queued for an automatic action."""


class WorkKind(StrEnum):
    """Which lane a row belongs to; also the kind of its provenance."""

    SCHEDULED_ACTION = "scheduled_action"
    AUTO_ACTION = "auto_action"
    RULE = "rule"


class WorkStatus(StrEnum):
    """Where a row stands. A timer is born active, a queue row pending; the last five never change by a worker."""

    ACTIVE = "active"
    PENDING = "pending"
    CLAIMED = "claimed"
    COMPLETED = "completed"
    EXHAUSTED = "exhausted"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"
    FAILED = "failed"


class CausedBy(BaseModel):
    """The event that made the row: what an auditor follows back."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    event_hash: str
    action: str
    actor: str
    at: datetime


class WorkRow(BaseModel):
    """One row of `scheduled_actions` or `automation_queue`.

    `run_at` is the planned instant of `occurrence`, for a queue row the instant it became available.
    `missed` counts planned instants before now that this occurrence stands for; frozen at its first claim.
    `deaths` counts leases in a row that ran out before the row was settled: it may end its workers.
    `schedule_id` is of timers; `available_state` and `reason` are of queue rows.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: WorkKind
    tenant: str
    id: UUID
    stream: str
    action: str
    data: JsonObject
    status: WorkStatus
    occurrence: int
    run_at: datetime
    missed: int
    depth: int
    caused_by: CausedBy
    schedule_id: str | None = None
    available_state: str | None = None
    reason: str | None = None
    rule: str | None = None
    rule_version: int | None = None
    lease_token: UUID | None = None
    attempts: int = 0
    deaths: int = 0
    last_error: str | None = None
    fired_event_hash: str | None = None


class Recurrence(BaseModel):
    """How a timer goes on: every so many seconds, until an instant (inclusive), for so many accepted fires."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    every: int | None = None
    until: datetime | None = None
    count: int | None = None
    misfire: Misfire = Misfire.FIRE_ONCE


class StoredWork(BaseModel):
    """A work row as it is kept: `seq` is the event of its process that it names as its cause."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seq: int
    row: WorkRow
    recurrence: Recurrence = Recurrence()


class UnreadableWork(BaseModel):
    """A row that holds what no engine wrote: of it nothing can be said but where it stands."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seq: int
    id: UUID
    detail: str


class ClaimedWork(BaseModel):
    """A row under this worker's lease, with the head of its process, so that no second read is needed.

    `first_claimed_at` is when anybody first claimed this occurrence, by the clock of the store.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    row: WorkRow
    lease_token: UUID
    seq: int
    hash: str
    definition: DefinitionRef
    first_claimed_at: datetime
    misfire: Misfire = Misfire.FIRE_ONCE
