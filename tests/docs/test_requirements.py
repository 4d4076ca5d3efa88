"""docs/requirements.md and docs/cases.md: what they claim is shown by tests that exist."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from docs.documents import ROOT, text

_ROW = re.compile(r"^\| ([A-Z]\d?-\d+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
_CASE = re.compile(r"^\| ledger (\d+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
_NODE = re.compile(r"`([^`]+)`")
_KNOWN = {"C": 22, "S1": 165, "S2": 59, "S3": 65, "X": 55}
"""The documents in the order of the page, and how many requirements each has."""
_OPEN_HEADING = "## Not shown yet"


def rows() -> list[tuple[str, tuple[str, ...]]]:
    """Return (id, tests) of each row of the table, in the order of the page."""
    shown, _, _ = text("docs/requirements.md").partition(_OPEN_HEADING)
    return [(id_, tuple(_NODE.findall(tests))) for id_, _, tests in _ROW.findall(shown)]


def cases() -> list[tuple[int, tuple[str, ...]]]:
    """Return (number, tests) of each case that is shown, in the order of its page."""
    return [
        (int(number), tuple(_NODE.findall(tests))) for number, _, tests in _CASE.findall(text("docs/cases.md"))
    ]


def still_open() -> list[str]:
    """Return the ids that the page lists as not shown yet."""
    _, _, rest = text("docs/requirements.md").partition(_OPEN_HEADING)
    return re.findall(r"^\| ([A-Z]\d?-\d+) \|", rest, re.MULTILINE)


def place(id_: str) -> tuple[int, int]:
    document, _, number = id_.partition("-")
    return list(_KNOWN).index(document), int(number)


@cache
def names_in(file: str) -> frozenset[str]:
    """Return the tests in a file: `test_x` and, in a class such as a contract, `Class::test_x`."""
    found: set[str] = set()
    for node in ast.parse((ROOT / file).read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef)}
    return frozenset(found)


@pytest.mark.parametrize("node", sorted({node for _, nodes in (*rows(), *cases()) for node in nodes}))
def test_every_named_test_exists(node: str) -> None:
    file, _, test = node.partition("::")

    assert (ROOT / file).is_file()
    assert not test or test in names_in(file)


@pytest.mark.parametrize("ids", (tuple(id_ for id_, _ in rows()), tuple(still_open())), ids=("shown", "open"))
def test_rows_stand_once_and_in_order(ids: tuple[str, ...]) -> None:
    assert ids
    assert list(ids) == sorted(set(ids), key=place)


@pytest.mark.parametrize("id_", (*(id_ for id_, _ in rows()), *still_open()))
def test_every_id_is_one_of_the_requirements(id_: str) -> None:
    document, _, number = id_.partition("-")

    assert 1 <= int(number) <= _KNOWN[document]
    assert id_ == f"{document}-{int(number):0{2 if document == 'X' else 3}}"


def test_a_requirement_is_shown_or_open_but_not_both() -> None:
    assert {id_ for id_, _ in rows()}.isdisjoint(still_open())


def test_every_row_names_a_test() -> None:
    assert all(nodes for _, nodes in (*rows(), *cases()))


def test_cases_stand_once_and_in_order() -> None:
    numbers = [number for number, _ in cases()]

    assert numbers
    assert numbers == sorted(set(numbers))
