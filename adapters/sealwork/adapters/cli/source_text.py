"""The text of a file as its author sees it: lines and columns, and one line with a caret under what is meant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from rich.cells import cell_len

from sealwork.adapters.cli.output import harmless

CELLS = 76
"""How wide an excerpt is; with its indentation it fits a terminal of 80."""
_CELLS_BEFORE = 48
"""How much of a line that must be cut stands before the column."""
_NEAR = 4 * CELLS
"""Characters on each side that are looked at: one may take no cell at all, and a line may be a mebibyte."""
_TAB = "  "
_MORE = "…"


class Position(NamedTuple):
    """A place as editors count it: both from 1, the column in characters."""

    line: int
    column: int


@dataclass(frozen=True)
class Source:
    """What was read, and what it is called in messages."""

    name: str
    body: bytes

    @cached_property
    def text(self) -> str:
        """Return the text; what is not UTF-8 is shown as U+FFFD."""
        return self.body.decode(errors="replace")

    def position(self, offset: int) -> Position:
        """Return line and column of the character at `offset`; a line ends with its line feed."""
        begin = self.text.rfind("\n", 0, offset) + 1
        return Position(self.text.count("\n", 0, begin) + 1, offset - begin + 1)

    def excerpt(self, offset: int) -> tuple[str, str]:
        """Return the line around `offset`, cut if it is long, and a line with a caret under that character.

        Its indentation is left out.
        """
        begin, line_feed = self.text.rfind("\n", 0, offset) + 1, self.text.find("\n", offset)
        begin = offset - len(self.text[begin:offset].lstrip())
        end = len(self.text) if line_feed < 0 else line_feed
        first, last = max(begin, offset - _NEAR), min(end, offset + _NEAR)
        before = [_shown(character) for character in self.text[first:offset]]
        after = [_shown(character) for character in self.text[offset:last].rstrip()]
        room = max(_CELLS_BEFORE, CELLS - _width(after))
        left = "".join(reversed(_cut(before[::-1], room, is_whole=first == begin)))
        right = "".join(_cut(after, CELLS - cell_len(left), is_whole=last == end))
        return left + right, " " * cell_len(left) + "^"


def _cut(pieces: list[str], cells: int, *, is_whole: bool) -> list[str]:
    """Return `pieces`, at most `cells` wide; the last one says whether something was left out."""
    if is_whole and _width(pieces) <= cells:
        return pieces
    widths = accumulate(map(cell_len, pieces))
    return [*(piece for piece, width in zip(pieces, widths, strict=True) if width < cells), _MORE]


def _width(pieces: list[str]) -> int:
    return sum(map(cell_len, pieces))


def _shown(character: str) -> str:
    return _TAB if character == "\t" else harmless(character)
