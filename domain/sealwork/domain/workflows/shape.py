"""Shape issues: what pydantic found wrong, said in terms of the document."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from sealwork.domain.issues import Issue, Place, did_you_mean, error, quoted

Owner: TypeAlias = Callable[[Place], tuple[type[BaseModel], Place]]
"""For a place in a document: the model that stands there, and the place inside that model."""

_PROBLEMS = {
    "missing": ("WF_MISSING_FIELD", "is required"),
    "string_pattern_mismatch": ("WF_BAD_FORMAT", "does not have the right form"),
    "string_too_short": ("WF_BAD_FORMAT", "is empty"),
    "string_too_long": ("WF_BAD_FORMAT", "has more than {max_length} characters"),
    "literal_error": ("WF_BAD_VALUE", "is not {expected}"),
    "greater_than_equal": ("WF_BAD_TYPE", "is less than {ge}"),
    "less_than_equal": ("WF_BAD_TYPE", "is more than {le}"),
    "too_short": ("WF_BAD_VALUE", "is empty"),
    "too_long": ("WF_TOO_MANY", "has more than {max_length} entries"),
    "one_or_several": ("WF_BAD_TYPE", "is neither text nor a list"),
    "string_type": ("WF_BAD_TYPE", "is not text"),
    "bool_type": ("WF_BAD_TYPE", "is neither true nor false"),
    "int_type": ("WF_BAD_TYPE", "is not a whole number"),
    "dict_type": ("WF_BAD_TYPE", "is not an object"),
    "model_type": ("WF_BAD_TYPE", "is not an object"),
    "tuple_type": ("WF_BAD_TYPE", "is not a list"),
}
_COMPLETE = {
    "bad_auto": "WF_BAD_AUTO",
    "auto_both": "WF_AUTO_BOTH",
    "bad_duration": "WF_BAD_DURATION",
    "duration_range": "WF_DURATION_RANGE",
    "bad_timestamp": "WF_BAD_TIMESTAMP",
    "bad_amount": "WF_BAD_TYPE",
    "null": "WF_BAD_TYPE",
}
"""Errors of our own, whose text says what to write."""
_UNIONS = {"role", "from", "auto"}


def shape_issues(found: ValidationError, owner: Owner) -> Iterator[Issue]:
    """Return an issue for each error, in the order of the model's fields."""
    for detail in found.errors(include_url=False, include_input=False):
        place = _place(detail)
        model, inside = owner(place)
        if detail["type"] == "extra_forbidden":
            yield _unknown_field(model, place)
        elif detail["type"] in _COMPLETE:
            yield error(_COMPLETE[detail["type"]], detail["msg"], *place)
        else:
            yield _problem(detail, place, _what_to_write(model, inside))


def _place(detail: ErrorDetails) -> Place:
    """Return the place without the two kinds of steps that pydantic adds: the branch of a union, `[key]`."""
    place = detail["loc"]
    if detail["type"] != "extra_forbidden" and len(place) > 2 and place[-1] == "[key]":
        return place[:-1]
    if place[:1] == ("actions",) and len(place) > 3 and place[2] in _UNIONS:
        return place[:3] + place[4:]
    return place


def _unknown_field(model: type[BaseModel], place: Place) -> Issue:
    name = str(place[-1])
    known = [field.alias or name for name, field in model.model_fields.items()]
    hint = did_you_mean(name, known) or f"; write one of {', '.join(known)}"
    return error("WF_UNKNOWN_FIELD", f"{quoted(name)} is not a field here{hint}", *place)


def _problem(detail: ErrorDetails, place: Place, what_to_write: str) -> Issue:
    code, problem = _PROBLEMS.get(detail["type"], ("WF_BAD_TYPE", "cannot be read"))
    said = problem.format_map(detail.get("ctx", {}))
    return error(code, f"{_subject(place)} {said}: write {what_to_write}", *place)


def _subject(place: Place) -> str:
    match place:
        case (*_, str(name)):
            return quoted(name)
        case (*_, name):
            return f"entry {name}"
        case _:
            return "the document"


def _what_to_write(model: type[BaseModel], inside: Place) -> str:
    fields = model.model_fields.items()
    described = (field.description for name, field in fields if (field.alias or name,) == inside[:1])
    return next(described, None) or "an object"
