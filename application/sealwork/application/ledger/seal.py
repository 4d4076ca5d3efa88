"""Sealing: the record of what a decider made of an event, countersigned by the engine.

Source: events.md, "Record".
"""

from __future__ import annotations

from sealwork.application.ledger.hearing import Birth, Hearing, Ruling
from sealwork.application.ports.event_log import Snapshot
from sealwork.application.ports.signatures import Signer
from sealwork.domain.ids import process_stream
from sealwork.domain.instants import instant_text
from sealwork.domain.ledger.canonical import MAX_RECORD_BYTES
from sealwork.domain.ledger.envelope import genesis
from sealwork.domain.ledger.intent import intent_hash
from sealwork.domain.ledger.record import Record, StateMark, signed_record_bytes, state_hash
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.refusals import RefusalCode, Refused, refused


class Seal:
    """Countersign records with the engine's key."""

    def __init__(self, engine: Signer) -> None:
        self._engine = engine

    def event(self, hearing: Hearing, ruling: Ruling) -> SealedEvent | Refused:
        """Return the event that an intent becomes, `too_large` if its record would be."""
        intent, submission = hearing.intent, hearing.submission
        record = Record(
            origin=intent.origin,
            tenant=intent.tenant,
            stream=intent.stream,
            seq=intent.seq,
            prev=intent.prev,
            intent=intent_hash(submission.intent),
            intent_sig=submission.signature.hex(),
            actor=intent.key,
            recorded_at=instant_text(hearing.recorded_at),
            engine_key=self._engine.actor,
            actors=hearing.snapshot.actors,
            rules=hearing.snapshot.rules,
            depth=ruling.depth,
            state=state_mark(ruling),
            effects=ruling.effects,
        )
        return self._sealed(record, submission.intent, submission.signature)

    def child(self, birth: Birth, ruling: Ruling, snapshot: Snapshot) -> SealedEvent | Refused:
        """Return the first event of a child; it is judged by the same actors and rules as its cause."""
        place = birth.place
        record = Record(
            origin=place.origin,
            tenant=place.tenant,
            stream=process_stream(birth.spawn.process),
            seq=place.seq,
            prev=genesis(place.origin, place.tenant, place.stream),
            cause=birth.cause,
            definition=birth.spawn.definition,
            action=birth.spawn.action,
            actor=birth.actor.key,
            recorded_at=instant_text(birth.recorded_at),
            engine_key=self._engine.actor,
            actors=snapshot.actors,
            rules=snapshot.rules,
            depth=ruling.depth,
            state=state_mark(ruling),
            effects=ruling.effects,
        )
        return self._sealed(record, None, None)

    def _sealed(self, record: Record, intent: bytes | None, signature: bytes | None) -> SealedEvent | Refused:
        body = record.to_bytes()
        if len(body) > MAX_RECORD_BYTES:
            return refused(RefusalCode.TOO_LARGE, f"the record would exceed {MAX_RECORD_BYTES} bytes")
        return SealedEvent(
            tenant=record.tenant,
            stream=record.stream,
            seq=record.seq,
            intent=intent,
            intent_sig=signature,
            record=body,
            record_sig=self._engine.sign(signed_record_bytes(body)),
        )


def state_mark(ruling: Ruling) -> StateMark:
    """Return what a record says of the state that a ruling leaves."""
    return StateMark(name=ruling.state_name, sha256=state_hash(ruling.state))
