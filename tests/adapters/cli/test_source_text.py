"""How a place in a file looks: line, column, and a caret that stands under it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from sealwork.adapters.cli.source_text import CELLS, Source


def source(text: str) -> Source:
    return Source("workflow.json", text.encode())


def excerpt(text: str, mark: str) -> list[str]:
    """The excerpt around the place where `mark` begins."""
    return [*source(text).excerpt(text.index(mark))]


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("X", (1, 1)),
        ("a\nbX", (2, 2)),
        ("\n\nX\n", (3, 1)),
        ("a\r\nb\r\n X", (3, 2)),
        ("å漢🙂X", (1, 4)),
        ("\tX", (1, 2)),
        ("a\rX", (1, 3)),
    ],
    ids=ascii,
)
def test_lines_and_columns_count_from_one_as_editors_do(text: str, position: tuple[int, int]) -> None:
    assert source(text).position(text.index("X")) == position


def test_the_caret_stands_under_the_place() -> None:
    assert excerpt('{\n  "a": 1,\n  "b": X\n}', "X") == ['"b": X', "     ^"]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("\t  X", ["X", "^"]),
        ("\t a X", ["a X", "  ^"]),
        ("a\tX", ["a  X", "   ^"]),
        ("漢字X", ["漢字X", "    ^"]),
        ("e\u0301X", ["e\u0301X", " ^"]),
        ("\x1b[1mX", ["\\x1b[1mX", "       ^"]),
        ("aX\r", ["aX", " ^"]),
        ("aX   ", ["aX", " ^"]),
    ],
    ids=ascii,
)
def test_tabs_wide_letters_and_control_characters_do_not_shift_it(line: str, shown: list[str]) -> None:
    assert excerpt(f"before\n{line}\nafter", "X") == shown


def test_the_end_of_the_text_is_a_place_too() -> None:
    assert source("{").excerpt(1) == ("{", " ^")
    assert source("{\n").excerpt(2) == ("", "^")
    assert source("").excerpt(0) == ("", "^")


def test_a_line_that_fits_is_not_cut() -> None:
    line = "a" * (CELLS - 1) + "X"

    assert excerpt(line, "X") == [line, " " * (CELLS - 1) + "^"]


def test_a_long_line_is_cut_around_the_place() -> None:
    line, caret = excerpt("a" * 500 + "X" + "b" * 500, "X")

    assert (line[0], line[-1], cell_len(line)) == ("…", "…", CELLS)
    assert line[len(caret) - 1] == "X"
    assert line.count("a") == 47


@pytest.mark.parametrize(
    ("text", "begin", "end"),
    [("X" + "b" * 500, "Xb", "b…"), ("a" * 500 + "Xb", "…a", "aXb")],
    ids=["end", "begin"],
)
def test_only_what_was_cut_is_said_to_be_cut(text: str, begin: str, end: str) -> None:
    line = excerpt(text, "X")[0]

    assert line.startswith(begin)
    assert line.endswith(end)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="X"), max_size=400), st.data())
def test_whatever_stands_in_a_line_the_caret_is_under_the_place_and_the_line_fits(
    text: str, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(text)))

    line, caret = source(text[:at] + "X" + text[at:]).excerpt(at)

    assert cell_len(line) <= CELLS
    assert cell_len(line[: line.index("X")]) == len(caret) - 1


def test_letters_that_take_no_room_are_cut_too() -> None:
    line, caret = excerpt("\u0301" * 1_000 + "X" + "\u0302" * 1_000, "X")

    assert (line[0], line[-1], caret) == ("…", "…", " ^")
    assert len(line) < 1_000


def test_a_line_of_a_mebibyte_is_cut_like_any_other() -> None:
    line, caret = source("a" * 500_000 + "X" + "b" * 500_000).excerpt(500_000)

    assert (cell_len(line), line[len(caret) - 1]) == (CELLS, "X")


def test_what_is_not_utf8_can_be_shown() -> None:
    assert Source("x", b'"\xe5X"').excerpt(2) == ('"\ufffdX"', "  ^")
