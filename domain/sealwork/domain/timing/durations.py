"""Durations as text: `<number><unit>`, such as `48h`. A year is 365 days exactly.

Source: S1-033, S1-034; X-17 (business days `bd` and hours `bh`, which only a calendar can count).
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

MAX_DURATION = timedelta(days=365 * 100)
MAX_NUMBER = 999_999

_FORM = re.compile(r"([1-9][0-9]{0,5})(m|h|d|w|y|bd|bh)")
_UNITS = {
    "y": timedelta(days=365),
    "w": timedelta(weeks=1),
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
}
"""Largest first."""
_BUSINESS_UNITS = {"bd": timedelta(days=1), "bh": timedelta(hours=1)}
"""The least time that one unit can take; it bounds the number, nothing else."""


def parse_duration(text: str) -> timedelta:
    """Return the time that `text` names.

    Raises:
        ValueError: not the form, longer than 100 years, or counted in business days; the text says what to write.
    """
    number, unit = _parts(text)
    if unit in _BUSINESS_UNITS:
        raise ValueError(f"{text!r} counts business time, whose length only a calendar knows")
    return number * _UNITS[unit]


def format_duration(duration: timedelta) -> str:
    """Return the text of `duration`, in the largest unit that divides it.

    Raises:
        ValueError: no text names it: not whole minutes, less than one, or too many of its unit.
    """
    for unit, length in _UNITS.items():
        number, rest = divmod(duration, length)
        if not rest and 1 <= number <= MAX_NUMBER and duration <= MAX_DURATION:
            return f"{number}{unit}"
    raise ValueError(f"no text of the form <number><unit> names {duration}")


def is_business_duration(text: str) -> bool:
    """Return whether `text` counts business days (`3bd`) or business hours (`8bh`)."""
    try:
        return _parts(text)[1] in _BUSINESS_UNITS
    except ValueError:
        return False


def _parts(text: str) -> tuple[int, str]:
    form = _FORM.fullmatch(text)
    if form is None:
        shown = text if len(text) <= 40 else text[:39] + "…"
        raise ValueError(
            f"{shown!r} is not a duration: write a whole number from 1 to {MAX_NUMBER} and one of m, h, d, w, y, "
            "such as 48h"
        )
    number, unit = int(form[1]), form[2]
    if number * {**_UNITS, **_BUSINESS_UNITS}[unit] > MAX_DURATION:
        raise ValueError(f"{text!r} is too long: write at most 100y")
    return number, unit


def _checked(text: str) -> str:
    try:
        _parts(text)
    except ValueError as error:
        kind = "duration_range" if _FORM.fullmatch(text) else "bad_duration"
        raise PydanticCustomError(kind, "{reason}", {"reason": str(error)}) from error
    return text


DurationText = Annotated[
    str,
    AfterValidator(_checked),
    WithJsonSchema({"type": "string", "pattern": f"^{_FORM.pattern}$", "examples": ["48h", "30d", "1y"]}),
]
"""A duration as a document writes it, business durations among them."""
