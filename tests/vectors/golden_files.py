"""The golden files as a stranger reads them: in ASCII, with names, the text of all bytes, and what it is about."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from hashlib import sha256

from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import canonical, read_json
from sealwork.domain.ledger.effects import Effect, Place, derived_id
from sealwork.domain.ledger.envelope import MediaType, digest, genesis, pae
from sealwork.domain.ledger.members import document_of
from sealwork.domain.ledger.record import Record, state_hash
from sealwork.domain.refusals import Refused
from vectors.golden_chain import (
    KEYS,
    ORIGIN,
    PROCESS,
    START,
    TENANT,
    Chain,
    born_failed,
    label_of,
    process,
    system_registry,
    tenant_registry,
)


def keys_json() -> JsonObject:
    """The keys, by the labels that they come from."""
    keys: list[JsonValue] = [
        {"name": name, "label": label_of(name), "actor": key.actor} for name, key in KEYS.items()
    ]
    return {"about": "For tests only. The seed of a key is the SHA-256 of its label in UTF-8.", "keys": keys}


def chain_json() -> JsonObject:
    """Three signed chains: the two registries and a process."""
    about = (
        "The intent, its signature, the record, its signature and the state after the event, of every event. "
        "Signatures cover the pre-authentication encoding (see media_types.json); the hash of an event is that of "
        "its record; `prev` of the first is the genesis. Registries first: they say which keys are valid."
    )
    streams: list[JsonValue] = [_stream_json(chain) for chain in (system_registry(), tenant_registry(), process())]
    return {"about": about, "origin": ORIGIN, "root": KEYS["root"].actor, "streams": streams}


def _stream_json(chain: Chain) -> JsonObject:
    events: list[JsonValue] = [
        {
            "seq": event.seq,
            "intent": (event.intent or b"").decode(),
            "intent_sig": (event.intent_sig or b"").hex(),
            "record": event.record.decode(),
            "record_sig": event.record_sig.hex(),
            "hash": event.hash,
            "state": state.decode(),
            "state_sha256": state_hash(state),
        }
        for event, state in zip(chain.events, chain.states, strict=True)
    ]
    first = genesis(ORIGIN, chain.tenant, chain.stream)
    return {"tenant": chain.tenant, "stream": chain.stream, "genesis": first, "events": events}


def media_types_json() -> JsonObject:
    """One body of each media type, with what is hashed and signed of it."""
    event = process().events[2]
    trigger: JsonObject = {
        "subscription": "subscription/trg_1",
        "seq": 3,
        "delivery_id": "d-1",
        "occurred_at": instant_text(START),
        "payload_sha256": sha256(b"{}").hexdigest(),
        "idempotency_key": "trigger:" + digest(MediaType.DEDUPE, canonical(["acme", "trg_1", "webhook", "d-1"])),
    }
    proof: JsonObject = {
        "v": 1,
        "origin": ORIGIN,
        "tenant": TENANT,
        "key": KEYS["maria"].actor,
        "class": "PERSON",
        "label": "maria",
    }
    token: JsonObject = {
        "v": 1,
        "origin": ORIGIN,
        "tenant": TENANT,
        "key": KEYS["maria"].actor,
        "not_after": instant_text(START),
    }
    bodies = [
        (MediaType.INTENT, event.intent or b"", "robot"),
        (MediaType.RECORD, event.record, "engine"),
        (MediaType.GENESIS, f"{ORIGIN}\n{TENANT}\n{PROCESS}".encode(), None),
        (MediaType.KEY_PROOF, canonical(proof), "maria"),
        (MediaType.DEDUPE, canonical(["acme", "trg_1", "webhook", "d-1"]), None),
        (MediaType.DEDUPE, canonical(["acme", "trg_1w", "ebhook", "d-1"]), None),
        (MediaType.WORK, canonical([ORIGIN, TENANT, PROCESS, 3, 1]), None),
        (MediaType.TRIGGER, canonical(trigger), None),
        (MediaType.TOKEN, canonical(token), "maria"),
    ]
    about = "`pae` is what is hashed and signed: DSSEv1, and type and body, each behind its length in bytes."
    return {"about": about, "bodies": [_body_json(*body) for body in bodies]}


def _body_json(kind: MediaType, body: bytes, signer: str | None) -> JsonObject:
    encoded = pae(kind, body)
    signed: JsonObject = {"signer": signer, "signature": KEYS[signer].sign(encoded).hex()} if signer else {}
    return {
        "media_type": kind.value,
        "body": body.decode(),
        "pae": encoded.decode(),
        "sha256": digest(kind, body),
        **signed,
    }


def effects_json() -> JsonObject:
    """Every kind of effect, with the ids that are derived from its place."""
    made: list[JsonValue] = []
    for event in process().events:
        record = event.read_record
        assert isinstance(record, Record)
        place = Place(origin=ORIGIN, tenant=event.tenant, stream=event.stream, seq=event.seq)
        made += [_effect_json(place, index, effect) for index, effect in enumerate(record.effects)]
    place = place.model_copy(update={"seq": place.seq + 1})
    made += [_effect_json(place, index, effect) for index, effect in enumerate(born_failed(place))]
    about = (
        "Effects as members of a record. `derived_id` is the first 16 bytes of the SHA-256 of the work body's "
        "encoding, as a UUID of version 8; null in `data` where `hash_at` says that the event's hash belongs. The "
        "last two, of rows that are born failed, are of no event of the chain."
    )
    return {"about": about, "effects": made}


def _effect_json(place: Place, index: int, effect: Effect) -> JsonObject:
    document = document_of(effect)
    return {
        "seq": place.seq,
        "index": index,
        "effect": document,
        "canonical": canonical(document).decode(),
        "work_body": canonical([ORIGIN, place.tenant, place.stream, place.seq, index]).decode(),
        "derived_id": str(derived_id(place, index)),
    }


def canonical_json() -> JsonObject:
    """Texts, and their canonical form or why they have none."""
    about = (
        "`text` is JSON as it comes in, in UTF-8 (`base64` where it is not UTF-8). `canonical` is what is written "
        "of it; null means that it is refused, with this code and JSON pointer."
    )
    return {"about": about, "cases": [_case_json(name, text) for name, text in TEXTS]}


def _case_json(name: str, text: bytes) -> JsonObject:
    value = read_json(text)
    try:
        shown: JsonObject = {"text": text.decode()}
    except UnicodeDecodeError:
        shown = {"base64": base64.b64encode(text).decode()}
    if isinstance(value, Refused):
        return {"name": name, **shown, "canonical": None, "code": value.code.value, "pointer": value.pointer}
    return {"name": name, **shown, "canonical": canonical(value).decode()}


TEXTS: Sequence[tuple[str, bytes]] = (
    ("names sorted by UTF-16, not by code point", '{"\ufb33":1,"\U0001f600":2,"é":3,"z":4,"":5}'.encode()),
    ("names of one beginning", b'{"ab":1,"a":2,"aa":3,"a ":4}'),
    ("text beyond ASCII is not escaped", '["é€\U0001f600\u2028\x7f",{"ñ":1}]'.encode()),
    ("escapes that are not needed", rb'["\u0061\/\u00e9\ud83d\ude00"]'),
    ("escapes that are needed", rb'["\u0001\b\t\n\u000b\f\r\u001f\"\\"]'),
    ("text is not normalised", '["e\u0301","é"]'.encode()),
    ("floats are written as ECMAScript does", b"[1.0,0.10,1e-7,1E-6,123456789012.50,5e-324,1e15,0.1e1]"),
    ("a float with more digits than it has", b"[333333333.33333329,0.1000000000000000055]"),
    ("the greatest numbers", b"[9007199254740991,-9007199254740991,9007199254740991.0]"),
    ("null is not absent", b'{"a":null,"b":{}}'),
    ("space between tokens", b' { "a" : [ 1 , true , false , null ] } '),
    ("empty values", b'[{},[],"",{"":""}]'),
    ("depth 32", b"[" * 32 + b"]" * 32),
    ("depth 33", b"[" * 33 + b"]" * 33),
    ("2^53", b'{"a":9007199254740992}'),
    ("-2^53", b'{"a":-9007199254740992}'),
    ("2^53 + 1, which no double holds", b'{"a":9007199254740993}'),
    ("2^53 as a float", b'{"a":9007199254740992.0}'),
    ("a large exponent", b'{"a":[1e16]}'),
    ("minus zero", b'{"a":-0}'),
    ("minus zero as a float", b'{"a":[0,-0.0]}'),
    ("minus zero by underflow", b"-1e-400"),
    ("NaN", b'{"a":NaN}'),
    ("infinity", b"[Infinity]"),
    ("infinity by overflow", b"[-1e999]"),
    ("a lone surrogate", rb'{"a":"\ud800"}'),
    ("a lone surrogate in a name", rb'{"\udc00":1}'),
    ("a surrogate in UTF-8", b'["\xed\xa0\x80"]'),
    ("the character zero", rb'{"a":"\u0000"}'),
    ("a name twice", b'{"a":1,"b":{"c":1,"c":1}}'),
    ("a name twice, spelt otherwise", rb'{"a/b":1,"\u0061/b":2}'),
    ("a byte order mark", b"\xef\xbb\xbf{}"),
    ("UTF-16", '{"a":1}'.encode("utf-16")),
    ("nothing", b""),
    ("something after the end", b"{} {}"),
)


def files() -> dict[str, bytes]:
    """Return every golden file by name."""
    documents = {
        "keys.json": keys_json(),
        "canonical.json": canonical_json(),
        "media_types.json": media_types_json(),
        "effects.json": effects_json(),
        "chain.json": chain_json(),
    }
    return {name: (json.dumps(document, indent=2) + "\n").encode() for name, document in documents.items()}
