"""Canonical JSON: one value, one sequence of bytes.

The encoder follows RFC 8785 to the letter. What is taken in is narrower: whatever two readers could read
differently is refused, with the place.

Source: events.md, "Canonical JSON".
"""

from __future__ import annotations

import json
import math
import re
from typing import NamedTuple, cast

import orjson
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

_FAST = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER
_SCALARS = frozenset({str, int, bool, type(None)})
_BEYOND_SURROGATES = re.compile(rb"[\xee-\xff]")
"""Begins, in UTF-8, what UTF-16 sorts otherwise than by code point, if it stands in the name of a member."""


class _Flaw:
    """Stands in a parsed tree where the text held something that JSON readers disagree about."""

    def __init__(self, detail: str) -> None:
        self.detail = detail


def canonical(value: JsonValue) -> bytes:
    """Return the RFC 8785 bytes of `value`.

    Raises:
        ValueError: `value` has no canonical form; see `flaw_in`, which says where.
    """
    return _fast(value) or rfc8785.dumps(value)


def _fast(value: object) -> bytes | None:
    """Return the same bytes fifty times faster; None where orjson might write others, and for anything unusual."""
    if not _is_plain(value, MAX_DEPTH):
        return None
    try:
        body = orjson.dumps(value, option=_FAST)
    except TypeError:  # a number or text without a canonical form, or a member without a name
        return None
    return body if body.isascii() or not _BEYOND_SURROGATES.search(body) else None


def _is_plain(value: object, room: int) -> bool:
    """Return whether `value` holds no number with a fraction and nothing that JSON does not have."""
    kind = type(value)
    if room == 0 or (kind is not dict and kind is not list):
        return kind in _SCALARS
    for item in value.values() if isinstance(value, dict) else cast(list[object], value):
        if type(item) not in _SCALARS and not _is_plain(item, room - 1):
            return False
    return True


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
    fast = _read_fast(body, limit)
    if fast is not None:
        return fast
    value = read_json(body, limit=limit)
    if not isinstance(value, Refused) and canonical(value) != body:
        return _not_canonical("valid JSON, but not in canonical form (RFC 8785)", "")
    return value


def _read_fast(body: bytes, limit: int) -> dict[str, JsonValue] | None:
    """Return the object that `body` is, if that is seen at once; None says nothing."""
    value = supposed_object(body, limit=limit)
    return value if value is not None and is_plainly(body, value) else None


def supposed_object(body: bytes, *, limit: int = MAX_BYTES) -> dict[str, JsonValue] | None:
    """Return the object that `body` is if these are canonical bytes, which is not looked at; None says nothing."""
    if len(body) > limit or b"\\u0000" in body:
        return None
    try:
        value = orjson.loads(body)
    except ValueError:
        return None
    return value if type(value) is dict else None


def is_plainly(body: bytes, value: JsonValue) -> bool:
    """Return whether `body`, of which `supposed_object` was made, is the canonical form of `value`.

    False says nothing.
    """
    return _fast(value) == body


def flaw_in(value: object, at: str = "", *, depth: int = 1) -> Refused | None:
    """Return the first thing in `value` that may not be signed, and where; None if there is none.

    `depth` counts from 1 how deep the value will stand in the document that is signed.
    """
    found = _found_in(value, depth)
    if found is None:
        return None
    place = at + pointer(*found.steps)
    return _not_canonical(found.detail, place.encode(errors="replace").decode())


class _Found(NamedTuple):
    detail: str
    steps: tuple[str | int, ...] = ()


def _found_in(value: object, depth: int) -> _Found | None:
    match value:
        case str():
            return _found_in_text(value)
        case None | bool():
            return None
        case int() | float():
            return _found_in_number(value)
        case list() | dict() if depth > MAX_DEPTH:
            return _Found(f"nested deeper than {MAX_DEPTH}")
        case list() if type(value) is list:
            return _found_in_list(value, depth)
        case dict() if type(value) is dict:
            return _found_in_object(value, depth)
        case _Flaw():
            return _Found(value.detail)
        case _:
            return _Found(f"a {type(value).__name__} is not a JSON value")


def _found_in_list(value: list[object], depth: int) -> _Found | None:
    for index, item in enumerate(value):
        found = _found_in(item, depth + 1)
        if found:
            return _Found(found.detail, (index, *found.steps))
    return None


def _found_in_object(value: dict[object, object], depth: int) -> _Found | None:
    for name, item in value.items():
        if type(name) is not str:
            return _Found("names of members are text")
        found = _found_in_text(name) or _found_in(item, depth + 1)
        if found:
            return _Found(found.detail, (name, *found.steps))
    return None


def _found_in_text(value: str) -> _Found | None:
    if type(value) is not str:
        return _Found(f"a {type(value).__name__} is not plain text")
    try:
        value.encode()
    except UnicodeEncodeError:
        return _Found("a lone surrogate is not text")
    return _Found("U+0000 cannot be stored") if "\x00" in value else None


def _found_in_number(value: int | float) -> _Found | None:
    if type(value) not in (int, float):
        return _Found(f"a {type(value).__name__} is not a JSON number")
    if type(value) is float and not math.isfinite(value):
        return _Found("not a finite number")
    if abs(value) > MAX_NUMBER:
        return _Found(f"beyond ±{MAX_NUMBER}, where numbers lose digits: send it as text")
    if value == 0 and math.copysign(1, value) < 0:
        return _Found("minus zero: write 0")
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
