"""A bundle: chains, documents and work rows, written down so that another person can check them.

What is read back is taken only if it is what would be written.

Source: docs/reference/bundle.md, which is enough to write another reader.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from sealwork.application.ports.chains import StreamHead
from sealwork.domain.ids import ActorId, Digest, Origin, StreamName, Tenant
from sealwork.domain.instants import InstantText, instant_text
from sealwork.domain.json_value import JsonValue
from sealwork.domain.ledger.canonical import canonical, parse_canonical
from sealwork.domain.ledger.members import document_of, parse_model
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.work.work_row import StoredWork

MANIFEST = "manifest.json"
REPORT = "report.html"

MAX_FILES = 10_000
"""With the manifest: its list stays small enough to be read at once."""
MAX_MANIFEST_BYTES = 4_194_304
"""Four times what the longest list of files needs."""
MAX_LINE_BYTES = 524_288
"""The largest intent and record, in base64, with their signatures, and some room."""
MAX_FILE_BYTES = 1_000_000_000
"""About 400,000 events in one chain."""
MAX_TOTAL_BYTES = 2_000_000_000
"""Unpacked. Below 2³¹ no archive needs the 64-bit forms of the format, where readers differ most."""


class BundleFlaw(StrEnum):
    """Why a bundle is not read any further. Codes are stable."""

    NOT_A_BUNDLE = "not_a_bundle"
    TOO_LARGE = "bundle_too_large"
    ALTERED = "bundle_altered"
    OTHER_LOG = "other_log"


class BadBundle(BaseModel):
    """A bundle that is not read any further; `file` is the part of it that is meant."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: BundleFlaw
    detail: str
    file: str | None = None


class _Written(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class FileEntry(_Written):
    """One file of the bundle; its hash is plain SHA-256."""

    name: str
    size: Annotated[int, Field(ge=0)]
    sha256: Digest


class Manifest(_Written):
    """What the bundle is about, and all other files in it. Nobody signs it: the proof is in the events."""

    v: Literal[1] = 1
    origin: Origin
    root: ActorId
    tenant: Tenant
    exported_at: InstantText
    processes: tuple[str, ...] = Field(strict=False)
    files: tuple[FileEntry, ...] = Field(strict=False)

    def to_bytes(self) -> bytes:
        """Return the canonical bytes."""
        return canonical(document_of(self))


def _checked_base64(text: str) -> str:
    if b64encode(b64decode(text, validate=True)).decode() != text:
        raise ValueError("not the one base64 of its bytes")
    return text


Base64 = Annotated[str, AfterValidator(_checked_base64)]


class _HeadLine(_Written):
    tenant: Tenant
    stream: StreamName
    seq: Annotated[int, Field(ge=0)]
    hash: Annotated[str, Field(pattern=r"^([0-9a-f]{2})*$")]
    state: Base64 | None = None


class _EventLine(_Written):
    seq: Annotated[int, Field(ge=1)]
    intent: Base64 | None = None
    intent_sig: Base64 | None = None
    record: Base64
    record_sig: Base64


def head_line(head: StreamHead) -> bytes:
    """Return the first line of a chain's file."""
    state = _text(head.state)
    return _line(_HeadLine(tenant=head.tenant, stream=head.stream, seq=head.seq, hash=head.hash, state=state))


def read_head(line: bytes) -> StreamHead | Refused:
    """Return the head that a line describes."""
    read = parse_model(_HeadLine, line, limit=MAX_LINE_BYTES)
    if isinstance(read, Refused):
        return read
    state = _bytes(read.state)
    return StreamHead(tenant=read.tenant, stream=read.stream, seq=read.seq, hash=read.hash, state=state)


def event_line(event: SealedEvent) -> bytes:
    """Return one further line of a chain's file."""
    return _line(
        _EventLine(
            seq=event.seq,
            intent=_text(event.intent),
            intent_sig=_text(event.intent_sig),
            record=b64encode(event.record).decode(),
            record_sig=b64encode(event.record_sig).decode(),
        )
    )


def read_event(head: StreamHead, line: bytes) -> SealedEvent | Refused:
    """Return the event of `head`'s chain that a line describes."""
    read = parse_model(_EventLine, line, limit=MAX_LINE_BYTES)
    if isinstance(read, Refused):
        return read
    return SealedEvent(
        tenant=head.tenant,
        stream=head.stream,
        seq=read.seq,
        intent=_bytes(read.intent),
        intent_sig=_bytes(read.intent_sig),
        record=b64decode(read.record),
        record_sig=b64decode(read.record_sig),
    )


def work_line(stored: StoredWork) -> bytes:
    """Return a work row without its lease token, which is for its worker alone.

    Raises:
        ValueError: the row holds what canonical JSON cannot: somebody changed it.
    """
    row = stored.row.model_copy(update={"lease_token": None})
    return canonical(_plain(stored.model_copy(update={"row": row}))) + b"\n"


def read_work(line: bytes) -> StoredWork | Refused:
    """Return the work row that a line describes."""
    value = parse_canonical(line, limit=MAX_LINE_BYTES)
    if isinstance(value, Refused):
        return value
    try:
        stored = StoredWork.model_validate(value)
        again = work_line(stored)
    except (ValidationError, ValueError, OverflowError) as error:
        return refused(RefusalCode.NOT_CANONICAL, str(error).partition("\n")[0])
    return stored if again == line + b"\n" else refused(RefusalCode.NOT_CANONICAL, "not as it would be written")


def _line(model: BaseModel) -> bytes:
    return canonical(document_of(model)) + b"\n"


def _text(body: bytes | None) -> str | None:
    return None if body is None else b64encode(body).decode()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else b64decode(text)


def _plain(value: object) -> JsonValue:
    """As `document_of`, with the instants and ids of a row as text."""
    match value:
        case BaseModel():
            return {name: _plain(member) for name, member in value if member is not None}
        case datetime():
            return instant_text(value)
        case UUID():
            return str(value)
        case StrEnum():
            return value.value
        case _:
            return _json(value)


def _json(value: object) -> JsonValue:
    """Return JSON as it is; the rows of a store hold nothing else."""
    assert value is None or isinstance(value, bool | int | float | str | list | dict)
    return value
