"""Verifying the whole log: every chain from its genesis to its head, and what that did not prove.

Source: events.md, "Verification".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain

from pydantic import BaseModel, ConfigDict

from sealwork.application.ledger.actor_registries import folded
from sealwork.application.ports.event_log import EventLog, StreamHead
from sealwork.application.ports.signatures import SignatureVerifier
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import ACTOR_REGISTRY, SYSTEM
from sealwork.domain.ledger.actors import ActorRegistry
from sealwork.domain.ledger.record import Record, state_hash
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.proof.chain import Link, Trust, check_event, first_link, link_of
from sealwork.domain.proof.findings import Finding, FindingCode

NOT_PROVEN = (
    "that the last events of a chain were not cut off together with its head: no copy outside this database "
    "was compared",
    "that each event was permitted by its workflow, and that its effects are right: events are not decided again",
    "that every work row belongs to an event and every automated event to a work row",
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

    def _report(self, log: EventLog, tenant: str | None) -> Report:
        registries: dict[str, ActorRegistry] = {SYSTEM: _registry(log, SYSTEM)}
        findings: list[Finding] = []
        streams = events = asked = 0
        for head in _heads(log, tenant):
            if head.tenant not in registries:
                registries = {SYSTEM: registries[SYSTEM], head.tenant: _registry(log, head.tenant)}
            trust = self._trust(registries, head.tenant)
            count, found = log.load(head.tenant, head.stream, partial(self._chain, head, trust))
            streams, events = streams + 1, events + count
            asked += count if tenant in (None, head.tenant) else 0
            findings.extend(found)
        if asked == 0:
            findings.append(_nothing(tenant))
        return Report(streams=streams, events=events, findings=tuple(findings))

    def _trust(self, registries: dict[str, ActorRegistry], tenant: str) -> Trust:
        return Trust(
            origin=self._origin,
            root=self._root,
            tenant_actors=registries[tenant],
            system_actors=registries[SYSTEM],
        )

    def _chain(self, head: StreamHead, trust: Trust, events: Iterable[SealedEvent]) -> tuple[int, list[Finding]]:
        link = first_link(trust.origin, head.tenant, head.stream)
        findings: list[Finding] = []
        last: SealedEvent | None = None
        count = 0
        for event in events:
            findings.extend(check_event(event, link, trust, self._verifier.verify))
            link, last, count = link_of(event), event, count + 1
        findings.extend(_head(head, link, last))
        return count, findings


def _heads(log: EventLog, tenant: str | None) -> Iterator[StreamHead]:
    """A tenant is checked together with the system registry, which vouches for its engine keys."""
    if tenant is None or tenant == SYSTEM:
        return log.streams(tenant)
    return chain(log.streams(SYSTEM), log.streams(tenant))


def _registry(log: EventLog, tenant: str) -> ActorRegistry:
    """An unreadable registry vouches for nobody; its own chain says where it breaks."""
    try:
        return log.load(tenant, ACTOR_REGISTRY, folded)
    except Misconfigured:
        return ActorRegistry()


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
