"""Our own texts with their canonical forms: what we make of them, and who else gets them wrong."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from sealwork.domain.json_value import JsonValue
from sealwork.domain.ledger.canonical import canonical, parse_canonical, read_json
from sealwork.domain.refusals import Refused
from vectors.regenerate import GOLDEN

CASES: list[Any] = json.loads((GOLDEN / "canonical.json").read_bytes())["cases"]
Implementation: TypeAlias = Callable[[bytes], bytes | None]


def ours(text: bytes) -> bytes | None:
    value = read_json(text)
    return None if isinstance(value, Refused) else canonical(value)


def text_of(case: Any) -> bytes:
    return base64.b64decode(case["base64"]) if "base64" in case else case["text"].encode()


def expected(case: Any) -> bytes | None:
    return None if case["canonical"] is None else case["canonical"].encode()


def test_every_text_has_the_canonical_form_of_the_file_or_its_refusal() -> None:
    for case in CASES:
        value = read_json(text_of(case))
        if isinstance(value, Refused):
            assert (value.code, value.pointer) == (case["code"], case["pointer"]), case["name"]
        assert ours(text_of(case)) == expected(case), case["name"]


def test_every_canonical_form_is_taken_as_it_is() -> None:
    bodies = [body for case in CASES if (body := expected(case)) is not None]

    assert len(bodies) == 13
    assert [body for body in bodies if isinstance(parse_canonical(body), Refused)] == []


def utf_16(name: str) -> bytes:
    return name.encode("utf-16-be")


def plain(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def ecmascript(number: float) -> str:
    return canonical(number).decode()


def encoder(
    *,
    order: Callable[[str], bytes] = utf_16,
    text: Callable[[str], str] = plain,
    number: Callable[[float], str] = ecmascript,
) -> Implementation:
    """A second encoder of canonical JSON, each rule of which can be replaced by a wrong one."""

    def written(value: JsonValue) -> str:
        match value:
            case dict():
                names = sorted(value, key=order)
                return "{" + ",".join(f"{text(name)}:{written(value[name])}" for name in names) + "}"
            case list():
                return "[" + ",".join(map(written, value)) + "]"
            case str():
                return text(value)
            case None | bool():
                return json.dumps(value)
            case _:
                return number(value)

    def implementation(body: bytes) -> bytes | None:
        value = read_json(body)
        return None if isinstance(value, Refused) else written(value).encode()

    return implementation


def reads_like_javascript(body: bytes) -> bytes | None:
    """Every number is a double, and the last of two names counts."""
    try:
        return canonical(json.loads(body, parse_int=float))
    except ValueError:
        return None


CODE_POINTS = encoder(order=lambda name: name.encode("utf-32-be"))
ONLY_ASCII = encoder(text=json.dumps)
FLOATS_OF_PYTHON = encoder(number=json.dumps)
WRONG = [
    (CODE_POINTS, "names sorted by UTF-16, not by code point"),
    (ONLY_ASCII, "text beyond ASCII is not escaped"),
    (FLOATS_OF_PYTHON, "floats are written as ECMAScript does"),
    (reads_like_javascript, "minus zero"),
    (reads_like_javascript, "minus zero as a float"),
    (reads_like_javascript, "minus zero by underflow"),
    (reads_like_javascript, "2^53"),
    (reads_like_javascript, "-2^53"),
    (reads_like_javascript, "2^53 + 1, which no double holds"),
    (reads_like_javascript, "2^53 as a float"),
    (reads_like_javascript, "a large exponent"),
    (reads_like_javascript, "a name twice"),
    (reads_like_javascript, "a name twice, spelt otherwise"),
]


def failed(implementation: Implementation) -> set[str]:
    """The names of the cases that an implementation gets wrong."""
    return {case["name"] for case in CASES if implementation(text_of(case)) != expected(case)}


def test_a_second_encoder_agrees_with_every_case() -> None:
    assert failed(encoder()) == set()


@pytest.mark.parametrize(("wrong", "name"), WRONG, ids=[name for _, name in WRONG])
def test_an_implementation_that_is_wrong_is_told_apart(wrong: Implementation, name: str) -> None:
    # ledger case 12
    assert name in failed(wrong)
