"""The words of the DSL: the forms of text, lists and numbers that its fields take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, TypeAlias, TypeVar

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, JsonValue, StringConstraints, Tag
from pydantic_core import PydanticCustomError

from sealwork.domain.instants import timestamp_of
from sealwork.domain.issues import Place

Word = TypeVar("Word")

_TEMPLATE = "${"

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
"""The name of an action or a state."""
EntryId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,62}$")]
"""The id of a schedule, a spawn or a calendar."""
FieldName = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,62}(\.[A-Za-z_][A-Za-z0-9_]{0,62}){0,7}$")
]
"""A field of the data, dotted where it stands inside another."""
VersionRef = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]*(/[a-z0-9][a-z0-9_-]*)*@[1-9][0-9]{0,8}$", max_length=160),
]
"""One version of a workflow: `path@version`."""
Condition = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
Title = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Description = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]


def _form(value: object) -> str | None:
    if isinstance(value, str):
        return "one"
    return "several" if isinstance(value, list | tuple) else None


def _not_null(value: object) -> object:
    if value is None:
        raise PydanticCustomError("null", "null says nothing here: leave the field out")
    return value


def _timestamp(text: str) -> str:
    """Pass an instant of RFC 3339 that exists, or text that a template will turn into one."""
    if _TEMPLATE in text or text == "event.at":
        return text
    try:
        timestamp_of(text)
    except ValueError as error:
        raise PydanticCustomError("bad_timestamp", "{reason}, or as ${…}", {"reason": str(error)}) from error
    return text


def _amount(value: JsonValue) -> JsonValue:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number and not (isinstance(value, str) and _TEMPLATE in value):
        raise PydanticCustomError("bad_amount", "$inc adds numbers: write a number, or ${…}")
    return value


Maybe: TypeAlias = Annotated[Word | None, BeforeValidator(_not_null)]
"""A field that may be absent; written, it has a value."""
OneOrSeveral: TypeAlias = Annotated[
    Annotated[Word, Tag("one")] | Annotated[tuple[Word, ...], Field(max_length=200), Tag("several")],
    Discriminator(_form, custom_error_type="one_or_several", custom_error_message="is neither text nor a list"),
]
TimestampText = Annotated[str, AfterValidator(_timestamp)]
Amount = Annotated[JsonValue, AfterValidator(_amount)]


def placed(written: str | tuple[str, ...] | None, *place: str | int) -> Iterator[tuple[str, Place]]:
    """Return each word of a field at `place` that takes one or several, and where it stands."""
    if isinstance(written, str):
        yield written, place
    else:
        yield from ((word, (*place, index)) for index, word in enumerate(written or ()))
