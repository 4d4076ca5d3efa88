"""Chains in memory: the same checks, in the same order, as the SQL function `append_events`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import islice

from sealwork.adapters.event_log.recorder import SealedRecorder
from sealwork.adapters.memory.materialise import materialise
from sealwork.adapters.memory.tables import Chain, Tables
from sealwork.application.ports.chains import StreamHead
from sealwork.application.ports.event_log import (
    MAX_AGE,
    AppendStatus,
    Commit,
    Item,
    Question,
    Snapshot,
    StoredIntent,
    Verdict,
)
from sealwork.application.ports.evidence import Misread
from sealwork.domain.ids import ACTOR_REGISTRY, RULE_SET, SYSTEM
from sealwork.domain.instants import instant_of
from sealwork.domain.ledger.envelope import genesis
from sealwork.domain.ledger.intent import Intent, intent_hash
from sealwork.domain.ledger.record import Positions, Record, state_hash
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.work.provenance import claimed_work
from sealwork.domain.work.work_row import StoredWork, WorkStatus


class MemoryRecorder(SealedRecorder):
    """A recorder that forgets at exit."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

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
        """See `SealedRecorder.events`."""
        with self._tables.lock:
            chain = self._tables.chains.get((tenant, stream), Chain())
            wanted = [e for e in chain.events if (gt is None or e.seq > gt) and (lte is None or e.seq <= lte)]
        ordered = reversed(wanted) if desc else iter(wanted)
        return list(islice(ordered, limit))

    def head(self, question: Question) -> Snapshot:
        """See `EventLog.head`."""
        tables, tenant, stream = self._tables, question.tenant, question.stream
        with tables.lock:
            chain = tables.chains.get((tenant, stream))
            last = chain.events[-1] if chain else None
            fired = tables.fired.get((tenant, *question.work)) if question.work else None
            work = tables.work_of(tenant, question.work[0]) if question.work else None
            return Snapshot(
                now=tables.clock.now(),
                seq=last.seq if last else 0,
                hash=last.hash if last else genesis(tables.origin, tenant, stream),
                state=chain.state if chain else None,
                head_record=last.record if last else None,
                head_intent=last.intent if last else None,
                actors=self._positions(tenant),
                rules=tables.position(tenant, RULE_SET),
                same_id=_same_id(chain, question.intent_id),
                fired=fired.receipt if fired else None,
                work=work.row if work else None,
            )

    def heads(self, questions: Sequence[Question]) -> Sequence[Snapshot]:
        """See `EventLog.heads`."""
        with self._tables.lock:
            return [self.head(question) for question in questions]

    def append(self, commits: Sequence[Commit]) -> Sequence[Verdict]:
        """See `EventLog.append`. All items are judged before any is written."""
        with self._tables.lock:
            flaw = self._flaw_in([item for commit in commits for item in commit])
            if flaw is None:
                judged = [[self._judge(item) for item in commit] for commit in commits]
                return [v for commit, own in zip(commits, judged, strict=True) for v in self._close(commit, own)]
            if len(commits) > 1:
                return [verdict for commit in commits for verdict in self.append([commit])]
            return [Verdict(status=AppendStatus.REFUSED, detail=flaw) for _ in commits[0]]

    def streams(self, tenant: str | None) -> Iterator[StreamHead]:
        """See `Chains.streams`."""
        with self._tables.lock:
            chains = {**self._tables.chains}
            worked = {(work.row.tenant, work.row.stream) for work in self._tables.work.values()}
        for owner, stream in sorted(chains.keys() | worked):
            if tenant in (None, owner):
                yield _head(owner, stream, chains.get((owner, stream), Chain()))

    def document(self, tenant: str, sha256: str) -> bytes | None:
        """See `Chains.document`."""
        return self._tables.documents.get((tenant, sha256))

    def work(self, tenant: str, stream: str) -> Iterator[StoredWork]:
        """See `Evidence.work`."""
        with self._tables.lock:
            kept = [
                work
                for work in self._tables.work.values()
                if (work.row.tenant, work.row.stream) == (tenant, stream)
            ]
        yield from sorted((work.stored() for work in kept), key=lambda stored: stored.seq)

    def listed_keys(self, tenant: str) -> None:
        """See `Evidence.listed_keys`: there is no table of actors here."""

    def misread(self, tenant: str | None) -> Iterator[Misread]:
        """See `Evidence.misread`."""
        return iter(())

    @contextmanager
    def as_of_now(self) -> Iterator[SealedRecorder]:
        """See `EventLog.as_of_now`: a copy; events are values, and are shared."""
        yield MemoryRecorder(self._tables.copied())

    def _positions(self, tenant: str) -> Positions:
        position = self._tables.position
        return Positions(tenant=position(tenant, ACTOR_REGISTRY), system=position(SYSTEM, ACTOR_REGISTRY))

    def _flaw_in(self, items: Sequence[Item]) -> str | None:
        """Return why these items cannot be judged together: PostgreSQL refuses such a batch as a whole."""
        if len({(item.event.tenant, item.event.stream) for item in items}) < len(items):
            return "a stream stands once in a batch"
        wrong = [at for at, item in enumerate(items, start=1) if not _agrees(item, self._tables.origin)]
        return f"signed bytes and batch differ in items {wrong}" if wrong else None

    def _judge(self, item: Item) -> Verdict:
        event, record = item.event, item.event.read_record
        assert isinstance(record, Record)
        chain = self._tables.chains.get((event.tenant, event.stream))
        intent = event.read_intent if isinstance(event.read_intent, Intent) else None
        stored = _same_id(chain, intent.id if intent else None)
        if stored is not None:
            same = stored.intent == event.intent
            status = AppendStatus.DUPLICATE if same else AppendStatus.ID_CONFLICT
            return Verdict(status=status, seq=stored.receipt.seq, hash=stored.receipt.hash)
        claim = claimed_work(intent) if intent else None
        fired = self._tables.fired.get((event.tenant, *claim)) if claim else None
        if fired is not None:
            return Verdict(status=AppendStatus.DUPLICATE, seq=fired.seq, hash=fired.hash)
        return Verdict(status=self._place(item, record, claim))

    def _place(self, item: Item, record: Record, claim: tuple[str, int] | None) -> AppendStatus:
        tenant, stream = record.tenant, record.stream
        chain = self._tables.chains.get((tenant, stream))
        hash_ = chain.events[-1].hash if chain else genesis(self._tables.origin, tenant, stream)
        if (record.seq, record.prev) != (self._tables.position(tenant, stream) + 1, hash_):
            return AppendStatus.STALE
        if claim is not None and not self._claimed(item, claim):
            return AppendStatus.NOT_CLAIMED
        context = (self._positions(tenant), self._tables.position(tenant, RULE_SET))
        is_late = self._tables.clock.now() - instant_of(record.recorded_at) > MAX_AGE
        moved = is_late or (record.actors, record.rules) != context
        return AppendStatus.CONTEXT_MOVED if moved else AppendStatus.APPENDED

    def _claimed(self, item: Item, claim: tuple[str, int]) -> bool:
        work = self._tables.work_of(item.event.tenant, claim[0])
        if work is None or item.lease is None:
            return False
        row = work.row
        held = row.status is WorkStatus.CLAIMED and row.lease_token == item.lease
        return held and row.stream == item.event.stream and row.occurrence == claim[1]

    def _close(self, commit: Commit, own: Sequence[Verdict]) -> Iterator[Verdict]:
        """A commit stands whole or falls whole; a duplicate is told even then."""
        bad = sorted(verdict.status for verdict in own if verdict.status is not AppendStatus.APPENDED)
        for item, verdict in zip(commit, own, strict=True):
            if not bad:
                self._write(item)
                yield Verdict(status=AppendStatus.APPENDED, seq=item.event.seq, hash=item.event.hash)
            elif verdict.status in (AppendStatus.DUPLICATE, bad[0]):
                yield verdict
            else:
                yield Verdict(status=bad[0])

    def _write(self, item: Item) -> None:
        event, tables = item.event, self._tables
        record, intent = event.read_record, event.read_intent
        assert isinstance(record, Record)
        chain = tables.chains.setdefault((event.tenant, event.stream), Chain())
        chain.events.append(event)
        chain.state = item.state
        if isinstance(intent, Intent):
            claim = claimed_work(intent)
            if claim is not None:
                tables.fired[(event.tenant, *claim)] = event
        materialise(tables, event, record)
        if item.document is not None:
            tables.documents[(event.tenant, sha256(item.document).hexdigest())] = item.document


