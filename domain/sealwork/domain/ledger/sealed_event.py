"""A sealed event: the four byte strings that are stored for ever, and nothing else.

It satisfies `eventsourcing`'s DomainEventProtocol[str] by its shape (D-08).
"""

from __future__ import annotations

from functools import cached_property

from pydantic import BaseModel, ConfigDict

from sealwork.domain.ledger.intent import Intent, parse_intent
from sealwork.domain.ledger.record import Record, parse_record, record_hash
from sealwork.domain.ledger.submission import Receipt
from sealwork.domain.refusals import Refused


class SealedEvent(BaseModel):
    """What the actor signed and what the engine countersigned, verbatim."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    tenant: str
    stream: str
    seq: int
    intent: bytes | None
    intent_sig: bytes | None
    record: bytes
    record_sig: bytes

    @property
    def originator_id(self) -> str:
        """Return the aggregate's id across tenants."""
        return f"{self.tenant}:{self.stream}"

    @property
    def originator_version(self) -> int:
        """Return the position in the stream, from 1."""
        return self.seq

    @cached_property
    def hash(self) -> str:
        """Return the event hash."""
        return record_hash(self.record)

    @cached_property
    def read_record(self) -> Record | Refused:
        """Return the record as a value, or why its bytes are none."""
        return parse_record(self.record)

    @cached_property
    def read_intent(self) -> Intent | Refused | None:
        """Return the intent as a value, why its bytes are none, or None for an event with a cause."""
        return None if self.intent is None else parse_intent(self.intent)

    @property
    def receipt(self) -> Receipt:
        """Return what the client keeps of this event."""
        return Receipt(
            tenant=self.tenant,
            stream=self.stream,
            seq=self.seq,
            hash=self.hash,
            record=self.record,
            record_sig=self.record_sig,
        )
