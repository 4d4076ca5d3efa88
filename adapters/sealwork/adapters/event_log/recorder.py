"""What a recorder of sealed events must do: the library's contract, and ours beside it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any
from uuid import UUID

from eventsourcing.persistence import AggregateRecorder, IntegrityError, StoredEvent

from sealwork.adapters.event_log.mapper import SealedMapper
from sealwork.application.ports.chains import StreamHead
from sealwork.application.ports.event_log import AppendStatus, Commit, Item, Question, Snapshot, Verdict
from sealwork.application.ports.evidence import Misread
from sealwork.domain.ledger.listed_key import ListedKey
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.work.work_row import StoredWork, UnreadableWork


class SealedRecorder(AggregateRecorder):
    """An append-only recorder. It reads everything but bytes and lease tokens from the signed bytes."""

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int] | None:
        """Append `stored_events` as one commit; `states` are their state bytes, in the same order.

        Raises:
            IntegrityError: they do not extend their streams; nothing was written.
        """
        if not stored_events:
            return None
        mapper = SealedMapper()
        states: Sequence[bytes] = kwargs["states"]
        items = tuple(
            Item(event=mapper.to_domain_event(stored), state=state)
            for stored, state in zip(stored_events, states, strict=True)
        )
        bad = [verdict for verdict in self.append([items]) if verdict.status is not AppendStatus.APPENDED]
        if bad:
            raise IntegrityError(bad[0].status.value)
        return None

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """See `AggregateRecorder.select_events`."""
        tenant, _, stream = str(originator_id).partition(":")
        mapper = SealedMapper()
        found = self.events(tenant, stream, gt=gt, lte=lte, desc=desc, limit=limit)
        return [mapper.to_stored_event(event) for event in found]

    @abstractmethod
    def events(
        self,
        tenant: str,
        stream: str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[SealedEvent]:
        """Return what `select_events` does, not framed: the way of everything that reads here."""

    @abstractmethod
    def append(self, commits: Sequence[Commit]) -> Sequence[Verdict]:
        """See `EventLog.append`."""

    @abstractmethod
    def head(self, question: Question) -> Snapshot:
        """See `EventLog.head`."""

    @abstractmethod
    def heads(self, questions: Sequence[Question]) -> Sequence[Snapshot]:
        """See `EventLog.heads`."""

    @abstractmethod
    def streams(self, tenant: str | None) -> Iterator[StreamHead]:
        """See `Chains.streams`."""

    @abstractmethod
    def document(self, tenant: str, sha256: str) -> bytes | None:
        """See `Chains.document`."""

    @abstractmethod
    def work(self, tenant: str, stream: str) -> Iterator[StoredWork | UnreadableWork]:
        """See `Evidence.work`."""

    @abstractmethod
    def listed_keys(self, tenant: str) -> Sequence[ListedKey] | None:
        """See `Evidence.listed_keys`."""

    @abstractmethod
    def misread(self, tenant: str | None) -> Iterator[Misread]:
        """See `Evidence.misread`."""

    @abstractmethod
    def as_of_now(self) -> AbstractContextManager[SealedRecorder]:
        """See `EventLog.as_of_now`."""
