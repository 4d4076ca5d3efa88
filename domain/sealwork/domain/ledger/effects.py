"""Effects: what an event makes in its own commit, as members of its record.

Source: events.md, "Record", `effects`. Everything here can be computed again from the chain alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, Literal, TypeAlias, cast
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from sealwork.domain.ids import Digest, UuidText
from sealwork.domain.instants import InstantText
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import canonical
from sealwork.domain.ledger.envelope import MediaType, digest
from sealwork.domain.ledger.intent import DefinitionRef


class _Effect(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=True)


class CalendarRef(_Effect):
    """One version of a business calendar, pinned by the hash of its content."""

    id: str
    version: Annotated[int, Field(ge=1)]
    sha256: Digest


class Cancel(_Effect):
    """The live timer of this schedule id, if there is one, ends."""

    kind: Literal["cancel"] = "cancel"
    id: str


class Schedule(_Effect):
    """A timer begins; a live one of the same id is replaced. `every` is in whole seconds."""

    kind: Literal["schedule"] = "schedule"
    id: str
    work: UuidText
    action: str
    data: JsonObject
    run_at: InstantText
    every: Annotated[int, Field(ge=1)] | None = None
    until: InstantText | None = None
    count: Annotated[int, Field(ge=1)] | None = None
    adjust: Literal["following", "preceding"] | None = None
    misfire: Literal["fire_once", "skip"] | None = None
    calendar: CalendarRef | None = None
    hash_at: tuple[str, ...] | None = Field(default=None, strict=False)
    failed: str | None = None
    """Why the row is born failed (ADR 0014)."""


class Spawn(_Effect):
    """A child process begins, in the same commit."""

    kind: Literal["spawn"] = "spawn"
    id: str
    process: str
    definition: DefinitionRef
    action: str
    data: JsonObject
    hash_at: tuple[str, ...] | None = Field(default=None, strict=False)


class Auto(_Effect):
    """An automatic action is available after the event."""

    kind: Literal["auto"] = "auto"
    work: UuidText
    action: str
    data: JsonObject
    hash_at: tuple[str, ...] | None = Field(default=None, strict=False)
    failed: str | None = None
    """Why the row is born failed (ADR 0014)."""


class RuleAction(_Effect):
    """A published rule matched and raises an action."""

    kind: Literal["rule"] = "rule"
    work: UuidText
    rule: str
    version: Annotated[int, Field(ge=1)]
    action: str
    data: JsonObject


Effect: TypeAlias = Annotated[Cancel | Schedule | Spawn | Auto | RuleAction, Field(discriminator="kind")]


class Place(BaseModel):
    """Where an event will stand; with the index of an effect it names what that effect makes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    origin: str
    tenant: str
    stream: str
    seq: int


def derived_id(place: Place, index: int) -> UUID:
    """Return the id of what effect `index`, counted from 0 in the record's list, makes (UUIDv8, RFC 9562)."""
    body = b"%b,%d]" % (_opening(place.origin, place.tenant, place.stream, place.seq), index)
    octets = bytearray(bytes.fromhex(digest(MediaType.WORK, body))[:16])
    octets[6] = octets[6] & 0x0F | 0x80
    octets[8] = octets[8] & 0x3F | 0x80
    return UUID(bytes=bytes(octets))


@lru_cache(maxsize=1)
def _opening(origin: str, tenant: str, stream: str, seq: int) -> bytes:
    """Return the canonical list of these four, still open: one event asks for it once for each of its effects."""
    return canonical([origin, tenant, stream, seq])[:-1]


def with_hash(data: JsonObject, pointers: Iterable[str], event_hash: str) -> JsonObject:
    """Return `data` with the hash of its event where an effect left room for it (`hash_at`)."""
    value: JsonValue = data
    for pointer in pointers:
        path = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
        value = _replaced(value, path, event_hash)
    return cast(JsonObject, value)


def _replaced(value: JsonValue, path: list[str], event_hash: str) -> JsonValue:
    if not path:
        return event_hash
    step, rest = path[0], path[1:]
    if isinstance(value, list):
        index = int(step)
        return [_replaced(item, rest, event_hash) if at == index else item for at, item in enumerate(value)]
    if isinstance(value, dict):
        return {name: _replaced(item, rest, event_hash) if name == step else item for name, item in value.items()}
    return value
