"""Sealed events as the library's stored events, and back: the signed bytes stand there verbatim.

`state` is four byte strings, intent, its signature, record, its signature, each behind its length as four bytes
big-endian; an absent one has the length 2³²−1 and no bytes. The view `sealwork.stored_events` writes the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import Mapper, MapperDeserialisationError, StoredEvent

from sealwork.domain.ledger.sealed_event import SealedEvent

TOPIC = "sealwork.domain.ledger.sealed_event:SealedEvent"
_ABSENT = b"\xff\xff\xff\xff"


class SealedMapper(Mapper[str]):
    """The library's mapper, without transcoder, cipher or compressor: what was signed is what is stored."""

    def __init__(self) -> None:
        """There is nothing to configure."""

    def to_stored_event(self, domain_event: DomainEventProtocol[str]) -> StoredEvent:
        """Return the stored form of a `SealedEvent`."""
        if not isinstance(domain_event, SealedEvent):
            raise TypeError(f"a {type(domain_event).__name__} is no sealed event")
        event = domain_event
        return StoredEvent(
            originator_id=event.originator_id,
            originator_version=event.originator_version,
            topic=TOPIC,
            state=framed(event.intent, event.intent_sig, event.record, event.record_sig),
        )

    def to_domain_event(self, stored_event: StoredEvent) -> SealedEvent:
        """Return the sealed event.

        Raises:
            MapperDeserialisationError: the stored bytes are not four framed strings, or no tenant's.
        """
        tenant, colon, stream = str(stored_event.originator_id).partition(":")
        parts = tuple(_unframed(stored_event.state))
        if stored_event.topic != TOPIC or not colon or len(parts) != 4 or parts[2] is None or parts[3] is None:
            raise MapperDeserialisationError(f"not a sealed event: {stored_event.originator_id}")
        return SealedEvent(
            tenant=tenant,
            stream=stream,
            seq=stored_event.originator_version,
            intent=parts[0],
            intent_sig=parts[1],
            record=parts[2],
            record_sig=parts[3],
        )


def framed(*parts: bytes | None) -> bytes:
    """Return the parts, each behind its length."""
    return b"".join(_ABSENT if part is None else len(part).to_bytes(4, "big") + part for part in parts)


def _unframed(state: bytes) -> Iterator[bytes | None]:
    at = 0
    while at < len(state):
        length, at = state[at : at + 4], at + 4
        if length == _ABSENT:
            yield None
            continue
        end = at + int.from_bytes(length, "big")
        if len(length) < 4 or end > len(state):
            raise MapperDeserialisationError("a framed string ends early")
        yield state[at:end]
        at = end
