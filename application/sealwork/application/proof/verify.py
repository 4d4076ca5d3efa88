"""Verifying the whole log: every chain from its genesis to its head, and what that did not prove.

Source: events.md, "Verification".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import chain, islice
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from sealwork.application.ledger.actor_registries import registries
from sealwork.application.ports.chains import StreamHead
from sealwork.application.ports.evidence import Evidence, EvidenceSource, Misread
from sealwork.application.ports.signatures import SignatureVerifier
from sealwork.application.proof.decide_again import ChainAgain, DecideAgain
from sealwork.application.proof.lineage import Suspects, cause_differs, missing_children
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import ACTOR_REGISTRY, PROCESS, SYSTEM, process_stream, stream_kind
from sealwork.domain.ledger.actors import ActorHistory, ActorRegistry
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.listed_key import listed
from sealwork.domain.ledger.record import Record, state_hash
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.proof.chain import Link, Trust, check_event, first_link, link_of
from sealwork.domain.proof.findings import Finding, FindingCode
from sealwork.domain.proof.promises import Promises

_TELL = 200
"""Events between two tellings of how far it has come."""
NOT_PROVEN = (
    "that the last events of a chain, or a whole chain, were not cut off together with the head: no copy outside "
    "this database was compared",
    "that a skipped or failed row, or an occurrence without an event, was rightly given up, and when a row was "
    "tried: refused attempts leave no event",
)
"""What no verification of one log can show, in the words that are printed each time."""
OTHERS = "anything about other processes: they were not looked at, and may have begun these, or been begun by them"


class Report(BaseModel):
    """What was checked, what was found, and what was not proven."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    streams: int
    events: int
    decided: int
    """Events that were decided again, to the same bytes."""
    rows: int
    """Work rows that were held against the effects of their events."""
    suppressed: int
    """Automatic actions without a row of their own."""
    findings: tuple[Finding, ...]
    others: bool = False
    """Whether there may be processes that were not looked at, since only some were asked for."""

    @property
    def intact(self) -> bool:
        """Return whether nothing wrong was found."""
        return not self.findings

    @property
    def not_proven(self) -> tuple[str, ...]:
        """Return what this does not show, in the words that are printed each time."""
        undecided = self.events - self.decided
        broken = f"that {undecided} events were permitted: the chain is broken before, or the workflow is gone"
        stood_for = (
            f"that {self.suppressed} automatic actions needed no row of their own: an older one may have waited"
        )
        gaps = {OTHERS: self.others, broken: undecided, stood_for: self.suppressed}
        return (*NOT_PROVEN, *(gap for gap, is_one in gaps.items() if is_one))


def merged(reports: Sequence[Report]) -> Report:
    """Return the report of all parts of one verification, the findings by place."""
    found = [finding for report in reports for finding in report.findings]
    nothing = [finding for finding in found if finding.code is FindingCode.NOTHING_CHECKED]
    something = [finding for finding in found if finding.code is not FindingCode.NOTHING_CHECKED]
    findings = something + (nothing[:1] if len(nothing) == len(reports) else [])
    return Report(
        streams=sum(report.streams for report in reports),
        events=sum(report.events for report in reports),
        decided=sum(report.decided for report in reports),
        rows=sum(report.rows for report in reports),
        suppressed=sum(report.suppressed for report in reports),
        findings=tuple(sorted(findings, key=lambda each: (each.tenant, each.stream, each.seq))),
    )


@dataclass(frozen=True, slots=True)
class Scope:
    """What is to be checked: everything, a tenant, or some of its processes with what they rest on."""

    tenant: str | None = None
    streams: frozenset[str] = frozenset()
    """Of the processes that are named; none stands for all."""

    @classmethod
    def of(cls, tenant: str | None, processes: Collection[str]) -> Scope:
        """Return the scope of some processes by their ids, of the whole tenant if none is named."""
        return cls(tenant, frozenset(map(process_stream, processes)))

    def holds(self, tenant: str, stream: str) -> bool:
        """Return whether a chain of a tenant that is read belongs to it."""
        return not self.streams or stream_kind(stream) != PROCESS or self.names(tenant, stream)

    def asks_for(self, tenant: str, stream: str) -> bool:
        """Return whether a chain was asked for itself, not only as what others rest on."""
        return self.names(tenant, stream) if self.streams else self.tenant in (None, tenant)

    def names(self, tenant: str, stream: str) -> bool:
        """Return whether a chain is that of a named process."""
        return tenant == self.tenant and stream in self.streams


@dataclass(frozen=True, slots=True)
class Part:
    """One of so many parts of a log, counted from 0: every chain belongs to one, all else to the first."""

    number: int = 0
    of: int = 1


WHOLE = Part()


class _Actors(NamedTuple):
    history: ActorHistory
    moves: tuple[str, ...]


