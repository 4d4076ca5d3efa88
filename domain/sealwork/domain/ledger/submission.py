"""A submission and its answers: the words between an actor and the engine.

Source: domain.md, "process_event"; ADR 0004 for `document`.
"""

from __future__ import annotations

from uuid import UUID

from pydantic import BaseModel, ConfigDict


class Submission(BaseModel):
    """An intent as its actor signed it, and what travels beside it, outside the signature.

    `lease` is the token of the claimed work row that this event fires; `document` are the bytes that the
    intent names by their hash (a workflow definition).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    intent: bytes
    signature: bytes
    lease: UUID | None = None
    document: bytes | None = None


class Receipt(BaseModel):
    """The engine's countersigned record of one event; the proof that a client keeps."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tenant: str
    stream: str
    seq: int
    hash: str
    record: bytes
    record_sig: bytes


class Appended(BaseModel):
    """The event stands in its chain; `duplicate` says that it stood there before this submission."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    receipt: Receipt
    duplicate: bool
