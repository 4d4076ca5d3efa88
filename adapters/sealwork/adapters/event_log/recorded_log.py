"""The port `EventLog` over one of our recorders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from sealwork.adapters.event_log.recorder import SealedRecorder
from sealwork.application.ports.chains import Folded, StreamHead
from sealwork.application.ports.event_log import Commit, Question, Snapshot, Verdict
from sealwork.application.ports.evidence import Evidence, Misread
from sealwork.domain.ledger.listed_key import ListedKey
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.work.work_row import StoredWork, UnreadableWork

PAGE = 500
"""Events held in memory at once while a stream is folded."""


class RecordedEvidence:
    """What a `SealedRecorder` keeps, to read."""

    def __init__(self, recorder: SealedRecorder) -> None:
        self._recorder = recorder

    def load(self, tenant: str, stream: str, fold: Callable[[Iterable[SealedEvent]], Folded]) -> Folded:
        """See `Chains.load`."""
        return fold(self._pages(tenant, stream))

    def streams(self, tenant: str | None = None) -> Iterator[StreamHead]:
        """See `Chains.streams`."""
        return self._recorder.streams(tenant)

    def document(self, tenant: str, sha256: str) -> bytes | None:
        """See `Chains.document`."""
        return self._recorder.document(tenant, sha256)

    def head_of(self, tenant: str, stream: str) -> StreamHead | None:
        """See `Evidence.head_of`."""
        head = self._recorder.head(Question(tenant=tenant, stream=stream))
        if head.seq > 0:
            return StreamHead(tenant=tenant, stream=stream, seq=head.seq, hash=head.hash, state=head.state)
        headless = bool(self._recorder.events(tenant, stream, limit=1))
        return StreamHead(tenant=tenant, stream=stream, seq=0, hash="", state=None) if headless else None

    def event(self, tenant: str, stream: str, seq: int) -> SealedEvent | None:
        """See `Evidence.event`."""
        return next(iter(self._recorder.events(tenant, stream, gt=seq - 1, lte=seq)), None)

    def work(self, tenant: str, stream: str) -> Iterator[StoredWork | UnreadableWork]:
        """See `Evidence.work`."""
        return self._recorder.work(tenant, stream)

    def listed_keys(self, tenant: str) -> Sequence[ListedKey] | None:
        """See `Evidence.listed_keys`."""
        return self._recorder.listed_keys(tenant)

    def misread(self, tenant: str | None = None) -> Iterator[Misread]:
        """See `Evidence.misread`."""
        return self._recorder.misread(tenant)

    def _pages(self, tenant: str, stream: str) -> Iterator[SealedEvent]:
        last: int | None = None
        while True:
            page = self._recorder.events(tenant, stream, gt=last, limit=PAGE)
            yield from page
            if len(page) < PAGE:
                return
            last = page[-1].seq


class RecordedEventLog(RecordedEvidence):
    """An event log whose chains a `SealedRecorder` keeps."""

    def head(self, question: Question) -> Snapshot:
        """See `EventLog.head`."""
        return self._recorder.head(question)

    def heads(self, questions: Sequence[Question]) -> Sequence[Snapshot]:
        """See `EventLog.heads`."""
        return self._recorder.heads(questions)

    def append(self, commits: Sequence[Commit]) -> Sequence[Verdict]:
        """See `EventLog.append`."""
        return self._recorder.append(commits)

    @contextmanager
    def as_of_now(self) -> Iterator[Evidence]:
        """See `EventLog.as_of_now`."""
        with self._recorder.as_of_now() as recorder:
            yield RecordedEvidence(recorder)
