from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import AN_ID, AT, PROCESS, ZEROS, a_record
from json_values import TEXTS, json_objects
from laws import law
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import canonical
from sealwork.domain.ledger.effects import Auto, CalendarRef, Cancel, Effect, RuleAction, Schedule, Spawn
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.ledger.members import document_of
from sealwork.domain.ledger.record import Record, parse_record, state_bytes, state_hash
from sealwork.domain.refusals import RefusalCode, Refused

A_DEFINITION = DefinitionRef(path="customer/onboarding", version=3, sha256="a" * 64)
IDS = st.uuids().map(str)
POSITIVE = st.integers(1, 2**53 - 1)
HASH_AT = st.none() | st.lists(TEXTS, max_size=3).map(tuple)
INSTANTS = st.just(AT) | st.just("9999-12-31T23:59:59.999999Z")

CANCELS = st.builds(Cancel, id=TEXTS)
SCHEDULES = st.builds(
    Schedule,
    id=TEXTS,
    work=IDS,
    action=TEXTS,
    data=json_objects(),
    run_at=INSTANTS,
    every=st.none() | POSITIVE,
    until=st.none() | INSTANTS,
    count=st.none() | POSITIVE,
    adjust=st.sampled_from([None, "following", "preceding"]),
    misfire=st.sampled_from([None, "fire_once", "skip"]),
    calendar=st.none() | st.builds(CalendarRef, id=TEXTS, version=POSITIVE, sha256=st.just(ZEROS)),
    hash_at=HASH_AT,
)
SPAWNS = st.builds(
    Spawn,
    id=TEXTS,
    process=TEXTS,
    definition=st.just(A_DEFINITION),
    action=TEXTS,
    data=json_objects(),
    hash_at=HASH_AT,
)
AUTOS = st.builds(Auto, work=IDS, action=TEXTS, data=json_objects(), hash_at=HASH_AT)
RULES = st.builds(RuleAction, work=IDS, rule=TEXTS, version=POSITIVE, action=TEXTS, data=json_objects())
KINDS = ["cancel", "schedule", "spawn", "auto", "rule"]
A_CAUSE: JsonObject = {"stream": PROCESS, "seq": 4, "hash": ZEROS}


@law
@pytest.mark.parametrize("kind", [CANCELS, SCHEDULES, SPAWNS, AUTOS, RULES], ids=KINDS)
@given(data=st.data())
def test_a_record_with_an_effect_is_read_back_from_its_bytes(
    kind: st.SearchStrategy[Effect], data: st.DataObject
) -> None:
    record = a_record(effects=(data.draw(kind), data.draw(kind)))

    assert parse_record(record.to_bytes()) == record


@law
@given(st.lists(st.one_of(CANCELS, SCHEDULES, SPAWNS, AUTOS, RULES), max_size=4))
def test_a_record_that_was_read_writes_the_same_bytes(effects: list[Effect]) -> None:
    body = a_record(effects=effects).to_bytes()

    read = parse_record(body)

    assert isinstance(read, Record)
    assert read.to_bytes() == body


def test_a_record_of_an_event_without_an_intent_names_its_cause() -> None:
    record = a_record(intent=None, intent_sig=None, cause=A_CAUSE)

    assert parse_record(record.to_bytes()) == record
    assert document_of(record)["cause"] == A_CAUSE


def test_a_record_is_written_as_the_specification_says() -> None:
    record = a_record(effects=[{"kind": "cancel", "id": "deadline"}])

    assert record.to_bytes().decode() == (
        f'{{"actor":"{record.actor}","actors":{{"system":1,"tenant":3}},"depth":0,'
        '"effects":[{"id":"deadline","kind":"cancel"}],'
        f'"engine_key":"{record.engine_key}","intent":"{ZEROS}","intent_sig":"{ZEROS * 2}",'
        f'"origin":"test.example/log","prev":"{ZEROS}","recorded_at":"{AT}","rules":0,"seq":1,'
        f'"state":{{"name":"open","sha256":"{ZEROS}"}},"stream":"process/p-1","tenant":"acme","v":1}}'
    )


def test_the_order_of_effects_is_kept() -> None:
    effects = (Cancel(id="b"), Cancel(id="a"), Auto(work=AN_ID, action="a", data={}))

    read = parse_record(a_record(effects=effects).to_bytes())

    assert isinstance(read, Record)
    assert read.effects == effects


@pytest.mark.parametrize(
    ("member", "value", "place"),
    [
        ("seq", 0, "/seq"),
        ("rules", -1, "/rules"),
        ("depth", -1, "/depth"),
        ("depth", True, "/depth"),
        ("actors", {"tenant": -1, "system": 0}, "/actors/tenant"),
        ("actors", {"tenant": 1}, "/actors/system"),
        ("intent", "x", "/intent"),
        ("intent_sig", "a" * 127, "/intent_sig"),
        ("intent_sig", "A" * 128, "/intent_sig"),
        ("recorded_at", "2026-06-18T10:00:00.000000+00:00", "/recorded_at"),
        ("engine_key", "engine", "/engine_key"),
        ("state", {"name": "open"}, "/state/sha256"),
        ("state", {"name": 1, "sha256": ZEROS}, "/state/name"),
        ("cause", {"stream": PROCESS, "seq": 0, "hash": ZEROS}, "/cause/seq"),
    ],
)
def test_a_member_of_another_form_is_refused_where_it_stands(member: str, value: JsonValue, place: str) -> None:
    refusal = parse_record(canonical(document_of(a_record()) | {member: value}))

    assert isinstance(refusal, Refused)
    assert (refusal.code, refusal.pointer) == (RefusalCode.NOT_CANONICAL, place)


def test_a_record_of_262144_bytes_is_taken_and_one_more_is_too_large() -> None:
    room = 262_144 - len(a_record(state={"name": "", "sha256": ZEROS}).to_bytes())

    largest = a_record(state={"name": "x" * room, "sha256": ZEROS}).to_bytes()
    refusal = parse_record(a_record(state={"name": "x" * (room + 1), "sha256": ZEROS}).to_bytes())

    assert len(largest) == 262_144
    assert isinstance(parse_record(largest), Record)
    assert isinstance(refusal, Refused)
    assert refusal.code is RefusalCode.TOO_LARGE


def test_a_state_is_written_with_its_name() -> None:
    assert state_bytes("draft", {"b": 1, "a": [True]}) == b'{"data":{"a":[true],"b":1},"state":"draft"}'


def test_the_hash_of_a_state_is_plain_sha_256() -> None:
    body = state_bytes("draft", {})

    assert state_hash(body) == sha256(body).hexdigest()
