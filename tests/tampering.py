"""A sound chain of five, ways to tamper with it, and what a walk over it finds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from builders import ENGINE, ORIGIN, StandIn, a_chain, a_trust, changed, countersigned, verify
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.record import Record
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.proof.chain import Trust, check_event, first_link, link_of
from sealwork.domain.proof.findings import Finding, FindingCode

CHAIN = a_chain()
Found = list[tuple[FindingCode, int]]
Part = Literal["intent", "intent_sig", "record", "record_sig"]
PARTS: tuple[Part, ...] = ("intent", "intent_sig", "record", "record_sig")


def findings_of(events: Iterable[SealedEvent], trust: Trust | None = None) -> list[Finding]:
    """What a walk over the chain finds, as the verifier walks it."""
    found: list[Finding] = []
    events = list(events)
    link = first_link(ORIGIN, events[0].tenant, events[0].stream)
    for event in events:
        found.extend(check_event(event, link, trust or a_trust(), verify))
        link = link_of(event)
    return found


def found(events: Iterable[SealedEvent], trust: Trust | None = None) -> Found:
    return [(finding.code, finding.seq) for finding in findings_of(events, trust)]


def with_event(event: SealedEvent, at: int = 3) -> list[SealedEvent]:
    """The usual chain with `event` at position `at`."""
    return [*CHAIN[: at - 1], event, *CHAIN[at:]]


def record_of(event: SealedEvent) -> Record:
    assert isinstance(event.read_record, Record)
    return event.read_record


def intent_of(event: SealedEvent) -> Intent:
    assert isinstance(event.read_intent, Intent)
    return event.read_intent


def resealed(event: SealedEvent, engine: StandIn = ENGINE, **members: object) -> SealedEvent:
    """`event` with another record, which the engine countersigned all the same."""
    record = Record.model_validate(record_of(event).model_dump() | members)
    lied = countersigned(record, engine, event.intent, event.intent_sig)
    return changed(lied, tenant=event.tenant, stream=event.stream, seq=event.seq)


def flipped(body: bytes, at: int, mask: int = 1) -> bytes:
    return body[:at] + bytes([body[at] ^ mask]) + body[at + 1 :]
