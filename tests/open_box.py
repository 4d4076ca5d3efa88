"""A deployment in memory that lies open: tests compare its tables, change them behind the engine's back, and
step in between what the engine has read and what it appends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

from sealing import ONBOARDING, ORIGIN, START, TENANT, Deployment
from sealwork.adapters.clocks import SteppingClock
from sealwork.adapters.event_log.recorded_log import RecordedEventLog
from sealwork.adapters.memory.recorder import MemoryRecorder
from sealwork.adapters.memory.system_log import MemorySystemLog
from sealwork.adapters.memory.tables import Chain, Tables
from sealwork.adapters.memory.work_store import MemoryWorkStore
from sealwork.application.ports.chains import Folded, StreamHead
from sealwork.application.ports.event_log import Commit, EventLog, Question, Snapshot, Verdict
from sealwork.application.ports.evidence import Evidence, Misread
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.listed_key import ListedKey
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.work.work_row import StoredWork, UnreadableWork, WorkRow


class OpenEvidence:
    """The evidence of an open log: with the same heads, wrong as they are."""

    def __init__(self, evidence: Evidence, log: OpenLog) -> None:
        self._evidence = evidence
        self._log = log

    def streams(self, tenant: str | None = None) -> Iterator[StreamHead]:
        """See `Chains.streams`."""
        return self._log.as_said(self._evidence.streams(tenant), tenant)

    def load(self, tenant: str, stream: str, fold: Callable[[Iterable[SealedEvent]], Folded]) -> Folded:
        """See `Chains.load`."""
        return self._evidence.load(tenant, stream, fold)

    def document(self, tenant: str, sha256: str) -> bytes | None:
        """See `Chains.document`."""
        return self._evidence.document(tenant, sha256)

    def head_of(self, tenant: str, stream: str) -> StreamHead | None:
        """See `Evidence.head_of`."""
        return next((head for head in self.streams(tenant) if head.stream == stream), None)

    def event(self, tenant: str, stream: str, seq: int) -> SealedEvent | None:
        """See `Evidence.event`."""
        return self._evidence.event(tenant, stream, seq)

    def work(self, tenant: str, stream: str) -> Iterator[StoredWork | UnreadableWork]:
        """See `Evidence.work`."""
        return self._evidence.work(tenant, stream)

    def listed_keys(self, tenant: str) -> Sequence[ListedKey] | None:
        """See `Evidence.listed_keys`."""
        return self._evidence.listed_keys(tenant)

    def misread(self, tenant: str | None = None) -> Iterator[Misread]:
        """See `Evidence.misread`."""
        return self._evidence.misread(tenant)


class OpenLog:
    """An event log whose head rows can be replaced, and that lets something happen before an append."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self.before_append: Iterator[Callable[[], object]] = iter(())
        """One call for each append to come; the rest happen undisturbed."""
        self.head_rows: dict[str, dict[str, object]] = {}
        """What the head row of a stream says instead."""
        self.headless: list[StreamHead] = []
        """Heads of streams that the tables do not have, or no longer."""

    def head(self, question: Question) -> Snapshot:
        """See `EventLog.head`."""
        return self._log.head(question).model_copy(update=self.head_rows.get(question.stream))

    def heads(self, questions: Sequence[Question]) -> Sequence[Snapshot]:
        """See `EventLog.heads`."""
        return [self.head(question) for question in questions]

    def load(self, tenant: str, stream: str, fold: Callable[[Iterable[SealedEvent]], Folded]) -> Folded:
        """See `Chains.load`."""
        return self._log.load(tenant, stream, fold)

    def append(self, commits: Sequence[Commit]) -> Sequence[Verdict]:
        """See `EventLog.append`."""
        for happens in self.before_append:
            happens()
            break
        return self._log.append(commits)

    def streams(self, tenant: str | None = None) -> Iterator[StreamHead]:
        """See `Chains.streams`."""
        return self.as_said(self._log.streams(tenant), tenant)

    def document(self, tenant: str, sha256: str) -> bytes | None:
        """See `Chains.document`."""
        return self._log.document(tenant, sha256)

    def as_said(self, heads: Iterable[StreamHead], tenant: str | None) -> Iterator[StreamHead]:
        """Return heads as this log says them."""
        for head in heads:
            yield head.model_copy(update=self.head_rows.get(head.stream))
        yield from (head for head in self.headless if tenant in (None, head.tenant))

    @contextmanager
    def as_of_now(self) -> Iterator[Evidence]:
        """See `EventLog.as_of_now`."""
        with self._log.as_of_now() as evidence:
            yield OpenEvidence(evidence, self)


class OpenBox(Deployment):
    """A deployment over `tables` and, between them and everybody, `open_log`."""

    def __init__(self, tables: Tables, clock: SteppingClock, *, origin: str = ORIGIN) -> None:
        self.tables, self.stepping = tables, clock
        self.open_log = OpenLog(RecordedEventLog(MemoryRecorder(tables)))
        self.system_log = MemorySystemLog(tables)
        super().__init__(
            self.open_log,
            MemoryWorkStore(tables),
            clock,
            clock.set,
            origin=origin,
            system_log=self.system_log,
        )

    def picture(self) -> object:
        """Return all that the tables hold, to be compared with another picture."""
        tables = self.tables
        chains = {key: (tuple(chain.events), chain.state) for key, chain in tables.chains.items()}
        work = {key: replace(work) for key, work in tables.work.items()}
        return chains, dict(tables.fired), dict(tables.documents), work

    def chain(self, stream: str, tenant: str = TENANT) -> Chain:
        """Return the stored chain of a stream."""
        return self.tables.chains[(tenant, stream)]

    def events(self, stream: str, tenant: str = TENANT) -> list[SealedEvent]:
        """Return the stored events of a stream."""
        return self.chain(stream, tenant).events

    def alter(self, stream: str, seq: int, tenant: str = TENANT, /, **members: bytes | None) -> None:
        """Replace members of a stored event, as somebody with every right on the database could."""
        events = self.events(stream, tenant)
        stored = {name: getattr(events[seq - 1], name) for name in SealedEvent.model_fields}
        events[seq - 1] = SealedEvent.model_validate(stored | members)

    def rows(self, process_id: str) -> list[WorkRow]:
        """Return the work rows of a process, oldest first."""
        return list(self.store.of_process(TENANT, f"process/{process_id}"))


def an_empty_box(origin: str = ORIGIN, *, stored_origin: str | None = None) -> OpenBox:
    """Return an open deployment without events; its tables may belong to the log of another origin."""
    clock = SteppingClock(START)
    return OpenBox(Tables(origin=stored_origin or origin, clock=clock), clock, origin=origin)


def an_open_box(workflow: JsonObject = ONBOARDING) -> OpenBox:
    """Return an open deployment where maria (intake) and ana (analyst) can work by `workflow`."""
    box = an_empty_box()
    box.bootstrap()
    box.admit("maria", KeyClass.PERSON, "intake")
    box.admit("ana", KeyClass.PERSON, "analyst")
    box.published(workflow)
    return box


def a_box_with_a_story() -> OpenBox:
    """Return an open deployment where c-1 has four events, two of them by the machine, and c-2 has one."""
    box = an_open_box()
    box.begin("c-1")
    box.take("c-1", "submit", "maria", {"country": "SE"})
    box.fire_due()
    box.wait(timedelta(hours=49))
    box.fire_due()
    box.begin("c-2")
    return box
