"""Many signed processes in a store, quickly: one is begun by the engine, all others are it under another name.

Nothing in them is made up: links, hashes and both signatures are those that an engine would have written, so that
verification finds them intact. Only the decisions are not made again, since they would be the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from uuid import uuid4

import psycopg

from benchmarks.bench_engine import ORIGIN, TENANT, BenchEngine, engine_key
from benchmarks.server import engine_in, log_in
from sealwork.adapters.postgres.database import Database
from sealwork.domain.ids import process_stream
from sealwork.domain.instants import instant_of
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.envelope import genesis
from sealwork.domain.ledger.intent import DefinitionRef, Intent, intent_hash, signed_intent_bytes
from sealwork.domain.ledger.record import Record, record_hash, signed_record_bytes
from sealwork.domain.ledger.sealed_event import SealedEvent

EVENTS = 10
"""Of each process."""
_INTO_HEADS = "COPY sealwork.heads (tenant_id, stream, seq, hash, state) FROM STDIN"
_INTO_EVENTS = """COPY sealwork.events (
  tenant_id, stream, seq, id, prev, hash, intent, intent_sig, record, record_sig, recorded_at, doc) FROM STDIN"""


class _Copied(NamedTuple):
    event: SealedEvent
    intent: Intent
    record: Record


def fill(conninfo: str, events: int, document: JsonObject, action: str, input_: JsonObject) -> None:
    """Store at least so many signed events in processes of `EVENTS` each, that take `action` again and again."""
    with engine_in(conninfo) as engine, Database(conninfo) as database:
        engine.admit()
        name = _written(engine, engine.published(document), action, input_)
        stream = process_stream(name)
        original = log_in(database).load(TENANT, stream, tuple)
        state = next(head.state for head in log_in(database).streams(TENANT) if head.stream == stream)
        copies = [process_stream(f"copy-{number}") for number in range(-(-events // EVENTS) - 1)]
        with psycopg.connect(conninfo, autocommit=True) as owner:
            hashes = _write_events(owner, original, copies, engine)
            with owner.cursor().copy(_INTO_HEADS) as rows:
                for copy, hash_ in zip(copies, hashes, strict=True):
                    rows.write_row((TENANT, copy, EVENTS, bytes.fromhex(hash_), state))
            owner.execute("VACUUM ANALYZE sealwork.events, sealwork.heads")


def _written(engine: BenchEngine, workflow: DefinitionRef, action: str, input_: JsonObject) -> str:
    name = str(uuid4())
    engine.begun(workflow, name)
    for _ in range(EVENTS - 1):
        engine.process_event(engine.signed(workflow, name, action, input_))
    return name


def _write_events(
    owner: psycopg.Connection, original: Sequence[SealedEvent], copies: Sequence[str], engine: BenchEngine
) -> list[str]:
    """Write all copies, and return the hash of the last event of each."""
    last: list[str] = []
    with owner.cursor().copy(_INTO_EVENTS) as rows:
        for stream in copies:
            for event, intent, record in _copied(original, stream, engine):
                row = (TENANT, stream, event.seq, intent.id, bytes.fromhex(record.prev), bytes.fromhex(event.hash))
                signed = (event.intent, event.intent_sig, event.record, event.record_sig)
                doc = json.dumps({"action": intent.action, "actor": record.actor, "state": record.state.name})
                rows.write_row((*row, *signed, instant_of(record.recorded_at), doc))
            last.append(event.hash)
    return last


def _copied(original: Sequence[SealedEvent], stream: str, engine: BenchEngine) -> Iterator[_Copied]:
    prev, own = genesis(ORIGIN, TENANT, stream), engine_key()
    for event in original:
        intent, record = event.read_intent, event.read_record
        assert isinstance(intent, Intent) and isinstance(record, Record)
        intent = intent.model_copy(update={"stream": stream, "prev": prev})
        signed = intent.to_bytes()
        signature = engine.clerk.sign(signed_intent_bytes(signed))
        named = {"intent": intent_hash(signed), "intent_sig": signature.hex()}
        record = record.model_copy(update={"stream": stream, "prev": prev, **named})
        sealed = record.to_bytes()
        changed = {
            "stream": stream,
            "intent": signed,
            "intent_sig": signature,
            "record": sealed,
            "record_sig": own.sign(signed_record_bytes(sealed)),
        }
        prev = record_hash(sealed)
        fields = {name: getattr(event, name) for name in SealedEvent.model_fields}
        yield _Copied(SealedEvent(**{**fields, **changed}), intent, record)
