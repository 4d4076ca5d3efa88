"""Canonical JSON: one value, one sequence of bytes.

The encoder follows RFC 8785 to the letter. What is taken in is narrower: whatever two readers could read
differently is refused, with the place.

Source: events.md, "Canonical JSON".
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from enum import StrEnum
from typing import TypeVar, cast

import rfc8785
from pydantic import BaseModel, ValidationError

from sealwork.domain.json_value import JsonObject, JsonValue, pointer
from sealwork.domain.refusals import RefusalCode, Refused, refused

MAX_BYTES = 65_536
"""Size of an intent."""
MAX_DOCUMENT_BYTES = 1_048_576
"""Size of what is stored by content hash: definitions, manifests."""
MAX_RECORD_BYTES = 262_144
"""Size of a record, and of a state."""
MAX_DEPTH = 32
MAX_NUMBER = 2**53 - 1

Model = TypeVar("Model", bound=BaseModel)


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


def document_of(model: BaseModel) -> JsonObject:
    """Return the members of `model` that have a value, under their aliases.

    Free JSON inside the model is kept as it is, nulls included.
    """
    fields = type(model).model_fields
    members = ((fields[name].alias or name, value) for name, value in model if value is not None)
    return {name: _plain(value) for name, value in members}


def _plain(value: object) -> JsonValue:
    if isinstance(value, BaseModel):
        return cast(JsonValue, document_of(value))
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, StrEnum):
        return value.value
    return cast(JsonValue, value)


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


def parse_model(model: type[Model], body: bytes, *, limit: int = MAX_BYTES) -> Model | Refused:
    """Return the `model` that `body`, canonical bytes, describes, if the model would write these very bytes."""
    value = parse_canonical(body, limit=limit)
    return value if isinstance(value, Refused) else written_model(model, value)


def written_model(
    model: type[Model], value: JsonValue, *, code: RefusalCode = RefusalCode.NOT_CANONICAL, at: str = ""
) -> Model | Refused:
    """Return `value` as a `model` if these are exactly the members that the model would write.

    So no null stands for an absent member, no default for a missing one, and no member has two names.
    """
    read = model_of(model, value, code=code, at=at)
    if isinstance(read, Refused):
        return read
    place = difference(value, document_of(read), at)
    detail = "write every member that has a value, under its own name, and leave out what has none"
    return read if place is None else refused(code, detail, place)


def model_of(
    model: type[Model], value: object, *, code: RefusalCode = RefusalCode.NOT_CANONICAL, at: str = ""
) -> Model | Refused:
    """Return `value` as a `model`, or the first member that does not fit; `at` is the pointer to `value`."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        return refused(code, first["msg"], at + _pointer_into(value, first["loc"]))


def _pointer_into(value: object, steps: tuple[int | str, ...]) -> str:
    """Between the steps into the document pydantic also names the member of a union that it tried: left out."""
    path: list[int | str] = []
    for index, step in enumerate(steps, start=1):
        if isinstance(value, dict) and (step in value or index == len(steps)):
            path.append(step)
            value = value.get(step)
        elif isinstance(value, list | tuple) and isinstance(step, int):
            path.append(step)
            value = value[step]
    return pointer(*path)


def difference(one: JsonValue, other: JsonValue, at: str = "") -> str | None:
    """Return the pointer to a place where the canonical bytes of two values differ, None if they are the same.

    Python's own equality is no measure of that: it takes true for 1.
    """
    steps = _steps_apart(one, other)
    return None if steps is None else at + pointer(*steps)


def _steps_apart(one: JsonValue, other: JsonValue) -> tuple[str | int, ...] | None:
    if one is other:
        return None
    if isinstance(one, dict) and isinstance(other, dict):
        alone = one.keys() ^ other.keys()
        return (min(alone),) if alone else _first_apart((name, item, other[name]) for name, item in one.items())
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return _first_apart((index, item, other[index]) for index, item in enumerate(one))
    return None if isinstance(one, bool) == isinstance(other, bool) and one == other else ()


def _first_apart(pairs: Iterable[tuple[str | int, JsonValue, JsonValue]]) -> tuple[str | int, ...] | None:
    for step, one, other in pairs:
        rest = _steps_apart(one, other)
        if rest is not None:
            return (step, *rest)
    return None


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
