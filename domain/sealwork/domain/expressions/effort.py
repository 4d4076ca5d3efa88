"""How much an expression may ask of the machine: what it adds, how often it goes through what, how it searches.

CEL always ends, but text and lists that are added again and again grow beyond any memory, and a search of a long
text for a long one takes its time. The bounds count what could come out, from the spelling and from the sizes of
the values, so that every machine gives up at the same place.

Source: language.md, "Guards and conditions are CEL" (iteration, size and depth budgets).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from sealwork.domain.expressions.programs import loops_in
from sealwork.domain.expressions.readable import Readable
from sealwork.domain.expressions.spelling import Flaw, Spelling

MAX_LOOP_ENTRIES = 1_000
"""Of any list or object that an expression with a loop can see: time and memory grow with the square."""
MAX_LOOP_CHARACTERS = 10_000
"""Of any text that an expression can see which adds inside a loop."""
MAX_GROWTH = 100
"""How many times longer than what it began with an expression with loops may make a text or a list by adding."""
MAX_ADDED_CHARACTERS = 10_000_000
MAX_ADDED_ENTRIES = 3_000_000
MAX_SEARCHED = 100_000_000_000
"""Characters compared, in the worst case, by all `contains` of an expression: about a second."""


@dataclass(frozen=True, slots=True)
class Effort:
    """What can be said of an expression from its spelling."""

    loops: int
    growth: int
    """1 for an expression that does not add."""
    searches: int
    longest_literal: int

    @property
    def is_bounded(self) -> bool:
        """Return whether the size of its values counts."""
        return self.loops > 0 or self.growth > 1 or self.searches > 0

    def too_much(self, sizes: Iterable[tuple[str, Readable]]) -> str | None:
        """Return why values of these sizes, by the root that they stand under, are too much; else None."""
        entries = characters = 0
        for root, size in sizes:
            if self.loops and size.longest_list > MAX_LOOP_ENTRIES:
                return f"{root} has a list of more than {MAX_LOOP_ENTRIES} entries: too many for a loop"
            if self.loops and self.growth > 1 and size.longest_text > MAX_LOOP_CHARACTERS:
                return f"{root} has a text of more than {MAX_LOOP_CHARACTERS} characters: too long to add"
            entries, characters = max(entries, size.longest_list), max(characters, size.longest_text)
        rounds = max(entries, 1) if self.loops else 1
        longest = max(characters, self.longest_literal)
        if self.growth > 1 and entries * self.growth * rounds > MAX_ADDED_ENTRIES:
            return f"adding could make lists of more than {MAX_ADDED_ENTRIES} entries"
        if self.growth > 1 and longest * self.growth * rounds > MAX_ADDED_CHARACTERS:
            return f"adding could make more than {MAX_ADDED_CHARACTERS} characters"
        if self.searches * rounds * longest * longest // 4 > MAX_SEARCHED:
            return "the texts are too long to be searched so often"
        return None


def effort_of(spelling: Spelling) -> Effort | Flaw:
    """Return the effort of an expression, or why no value would be small enough for it."""
    bodies = [spelling.partners[dot + 2] for dot in loops_in(spelling)]
    opened = [(spelling.partners[end], end) for end in bodies]
    added = [index for index in range(len(spelling.tokens)) if spelling.sign(index) == "+"]
    outside = [index for index in added if not any(begin < index < end for begin, end in opened)]
    inside = (sum(begin < index < end for index in added) for begin, end in opened)
    growth = (1 + len(outside)) * prod(1 + number for number in inside)
    if opened and growth > MAX_GROWTH:
        message = (
            f"inside its loops it adds too often: what it adds could grow {growth} times, at most {MAX_GROWTH}"
        )
        return Flaw("EXPR_TOO_MUCH", f"{message} are taken; add less, or in several fields")
    return Effort(
        loops=len(opened),
        growth=growth,
        searches=sum(spelling.sign(index) == "contains" for index in range(len(spelling.tokens))),
        longest_literal=max((len(token.spelling) for token in spelling.tokens if token.kind == "text"), default=0),
    )
