"""The chains of a log, to read: what every reader and every proof begins with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from sealwork.domain.ledger.sealed_event import SealedEvent

Folded = TypeVar("Folded")


class StreamHead(BaseModel):
    """The head row of a stream, which verification holds against the events."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tenant: str
    stream: str
    seq: int
    hash: str
    state: bytes | None


class Chains(Protocol):
    """Chains and documents, byte for byte as they were appended."""

    def load(self, tenant: str, stream: str, fold: Callable[[Iterable[SealedEvent]], Folded]) -> Folded:
        """Return `fold` over the events of a stream, oldest first; over nothing if there is no such stream.

        Raises:
            Unavailable: the log did not answer.
        """
        ...

    def streams(self, tenant: str | None = None) -> Iterator[StreamHead]:
        """Return the heads of all streams, of one tenant or of all, by (tenant, stream) bytewise.

        A stream with events or work rows but no head row is among them, with seq 0 and an empty hash.

        Raises:
            Unavailable: the log did not answer.
        """
        ...

    def document(self, tenant: str, sha256: str) -> bytes | None:
        """Return the bytes stored under a content hash; the caller holds them against it.

        Raises:
            Unavailable: the log did not answer.
        """
        ...
