"""The guards that the design names, 1 to 48; what each is decided as stands with the committed verdicts."""

from __future__ import annotations

from typing import Any

import pytest

from sealwork.domain.expressions.guards import Guard, compile_guard
from sealwork.domain.expressions.spelling import Flaw
from sealwork.domain.expressions.verdicts import Undecided
from vectors.verdicts import CEL, process_facts, scope_named

CASES: list[dict[str, Any]] = CEL["guards"][:48]
UNDECIDED = [case for case in CASES if case.get("verdict", True) is None]


def test_every_case_is_among_the_committed_verdicts_once() -> None:
    assert [case["case"] for case in CASES] == list(range(1, 49))


@pytest.mark.parametrize("case", UNDECIDED, ids=lambda case: f"{case['case']}: {case['expression']}")
def test_what_is_undecided_keeps_its_reason(case: dict[str, Any]) -> None:
    guard = compile_guard(case["expression"], scope_named("open"))
    assert isinstance(guard, Guard)

    verdict = guard.verdict(process_facts())

    assert isinstance(verdict, Undecided) and verdict.reason


def test_case_19_is_refused_where_the_schema_says_number() -> None:
    """The design prints `2.0 * data.amount` as advice; CEL would not take that for a whole amount."""
    flaw = compile_guard(CASES[18]["expression"], scope_named("typed"))

    assert isinstance(flaw, Flaw)
    assert (flaw.code, flaw.column) == ("EXPR_TYPE", 13)
    assert "write double(data.amount) * 2.0" in flaw.message


def test_case_47_says_which_units_there_are() -> None:
    """The design has it undecided at run time and asks for this text; told at publication, it is told in time."""
    flaw = compile_guard(CASES[46]["expression"], scope_named("open"))

    assert isinstance(flaw, Flaw)
    assert (flaw.code, flaw.column) == ("EXPR_VALUE", 10)
    assert "hours, minutes, seconds only: 48h" in flaw.message
