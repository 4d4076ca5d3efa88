"""Published vectors of JSON: what is written, and what is read.

Source: RFC 8785 with its reference implementation; nst/JSONTestSuite.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from itertools import islice

import pytest

from sealwork.domain.json_value import JsonValue
from sealwork.domain.ledger.canonical import MAX_BYTES, MAX_DOCUMENT_BYTES, canonical, parse_canonical, read_json
from sealwork.domain.ledger.envelope import pae
from sealwork.domain.ledger.members import difference
from sealwork.domain.refusals import RefusalCode, Refused
from vectors.es6_numbers import es6_numbers
from vectors.published import json_of, path_of

JCS_FILES = ["arrays", "french", "structures", "unicode", "values", "weird"]


@pytest.mark.parametrize("name", JCS_FILES)
def test_a_file_of_the_reference_is_written_as_the_reference_writes_it(name: str) -> None:
    folder = path_of("jcs/testdata")

    written = canonical(json.loads((folder / "input" / f"{name}.json").read_bytes()))

    assert written == bytes.fromhex((folder / "outhex" / f"{name}.txt").read_text())
    assert written == (folder / "output" / f"{name}.json").read_bytes().removesuffix(b"\n")


@pytest.mark.parametrize("name", sorted({*JCS_FILES} - {"values"}))
def test_what_the_reference_wrote_is_taken_as_canonical(name: str) -> None:
    body = bytes.fromhex((path_of("jcs/testdata") / "outhex" / f"{name}.txt").read_text())

    assert not isinstance(parse_canonical(body), Refused)


def test_the_one_file_with_a_number_beyond_the_limits_is_not_taken() -> None:
    body = bytes.fromhex((path_of("jcs/testdata") / "outhex" / "values.txt").read_text())

    refusal = parse_canonical(body)

    assert isinstance(refusal, Refused)
    assert (refusal.code, refusal.pointer) == (RefusalCode.NOT_CANONICAL, "/numbers/1")


def test_the_numbers_of_appendix_b_are_written_as_it_says() -> None:
    lines = path_of("rfc8785_appendix_b.txt").read_text().splitlines()
    cases = [line.split() for line in lines if not line.startswith("#")]

    assert len(cases) == 26
    for bits, expected in cases:
        (number,) = struct.unpack(">d", bytes.fromhex(bits))
        if expected == "error":
            with pytest.raises(ValueError):
                canonical(number)
        else:
            assert canonical(number).decode() == expected, bits


@pytest.mark.parametrize("lines", [1_000, 10_000, 100_000])
def test_the_numbers_of_the_reference_have_its_digest(lines: int) -> None:
    expected = json_of("es6_number_digests.json")["lines_to_sha256"][str(lines)]
    hash_ = sha256()

    for bits, number in islice(es6_numbers(), lines):
        hash_.update(b"%x,%s\n" % (bits, canonical(number)))

    assert hash_.hexdigest() == expected


def test_the_encoding_before_a_signature_is_that_of_dsse() -> None:
    vector = json_of("dsse/pae.json")

    assert pae(vector["type"], vector["body"].encode()) == vector["pae"].encode()


# JSONTestSuite: y_ is JSON, n_ is none, with i_ readers differ

NUMBER, ZERO, TWICE, NUL = "where numbers lose digits", "minus zero", "stands twice", "U+0000"
REFUSED_OF_Y = {
    "number.json": NUMBER,
    "number_minus_zero.json": ZERO,
    "number_negative_zero.json": ZERO,
    "number_real_capital_e.json": NUMBER,
    "number_real_exponent.json": NUMBER,
    "number_real_fraction_exponent.json": NUMBER,
    "object_duplicated_key.json": TWICE,
    "object_duplicated_key_and_value.json": TWICE,
    "object_escaped_null_in_key.json": NUL,
    "object_extreme_numbers.json": NUMBER,
    "string_null_escape.json": NUL,
}
"""JSON that two readers could read differently, or that PostgreSQL could not keep, and what is said about it."""


def parsing(prefix: str) -> dict[str, bytes]:
    files = sorted(path_of("jsontestsuite/test_parsing").glob(f"{prefix}_*.json"))
    return {file.name.removeprefix(f"{prefix}_"): file.read_bytes() for file in files}


def taken(bodies: dict[str, bytes], read: Callable[[bytes], JsonValue | Refused]) -> set[str]:
    return {name for name, body in bodies.items() if not isinstance(read(body), Refused)}


def test_the_suite_is_the_one_that_was_counted() -> None:
    assert {prefix: len(parsing(prefix)) for prefix in "yni"} == {"y": 95, "n": 188, "i": 35}


@pytest.mark.parametrize("limit", [MAX_BYTES, MAX_DOCUMENT_BYTES])
def test_nothing_that_is_no_json_is_read(limit: int) -> None:
    assert taken(parsing("n"), partial(read_json, limit=limit)) == set()


def test_84_of_95_files_of_json_are_read() -> None:
    files = parsing("y")

    assert len(taken(files, read_json)) == 84
    assert files.keys() - taken(files, read_json) == REFUSED_OF_Y.keys()


@pytest.mark.parametrize(("name", "detail"), REFUSED_OF_Y.items())
def test_json_that_is_refused_is_refused_with_its_reason(name: str, detail: str) -> None:
    refusal = read_json(parsing("y")[name])

    assert isinstance(refusal, Refused)
    assert detail in refusal.detail


def test_41_of_95_files_of_json_are_canonical() -> None:
    assert len(taken(parsing("y"), parse_canonical)) == 41


def test_where_readers_differ_only_numbers_too_small_for_a_double_are_read() -> None:
    read = taken(parsing("i"), read_json)

    assert read == {"number_double_huge_neg_exp.json", "number_real_underflow.json"}


def test_where_readers_differ_nothing_is_canonical() -> None:
    assert taken(parsing("i"), parse_canonical) == set()


@pytest.mark.parametrize("prefix", ["y", "i"])
def test_whatever_is_read_can_be_written_and_read_again(prefix: str) -> None:
    files = parsing(prefix)

    for name in taken(files, read_json):
        value = read_json(files[name])
        assert not isinstance(value, Refused)
        assert difference(value, json.loads(canonical(value))) is None, name
        assert not isinstance(parse_canonical(canonical(value)), Refused), name


def test_of_what_readers_transform_only_what_stays_the_same_is_canonical() -> None:
    files = {file.name: file.read_bytes() for file in path_of("jsontestsuite/test_transform").glob("*.json")}

    assert len(files) == 22
    assert taken(files, parse_canonical) == {"object_key_nfd_nfc.json"}
    assert taken(files, read_json) == {
        "number_1.0.json",
        "number_1.000000000000000005.json",
        "number_1000000000000000.json",
        "number_1e-999.json",
        "number_1e6.json",
        "object_key_nfc_nfd.json",
        "object_key_nfd_nfc.json",
    }
