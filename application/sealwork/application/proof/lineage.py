"""What led to an event: the cause of a child, the cause of what the machine did, and whether it was suspect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from sealwork.application.ports.evidence import Evidence
from sealwork.domain.ids import process_stream
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.effects import Spawn
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.record import Cause, Record
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.proof.chain import Trust, check_cause, is_suspect
from sealwork.domain.proof.findings import Finding, FindingCode
from sealwork.domain.work.provenance import causing_event


def cause_differs(evidence: Evidence, event: SealedEvent) -> Iterator[Finding]:
    """Return what is wrong with what began without an intent: it must be what its cause spawned."""
    record = event.read_record
    if event.intent is None and isinstance(record, Record) and record.cause is not None:
        yield from check_cause(event, evidence.event(event.tenant, record.cause.stream, record.cause.seq))


def missing_children(evidence: Evidence, event: SealedEvent, record: Record) -> Iterator[Finding]:
    """Return the children that are gone: each is committed with the event that begins it."""
    for effect in record.effects:
        stream = process_stream(effect.process) if isinstance(effect, Spawn) else None
        if stream is not None and evidence.event(event.tenant, stream, 1) is None:
            detail = f"{stream}, which event {event.seq} of {event.stream} began, is not there"
            yield Finding(
                code=FindingCode.EVENTS_MISSING, tenant=event.tenant, stream=stream, seq=1, detail=detail
            )


class _Origin(NamedTuple):
    """What led to an event within its chain: a suspect event, else perhaps what began the chain."""

    is_suspect: bool
    birth: Cause | None


class Suspects:
    """The suspect events of one chain, as far as it was read, with what they led to.

    Suspect is what a key signed since others may hold it. What the machine then did because of it, it did by the
    rules, but nobody may have wanted it.
    """

    def __init__(self, evidence: Evidence, trust: Trust) -> None:
        self._evidence = evidence
        self._trust = trust
        self._known: dict[str, int] = {}

    def check(self, event: SealedEvent, found: Sequence[Finding]) -> Iterator[Finding]:
        """Return that a suspect event led to `event`, unless it was `found` to be suspect itself."""
        itself = any(finding.code is FindingCode.SUSPECT_KEY for finding in found)
        detail = None if itself else self._led_by(event)
        if itself or detail:
            self._known[event.hash] = event.seq
        if detail:
            place = {"tenant": event.tenant, "stream": event.stream, "seq": event.seq}
            yield Finding.model_validate({"code": FindingCode.SUSPECT_KEY, "detail": detail, **place})

    def _led_by(self, event: SealedEvent) -> str | None:
        record, intent = event.read_record, event.read_intent
        if isinstance(intent, Intent):
            seq = self._known.get(causing_event(intent) or "")
            return f"the machine did this because of event {seq}, which is suspect" if seq else None
        if isinstance(record, Record) and record.cause is not None and self._is_by_the_machine(record):
            return self._goes_back(event.tenant, record.cause)
        return None

    def _is_by_the_machine(self, record: Record) -> bool:
        actor = self._trust.tenant_actors.keys.get(record.actor)
        return actor is not None and actor.key_class is KeyClass.AUTOMATION

    def _goes_back(self, tenant: str, cause: Cause) -> str | None:
        """Go back from chain to chain; in an edited log they may lead round in a circle."""
        if not self._has_stolen_keys():
            return None
        asked: Cause | None = cause
        seen: set[str] = set()
        while asked is not None and asked.stream not in seen:
            seen.add(asked.stream)
            origin = self._evidence.load(tenant, asked.stream, partial(self._origin, asked.seq))
            if origin.is_suspect:
                return f"begun by event {cause.seq} of {cause.stream}, to which a suspect event led"
            asked = origin.birth
        return None

    def _has_stolen_keys(self) -> bool:
        registries = (self._trust.tenant_actors, self._trust.system_actors)
        return any(key.compromised_since for registry in registries for key in registry.keys.values())

    def _origin(self, seq: int, events: Iterable[SealedEvent]) -> _Origin:
        suspect, born, birth = set[str](), set[str](), None
        for event in events:
            record, intent = event.read_record, event.read_intent
            cause = causing_event(intent) if isinstance(intent, Intent) else None
            if isinstance(record, Record) and self._is_suspect(record) or cause in suspect:
                suspect.add(event.hash)
            elif isinstance(record, Record) and record.cause is not None:
                birth = record.cause
                born.add(event.hash)
            elif cause in born:
                born.add(event.hash)
            if event.seq == seq:
                return _Origin(event.hash in suspect, birth if event.hash in born else None)
        return _Origin(is_suspect=False, birth=None)

    def _is_suspect(self, record: Record) -> bool:
        keys = (
            self._trust.tenant_actors.keys.get(record.actor),
            self._trust.system_actors.keys.get(record.engine_key),
        )
        return any(key is not None and is_suspect(record, key) for key in keys)
