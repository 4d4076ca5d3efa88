"""The limits of what is taken in: for each, the last thing that is taken and the first that is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws import law
from sealwork.domain.json_value import JsonValue
from sealwork.domain.ledger.canonical import (
    MAX_BYTES,
    MAX_DOCUMENT_BYTES,
    MAX_NUMBER,
    MAX_RECORD_BYTES,
    canonical,
    flaw_in,
    parse_canonical,
    read_json,
)
from sealwork.domain.refusals import RefusalCode, Refused

NOT_CANONICAL, TOO_LARGE = RefusalCode.NOT_CANONICAL, RefusalCode.TOO_LARGE
READERS = [read_json, parse_canonical]
Reader = Callable[[bytes], JsonValue | Refused]


def refusal_of(answer: JsonValue | Refused) -> tuple[RefusalCode, str | None]:
    assert isinstance(answer, Refused), answer
    return answer.code, answer.pointer


def nested(levels: int) -> JsonValue:
    value: JsonValue = []
    for _ in range(levels - 1):
        value = [value]
    return value


# Size


def test_the_sizes_are_those_of_the_specification() -> None:
    assert (MAX_BYTES, MAX_RECORD_BYTES, MAX_DOCUMENT_BYTES) == (65_536, 256 * 1024, 1024 * 1024)


@pytest.mark.parametrize("read", READERS)
def test_65536_bytes_are_taken(read: Reader) -> None:
    body = b'"' + b"a" * 65_534 + b'"'

    assert read(body) == "a" * 65_534


@pytest.mark.parametrize("read", READERS)
def test_65537_bytes_are_too_large(read: Reader) -> None:
    body = b'"' + b"a" * 65_535 + b'"'

    assert refusal_of(read(body)) == (TOO_LARGE, None)


def test_the_size_is_counted_in_bytes_and_not_in_characters() -> None:
    body = canonical("é" * 32_768)

    assert refusal_of(parse_canonical(body)) == (TOO_LARGE, None)


def test_size_is_judged_before_anything_is_read() -> None:
    assert refusal_of(read_json(b"\xff" * 65_537)) == (TOO_LARGE, None)


@pytest.mark.parametrize("read", [read_json, parse_canonical])
def test_another_limit_can_be_given(read: Callable[..., JsonValue | Refused]) -> None:
    assert read(b"[1]", limit=3) == [1]
    assert refusal_of(read(b"[12]", limit=3)) == (TOO_LARGE, None)


# Depth


@pytest.mark.parametrize("read", READERS)
def test_depth_32_is_taken(read: Reader) -> None:
    assert read(b"[" * 32 + b"]" * 32) == nested(32)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b"[" * 33 + b"]" * 33, "/0" * 32),
        (b'{"a":' * 33 + b"1" + b"}" * 33, "/a" * 32),
        (b'{"a":' + b"[" * 32 + b"]" * 32 + b"}", "/a" + "/0" * 31),
        (b"[0," + b"[" * 32 + b"]" * 32 + b"]", "/1" + "/0" * 31),
    ],
)
def test_depth_33_is_refused_where_it_begins(read: Reader, body: bytes, place: str) -> None:
    assert refusal_of(read(body)) == (NOT_CANONICAL, place)


def test_a_scalar_at_the_greatest_depth_is_taken() -> None:
    body = b"[" * 32 + b"1" + b"]" * 32

    assert not isinstance(parse_canonical(body), Refused)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("body", [b"[" * 65_536, b"[" * 32_768 + b"]" * 32_768, b'{"a":' * 13_000])
def test_depth_beyond_every_stack_is_refused_too(read: Reader, body: bytes) -> None:
    assert refusal_of(read(body)) == (NOT_CANONICAL, None)


# Numbers


def test_the_greatest_number_is_the_greatest_safe_integer() -> None:
    assert MAX_NUMBER == 9_007_199_254_740_991


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("number", [0, 1, -1, 2**53 - 1, -(2**53 - 1)])
def test_a_whole_number_within_the_limits_is_taken(read: Reader, number: int) -> None:
    assert read(b"[%d]" % number) == [number]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "text",
    [
        b"9007199254740992",
        b"-9007199254740992",
        b"9007199254740993",
        b"99999999999999999",
        b"100000000000000000",
        b"1" * 5000,
        b"-" + b"1" * 5000,
        b"9007199254740992.0",
        b"-9007199254740992.0",
        b"9007199254740992.5",
        b"9007199254740993e0",
        b"9.007199254740992e15",
        b"-9.007199254740992E+15",
        b"1e16",
        b"1e308",
        b"1" * 400 + b".5",
    ],
)
def test_a_number_beyond_the_limits_is_refused_however_it_is_written(read: Reader, text: bytes) -> None:
    assert refusal_of(read(b'{"n":[0,' + text + b"]}")) == (NOT_CANONICAL, "/n/1")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (b"9007199254740991.0", 2**53 - 1),
        (b"-9.007199254740991e15", -(2**53 - 1)),
        (b"9007199254740991e0", 2**53 - 1),
        (b"5e-324", 5e-324),
        (b"-5e-324", -5e-324),
        (b"1.0", 1),
    ],
)
def test_a_number_with_a_point_or_an_exponent_within_the_limits_is_read(text: bytes, number: float) -> None:
    assert read_json(text) == number


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("text", [b"-0", b"-0.0", b"-0e0", b"-0.0e5", b"-0E-3", b"-1e-400"])
def test_minus_zero_is_refused_however_it_is_written(read: Reader, text: bytes) -> None:
    assert refusal_of(read(b'{"a":' + text + b"}")) == (NOT_CANONICAL, "/a")


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("text", [b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-1e999"])
def test_what_is_no_finite_number_is_refused(read: Reader, text: bytes) -> None:
    assert refusal_of(read(b'{"a":{"b":' + text + b"}}")) == (NOT_CANONICAL, "/a/b")


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "text", [b"01", b"+1", b".5", b"1.", b"0x1", b"1_000", b"--1", b"nan", b"1e", b"\xd9\xa1"]
)
def test_what_is_no_number_is_refused(read: Reader, text: bytes) -> None:
    assert refusal_of(read(text)) == (NOT_CANONICAL, None)


# Text


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b'"\\ud800"', ""),
        (b'["\\udc00"]', "/0"),
        (b'{"a":"\\udbff\\u0041"}', "/a"),
        (b'{"a":"\\ude00\\ud83d"}', "/a"),
        (b'{"\\ud800":1}', "/?"),
        (b'{"a":{"b\\udfff":NaN}}', "/a/b?"),
        (b'{"\\ud800\\u0000":1}', "/?\x00"),
        (b'{"\\ud800":1,"\\ud800":2}', "/?"),
    ],
)
def test_a_lone_surrogate_is_refused_in_values_and_names(read: Reader, body: bytes, place: str) -> None:
    assert refusal_of(read(body)) == (NOT_CANONICAL, place)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("body", [b'"\xed\xa0\x80"', b'{"\xed\xbf\xbf":1}', b'"\xed\xa0\xbd\xed\xb8\x80"'])
def test_a_raw_surrogate_is_not_utf_8(read: Reader, body: bytes) -> None:
    assert refusal_of(read(body)) == (NOT_CANONICAL, None)


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert read_json(b'"\\ud83d\\ude00"') == "\U0001f600"


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("body", "place"),
    [(b'"\\u0000"', ""), (b'{"a":["b","c\\u0000d"]}', "/a/1"), (b'{"a\\u0000":1}', "/a\x00")],
)
def test_the_character_zero_is_refused_in_values_and_names(read: Reader, body: bytes, place: str) -> None:
    assert refusal_of(read(body)) == (NOT_CANONICAL, place)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("body", [b'"\x00"', b'"\n"', b'"\x1f"', b'"\t"', b'{"a\nb":1}'])
def test_a_raw_control_character_is_refused(read: Reader, body: bytes) -> None:
    assert refusal_of(read(body)) == (NOT_CANONICAL, None)


def test_noncharacters_and_unnormalised_text_are_kept_as_they_are() -> None:
    text = "\uffff\ufdd0e\u0301é\u2028"

    assert parse_canonical(canonical(text)) == text


# Members


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b'{"a":1,"a":1}', "/a"),
        (b'{"a":1,"a":2,"a":3}', "/a"),
        (b'{"a":1,"\\u0061":2}', "/a"),
        (b'{"\\u0061":1,"a":2}', "/a"),
        (b'[{"x":{"a/b":1,"a\\/b":2}}]', "/0/x/a~1b"),
        (b'{"":1,"":2}', "/"),
        (b'{"\xf0\x9f\x98\x80":1,"\\uD83D\\uDE00":2}', "/\U0001f600"),
        (b'{"a":{"b":1,"b":2},"a":1}', "/a"),
    ],
)
def test_a_name_that_stands_twice_is_refused(read: Reader, body: bytes, place: str) -> None:
    assert refusal_of(read(body)) == (NOT_CANONICAL, place)


@pytest.mark.parametrize("body", [b'{"a":1,"A":2}', b'{"e\xcc\x81":1,"\xc3\xa9":2}', b'[{"a":1},{"a":1}]'])
def test_names_that_only_look_alike_are_taken(body: bytes) -> None:
    assert not isinstance(read_json(body), Refused)


# Encodings and rubbish


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"\xef\xbb\xbf{}",
        b"\xff\xfe{\x00}\x00",
        b"\xfe\xff\x00{\x00}",
        b"{\x00}\x00",
        b"\x00{\x00}",
        b'"\xff"',
        b'"\xc0\xaf"',
        b'"\xc3"',
        b'"\xf4\x90\x80\x80"',
        b"{}{}",
        b"{} x",
        b"1 2",
        b"[1,]",
        b'{"a":1,}',
        b'{"a"}',
        b"{1:2}",
        b"{'a':1}",
        b"[1",
        b'"a',
        b"// a\n1",
        b"tru",
        b"True",
        b"undefined",
        b"\x0b1",
        b"\xc2\xa01",
    ],
)
def test_what_is_not_json_in_utf_8_is_refused_as_a_whole(read: Reader, body: bytes) -> None:
    assert refusal_of(read(body)) == (NOT_CANONICAL, None)


@law
@given(st.binary(max_size=60))
def test_no_bytes_make_the_reader_raise(body: bytes) -> None:
    assert_told(read_json(body))
    assert_told(parse_canonical(body))


@law
@given(st.text(max_size=60))
def test_no_text_makes_the_reader_raise(text: str) -> None:
    assert_told(read_json(text.encode("utf-8", "surrogatepass")))


PIECES = ["{", "}", "[", "]", ",", ":", '"a"', '"\\ud800"', '"\\u0000"', "NaN", "-0", "-0.0", "1e999", "1", "null"]
PIECES += ['"', "\\", "\\ud800", " ", "9007199254740993", "Infinity", "true", "\ufeff", '{"a":1,"a":', "[" * 40]


@law
@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_nothing_that_resembles_json_makes_the_reader_raise(pieces: list[str]) -> None:
    assert_told(read_json("".join(pieces).encode()))


def assert_told(answer: JsonValue | Refused) -> None:
    """A value that can be signed, or a refusal that can be sent to anybody."""
    if isinstance(answer, Refused):
        answer.model_dump_json().encode()
    else:
        assert flaw_in(answer) is None
        canonical(answer)
