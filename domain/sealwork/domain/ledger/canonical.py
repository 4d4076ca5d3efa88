"""Canonical JSON: one value, one sequence of bytes.

The encoder follows RFC 8785 to the letter. What is taken in is narrower: whatever two readers could read
differently is refused, with the place.

Source: events.md, "Canonical JSON".
"""

from __future__ import annotations

import json
import math
from typing import cast

import rfc8785

from sealwork.domain.json_value import JsonValue, pointer
from sealwork.domain.refusals import RefusalCode, Refused, refused

MAX_BYTES = 65_536
"""Size of an intent."""
MAX_DOCUMENT_BYTES = 1_048_576
"""Size of what is stored by content hash: definitions, manifests."""
MAX_RECORD_BYTES = 262_144
"""Size of a record, and of a state."""
MAX_DEPTH = 32
MAX_NUMBER = 2**53 - 1


class _Flaw:
    """Stands in a parsed tree where the text held something that JSON readers disagree about."""

    def __init__(self, detail: str) -> None:
        self.detail = detail


def canonical(value: JsonValue) -> bytes:
    """Return the RFC 8785 bytes of `value`.

    Raises:
        ValueError: `value` has no canonical form; see `flaw_in`, which says where.
    """
    return rfc8785.dumps(value)


def read_json(text: bytes, *, limit: int = MAX_BYTES) -> JsonValue | Refused:
    """Return the value of JSON as a person writes it, or why readers could disagree about it."""
    if len(text) > limit:
        return refused(RefusalCode.TOO_LARGE, f"{len(text)} bytes; at most {limit} are taken")
    try:
        value = cast(JsonValue, _decode(text.decode()))
    except UnicodeDecodeError as error:
        return _not_canonical(f"byte {error.start} is not UTF-8", None)
    except json.JSONDecodeError as error:
        return _not_canonical(f"line {error.lineno}, column {error.colno}: {error.msg}", None)
    except RecursionError:
        return _not_canonical(f"nested deeper than {MAX_DEPTH}", None)
    return flaw_in(value) or value


def parse_canonical(body: bytes, *, limit: int = MAX_BYTES) -> JsonValue | Refused:
    """Return the value of `body` if these are the very bytes that `canonical` would write."""
    value = read_json(body, limit=limit)
    if not isinstance(value, Refused) and canonical(value) != body:
        return _not_canonical("valid JSON, but not in canonical form (RFC 8785)", "")
    return value


def flaw_in(value: object, at: str = "", depth: int = 1) -> Refused | None:
    """Return the first thing in `value` that may not be signed, and where; None if there is none."""
    match value:
        case _Flaw():
            return _not_canonical(value.detail, at)
        case None | bool():
            return None
        case str():
            return _flaw_in_text(value, at)
        case int() | float():
            return _flaw_in_number(value, at)
        case list() | dict() if depth > MAX_DEPTH:
            return _not_canonical(f"nested deeper than {MAX_DEPTH}", at)
        case list() if type(value) is list:
            flaws = (flaw_in(item, f"{at}/{index}", depth + 1) for index, item in enumerate(value))
            return next((flaw for flaw in flaws if flaw), None)
        case dict() if type(value) is dict:
            return _flaw_in_object(value, at, depth)
        case _:
            return _not_canonical(f"a {type(value).__name__} is not a JSON value", at)


def _flaw_in_object(value: dict[object, object], at: str, depth: int) -> Refused | None:
    for name, item in value.items():
        if type(name) is not str:
            return _not_canonical("names of members are text", at)
        place = at + pointer(name)
        flaw = _flaw_in_text(name, place) or flaw_in(item, place, depth + 1)
        if flaw:
            return flaw
    return None


def _flaw_in_text(value: str, at: str) -> Refused | None:
    if type(value) is not str:
        return _not_canonical(f"a {type(value).__name__} is not plain text", at)
    try:
        value.encode()
    except UnicodeEncodeError:
        return _not_canonical("a lone surrogate is not text", at.encode(errors="replace").decode())
    return _not_canonical("U+0000 cannot be stored", at) if "\x00" in value else None


def _flaw_in_number(value: int | float, at: str) -> Refused | None:
    if type(value) not in (int, float):
        return _not_canonical(f"a {type(value).__name__} is not a JSON number", at)
    if type(value) is float and not math.isfinite(value):
        return _not_canonical("not a finite number", at)
    if abs(value) > MAX_NUMBER:
        return _not_canonical(f"beyond ±{MAX_NUMBER}, where numbers lose digits: send it as text", at)
    if value == 0 and math.copysign(1, value) < 0:
        return _not_canonical("minus zero: write 0", at)
    return None


def _decode(text: str) -> object:
    return json.loads(
        text,
        parse_int=_whole,
        parse_constant=lambda name: _Flaw(f"{name} is not JSON"),
        object_pairs_hook=_members,
    )


def _whole(digits: str) -> object:
    if digits == "-0":
        return _Flaw("minus zero: write 0")
    if len(digits) > 17:
        return _Flaw(f"beyond ±{MAX_NUMBER}, where numbers lose digits: send it as text")
    return int(digits)


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for name, value in pairs:
        members[name] = _Flaw(f"{name!r} stands twice") if name in members else value
    return members


def _not_canonical(detail: str, at: str | None) -> Refused:
    return refused(RefusalCode.NOT_CANONICAL, detail, at)
