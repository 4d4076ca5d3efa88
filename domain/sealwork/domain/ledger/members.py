"""Values as JSON documents, and back: a document is taken only if the value would be written exactly so.

Source: events.md: "Members without a value are absent, never null"; unknown members are refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from typing import TypeVar, cast

from pydantic import BaseModel, ValidationError

from sealwork.domain.json_value import JsonObject, JsonValue, pointer
from sealwork.domain.ledger.canonical import MAX_BYTES, canonical, is_plainly, parse_canonical, supposed_object
from sealwork.domain.refusals import RefusalCode, Refused, refused

Model = TypeVar("Model", bound=BaseModel)

_WRITTEN_AS_THEY_ARE = frozenset({str, int, dict})


def document_of(model: BaseModel) -> JsonObject:
    """Return the members of `model` that have a value, under their aliases.

    Free JSON inside the model is kept as it is, nulls included.
    """
    values = model.__dict__
    return {
        written: value if type(value) in _WRITTEN_AS_THEY_ARE else _plain(value)
        for name, written in _names(type(model))
        if (value := values[name]) is not None
    }


@cache
def _names(model: type[BaseModel]) -> tuple[tuple[str, str], ...]:
    """Return the fields of `model`, each with the name of its member."""
    return tuple((name, field.alias or name) for name, field in model.model_fields.items())


def _plain(value: object) -> JsonValue:
    if isinstance(value, BaseModel):
        return document_of(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, StrEnum):
        return value.value
    return cast(JsonValue, value)


def parse_model(model: type[Model], body: bytes, *, limit: int = MAX_BYTES) -> Model | Refused:
    """Return the `model` that `body`, canonical bytes, describes, if the model would write these very bytes."""
    return _read_at_once(model, body, limit) or _read_step_by_step(model, body, limit)


def _read_at_once(model: type[Model], body: bytes, limit: int) -> Model | None:
    """Return the model if it writes `body`: then `body` is canonical. None says nothing."""
    value = supposed_object(body, limit=limit)
    if value is None:
        return None
    try:
        read = model.model_validate(value)
    except ValidationError:
        return None
    return read if is_plainly(body, document_of(read)) else None


def _read_step_by_step(model: type[Model], body: bytes, limit: int) -> Model | Refused:
    value = parse_canonical(body, limit=limit)
    if isinstance(value, Refused):
        return value
    read = model_of(model, value)
    if isinstance(read, Refused) or canonical(document_of(read)) == body:
        return read
    return written_model(model, value)  # which says where they differ


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
        elif isinstance(value, list | tuple) and isinstance(step, int) and step < len(value):
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
