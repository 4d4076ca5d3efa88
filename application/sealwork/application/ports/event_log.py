"""The event log: the chains, one per stream, and what stands beside their heads."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Protocol, TypeAlias
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from sealwork.application.ports.chains import Chains
from sealwork.application.ports.evidence import EvidenceSource
from sealwork.domain.ledger.record import Positions
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.ledger.submission import Receipt
from sealwork.domain.proof.chain import DECISION_TIME
from sealwork.domain.work.work_row import WorkRow


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Question(_Value):
    """What a decision wants to know: about a stream, an intent's id and the work that it claims to fire."""

    tenant: str
    stream: str
    intent_id: str | None = None
    work: tuple[str, int] | None = None
    """(work id, occurrence)."""


class StoredIntent(_Value):
    """An event that already carries the asked id."""

    intent: bytes
    receipt: Receipt


class Snapshot(_Value):
    """One consistent answer to a `Question`. An unknown stream has seq 0 and its genesis hash."""

    now: datetime
    seq: int
    hash: str
    state: bytes | None = None
    head_record: bytes | None = None
    head_intent: bytes | None = None
    actors: Positions
    rules: int
    same_id: StoredIntent | None = None
    fired: Receipt | None = None
    work: WorkRow | None = None


class Item(_Value):
    """One event to append, with what the database needs beside the signed bytes."""

    event: SealedEvent
    state: bytes
    lease: UUID | None = None
    document: bytes | None = None


Commit: TypeAlias = tuple[Item, ...]
"""Items that stand or fall together."""


MAX_AGE = DECISION_TIME / 2
"""How old an event may be when it is appended: others judge by its time within `DECISION_TIME`."""


class AppendStatus(StrEnum):
    """What became of an item. `context_moved`: actors or rules changed since, or it is older than `MAX_AGE`.

    It is to be decided again then.
    """

    APPENDED = "appended"
    DUPLICATE = "duplicate"
    ID_CONFLICT = "id_conflict"
    STALE = "stale"
    NOT_CLAIMED = "not_claimed"
    CONTEXT_MOVED = "context_moved"
    REFUSED = "refused"


class Verdict(_Value):
    """The answer for one item; `seq` and `hash` name the event that stands, where one does."""

    status: AppendStatus
    seq: int | None = None
    hash: str | None = None
    detail: str | None = None


class EventLog(Chains, EvidenceSource, Protocol):
    """Append-only chains. What is appended stays, byte for byte."""

    def head(self, question: Question) -> Snapshot:
        """Return everything that a decision about `question.stream` reads, as of one moment.

        Raises:
            Unavailable: the log did not answer.
        """
        ...

    def heads(self, questions: Sequence[Question]) -> Sequence[Snapshot]:
        """Return what `head` answers to each question, in order and all as of one moment, in one round trip.

        Raises:
            Unavailable: the log did not answer.
        """
        ...

    def append(self, commits: Sequence[Commit]) -> Sequence[Verdict]:
        """Append each commit whole or not at all, with its effects; one verdict per item, in order.

        Durable when it returns. Under the lock of the head it checks again: the id, the fence of (work id,
        occurrence), the head, the lease of a fired row, the positions of actors and rules. A stream stands in
        at most one item of a call.

        Raises:
            Unavailable: nothing is known to be written; the caller may submit the same bytes again.
        """
        ...
