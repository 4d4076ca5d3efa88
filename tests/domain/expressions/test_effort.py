"""How much an expression may ask of the machine: it gives up everywhere at the same place."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sealwork.domain.expressions.guards import Expression, Facts, compile_expression
from sealwork.domain.expressions.scopes import guard_scope
from sealwork.domain.expressions.spelling import Flaw
from sealwork.domain.expressions.verdicts import Answer, Undecided
from sealwork.domain.json_value import JsonObject

SCOPE = guard_scope(("open",), None, None)
NESTED = "[[['x'].map(a, {0})[0]].map(b, {1})[0]].map(c, {2})[0] == ''"


def added(name: str, times: int) -> str:
    """So many of a name added, in a way that does not nest deeply; `times` is a power of two."""
    return name if times == 1 else f"({added(name, times // 2)} + {added(name, times // 2)})"


def compiled(source: str) -> Expression:
    expression = compile_expression(source, SCOPE)
    assert isinstance(expression, Expression), expression
    return expression


def came_to(source: str, data: JsonObject) -> Answer | Undecided:
    at = datetime(2026, 6, 18, tzinfo=UTC)
    facts = Facts(state="open", data=data, input={}, roles=frozenset(), at=at, process_id="p")
    return compiled(source).evaluate(facts)


def test_text_that_grows_in_nested_loops_is_refused_before_it_is_ever_asked() -> None:
    bodies = ["+".join([name] * 40) for name in "abc"]

    flaw = compile_expression(NESTED.format(*bodies), SCOPE)

    assert isinstance(flaw, Flaw)
    assert flaw.code == "EXPR_TOO_MUCH"
    assert "64000" in flaw.message


def test_a_loop_may_add_a_little() -> None:
    assert came_to("data.l.map(x, x + 1)", {"l": [1, 2]}) == Answer([2, 3])
    assert came_to("size(data.l.map(x, x + 'a' + 'b' + 'c'))", {"l": ["x"] * 800}) == Answer(800)


@pytest.mark.parametrize(
    ("source", "data"),
    [
        (f"size({added('data.l', 64)}) > 1", {"l": [0] * 100_000}),
        (f"size({added('data.s', 64)}) > 1", {"s": "x" * 200_000}),
        ("size(data.l.map(x, data.l + data.l + data.l + data.l)) > 1", {"l": [0] * 1_000}),
        ("data.l.all(x, !data.s.contains(data.p))", {"l": [1] * 1_000, "s": "a" * 190_000, "p": "a" * 60_000}),
        (" || ".join(["data.s.contains(data.p)"] * 70), {"s": "a" * 190_000, "p": "a" * 60_000}),
    ],
)
def test_what_would_take_too_much_is_undecided(source: str, data: JsonObject) -> None:
    answer = came_to(source, data)

    assert isinstance(answer, Undecided)
    assert "could make" in answer.reason or "too long to be searched" in answer.reason


@pytest.mark.parametrize(
    ("source", "data"),
    [
        ("size(data.l + data.l) == 200000", {"l": [0] * 100_000}),
        ("data.s.contains('needle')", {"s": "x" * 200_000}),
        ("data.l.exists(x, x.contains('b'))", {"l": ["ab"] * 1_000}),
        ("data.l.exists(x, x.n + 1 > 5)", {"l": [{"n": 5}] * 900}),
    ],
)
def test_what_people_write_is_decided(source: str, data: JsonObject) -> None:
    answer = came_to(source, data)

    assert answer in (Answer(True), Answer(False))


@pytest.mark.parametrize(
    "source", ["data.s.matches(data.p)", "data.l.all(x, data.s.matches(x))", "data.s.matches('a' + 'b')"]
)
def test_a_pattern_is_a_constant(source: str) -> None:
    flaw = compile_expression(source, SCOPE)

    assert isinstance(flaw, Flaw)
    assert flaw.code == "EXPR_VALUE"
    assert "a pattern stands there as text" in flaw.message
