"""Evidence: a log and all that stands beside its signed bytes, as of one moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from sealwork.application.ports.chains import Chains, StreamHead
from sealwork.domain.ledger.listed_key import ListedKey
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.work.work_row import StoredWork, UnreadableWork


class Misread(NamedTuple):
    """A column beside the signed bytes of an event that says something else than they do."""

    tenant: str
    stream: str
    seq: int
    column: str


class Evidence(Chains, Protocol):
    """What verification reads. What others append meanwhile is not seen in it."""

    def head_of(self, tenant: str, stream: str) -> StreamHead | None:
        """Return the head of one stream as `streams` gives it, None if there is no such stream.

        Raises:
            Unavailable: the log did not answer.
        """
        ...

    def event(self, tenant: str, stream: str, seq: int) -> SealedEvent | None:
        """Return one event, None if it is not there.

        Raises:
            Unavailable: the log did not answer.
        """
        ...

    def work(self, tenant: str, stream: str) -> Iterator[StoredWork | UnreadableWork]:
        """Return the work rows of a process, in the order of the events that they name as their cause.

        Raises:
            Unavailable: the log did not answer.
        """
        ...

    def listed_keys(self, tenant: str) -> Sequence[ListedKey] | None:
        """Return what the table of actors says, by key; None where nothing but the chain says who acts.

        Raises:
            Unavailable: the log did not answer.
        """
        ...

    def misread(self, tenant: str | None = None) -> Iterator[Misread]:
        """Return the columns that say something else than the signed bytes, of one tenant or of all.

        Nothing where no columns stand beside the bytes. Whether the bytes are right is not asked here.

        Raises:
            Unavailable: the log did not answer.
        """
        ...


class EvidenceSource(Protocol):
    """What evidence is taken from: a log, or a bundle of one."""

    def as_of_now(self) -> AbstractContextManager[Evidence]:
        """Give the log and what stands beside it as of one moment, to read.

        Raises:
            Unavailable: the log did not answer.
        """
        ...