class _Tally:
    """What was counted and found so far."""

    def __init__(self) -> None:
        self.streams = self.events = self.decided = self.rows = self.suppressed = 0
        self.findings: list[Finding] = []

    def report(self, scope: Scope) -> Report:
        """Return it."""
        return Report(
            streams=self.streams,
            events=self.events,
            decided=self.decided,
            rows=self.rows,
            suppressed=self.suppressed,
            findings=tuple(self.findings),
            others=bool(scope.streams),
        )


class Verify:
    """Check chains, and all that stands beside them, at every level."""

    def __init__(self, log: EvidenceSource, verifier: SignatureVerifier, *, origin: str, root: str) -> None:
        self._log = log
        self._verifier = verifier
        self._origin = origin
        self._root = root

    def __call__(
        self,
        tenant: str | None = None,
        *,
        processes: Collection[str] = (),
        part: Part = WHOLE,
        heard: Callable[[int], object] = lambda events: None,
    ) -> Report:
        """Check all chains of `tenant`, or of everybody, as they stand at one moment: others may go on appending.

        Where `processes` of the tenant are named, no others are checked, but all that they rest on: registries and
        workflows. `heard` is told again and again how many events were checked since it was told before.

        Links, both signatures of every event, whether it was permitted and made what its record says, every work
        row both ways, the table of actors, heads, states, documents, and the columns beside the signed bytes.
        Memory does not grow with the length of a chain.

        Raises:
            Unavailable: the log did not answer.
        """
        with self._log.as_of_now() as evidence:
            return _Walk(evidence, self._verifier, self._origin, self._root, heard).over(
                Scope.of(tenant, processes), part
            )

    def size(self, tenant: str | None = None, processes: Collection[str] = ()) -> int:
        """Return how many events there are to check, as the heads say.

        Raises:
            Unavailable: the log did not answer.
        """
        with self._log.as_of_now() as evidence:
            return sum(head.seq for head in _heads(evidence, Scope.of(tenant, processes)))


class _Walk:
    """One verification, of one moment."""

    def __init__(
        self,
        evidence: Evidence,
        verifier: SignatureVerifier,
        origin: str,
        root: str,
        heard: Callable[[int], object],
    ) -> None:
        self._evidence = evidence
        self._heard = heard
        self._verify = verifier.verify
        self._origin = origin
        self._root = root
        self._again = DecideAgain(evidence, verifier, root=root)
        self._system = _actors(evidence, SYSTEM)
        self._tally = _Tally()

    def over(self, scope: Scope, part: Part) -> Report:
        """Check every chain in scope, as far as they belong to `part`."""
        tally, asked = self._tally, set[str]()
        believed: dict[str, tuple[ActorHistory, Trust]] = {}
        for head in islice(_heads(self._evidence, scope), part.number, None, part.of):
            if head.tenant not in believed:
                believed = {head.tenant: self._believed(head.tenant)}
            (actors, trust), before = believed[head.tenant], tally.events
            self._evidence.load(head.tenant, head.stream, partial(self._chain, head, actors, trust))
            if tally.events > before and scope.asks_for(head.tenant, head.stream):
                asked.add(head.stream if scope.streams else "")  # a log has too many to remember
            tally.findings.extend(_documents(self._evidence, head))
            if head.stream == ACTOR_REGISTRY:
                tally.findings.extend(_table_of_actors(self._evidence, head, actors.newest))
        if part.number == 0:
            told = self._evidence.misread(scope.tenant)
            tally.findings.extend(_misread(column) for column in told if scope.holds(column.tenant, column.stream))
        tally.findings.extend(_nothing(scope, asked))
        return tally.report(scope)

    def _chain(self, head: StreamHead, actors: ActorHistory, trust: Trust, events: Iterable[SealedEvent]) -> None:
        """Walk one chain, and beside it the rows that it promises: these only as far as the chain is whole."""
        tally = self._tally
        again = ChainAgain(self._again, actors)
        promises = Promises(head.tenant, head.stream, self._evidence.work(head.tenant, head.stream))
        link, last, found = first_link(self._origin, head.tenant, head.stream), None, tally.findings
        whole, suspects = True, Suspects(self._evidence, trust)
        for event in events:
            wrong = [*check_event(event, link, trust, self._verify), *cause_differs(self._evidence, event)]
            wrong += suspects.check(event, wrong)
            found.extend(wrong)
            whole = whole and all(finding.code is FindingCode.SUSPECT_KEY for finding in wrong)
            record = event.read_record
            if whole and isinstance(record, Record):
                found.extend(_promised(event, record, promises, again))
                found.extend(missing_children(self._evidence, event, record))
            link, last, tally.events = link_of(event), event, tally.events + 1
            if tally.events % _TELL == 0:
                self._heard(_TELL)
        rows_only = last is None and head.seq == 0
        ends = [] if rows_only else [*_head(head, link, last)]
        if whole and all(finding.code is not FindingCode.HEAD_DIFFERS for finding in ends):
            found.extend(promises.left())
        found.extend(ends)
        tally.streams += 1
        tally.decided += again.decided
        tally.rows += promises.rows
        tally.suppressed += promises.suppressed

    def _believed(self, tenant: str) -> tuple[ActorHistory, Trust]:
        own = self._system if tenant == SYSTEM else _actors(self._evidence, tenant)
        trust = Trust(
            origin=self._origin,
            root=self._root,
            tenant_actors=own.history.newest,
            system_actors=self._system.history.newest,
            tenant_moves=own.moves,
            system_moves=self._system.moves,
        )
        return own.history, trust


