"""Verifying the whole log: every chain from its genesis to its head, and what that did not prove.

Source: events.md, "Verification".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from hashlib import sha256
from itertools import chain
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from sealwork.application.ledger.actor_registries import folded
from sealwork.application.ports.chains import StreamHead
from sealwork.application.ports.event_log import EventLog
from sealwork.application.ports.evidence import Evidence
from sealwork.application.ports.signatures import SignatureVerifier
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import ACTOR_REGISTRY, SYSTEM, process_stream, stream_kind
from sealwork.domain.ledger.actors import ActorRegistry
from sealwork.domain.ledger.effects import Spawn
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.record import Record, state_hash
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.proof.chain import Link, Trust, check_cause, check_event, first_link, link_of
from sealwork.domain.proof.findings import Finding, FindingCode

NOT_PROVEN = (
    "that the last events of a chain, or a whole chain, were not cut off together with the head: no copy outside "
    "this database was compared",
    "that each event was permitted by its workflow, and that its effects are right: events are not decided again",
    "that every work row belongs to an event and every automated event to a work row",
    "that the columns beside the signed bytes agree with them, such as those that find duplicates",
)
"""What this version of `verify` does not look at, in the words that are printed each time."""


class Report(BaseModel):
    """What was checked, what was found, and what was not proven."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    streams: int
    events: int
    findings: tuple[Finding, ...]
    not_proven: tuple[str, ...] = NOT_PROVEN

    @property
    def intact(self) -> bool:
        """Return whether nothing wrong was found."""
        return not self.findings


class _Actors(NamedTuple):
    registry: ActorRegistry
    moves: tuple[str, ...]


class _Chain(NamedTuple):
    events: int
    findings: list[Finding]
    caused: list[SealedEvent]
    """Those without an intent: another event stands for it."""
    spawned: list[tuple[int, str]]
    """(seq, stream) of every child that an event of the chain began."""


class Verify:
    """Check links, actor signatures and engine signatures."""

    def __init__(self, log: EventLog, verifier: SignatureVerifier, *, origin: str, root: str) -> None:
        self._log = log
        self._verifier = verifier
        self._origin = origin
        self._root = root

    def __call__(self, tenant: str | None = None) -> Report:
        """Check all chains of `tenant`, or of everybody, as they stand at one moment: others may go on appending.

        Memory does not grow with the length of a chain.

        Raises:
            Unavailable: the log did not answer.
        """
        with self._log.as_of_now() as log:
            return self._report(log, tenant)

    def _report(self, log: Evidence, tenant: str | None) -> Report:
        actors = {SYSTEM: _actors(log, SYSTEM)}
        findings: list[Finding] = []
        streams = events = asked = 0
        for head in _heads(log, tenant):
            if head.tenant not in actors:
                actors = {SYSTEM: actors[SYSTEM], head.tenant: _actors(log, head.tenant)}
            trust = self._trust(actors[head.tenant], actors[SYSTEM])
            count, found, caused, spawned = log.load(head.tenant, head.stream, partial(self._chain, head, trust))
            streams, events = streams + 1, events + count
            found.extend(chain.from_iterable(_cause(log, event) for event in caused))
            found.extend(_missing_children(log, head, spawned))
            asked += count if tenant in (None, head.tenant) else 0
            findings.extend(found)
            findings.extend(_documents(log, head))
        if asked == 0:
            findings.append(_nothing(tenant))
        return Report(streams=streams, events=events, findings=tuple(findings))

    def _trust(self, tenant: _Actors, system: _Actors) -> Trust:
        return Trust(
            origin=self._origin,
            root=self._root,
            tenant_actors=tenant.registry,
            system_actors=system.registry,
            tenant_moves=tenant.moves,
            system_moves=system.moves,
        )

    def _chain(self, head: StreamHead, trust: Trust, events: Iterable[SealedEvent]) -> _Chain:
        link = first_link(trust.origin, head.tenant, head.stream)
        findings: list[Finding] = []
        caused: list[SealedEvent] = []
        spawned: list[tuple[int, str]] = []
        last: SealedEvent | None = None
        count = 0
        for event in events:
            findings.extend(check_event(event, link, trust, self._verifier.verify))
            link, last, count = link_of(event), event, count + 1
            if event.intent is None:
                caused.append(event)
            spawned.extend((event.seq, stream) for stream in _spawned_by(event))
        findings.extend(_head(head, link, last))
        return _Chain(count, findings, caused, spawned)


def _heads(log: Evidence, tenant: str | None) -> Iterator[StreamHead]:
    """A tenant is checked together with the system registry, which vouches for its engine keys."""
    if tenant is None or tenant == SYSTEM:
        return log.streams(tenant)
    return chain(log.streams(SYSTEM), log.streams(tenant))


def _actors(log: Evidence, tenant: str) -> _Actors:
    """An unreadable registry vouches for nobody; its own chain says where it breaks."""
    moves = log.load(tenant, ACTOR_REGISTRY, lambda events: tuple(link_of(event).recorded_at for event in events))
    try:
        return _Actors(log.load(tenant, ACTOR_REGISTRY, folded), tuple(move for move in moves if move))
    except Misconfigured:
        return _Actors(ActorRegistry(), ())


def _cause(log: Evidence, event: SealedEvent) -> Iterator[Finding]:
    """What began without an intent must be what its cause spawned."""
    record = event.read_record
    named = record.cause if isinstance(record, Record) else None
    if named is not None:
        cause = log.load(event.tenant, named.stream, lambda events: _at(events, named.seq))
        yield from check_cause(event, cause)


def _spawned_by(event: SealedEvent) -> Iterator[str]:
    record = event.read_record
    for effect in record.effects if isinstance(record, Record) else ():
        if isinstance(effect, Spawn):
            yield process_stream(effect.process)


def _missing_children(log: Evidence, head: StreamHead, spawned: Iterable[tuple[int, str]]) -> Iterator[Finding]:
    """A child is committed with the event that begins it: one cannot be there without the other."""
    for seq, stream in spawned:
        if log.load(head.tenant, stream, lambda events: _at(events, 1)) is None:
            detail = f"{stream}, which event {seq} of {head.stream} began, is not there"
            yield Finding(code=FindingCode.EVENTS_MISSING, tenant=head.tenant, stream=stream, seq=1, detail=detail)


def _at(events: Iterable[SealedEvent], seq: int) -> SealedEvent | None:
    return next((event for event in events if event.seq == seq), None)


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


def _nothing(tenant: str | None) -> Finding:
    return Finding(
        code=FindingCode.NOTHING_CHECKED,
        tenant=tenant or "",
        stream="",
        seq=0,
        detail="there is no event to check" + ("" if tenant else ": not even the admission of an engine key"),
    )
