"""The encoder, and what `parse_canonical` makes of its bytes."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast
from uuid import UUID

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from json_values import ALIKE, FLOATS, TEXTS, WHOLE, json_values, same
from laws import law
from sealwork.domain.json_value import JsonValue
from sealwork.domain.ledger.canonical import MAX_NUMBER, canonical, flaw_in, parse_canonical, read_json
from sealwork.domain.ledger.members import difference
from sealwork.domain.refusals import RefusalCode, Refused

LIKELY_EQUAL = json_values(ALIKE)
EDGES = st.text(st.sampled_from('a\x01\x1f\x7f"\\/\u2028\ud7ff\ue000\ufb33\uffff\U00010000\U0001f600'), max_size=4)
UNUSUAL = st.one_of(
    st.none(), st.booleans(), WHOLE, EDGES, FLOATS, st.sampled_from([1.0, 1e21, 1e-7, 0.5, MAX_NUMBER])
)
"""Where encoders differ: numbers with a fraction, names that UTF-16 sorts otherwise, escapes."""
PIECES = [
    b"",
    b" ",
    b'"',
    b",",
    b"0",
    b"-0",
    b".0",
    b"e1",
    b"\\u0000",
    b"\\u0061",
    b"\\/",
    b"[",
    b'"a":1,',
    b"\xff",
    b"NaN",
]
"""What may stand in a text that is nearly canonical."""
NOON = datetime(2026, 6, 18, 12, tzinfo=UTC)


@dataclass
class Sent:
    """What some encoders take for an object."""

    a: int


def unusual_values() -> st.SearchStrategy[JsonValue]:
    """Objects and lists of what is unusual, by unusual names."""
    return st.recursive(UNUSUAL, lambda inner: st.lists(inner) | st.dictionaries(EDGES, inner), max_leaves=8)


@law
@given(json_values())
def test_what_is_accepted_is_read_back_from_its_bytes(value: JsonValue) -> None:
    assert flaw_in(value) is None

    read = parse_canonical(canonical(value))

    assert not isinstance(read, Refused), read
    assert same(read, value)


@law
@given(json_values())
def test_encoding_what_was_read_gives_the_same_bytes(value: JsonValue) -> None:
    body = canonical(value)

    read = parse_canonical(body)

    assert not isinstance(read, Refused)
    assert canonical(read) == body


@law
@given(LIKELY_EQUAL, LIKELY_EQUAL)
def test_two_values_have_the_same_bytes_only_if_they_are_the_same(one: JsonValue, other: JsonValue) -> None:
    assert (canonical(one) == canonical(other)) == same(one, other)


@law
@given(json_values(), json_values())
def test_different_values_have_different_bytes(one: JsonValue, other: JsonValue) -> None:
    assert (canonical(one) == canonical(other)) == same(one, other)


@law
@given(LIKELY_EQUAL, LIKELY_EQUAL)
def test_a_difference_is_found_exactly_where_bytes_differ(one: JsonValue, other: JsonValue) -> None:
    assert (difference(one, other) is None) == (canonical(one) == canonical(other))


@law
@given(json_values())
def test_a_value_does_not_differ_from_what_is_read_of_its_bytes(value: JsonValue) -> None:
    read = json.loads(canonical(value))

    assert difference(value, read) is None


@pytest.mark.parametrize(
    ("one", "other", "place"),
    [
        (1, True, ""),
        (0, False, ""),
        ("1", 1, ""),
        ([], {}, ""),
        (None, [], ""),
        ([1], [1, 2], ""),
        ([1, [2, 3]], [1, [2, 4]], "/1/1"),
        ([1], [True], "/0"),
        ({"a": 1}, {}, "/a"),
        ({}, {"a/b": 1}, "/a~1b"),
        ({"a": None}, {}, "/a"),
        ({"a": {"b~": [0, {"c": 1}]}}, {"a": {"b~": [0, {"c": 2}]}}, "/a/b~0/1/c"),
        ({"a": 1, "c": 1}, {"a": 2, "b": 1}, "/b"),
    ],
)
def test_a_difference_names_its_place(one: JsonValue, other: JsonValue, place: str) -> None:
    assert difference(one, other, "/input") == f"/input{place}"


@law
@given(st.dictionaries(TEXTS, st.integers(0, 9)), st.randoms(use_true_random=False))
def test_the_order_in_which_members_were_written_does_not_matter(
    members: dict[str, int], shuffle: random.Random
) -> None:
    names = list(members)
    shuffle.shuffle(names)

    assert canonical({name: members[name] for name in names}) == canonical({**members})


@law
@given(json_values())
def test_the_bytes_are_those_of_the_reference_encoder(value: JsonValue) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@law
@given(unusual_values())
def test_the_fast_encoder_writes_no_other_bytes(value: JsonValue) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@law
@given(unusual_values().map(rfc8785.dumps), st.data())
def test_the_fast_reader_takes_what_the_reference_would_write_and_nothing_else(
    body: bytes, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(body)))
    other = body[:at] + data.draw(st.sampled_from(PIECES)) + body[at + data.draw(st.integers(0, 1)) :]

    for text in (body, other):
        read, value = parse_canonical(text), read_json(text)
        if isinstance(value, Refused):
            assert read == value
        elif rfc8785.dumps(value) != text:
            assert isinstance(read, Refused)
        else:
            assert not isinstance(read, Refused)
            assert rfc8785.dumps(read) == text
            assert json.dumps(read) == json.dumps(value)


@pytest.mark.parametrize(
    "value", [UUID(int=7), NOON, NOON.date(), Sent(1), b"{}", {1: 2}, {None: 1}, {1}, 2**64], ids=repr
)
def test_what_is_no_json_has_no_bytes(value: object) -> None:
    for document in (value, [value], {"a": value}):
        with pytest.raises(ValueError):
            canonical(cast(JsonValue, document))


@law
@given(json_values())
def test_the_bytes_are_json_without_a_space_or_a_raw_control_character(value: JsonValue) -> None:
    body = canonical(value)

    assert same(json.loads(body), value)
    assert all(byte >= 0x20 for byte in body)


@pytest.mark.parametrize("code", range(1, 0x20))
def test_a_control_character_is_escaped(code: int) -> None:
    body = canonical(chr(code))

    assert body.startswith(b'"\\')
    assert body == rfc8785.dumps(chr(code))
    assert json.loads(body) == chr(code)
    assert parse_canonical(body) == chr(code)
    assert json.loads(canonical({chr(code): 0})) == {chr(code): 0}


def test_members_are_sorted_by_utf_16_and_not_by_code_point() -> None:
    assert canonical({"\ufb33": 1, "\U0001f600": 2}) == '{"\U0001f600":2,"\ufb33":1}'.encode()


def test_a_list_that_contains_itself_is_nested_too_deep() -> None:
    endless: list[object] = []
    endless.append(endless)

    flaw = flaw_in(endless)

    assert flaw is not None
    assert (flaw.detail, flaw.pointer) == ("nested deeper than 32", "/0" * 32)


def test_an_object_that_contains_itself_is_nested_too_deep() -> None:
    endless: dict[str, object] = {}
    endless["me"] = [endless]

    flaw = flaw_in(endless)

    assert flaw is not None
    assert (flaw.detail, flaw.pointer) == ("nested deeper than 32", "/me/0" * 16)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53, "\ud800", {"\ud800": 1}, {"a": ["\udfff"]}])
def test_what_has_no_canonical_form_raises_a_value_error(value: JsonValue) -> None:
    with pytest.raises(ValueError):
        canonical(value)


@pytest.mark.parametrize(
    "body",
    [
        b'{"b":1,"a":2}',
        b'{"a": 1}',
        b'{"a":1}\n',
        b" 1",
        b"[1, 2]",
        b"1.0",
        b"1e0",
        b"10E-1",
        b"0.10",
        b"1E5",
        b"0.0",
        b"1e-400",
        b"0.1000000000000000055",
        b'"\\u0061"',
        b'"\\/"',
        b'"\\u000a"',
        b'"\\u001F"',
        b'"\\u00e9"',
        b'"\\ud83d\\ude00"',
    ],
)
def test_json_that_we_would_write_otherwise_is_read_but_not_taken_as_canonical(body: bytes) -> None:
    assert not isinstance(read_json(body), Refused)

    refusal = parse_canonical(body)

    assert isinstance(refusal, Refused)
    assert refusal.code is RefusalCode.NOT_CANONICAL
    assert (refusal.detail, refusal.pointer) == ("valid JSON, but not in canonical form (RFC 8785)", "")


@pytest.mark.parametrize("value", [None, False, 0, "", [], {}])
def test_an_empty_value_is_a_value_and_no_refusal(value: JsonValue) -> None:
    read = parse_canonical(canonical(value))

    assert not isinstance(read, Refused)
    assert same(read, value)


def test_null_and_absent_are_two_things_and_both_survive() -> None:
    assert (parse_canonical(b'{"a":null}'), parse_canonical(b"{}")) == ({"a": None}, {})
