"""The text that CEL compiles: the expression, closed where it would depend on chance, typed where schemas help.

* A loop goes through a list only. An object has no order in CEL, not even the same one twice: `list + []` is the
  list, and an error for an object.
* For a check of types each value whose kind is certain gives way to a variable of that kind. A JSON number is
  whole or decimal, and CEL mixes the two only in comparisons: so it is tried as both.

Source: language.md, "Guards and conditions are CEL" (arithmetic that mixes int and double).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sealwork.domain.expressions.names import LOOPS, Read
from sealwork.domain.expressions.scopes import JSON_ROOTS, Kind
from sealwork.domain.expressions.spelling import Spelling

WHOLE, DECIMAL = "__whole", "__decimal"
STAND_INS = {
    Kind.TEXT: "__text",
    Kind.TRUTH: "__truth",
    Kind.WHOLE: WHOLE,
    Kind.NUMBER: DECIMAL,
    Kind.LIST: "__list",
    Kind.OBJECT: "__object",
}
"""Variables of a type, in place of the values whose kind a schema makes certain."""

_OPENERS = frozenset({"(", "["})
_CLOSERS = frozenset({")", "]", "}"})


@dataclass(frozen=True, slots=True)
class ProgramText:
    """What is compiled, and where each of its words stands in what the author wrote."""

    text: str
    starts: tuple[int, ...]
    columns: tuple[int, ...]
    end: int

    def column(self, position: int) -> int:
        """Return the author's column of what the library found at `position`, both from 1."""
        if position > len(self.text):
            return self.end
        return self.columns[bisect_right(self.starts, position - 1) - 1]


def program_text(spelling: Spelling, stand_ins: Mapping[int, tuple[int, str]]) -> ProgramText:
    """Return the text of `spelling`; `stand_ins` says by index of its first token what takes a read's place."""
    opened, closed = _lists_only(spelling)
    words: list[tuple[str, int]] = []
    index = 0
    while index < len(spelling.tokens):
        token = spelling.tokens[index]
        words += [("(", token.column)] * opened.get(index, 0)
        if index in closed:
            words.append(("+ [ ] )", token.column))
        end, word = stand_ins.get(index, (index + 1, token.spelling))
        words.append((word, token.column))
        index = end
    starts = [0]
    for word, _ in words[:-1]:
        starts.append(starts[-1] + len(word) + 1)
    text = " ".join(word for word, _ in words)
    end = len(spelling.source.rstrip()) + 1
    return ProgramText(text, tuple(starts), tuple(column for _, column in words), end)


def typed_texts(spelling: Spelling, reads: tuple[Read, ...]) -> Iterator[ProgramText]:
    """Return the text with every kind that is certain: numbers all whole, all decimal, then each pair mixed."""
    certain = [read for read in reads if _gives_way(read)]
    numbers = sorted({read.shown for read in certain if read.known.kind is Kind.NUMBER})
    for decimals in _choices(numbers):
        stand_ins: dict[int, tuple[int, str]] = {}
        for read in certain:
            is_whole = read.known.kind is Kind.NUMBER and read.shown not in decimals
            stand_ins[read.first] = (read.end, WHOLE if is_whole else STAND_INS[read.known.kind])
        if stand_ins:
            yield program_text(spelling, stand_ins)


def _gives_way(read: Read) -> bool:
    """Return whether a variable may take the place of what is read; `has(…)` needs the field itself."""
    return (read.is_variable or read.path[0] in JSON_ROOTS) and not read.is_tested and read.known.kind in STAND_INS


def _choices(numbers: list[str]) -> Iterator[frozenset[str]]:
    """Return sets of numbers to try as decimals, so that any two are once in and once out: few are enough."""
    yield frozenset()
    if numbers:
        yield frozenset(numbers)
    for bit in range((len(numbers) - 1).bit_length() if numbers else 0):
        yield frozenset(name for index, name in enumerate(numbers) if index >> bit & 1)


def _lists_only(spelling: Spelling) -> tuple[dict[int, int], set[int]]:
    """Return how many parentheses open before which token, and the dots before which one closes."""
    opened: dict[int, int] = {}
    closed: set[int] = set()
    for dot in loops_in(spelling):
        first = _first_of_operand(spelling, dot)
        opened[first] = opened.get(first, 0) + 1
        closed.add(dot)
    return opened, closed


def loops_in(spelling: Spelling) -> Iterator[int]:
    """Return the dot before each loop."""
    for index in range(1, len(spelling.tokens)):
        if spelling.sign(index) in LOOPS and spelling.is_member(index) and spelling.sign(index + 1) == "(":
            yield index - 1


def _first_of_operand(spelling: Spelling, dot: int) -> int:
    """Return where what stands before `dot` begins: back over fields, calls and indices."""
    index = dot - 1
    while True:
        if spelling.sign(index) in _CLOSERS:
            index = spelling.partners[index]
            if spelling.sign(index) in _OPENERS and _belongs_before(spelling, index - 1):
                index -= 1
                continue
        if index < 2 or not spelling.is_member(index):
            return index
        index -= 2


def _belongs_before(spelling: Spelling, index: int) -> bool:
    """Return whether what ends at `index` is called or indexed by the bracket after it."""
    if index < 0:
        return False
    sign = spelling.sign(index)
    return sign != "in" and (spelling.tokens[index].kind in ("name", "text") or sign in _CLOSERS)
