"""JSON as its canonical bytes read back: whole numbers are whole, however they were computed.

A process that decides an event and a verifier that reads it years later must see the same values. In memory 4.0
and 4 differ, in the chain they do not.

Source: events.md, "Canonical JSON" (decisions use only values parsed from canonical bytes).
"""

from __future__ import annotations

from dataclasses import dataclass

from sealwork.domain.json_value import JsonValue
from sealwork.domain.ledger.canonical import flaw_in
from sealwork.domain.refusals import Refused


@dataclass(slots=True)
class Readable:
    """A value as read back, and how much of it there is."""

    value: JsonValue
    longest_list: int = 0
    """Entries, of lists and objects."""
    longest_text: int = 0
    """Characters."""
    most_bytes: int = 0
    """No fewer than its canonical bytes are; cheaper to know than how many they are."""


_BYTES_OF_A_CHARACTER = 6
"""At most: `\\u001f`."""
_BYTES_OF_A_VALUE = 32
"""At most, beside characters: a number has up to 25; quotes, comma, colon."""


def read_back(value: JsonValue, *, depth: int = 1) -> Readable | Refused:
    """Return `value` as its canonical bytes would read, or why it has none. `value` itself is not touched.

    `depth` counts from 1 how deep it will stand in the document that is written.
    """
    flaw = flaw_in(value, depth=depth)
    if flaw:
        return flaw
    readable = Readable(None)
    readable.value = _read_back(value, readable)
    return readable


def _read_back(value: JsonValue, sizes: Readable) -> JsonValue:
    sizes.most_bytes += _BYTES_OF_A_VALUE
    match value:
        case str():
            sizes.longest_text = max(sizes.longest_text, len(value))
            sizes.most_bytes += _BYTES_OF_A_CHARACTER * len(value)
            return value
        case float():
            return int(value) if value.is_integer() else value
        case list():
            sizes.longest_list = max(sizes.longest_list, len(value))
            return [_read_back(item, sizes) for item in value]
        case dict():
            sizes.longest_list = max(sizes.longest_list, len(value))
            sizes.most_bytes += _BYTES_OF_A_CHARACTER * sum(map(len, value))
            return {name: _read_back(item, sizes) for name, item in value.items()}
        case _:
            return value
