from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import AN_ID, ZEROS, an_intent
from json_values import json_objects
from laws import law
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import canonical
from sealwork.domain.ledger.intent import (
    Intent,
    hidden_provenance,
    parse_intent,
    reserved_input_of,
    signed_intent_bytes,
    with_provenance,
    without_provenance,
)
from sealwork.domain.ledger.members import document_of
from sealwork.domain.refusals import RefusalCode, Refused

NOON = datetime(2026, 6, 18, 12, tzinfo=UTC)
A_DEFINITION: JsonObject = {"path": "customer/onboarding", "version": 3, "sha256": "a" * 64}
DIGESTS = st.binary(min_size=32, max_size=32).map(bytes.hex)


@st.composite
def intents(draw: st.DrawFn) -> Intent:
    members: dict[str, object] = {
        "tenant": draw(st.from_regex(r"\A[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\Z")),
        "stream": draw(st.from_regex(r"\A[a-z]{1,9}/[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}\Z")),
        "seq": draw(st.integers(1, 2**53 - 1)),
        "prev": draw(DIGESTS),
        "id": str(draw(st.uuids())),
        "action": draw(st.sampled_from(["submit", "key.admit", "a1_b"])),
        "key": "ed25519:" + draw(DIGESTS),
        "at": instant_text(draw(st.datetimes(timezones=st.just(UTC)))),
        "input": draw(json_objects()),
        "definition": draw(st.none() | st.just(A_DEFINITION)),
        "not_after": draw(st.none() | st.just("9999-12-31T23:59:59.999999Z")),
    }
    return an_intent(**members)


@law
@given(intents())
def test_an_intent_is_read_back_from_its_bytes(intent: Intent) -> None:
    assert parse_intent(intent.to_bytes()) == intent


@law
@given(intents())
def test_an_intent_that_was_read_writes_the_same_bytes(intent: Intent) -> None:
    read = parse_intent(intent.to_bytes())

    assert isinstance(read, Intent)
    assert read.to_bytes() == intent.to_bytes()


def test_an_intent_is_written_as_the_specification_says() -> None:
    intent = an_intent(definition=A_DEFINITION, not_after="2026-06-19T10:00:00.000000Z", input={"b": 1, "a": None})

    assert intent.to_bytes().decode() == (
        '{"action":"submit","at":"2026-06-18T10:00:00.000000Z",'
        f'"definition":{{"path":"customer/onboarding","sha256":"{"a" * 64}","version":3}},'
        f'"id":"{AN_ID}","input":{{"a":null,"b":1}},"key":"{intent.key}",'
        f'"not_after":"2026-06-19T10:00:00.000000Z","origin":"test.example/log","prev":"{ZEROS}","seq":1,'
        '"stream":"process/p-1","tenant":"acme","v":1}'
    )


@law
@given(intents())
def test_a_letter_moved_from_one_member_to_the_next_gives_other_signed_bytes(intent: Intent) -> None:
    # ledger case 28
    members = document_of(intent)
    texts = [name for name, value in sorted(members.items()) if isinstance(value, str)]

    for one, other in pairwise(texts):
        first, second = str(members[one]), str(members[other])
        moved = {**members, one: first + second[:1], other: second[1:]}
        assert signed_intent_bytes(canonical(moved)) != signed_intent_bytes(intent.to_bytes())


def test_members_without_a_value_are_absent() -> None:
    members = document_of(an_intent())

    assert members.keys() == Intent.model_fields.keys() - {"definition", "not_after"}


@pytest.mark.parametrize(
    ("member", "value", "place"),
    [
        ("origin", "Test", "/origin"),
        ("tenant", "a:b", "/tenant"),
        ("stream", "process", "/stream"),
        ("seq", 0, "/seq"),
        ("seq", -1, "/seq"),
        ("seq", True, "/seq"),
        ("seq", "1", "/seq"),
        ("seq", 1.5, "/seq"),
        ("prev", "A" * 64, "/prev"),
        ("prev", "a" * 63, "/prev"),
        ("id", AN_ID.upper().replace("1", "A"), "/id"),
        ("id", AN_ID.replace("-", ""), "/id"),
        ("action", "Submit", "/action"),
        ("action", "", "/action"),
        ("action", "a..b", "/action"),
        ("action", "a.", "/action"),
        ("action", "a" * 65, "/action"),
        ("action", "1a", "/action"),
        ("key", "ed25519:" + "A" * 64, "/key"),
        ("key", "a" * 64, "/key"),
        ("at", "2026-06-18T10:00:00Z", "/at"),
        ("at", "2026-06-31T10:00:00.000000Z", "/at"),
        ("at", 0, "/at"),
        ("not_after", "never", "/not_after"),
        ("input", [], "/input"),
        ("input", "{}", "/input"),
        ("definition", "a/b@1", "/definition"),
        ("definition", {"path": "A", "version": 1, "sha256": ZEROS}, "/definition/path"),
        ("definition", {"path": "a", "version": 0, "sha256": ZEROS}, "/definition/version"),
        ("definition", {"path": "a", "version": True, "sha256": ZEROS}, "/definition/version"),
        ("definition", {"path": "a", "version": 1, "sha256": "x"}, "/definition/sha256"),
        ("definition", {"path": "a", "version": 1}, "/definition/sha256"),
    ],
)
def test_a_member_of_another_form_is_refused_where_it_stands(member: str, value: JsonValue, place: str) -> None:
    body = canonical(document_of(an_intent()) | {member: value})

    refusal = parse_intent(body)

    assert isinstance(refusal, Refused)
    assert (refusal.code, refusal.pointer) == (RefusalCode.NOT_CANONICAL, place)


