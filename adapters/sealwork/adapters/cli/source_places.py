"""Where in the text of a document the value that a JSON pointer names begins.

Source: RFC 6901; RFC 8259.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import NamedTuple

_BLANKS = re.compile(r"[ \t\n\r]*")
_UNIT = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.")
"""What stands for one character in a JSON text, where it is not the character itself."""
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)
"""Digits stay text: Python refuses to make numbers of very many."""


@dataclass(slots=True)
class SourcePlace:
    """Where one value stands: offsets into the text, in characters."""

    value: int
    name: int | None = None
    """Of the name before the value, with its quotation mark; None in a list and at the root."""
    inside: dict[str, SourcePlace] = field(default_factory=dict)
    """The values inside, by the step that leads to them. Of two under one name the second stands here."""


class Found(NamedTuple):
    """The place that a pointer names, or the nearest around it that exists."""

    place: SourcePlace
    is_exact: bool


def places_in(text: str) -> SourcePlace:
    """Return the place of the whole value that `text` is, and in it those of all others, however deep.

    `text` is JSON that was read before: here nobody looks for what is wrong with it.
    """
    root = here = SourcePlace(_after_blanks(text, 0))
    around: list[SourcePlace] = []
    while True:
        if text[here.value] in "{[":
            around.append(here)
            at = _after_blanks(text, here.value + 1)
        else:
            at = _after_blanks(text, _DECODER.raw_decode(text, here.value)[1])
        while around and text[at] in "}]":
            around.pop()
            at = _after_blanks(text, at + 1)
        if not around:
            return root
        here = _next(text, _after_blanks(text, at + 1) if text[at] == "," else at, around[-1])


def find(root: SourcePlace, pointer: str) -> Found:
    """Return the place that `pointer` names under `root`, or that of the nearest value around it."""
    place = root
    for step in pointer.split("/")[1:]:
        inner = place.inside.get(step.replace("~1", "/").replace("~0", "~"))
        if inner is None:
            return Found(place, is_exact=False)
        place = inner
    return Found(place, is_exact=True)


def inside_text(text: str, value: int, column: int) -> int:
    """Return the offset of a character of a JSON text, however it is escaped.

    `value` is the offset of the text's quotation mark; `column` counts its characters from 1. Beyond its end, the
    closing quotation mark is meant.
    """
    at = value + 1
    for _ in range(column - 1):
        if text[at] == '"':
            return at
        at = _after_unit(text, at)
    return at


def _after_unit(text: str, at: int) -> int:
    unit = _UNIT.match(text, at)
    return unit.end() if unit else at + 1


def _next(text: str, at: int, around: SourcePlace) -> SourcePlace:
    """The place of the list's entry, or of the object's member, that begins at `at`."""
    if text[around.value] == "[":
        place = around.inside[str(len(around.inside))] = SourcePlace(at)
        return place
    name, end = _DECODER.raw_decode(text, at)
    value = _after_blanks(text, _after_blanks(text, end) + 1)
    place = around.inside[name] = SourcePlace(value, at)
    return place


def _after_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    assert found is not None
    return found.end()
