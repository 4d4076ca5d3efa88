"""A record: what the engine made of an intent, countersigned. Its hash is what the next event names.

Source: events.md, "Record".
"""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from sealwork.domain.ids import ActorId, Digest, Origin, SignatureText, StreamName, Tenant
from sealwork.domain.instants import InstantText
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.canonical import MAX_RECORD_BYTES, canonical
from sealwork.domain.ledger.effects import Effect
from sealwork.domain.ledger.envelope import MediaType, digest, pae
from sealwork.domain.ledger.intent import ActionName, DefinitionRef
from sealwork.domain.ledger.members import document_of, parse_model
from sealwork.domain.refusals import Refused


class Positions(BaseModel):
    """How far the two actor registries had come that the engine judged by."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    tenant: Annotated[int, Field(ge=0)]
    system: Annotated[int, Field(ge=0)]


class StateMark(BaseModel):
    """The state after the event: its name, and the hash of its canonical bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str
    sha256: Digest


class Cause(BaseModel):
    """The event of another stream, in the same commit, that authorised this one."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    stream: StreamName
    seq: Annotated[int, Field(ge=1)]
    hash: Digest


class Record(BaseModel):
    """What the engine adds and countersigns. It has an intent, or the cause that stands in for one."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    v: Literal[1] = 1
    origin: Origin
    tenant: Tenant
    stream: StreamName
    seq: Annotated[int, Field(ge=1)]
    prev: Digest
    intent: Digest | None = None
    intent_sig: SignatureText | None = None
    cause: Cause | None = None
    definition: DefinitionRef | None = None
    """With a cause only: what the child runs, where others have it in their intent (ADR 0014)."""
    action: ActionName | None = None
    """With a cause only: the action that begins the child."""
    actor: ActorId
    recorded_at: InstantText
    engine_key: ActorId
    actors: Positions
    rules: Annotated[int, Field(ge=0)]
    depth: Annotated[int, Field(ge=0)]
    state: StateMark
    effects: tuple[Effect, ...] = Field(strict=False)

    def to_bytes(self) -> bytes:
        """Return the canonical bytes, which are what is countersigned and stored."""
        return canonical(document_of(self))


def parse_record(body: bytes) -> Record | Refused:
    """Return the record that `body` is, or the first thing that is wrong with it and where."""
    return parse_model(Record, body, limit=MAX_RECORD_BYTES)


def record_hash(body: bytes) -> str:
    """Return the event hash: what the next record, work rows and auditors name."""
    return digest(MediaType.RECORD, body)


def signed_record_bytes(body: bytes) -> bytes:
    """Return what the engine's countersignature covers."""
    return pae(MediaType.RECORD, body)


def state_bytes(name: str, data: JsonObject) -> bytes:
    """Return the bytes whose hash a record carries as its state."""
    return canonical({"data": data, "state": name})


def state_hash(body: bytes) -> str:
    """Return the hash of a state: plain SHA-256 of its canonical bytes."""
    return sha256(body).hexdigest()
