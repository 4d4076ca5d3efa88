"""What holds for every guard and every event, whatever is written in them."""

from __future__ import annotations

import json

from hypothesis import example, given, settings
from hypothesis import strategies as st

from sealwork.domain.expressions.guards import Expression, Guard, compile_expression, compile_guard
from sealwork.domain.expressions.scopes import template_scope
from sealwork.domain.expressions.spelling import Flaw
from sealwork.domain.expressions.verdicts import Answer, Failed, Passed, Undecided
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import canonical, flaw_in
from vectors.verdicts import CEL, process_facts, scope_named

OPEN = scope_named("open")
TYPED = scope_named("typed")
PROCESS_CASES = [case["expression"] for case in CEL["guards"] if "verdict" in case and case["scope"] == "open"]


def a_guard(source: str) -> Guard:
    guard = compile_guard(source, OPEN)
    assert isinstance(guard, Guard), guard
    return guard


def json_values() -> st.SearchStrategy[JsonValue]:
    scalars: st.SearchStrategy[JsonValue] = st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)
    )
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names(), inner, max_size=3),
        max_leaves=8,
    )


def names() -> st.SearchStrategy[str]:
    return st.sampled_from(["amount", "n", "tags", "lines", "price", "text", "nothing"]) | st.text(max_size=3)


def objects() -> st.SearchStrategy[JsonObject]:
    return st.dictionaries(names(), json_values(), max_size=4)


ROOTS = [
    "state",
    "data",
    "data.n",
    "data.tags",
    "data.amount",
    "input",
    "event.at",
    "actor.roles",
    "process.id",
    "x",
]
SIGNS = [*"()[]{}.,:?=<>+-*/%!", "==", "!=", "<=", ">=", "&&", "||", "and", "or", "not", "in", "not ("]
CALLS = ["has(", "size(", "int(", "timestamp(", "duration(", ".all(x,", ".map(x,", ".matches(", ".getHours("]
LITERALS = ["'a'", '"b"', "'2d'", "1", "2.5", "1e400", "true", "false", "null", "['n']", "[0]"]
WORDS = st.sampled_from([*ROOTS, *SIGNS, *CALLS, *LITERALS])


@settings(deadline=None)
@given(st.text(max_size=80) | st.lists(WORDS, max_size=14).map(" ".join), objects())
@example("data.x" * 300, {})
@example("!" * 1990 + "true", {})
@example("-" * 1990 + "1 > 0", {})
@example("[" * 900 + "]" * 900, {})
def test_no_text_and_no_data_raises(source: str, data: JsonObject) -> None:
    for scope in (OPEN, TYPED):
        guard = compile_guard(source, scope)

        assert isinstance(guard, Flaw) or isinstance(
            guard.verdict(process_facts(data=data)), Passed | Failed | Undecided
        )
        if isinstance(guard, Flaw):
            assert 1 <= guard.column <= len(source) + 1
            assert guard.message


@settings(deadline=None)
@given(st.sampled_from(PROCESS_CASES), objects())
def test_a_verdict_depends_on_nothing_but_the_canonical_bytes(source: str, data: JsonObject) -> None:
    guard = a_guard(source)
    if flaw_in(data):
        assert isinstance(guard.verdict(process_facts(data=data)), Undecided)
        return
    again = json.loads(canonical(data))

    assert guard.verdict(process_facts(data=data)) == guard.verdict(process_facts(data=again))


@settings(deadline=None)
@given(st.sampled_from(PROCESS_CASES), objects())
def test_a_verdict_does_not_depend_on_the_order_of_names(source: str, data: JsonObject) -> None:
    guard = a_guard(source)
    data = {**process_facts().data, **data}
    turned = dict(reversed(data.items()))

    verdicts = [guard.verdict(process_facts(data=one)) for one in (data, turned)]

    assert verdicts[0] == verdicts[1] or flaw_in(data)


@settings(deadline=None)
@given(st.sampled_from(PROCESS_CASES), objects())
def test_not_turns_a_verdict_round_and_leaves_undecided_what_is(source: str, data: JsonObject) -> None:
    facts = process_facts(data=data)
    negated = compile_guard(f"not ({source})", OPEN)
    if isinstance(negated, Flaw):
        assert negated.code in ("EXPR_TOO_LONG", "EXPR_TOO_DEEP")
        return

    turned = {Passed: Failed, Failed: Passed, Undecided: Undecided}
    assert type(negated.verdict(facts)) is turned[type(a_guard(source).verdict(facts))]


@settings(deadline=None)
@given(json_values())
def test_json_goes_through_an_expression_unchanged(value: JsonValue) -> None:
    expression = compile_expression("data.value", template_scope([], None, None))
    assert isinstance(expression, Expression)

    answer = expression.evaluate(process_facts(data={"value": value}))

    if isinstance(answer, Answer):
        assert canonical(answer.value) == canonical(value)
    else:
        assert flaw_in(value)