def _heads(evidence: Evidence, scope: Scope) -> Iterator[StreamHead]:
    """A tenant is checked together with the system registry, which vouches for its engine keys."""
    alone = scope.tenant is None or scope.tenant == SYSTEM
    heads = chain(() if alone else evidence.streams(SYSTEM), evidence.streams(scope.tenant))
    return (head for head in heads if scope.holds(head.tenant, head.stream))


def _actors(evidence: Evidence, tenant: str) -> _Actors:
    """An unreadable registry vouches for nobody; its own chain says where it breaks."""
    moves = evidence.load(
        tenant, ACTOR_REGISTRY, lambda events: tuple(link_of(event).recorded_at for event in events)
    )
    try:
        history = evidence.load(tenant, ACTOR_REGISTRY, lambda events: ActorHistory(registries(events)))
    except Misconfigured:
        return _Actors(ActorHistory(), ())
    return _Actors(history, tuple(move for move in moves if move))


def _promised(event: SealedEvent, record: Record, promises: Promises, again: ChainAgain) -> Iterator[Finding]:
    """What it fires was promised, what it promises is there; it was permitted, and made what the rules make."""
    fires = promises.fired(event)
    if isinstance(fires, Finding):
        yield fires
        again.stop()
        fires = None
    yield from promises.check(event, record, fires)
    yield from again.check(event, record, fires)


def _table_of_actors(evidence: Evidence, head: StreamHead, registry: ActorRegistry) -> Iterator[Finding]:
    """The table of actors is a projection: it must say what the chain says."""
    listing = evidence.listed_keys(head.tenant)
    if listing is None:
        return
    told = {key.key: key for key in listing}
    for key in sorted(told.keys() | registry.keys.keys()):
        actor = registry.keys.get(key)
        if told.get(key) != (listed(actor) if actor else None):
            detail = (
                f"the table of actors says something else of {actor.label if actor else key} than the registry"
            )
            yield _of_head(head, FindingCode.ACTORS_DIFFER, detail)


def _misread(column: Misread) -> Finding:
    return Finding(
        code=FindingCode.COLUMN_DIFFERS,
        tenant=column.tenant,
        stream=column.stream,
        seq=column.seq,
        detail=f"the column {column.column} says something else than the signed bytes",
    )


def _documents(log: Evidence, head: StreamHead) -> Iterator[Finding]:
    """What a publication names by its hash must be stored, and have it."""
    if stream_kind(head.stream) != "workflow":
        return
    for seq, named in log.load(head.tenant, head.stream, lambda events: tuple(_published(events))):
        document = log.document(head.tenant, named)
        if document is None or sha256(document).hexdigest() != named:
            what = "is not stored" if document is None else "was changed"
            detail = f"the definition that this event published {what}"
            yield _of_head(head, FindingCode.DOCUMENT_DIFFERS, detail).model_copy(update={"seq": seq})


def _published(events: Iterable[SealedEvent]) -> Iterator[tuple[int, str]]:
    for event in events:
        intent = event.read_intent
        named = intent.input.get("sha256") if isinstance(intent, Intent) and intent.action == "publish" else None
        if isinstance(named, str):
            yield event.seq, named


def _head(head: StreamHead, link: Link, last: SealedEvent | None) -> Iterator[Finding]:
    """The head row must be the last event, and the state beside it the one that was countersigned."""
    if (head.seq, head.hash) != (link.seq, link.hash):
        detail = f"the head says {head.seq} {head.hash[:12]}…, the events end with {link.seq} {link.hash[:12]}…"
        yield _of_head(head, FindingCode.HEAD_DIFFERS, detail)
    record = last.read_record if last else None
    if isinstance(record, Record) and (head.state is None or state_hash(head.state) != record.state.sha256):
        yield _of_head(head, FindingCode.STATE_DIFFERS, "the stored state is not the countersigned one")


def _of_head(head: StreamHead, code: FindingCode, detail: str) -> Finding:
    return Finding(code=code, tenant=head.tenant, stream=head.stream, seq=head.seq, detail=detail)


def _nothing(scope: Scope, asked: Collection[str]) -> Iterator[Finding]:
    """What was asked for and has no event is told, and not called intact; the whole has no name."""
    for stream in sorted((scope.streams or {""}).difference(asked)):
        if stream:
            detail = "there is no event of it: the name is wrong, or all its events are gone"
        elif scope.tenant:
            detail = "there is no event to check"
        else:
            detail = "there is no event to check: not even the admission of an engine key"
        code = FindingCode.NOTHING_CHECKED
        yield Finding(code=code, tenant=scope.tenant or "", stream=stream, seq=0, detail=detail)
