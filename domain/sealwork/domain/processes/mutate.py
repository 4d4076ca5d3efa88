"""What an action writes into the data of its process: values in, values out.

Every field is written once (publication sees to it), so the order of the operators does not matter.

Source: language.md, "Workflow DSL v2"; S1-039, S1-109.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import NamedTuple, TypeAlias, TypeGuard

from sealwork.domain.json_value import JsonObject, JsonValue, pointer
from sealwork.domain.ledger.canonical import MAX_NUMBER
from sealwork.domain.refusals import RefusalCode, Refused, refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Resolved values by the field that they are for; dotted names lead into objects."""

    set_: Mapping[str, JsonValue] = field(default_factory=dict)
    append: Mapping[str, JsonValue] = field(default_factory=dict)
    unset: tuple[str, ...] = ()
    inc: Mapping[str, JsonValue] = field(default_factory=dict)


class _Obstacle(NamedTuple):
    """Why something cannot be written, and how many steps of its path were left."""

    steps: int
    reason: str


class _Set(NamedTuple):
    value: JsonValue


class _Append(NamedTuple):
    value: JsonValue


class _Add(NamedTuple):
    value: JsonValue


class _Unset(NamedTuple):
    pass


_Write: TypeAlias = _Set | _Append | _Add | _Unset


def mutated(data: JsonObject, changes: Changes) -> JsonObject | Refused:
    """Return `data` after `changes`; `data` itself is not touched. `$set.state` repeats `to` and is no data.

    `$append` puts one entry at the end of a list, `$inc` adds to a number; where nothing stands they begin with an
    empty list and with 0. `$unset` of what is not there changes nothing.
    """
    result = {**data}
    for name, write in _writes(changes):
        path = name.split(".")
        obstacle = _write(result, path, write)
        if obstacle:
            place = pointer("data", *path[: len(path) - obstacle.steps])
            return refused(RefusalCode.INVALID_RESULT, f"{name} cannot be written: {obstacle.reason}", place)
    return result


def _writes(changes: Changes) -> Iterator[tuple[str, _Write]]:
    yield from ((name, _Set(value)) for name, value in changes.set_.items() if name != "state")
    yield from ((name, _Append(value)) for name, value in changes.append.items())
    yield from ((name, _Unset()) for name in changes.unset)
    yield from ((name, _Add(value)) for name, value in changes.inc.items())


def _write(data: JsonObject, path: list[str], write: _Write) -> _Obstacle | None:
    """Write one field into `data`; objects inside it are copied first. Return why it cannot be, if so."""
    name, *rest = path
    if not rest:
        return _put(data, name, write)
    if name not in data and isinstance(write, _Unset):
        return None
    inner = data.get(name, {})
    if not isinstance(inner, dict):
        return None if isinstance(write, _Unset) else _Obstacle(len(rest), f"{name} is not an object")
    own = data[name] = {**inner}
    return _write(own, rest, write)


def _put(data: JsonObject, name: str, write: _Write) -> _Obstacle | None:
    match write:
        case _Set(value):
            data[name] = value
        case _Append(value):
            before = data.get(name, [])
            if not isinstance(before, list):
                return _Obstacle(0, "$append needs a list, and here is none")
            data[name] = [*before, value]
        case _Unset():
            data.pop(name, None)
        case _Add(value):
            sum_ = _sum(data.get(name, 0), value)
            if isinstance(sum_, _Obstacle):
                return sum_
            data[name] = sum_
    return None


def _sum(one: JsonValue, other: JsonValue) -> int | float | _Obstacle:
    """Return the sum of two JSON numbers: whole stays whole, and -0 is 0."""
    if not _is_number(one) or not _is_number(other):
        return _Obstacle(0, "$inc adds numbers, and one of the two is none")
    sum_ = one + other
    if not isfinite(sum_) or abs(sum_) > MAX_NUMBER:
        return _Obstacle(0, f"the sum lies beyond ±{MAX_NUMBER}")
    return sum_ or 0


def _is_number(value: JsonValue) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