def test_an_intent_of_65536_bytes_is_taken_and_one_more_is_too_large() -> None:
    room = 65_536 - len(an_intent(input={"a": ""}).to_bytes())

    largest = an_intent(input={"a": "x" * room}).to_bytes()
    refusal = parse_intent(an_intent(input={"a": "x" * (room + 1)}).to_bytes())

    assert len(largest) == 65_536
    assert isinstance(parse_intent(largest), Intent)
    assert isinstance(refusal, Refused)
    assert refusal.code is RefusalCode.TOO_LARGE


def test_an_intent_without_a_limit_never_expires() -> None:
    assert not an_intent().expired(datetime.max.replace(tzinfo=UTC))


@pytest.mark.parametrize(("late", "expired"), [(-1, False), (0, False), (1, True)])
def test_an_intent_expires_after_its_last_instant(late: int, expired: bool) -> None:
    intent = an_intent(not_after=instant_text(NOON))

    assert intent.expired(NOON + timedelta(microseconds=late)) == expired


def test_what_the_actors_clock_said_does_not_make_an_intent_expire() -> None:
    intent = an_intent(at="9999-01-01T00:00:00.000000Z", not_after=instant_text(NOON))

    assert not intent.expired(NOON)


# Reserved input


@pytest.mark.parametrize(
    ("input_", "place"),
    [
        ({"meta": {"automation": {"kind": "auto_action"}}}, "/input/meta/automation"),
        ({"meta": {"automation": None}}, "/input/meta/automation"),
        ({"meta": {"automation": None, "_automation": 1}}, "/input/meta/automation"),
        ({"_automation": {}}, "/input/_automation"),
        ({"_automation": None, "meta": {"_automation": 1}}, "/input/_automation"),
        ({"meta": {"_automation": False}}, "/input/meta/_automation"),
    ],
)
def test_provenance_that_a_caller_wrote_is_refused(input_: JsonObject, place: str) -> None:
    refusal = reserved_input_of(input_)

    assert refusal is not None
    assert (refusal.code, refusal.pointer) == (RefusalCode.RESERVED_INPUT, place)


@pytest.mark.parametrize(
    "input_",
    [{}, {"meta": {}}, {"meta": None}, {"meta": "automation"}, {"meta": ["automation"]}, {"automation": 1}],
)
def test_other_input_is_not_reserved(input_: JsonObject) -> None:
    assert reserved_input_of(input_) is None


def test_only_the_second_reserved_name_is_hidden_provenance() -> None:
    assert hidden_provenance({"meta": {"automation": {}}}) is None


@law
@given(json_objects().filter(lambda given: "meta" not in given), json_objects())
def test_what_was_given_comes_back_without_the_provenance(given: JsonObject, why: JsonObject) -> None:
    assert without_provenance(with_provenance(given, why)) == given
    assert without_provenance(given) == given


@pytest.mark.parametrize(
    ("meta", "left"),
    [({"n": 1}, {"meta": {"n": 1}}), ({"automation": 1, "n": 2}, {"meta": {"n": 2}}), ({}, {}), (5, {}), ([], {})],
    ids=str,
)
def test_of_meta_an_action_takes_what_stands_beside_the_provenance(meta: JsonValue, left: JsonObject) -> None:
    signed = with_provenance({"a": 1, "meta": meta}, {"kind": "timer"})

    assert isinstance(signed["meta"], dict)
    assert signed["meta"]["automation"] == {"kind": "timer"}
    assert without_provenance(signed) == {"a": 1, **left}


@pytest.mark.parametrize("meta", [{}, {"n": 1}, 5, None, ["automation"], "automation"], ids=str)
def test_what_a_person_wrote_is_taken_as_it_is(meta: JsonValue) -> None:
    assert without_provenance({"meta": meta}) == {"meta": meta}