def _head(tenant: str, stream: str, chain: Chain) -> StreamHead:
    if not chain.events:
        return StreamHead(tenant=tenant, stream=stream, seq=0, hash="", state=None)
    last = chain.events[-1]
    return StreamHead(tenant=tenant, stream=stream, seq=last.seq, hash=last.hash, state=chain.state)


def _same_id(chain: Chain | None, intent_id: str | None) -> StoredIntent | None:
    for event in chain.events if chain and intent_id else ():
        intent = event.read_intent
        if isinstance(intent, Intent) and intent.id == intent_id and event.intent is not None:
            return StoredIntent(intent=event.intent, receipt=event.receipt)
    return None


def _agrees(item: Item, origin: str) -> bool:
    """What the item says beside its bytes must be what the bytes say, and the record what the intent says."""
    event, record, intent = item.event, item.event.read_record, item.event.read_intent
    if not isinstance(record, Record) or state_hash(item.state) != record.state.sha256:
        return False
    place = (record.origin, record.tenant, record.stream, record.seq)
    if place != (origin, event.tenant, event.stream, event.seq):
        return False
    if event.intent is None or event.intent_sig is None:
        caused = record.intent is None and record.cause is not None
        return caused and event.intent is event.intent_sig is item.document is None
    if not isinstance(intent, Intent) or record.cause is not None:
        return False
    told = (intent.origin, intent.tenant, intent.stream, intent.seq, intent.prev, intent.key)
    sealed = (intent_hash(event.intent), event.intent_sig.hex())
    if (*told, *sealed) != (*place, record.prev, record.actor, record.intent, record.intent_sig):
        return False
    return item.document is None or intent.input.get("sha256") == sha256(item.document).hexdigest()
