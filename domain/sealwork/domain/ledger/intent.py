"""An intent: what an actor signs, over the head it has seen.

Source: events.md, "Intent".
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from sealwork.domain.ids import ActorId, Digest, Origin, StreamName, Tenant, UuidText, WorkflowPath
from sealwork.domain.instants import InstantText, instant_of
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.canonical import canonical
from sealwork.domain.ledger.envelope import MediaType, digest, pae
from sealwork.domain.ledger.members import document_of, parse_model
from sealwork.domain.refusals import RefusalCode, Refused

ActionName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$", max_length=64)]


class DefinitionRef(BaseModel):
    """One immutable workflow version, named and pinned by the hash of its content."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    path: WorkflowPath
    version: Annotated[int, Field(ge=1)]
    sha256: Digest


class Intent(BaseModel):
    """What the actor signs. Members are those of the specification, in its words."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    v: Literal[1] = 1
    origin: Origin
    tenant: Tenant
    stream: StreamName
    seq: Annotated[int, Field(ge=1)]
    prev: Digest
    id: UuidText
    """Chosen by the client, unique in its stream: the idempotency key of the command."""
    definition: DefinitionRef | None = None
    action: ActionName
    key: ActorId
    at: InstantText
    """What the actor's clock said; never used to judge a key."""
    not_after: InstantText | None = None
    input: JsonObject

    def to_bytes(self) -> bytes:
        """Return the canonical bytes, which are what is signed and stored."""
        return canonical(document_of(self))

    def expired(self, now: datetime) -> bool:
        """Return whether the actor no longer wants this."""
        return self.not_after is not None and now > instant_of(self.not_after)


def parse_intent(body: bytes) -> Intent | Refused:
    """Return the intent that `body` is, or the first thing that is wrong with it and where."""
    return parse_model(Intent, body)


def intent_hash(body: bytes) -> str:
    """Return the hash by which a record names its intent."""
    return digest(MediaType.INTENT, body)


def signed_intent_bytes(body: bytes) -> bytes:
    """Return what the actor's signature covers."""
    return pae(MediaType.INTENT, body)


def reserved_input_of(input_: JsonObject) -> Refused | None:
    """Return the refusal of provenance that a caller wrote himself (X-01, X-02): never overwritten."""
    meta = input_.get("meta")
    if isinstance(meta, dict) and "automation" in meta:
        return _reserved("/input/meta/automation")
    return hidden_provenance(input_)


def with_provenance(input_: JsonObject, why: JsonObject) -> JsonObject:
    """Return what a worker signs: what its row gives, and why it acts. A `meta` that is no object goes."""
    meta = input_.get("meta")
    given = meta if isinstance(meta, dict) else {}
    return {**input_, "meta": {**given, "automation": why}}


def without_provenance(input_: JsonObject) -> JsonObject:
    """Return what an action takes: the input as it was given, without what a worker added to tell why it acts."""
    meta = input_.get("meta")
    if not isinstance(meta, dict) or "automation" not in meta:
        return input_
    given: JsonObject = {name: value for name, value in meta.items() if name != "automation"}
    rest = {name: value for name, value in input_.items() if name != "meta"}
    return {**rest, "meta": given} if given else rest


def hidden_provenance(input_: JsonObject) -> Refused | None:
    """Return the refusal of the second reserved name, `_automation`, which nobody may write."""
    if "_automation" in input_:
        return _reserved("/input/_automation")
    meta = input_.get("meta")
    return _reserved("/input/meta/_automation") if isinstance(meta, dict) and "_automation" in meta else None


def _reserved(at: str) -> Refused:
    return Refused(
        code=RefusalCode.RESERVED_INPUT,
        detail="only the automation worker writes this, copied from its row: leave it out",
        pointer=at,
    )
