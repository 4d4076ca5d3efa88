"""The port `EventLog` over the library's event store and one of our recorders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import cast

from eventsourcing.persistence import EventStore

from sealwork.adapters.event_log.mapper import SealedMapper
from sealwork.adapters.event_log.recorder import SealedRecorder
from sealwork.application.ports.event_log import Commit, EventLog, Folded, Question, Snapshot, StreamHead, Verdict
from sealwork.domain.ledger.sealed_event import SealedEvent

PAGE = 500
"""Events held in memory at once while a stream is folded."""


class RecordedEventLog:
    """An event log whose chains a `SealedRecorder` keeps."""

    def __init__(self, recorder: SealedRecorder) -> None:
        self._recorder = recorder
        self._events: EventStore[str] = EventStore(mapper=SealedMapper(), recorder=recorder)

    def head(self, question: Question) -> Snapshot:
        """See `EventLog.head`."""
        return self._recorder.head(question)

    def load(self, tenant: str, stream: str, fold: Callable[[Iterable[SealedEvent]], Folded]) -> Folded:
        """See `EventLog.load`."""
        return fold(self._pages(f"{tenant}:{stream}"))

    def append(self, commits: Sequence[Commit]) -> Sequence[Verdict]:
        """See `EventLog.append`."""
        return self._recorder.append(commits)

    def streams(self, tenant: str | None = None) -> Iterator[StreamHead]:
        """See `EventLog.streams`."""
        return self._recorder.streams(tenant)

    def document(self, tenant: str, sha256: str) -> bytes | None:
        """See `EventLog.document`."""
        return self._recorder.document(tenant, sha256)

    @contextmanager
    def as_of_now(self) -> Iterator[EventLog]:
        """See `EventLog.as_of_now`."""
        with self._recorder.as_of_now() as recorder:
            yield RecordedEventLog(recorder)

    def _pages(self, originator_id: str) -> Iterator[SealedEvent]:
        last: int | None = None
        while True:
            page = [cast(SealedEvent, event) for event in self._events.get(originator_id, gt=last, limit=PAGE)]
            yield from page
            if len(page) < PAGE:
                return
            last = page[-1].seq
