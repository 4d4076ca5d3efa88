"""Values on their way out of the CEL library, into JSON that may be signed.

Source: language.md, "Templates"; events.md, "Canonical JSON".
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import isfinite
from typing import Protocol

from sealwork.domain.expressions.verdicts import Answer, Undecided
from sealwork.domain.expressions.wording import kind_in_words
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonValue
from sealwork.domain.ledger.canonical import MAX_BYTES, MAX_NUMBER


class LibraryType(Protocol):
    """The type of a value, as the library has it."""

    def name(self) -> str:
        """Return `INT`, `LIST<DYN>`, …"""
        ...


class LibraryValue(Protocol):
    """A value, as the library has it."""

    def type(self) -> LibraryType:
        """Return its type."""
        ...

    def value(self) -> object:
        """Return the value for Python; for a list or a map, one whose items are still values of the library."""
        ...


_ALREADY_JSON = frozenset({"BOOL", "INT", "STRING"})


def unloaded(value: LibraryValue, kind: str) -> Answer | Undecided:
    """Return `value`, whose type has the name `kind`, as JSON, or why there is none.

    Instants as 27 characters, durations as `172800s`.
    """
    if kind in _ALREADY_JSON:
        # Most values are these, and need nothing but a look.
        plain = value.value()
        if isinstance(plain, bool) or (isinstance(plain, int) and abs(plain) <= MAX_NUMBER):
            return Answer(plain)
        if isinstance(plain, str) and len(plain) < MAX_BYTES and "\x00" not in plain:
            return Answer(plain)
    unloading = _Unloading()
    answer = unloading.json(value, kind)
    return Undecided(unloading.flaw) if unloading.flaw else Answer(answer)


@dataclass(slots=True)
class _Unloading:
    """Stops at the first thing that JSON has no form for."""

    left: int = MAX_BYTES
    flaw: str = ""

    def json(self, value: LibraryValue, kind: str) -> JsonValue:
        self._count(1)
        if self.flaw or kind == "NULL":
            # Asked for null, the library hands out a reference to None that it does not own.
            return None
        match plain := value.value():
            case bool():
                return plain
            case str() if kind == "STRING":
                return self._text(plain)
            case int() | float():
                return self._number(plain)
            case datetime():
                return instant_text(plain)
            case timedelta():
                return _duration_text(plain)
            case list():
                return [self.json(item, item.type().name()) for item in plain if not self.flaw]
            case dict():
                return self._object(plain)
            case _:
                self.flaw = f"JSON has no form for {kind_in_words(kind.partition('<')[0])}"
                return None

    def _text(self, text: str) -> JsonValue:
        self._count(len(text))
        if "\x00" in text:
            self.flaw = "U+0000 cannot be stored"
        return text

    def _object(self, members: dict[object, LibraryValue]) -> JsonValue:
        named = {name: member for name, member in members.items() if isinstance(name, str)}
        if len(named) < len(members):
            self.flaw = "the names in an object of JSON are text"
            return None
        self._count(sum(map(len, named)))
        in_order = sorted(named.items())
        return {name: self.json(member, member.type().name()) for name, member in in_order if not self.flaw}

    def _number(self, number: int | float) -> JsonValue:
        if not isfinite(number) or abs(number) > MAX_NUMBER:
            self.flaw = f"the number lies beyond ±{MAX_NUMBER}"
            return None
        return number if number else abs(number)

    def _count(self, more: int) -> None:
        self.left -= more
        if self.left < 0:
            self.flaw = f"the result has more than {MAX_BYTES} entries and characters"


def _duration_text(duration: timedelta) -> str:
    microseconds = duration // timedelta(microseconds=1)
    whole, part = divmod(abs(microseconds), 1_000_000)
    decimals = f".{part:06d}".rstrip("0") if part else ""
    return f"{'-' if microseconds < 0 else ''}{whole}{decimals}s"
