"""A hearing: an intent that may be decided, and what a decider makes of it."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from sealwork.application.ports.event_log import Snapshot
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import ActorKey, ActorRegistry
from sealwork.domain.ledger.effects import Effect, Place, Spawn
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.record import Cause
from sealwork.domain.ledger.submission import Submission
from sealwork.domain.refusals import Refused


class Hearing(BaseModel):
    """An authentic intent over the present head, by a key that is valid now."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    submission: Submission
    intent: Intent
    snapshot: Snapshot
    registry: ActorRegistry
    actor: ActorKey
    recorded_at: datetime

    @property
    def place(self) -> Place:
        """Return where the event will stand."""
        intent = self.intent
        return Place(origin=intent.origin, tenant=intent.tenant, stream=intent.stream, seq=intent.seq)


class Ruling(BaseModel):
    """What the aggregate becomes: `state` are the canonical bytes whose hash the record carries."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    state_name: str
    state: bytes
    effects: tuple[Effect, ...] = ()
    depth: int = 0
    keeps_document: bool = False


class Birth(BaseModel):
    """A child process that an event begins, in the same commit: its cause stands in for an intent.

    `input` is the data of the spawn, with the hash of the cause where it was asked for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    spawn: Spawn
    cause: Cause
    place: Place
    actor: ActorKey
    input: JsonObject
    recorded_at: datetime
    depth: int


class ChildDecider(Protocol):
    """The rules of what begins without an intent."""

    def __call__(self, birth: Birth) -> Ruling | Refused:
        """Return what a process is after it began, or the first rule that refuses it."""
        ...


class Decider(Protocol):
    """The rules of one kind of stream."""

    def __call__(self, hearing: Hearing) -> Ruling | Refused:
        """Return what the intent makes of its aggregate, or the first rule that refuses it."""
        ...
