"""Whoever holds every key and every right on the database: changes that leave every signature right."""

from __future__ import annotations

from uuid import uuid4

from open_box import OpenBox
from sealing import TENANT
from sealwork.adapters.signing import SecretKey
from sealwork.application.ports.event_log import Question
from sealwork.application.proof.verify import Report
from sealwork.domain.instants import instant_text
from sealwork.domain.ledger.intent import Intent, intent_hash, signed_intent_bytes
from sealwork.domain.ledger.record import Record, signed_record_bytes
from sealwork.domain.ledger.sealed_event import SealedEvent


def found(report: Report) -> set[tuple[str, str, int]]:
    """Code, stream and position of each finding."""
    return {(finding.code, finding.stream, finding.seq) for finding in report.findings}


def record_of(box: OpenBox, stream: str, seq: int, tenant: str = TENANT) -> Record:
    """What the engine countersigned."""
    record = box.events(stream, tenant)[seq - 1].read_record
    assert isinstance(record, Record)
    return record


def intent_of(box: OpenBox, stream: str, seq: int) -> Intent:
    """What the actor signed."""
    intent = box.events(stream)[seq - 1].read_intent
    assert isinstance(intent, Intent)
    return intent


def reseal(box: OpenBox, stream: str, seq: int, by: SecretKey | None = None, **members: object) -> None:
    """Change a record and countersign it, as somebody who has stolen an engine key could."""
    body = record_of(box, stream, seq).model_copy(update=members).to_bytes()
    key = by or box.key("engine")
    box.alter(stream, seq, record=body, record_sig=key.sign(signed_record_bytes(body)))


def replace_intent(box: OpenBox, stream: str, seq: int, by: SecretKey, **members: object) -> None:
    """Change an intent, sign it, and seal a record that fits, as somebody who has stolen every key could."""
    body = intent_of(box, stream, seq).model_copy(update=members).to_bytes()
    signature = by.sign(signed_intent_bytes(body))
    reseal(box, stream, seq, intent=intent_hash(body), intent_sig=signature.hex())
    box.alter(stream, seq, intent=body, intent_sig=signature)


def appended(box: OpenBox, stream: str, action: str, by: str, **members: object) -> None:
    """Append an event that nobody decided, with the state that stood before it and no effects."""
    last, chain = box.events(stream)[-1], box.tables.chains[TENANT, stream]
    before, said = record_of(box, stream, last.seq), intent_of(box, stream, last.seq)
    place = {"seq": last.seq + 1, "prev": last.hash}
    told = {"id": str(uuid4()), "action": action, "key": box.key(by).actor, "input": {}, **place, **members}
    intent = said.model_copy(update=told)
    body = intent.to_bytes()
    signature = box.key(by).sign(signed_intent_bytes(body))
    sealed = {
        "intent": intent_hash(body),
        "intent_sig": signature.hex(),
        "actor": intent.key,
        "effects": (),
        "depth": 0,
        "recorded_at": instant_text(box.clock.now()),
        "actors": box.log.head(Question(tenant=TENANT, stream=stream)).actors,
        **place,
    }
    record = before.model_copy(update=sealed).to_bytes()
    chain.events.append(
        SealedEvent(
            tenant=TENANT,
            stream=stream,
            seq=last.seq + 1,
            intent=body,
            intent_sig=signature,
            record=record,
            record_sig=box.key("engine").sign(signed_record_bytes(record)),
        )
    )
