from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from sealwork.domain.expressions.effort import MAX_LOOP_CHARACTERS, MAX_LOOP_ENTRIES
from sealwork.domain.expressions.guards import (
    Expression,
    Facts,
    Guard,
    compile_expression,
    compile_guard,
)
from sealwork.domain.expressions.programs import program_text
from sealwork.domain.expressions.scopes import guard_scope, rule_scope
from sealwork.domain.expressions.spelling import Flaw, Spelling, spell
from sealwork.domain.expressions.verdicts import Answer, Passed, Undecided, Verdict
from sealwork.domain.expressions.wording import complaints
from sealwork.domain.expressions.wording import reason as reason_of
from sealwork.domain.json_value import JsonObject
from vectors.verdicts import CEL, decided, evaluated, facts_for, process_facts, scope_named

OPEN = scope_named("open")


def a_guard(source: str, scope: str = "open") -> Guard:
    guard = compile_guard(source, scope_named(scope))
    assert isinstance(guard, Guard), guard
    return guard


def flaw_of(source: str, scope: str = "open") -> Flaw:
    flaw = compile_guard(source, scope_named(scope))
    assert isinstance(flaw, Flaw), flaw
    return flaw


def verdict(source: str, **members: Any) -> Verdict:
    return a_guard(source).verdict(process_facts(**members))


def reason(source: str, **members: Any) -> str:
    undecided = verdict(source, **members)
    assert isinstance(undecided, Undecided), undecided
    return undecided.reason


# What is committed


@pytest.mark.parametrize("case", CEL["guards"], ids=lambda case: f"{case['case']}: {case['expression'][:60]}")
def test_a_guard_is_decided_as_it_always_was(case: dict[str, Any]) -> None:
    expected = {name: case[name] for name in ("verdict", "refused", "column") if name in case}

    assert decided(case) == expected


@pytest.mark.parametrize("case", CEL["values"], ids=lambda case: str(case["expression"]))
def test_an_expression_comes_to_what_it_always_did(case: dict[str, Any]) -> None:
    expected = {name: value for name, value in case.items() if name != "expression"}

    assert json.dumps(evaluated(case)) == json.dumps(expected)


def test_a_guard_keeps_what_its_author_wrote_beside_its_cel() -> None:
    guard = a_guard("state = 'screening_started' AND data.n>5")

    assert guard.source == "state = 'screening_started' AND data.n>5"
    assert guard.cel == "state == 'screening_started' && data . n > 5"
    assert guard.fingerprint == a_guard("state == 'screening_started' && data.n > 5").fingerprint


@pytest.mark.parametrize(
    ("source", "reads"),
    [
        ("state = 'screening_started'", ("state",)),
        ("data.b.c = 1 or has(data.a)", ("data.a", "data.b.c")),
        ("data['a']['b-c'] = 1", ("data.a.b-c",)),
        ("data.list[0].x = 1", ("data.list",)),
        ("data[input.which] = 1", ("data", "input.which")),
        ("data.list.exists(i, i.x = data.y)", ("data.list", "data.y")),
        ("data.name.startsWith('x') and size(data) > 1", ("data", "data.name")),
        ("event.at > timestamp(data.due) and process.id != 'x'", ("data.due", "event.at", "process.id")),
        ("'x' in actor.roles", ("actor.roles",)),
        ("true", ()),
    ],
)
def test_a_guard_says_what_it_reads(source: str, reads: tuple[str, ...]) -> None:
    assert a_guard(source).reads == reads


# What its author is told


@pytest.mark.parametrize(
    ("source", "scope", "message"),
    [
        ("data.amount * 2 > 9", "typed", "write double(data.amount) * 2.0"),
        ("2 * data.amount > 9", "typed", "write 2.0 * double(data.amount)"),
        ("data.amount / data.price > 1.0", "typed", "write double(data.amount) / double(data.price)"),
        ("data.n * 1.5 > 9.0", "typed", "* does not mix whole and decimal numbers: write double(data.n) * 1.5"),
        ("(data.amount + 1.0) * 2 > 1", "typed", "write double(…) * 2.0"),
        ("data.amount % 2 = 0", "typed", "int(…)"),
        ("size(data.tags) * data.amount > 1", "typed", "write double(…) * double(data.amount)"),
        ("data.amount * 2.0 > 9", "open", "write 2.0 for 2"),
        ("duration('2d') > duration('1h')", "open", "hours, minutes, seconds only: 48h"),
        ("timestamp('2026-06-18') < event.at", "open", "such as 2026-06-18T10:00:00Z"),
        ("int('x') = 1", "open", "'x' cannot be read by int"),
        ("'a'.matches('(')", "open", "no regular expression"),
        ("event.at > data.due", "typed", "write timestamp(…) around the text"),
        ("data.flag = null", "typed", "has(…)"),
        ("state = 'redy_for_screening'", "open", "did you mean 'ready_for_screening'?"),
        ("state = 'x'", "open", "it can be ready_for_screening, screening_started"),
        ("sttate = 'x'", "open", "did you mean 'state'?"),
        ("x = 1", "open", "known: actor, data, event, input, process, state"),
        ("true And true", "open", "did you mean 'and'?"),
        ("data.status.startwith('a')", "open", "did you mean 'startsWith'?"),
        ("facts.amunt > 3", "rule", "did you mean 'amount'?"),
        ("facts.zzz > 3", "rule", "known: amount, customer"),
        ("event.hash = 'x'", "open", "event.hash: no field 'hash'; known: at"),
        ("event", "open", "write event.at"),
        ("has(event.at)", "open", "leave has(…) out"),
        ("data.in = 1", "open", "write ['in']"),
        ("event.at.getHours('Europe/Berlin') = 12", "open", "getHours('+02:00')"),
        ("{'a': 1}.all(k, true)", "open", "a loop goes through lists only"),
        ("data.tags.exists(state, true)", "open", "choose another name"),
        ("data.tags.exists(__x, true)", "open", "choose another name"),
        ("data.tags.exists(1, true)", "open", "write exists(x, …)"),
        ("state", "open", "this is text"),
        ("data.amount", "typed", "this is a decimal number"),
        ("data.n =", "open", "ends too early"),
        ("data.n = 'a' 'b'", "open", "unexpected"),
        ("{'a': 1, 'a': 2}.a = 1", "open", "duplicate key"),
        ("has(state)", "open", "has"),
        ("exists(data.tags, true)", "open", "'exists' means nothing in this place"),
        (r"int('\q') = 1", "open", "unexpected"),
        ("state.x = 1", "open", "select"),
        ("(" * 40 + "true" + ")" * 40, "open", "nested too deeply"),
        ("'recursion limit' = data.recursion and 1 +", "open", "ends too early"),
    ],
)
def test_a_flaw_says_what_to_write(source: str, scope: str, message: str) -> None:
    assert message in flaw_of(source, scope).message


@pytest.mark.parametrize(
    ("written", "corrected"),
    [
        ("data.amount * 2 > 9", "double(data.amount) * 2.0 > 9.0"),
        ("data.amount + data.n > 9", "double(data.amount) + double(data.n) > 9.0"),
        ("duration('2d') > duration('1h')", "duration('48h') > duration('1h')"),
        ("event.at > data.due", "event.at > timestamp(data.due)"),
        ("data.amount % 2 = 0", "int(data.amount) % 2 = 0"),
    ],
)
@pytest.mark.parametrize("amount", [100, 100.1])
def test_the_advice_is_good(written: str, corrected: str, amount: float) -> None:
    facts = process_facts(data={"amount": amount, "n": 1, "due": "2026-06-18T10:00:00.000000Z"})

    assert flaw_of(written, "typed")
    assert a_guard(corrected, "typed").verdict(facts) == Passed()


def test_what_the_library_says_without_a_place_is_passed_on() -> None:
    said = [*complaints("INTERNAL: out of sorts\nmore [INTERNAL]", program_text(a_guard_spelling(), {}))]

    assert [(one.code, one.column, one.message) for one in said] == [("EXPR_SYNTAX", 1, "out of sorts")]
    assert reason_of("INTERNAL: out of sorts [INTERNAL]") == "out of sorts"


def a_guard_spelling() -> Spelling:
    spelling = spell("true")
    assert isinstance(spelling, Spelling)
    return spelling


# Types that a schema makes certain


def test_a_number_is_tried_as_both_wherever_it_stands() -> None:
    sources = [
        "state = 'screening_started' and data.amount * 2 > 9",
        "has(data.amount) ? data.amount - 1 > 9 : false",
        "data.lines.exists(i, i.price * i.count > 9)",
        "data.lines[0].price * 2 > 9",
        "data['amount'] * 2 > 9",
        "data.limits.day * 2 > 9",
    ]
    assert [flaw_of(source, "typed").code for source in sources] == ["EXPR_TYPE"] * len(sources)


def test_numbers_compare_whether_whole_or_decimal() -> None:
    for source in ("data.amount > 3", "data.amount = data.n", "data.amount in [1, 2]", "[data.amount] = [1]"):
        assert a_guard(source, "typed")


def test_any_two_of_many_numbers_are_tried_as_a_mixture() -> None:
    names = [f"a{index}" for index in range(9)]
    schema: JsonObject = {"properties": {name: {"type": "number"} for name in names}}
    scope = guard_scope([], schema, None)

    for one in names:
        for other in names:
            flaw = compile_guard(f"data.{one} > 0 and data.{one} + data.{other} > 0", scope)
            assert isinstance(flaw, Guard) == (one == other)


def test_a_choice_between_kinds_is_left_to_run_time() -> None:
    assert a_guard("(has(data.n) ? data.n : null) != null", "typed").verdict(process_facts()) == Passed()


def test_what_a_schema_leaves_open_is_decided_at_run_time() -> None:
    schema: JsonObject = {
        "properties": {
            "either": {"type": ["string", "number"]},
            "any": True,
            "pair": {"prefixItems": [{"type": "number"}]},
            "far": {"$ref": "#/elsewhere"},
            "both": {"$ref": "#/$defs/n", "minimum": 3},
            "loop": {"$ref": "#/$defs/loop"},
            "lost": {"$ref": "#/$defs/lost"},
            "mixed": {"enum": [1, "a"]},
            "shape": {"patternProperties": {"^n": {"type": "number"}}, "additionalProperties": False},
            "odd": {"type": 5, "enum": 5, "properties": []},
        },
        "$defs": {"n": {"type": "string"}, "loop": {"$ref": "#/$defs/loop"}},
    }
    scope = guard_scope([], schema, None)
    sources = [
        *(f"data.{name} * 2 > 1" for name in ("either", "any", "far", "both", "loop", "lost", "mixed", "odd")),
        "data.pair[0] * 2 > 1",
        "data.shape.n1 * 2 > 1",
        "data.odd.x = 1",
    ]
    assert [source for source in sources if not isinstance(compile_guard(source, scope), Guard)] == []


def test_a_constant_has_the_kind_of_its_value() -> None:
    scope = rule_scope({"properties": {"kind": {"const": "order"}, "size": {"enum": [1, 2.5]}}})

    wrong = [
        compile_guard(source, scope) for source in ("facts.kind > 1", "facts.kind = 'x'", "facts.size * 2 > 1")
    ]

    assert [flaw.code for flaw in wrong if isinstance(flaw, Flaw)] == [
        "EXPR_TYPE",
        "EXPR_NEVER_EQUAL",
        "EXPR_TYPE",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "'x' + state = 'xx'",
        "state = 'x' + 'y'",
        "'x' + 'y' = state",
        "state in ['x' + 'y']",
        "state in [data.a, 'ready_for_screening']",
        "state.size() = 3",
        r"state = 're\u0061dy'",
        "state = data.x",
    ],
)
def test_only_a_literal_that_is_all_of_a_comparison_is_judged(source: str) -> None:
    assert a_guard(source)


# Undecided


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("data.missing = 1", "data.missing is missing"),
        ("data.limits.month > 1", "data.limits.month is missing"),
        ("has(data.gone.x)", "data.gone is missing"),
        ("has(data.gone) ? data.gone = 1 : data.other = 1", "data.other is missing"),
        ("data.n.a = 1", "data.n is no object"),
        ("data.n.a.b = 1", "data.n is no object"),
        ("{'a': 1}[data.text] = 1", "1000 is missing"),
        ("data.lines[0].x = 1", "x is missing"),
        ("data.nothing > 3", "> does not take null and a whole number"),
        ("data.nothing and true", "and takes true or false only"),
        ("data.n ? true : false", "? : takes true or false only"),
        ("data.text", "this came to text"),
        ("data.n / 0 = 1", "divide by zero"),
        ("duration(data.wait) > duration('1h')", "hours, minutes, seconds only: 48h"),
        ("timestamp(data.text) > event.at", "such as 2026-06-18T10:00:00Z"),
        ("data.limits.all(k, true)", "a loop goes through lists only"),
    ],
)
def test_a_reason_names_what_was_missing(source: str, said: str) -> None:
    assert said in reason(source)


def test_a_loop_that_goes_on_too_long_is_undecided() -> None:
    data: JsonObject = {"l": [*range(200)]}

    assert reason("data.l.all(x, data.l.all(y, true))", data=data) == "it goes through too many entries"


def test_an_object_is_never_gone_through() -> None:
    """The library keeps objects in an order that changes from one evaluation to the next."""
    names: JsonObject = {f"k{number}": number for number in range(20)}

    for loop in ("all(k, true)", "exists(k, k = 'k3')", "exists_one(k, k = 'k3')", "map(k, k)[0] = 'k0'"):
        assert "lists only" in reason(f"data.names.{loop}", data={"names": names})
        assert "lists only" in reason(f"data.lists[0].{loop}", data={"lists": [names]})
        assert "lists only" in reason(f"data.lists.all(x, x.{loop})", data={"lists": [names]})


def test_a_loop_sees_no_list_so_long_that_it_would_take_the_memory_of_the_machine() -> None:
    longest: JsonObject = {"l": [1] * MAX_LOOP_ENTRIES}
    longer: JsonObject = {"l": [1] * (MAX_LOOP_ENTRIES + 1)}

    assert verdict("data.l.filter(x, x = 1).size() = 1000", data=longest) == Passed()
    assert "too many for a loop" in reason("data.l.filter(x, x = 1).size() = 1000", data=longer)
    assert verdict("size(data.l) = 1001", data=longer) == Passed()
    assert verdict("data.t.exists(x, true)", data={"t": [1]}, input=longer) == Passed()


def test_a_loop_that_adds_sees_no_text_so_long_that_it_would_take_the_memory_of_the_machine() -> None:
    data: JsonObject = {"l": [1], "t": "x" * (MAX_LOOP_CHARACTERS + 1)}

    assert "too long to add" in reason("data.l.all(x, size(data.t + data.t) > x)", data=data)
    assert verdict("data.l.all(x, size(data.t) > x)", data=data) == Passed()


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"data": {"a": "x\x00y"}}, "data/a: U+0000"),
        ({"input": {"a": ["\ud800"]}}, "input/a/0: a lone surrogate"),
        ({"data": {"a": 2**53}}, "data/a: beyond"),
        ({"state": "a\x00"}, "U+0000"),
        ({"roles": frozenset({"\ud800"})}, "a lone surrogate"),
    ],
)
def test_facts_that_cannot_be_signed_decide_nothing(members: dict[str, Any], said: str) -> None:
    """The library would cut a text off at U+0000, and find it equal to what it is not."""
    assert said in reason("data.a = 'x' or true", **members)


def test_facts_know_their_instant_and_not_one_of_the_machine() -> None:
    with pytest.raises(ValueError, match="no offset"):
        process_facts(at=datetime(2026, 6, 20))


def test_nulls_that_come_out_of_the_library_leave_none_alone() -> None:
    """The library hands out None without owning it: often enough, and the interpreter would end."""
    nulls = compile_expression("[data.nothing, {'a': data.nothing}]", OPEN)
    assert isinstance(nulls, Expression)
    facts = process_facts()
    before = sys.getrefcount(None)

    for _ in range(200):
        assert nulls.evaluate(facts) == Answer([None, {"a": None}])

    assert sys.getrefcount(None) > before - 100


def test_a_result_too_large_for_an_event_is_undecided() -> None:
    text = compile_expression("data.t + data.t", OPEN)
    assert isinstance(text, Expression)

    for data in ({"t": "x" * 40_000}, {"t": [[1] * 100] * 400}, {"t": [{"x" * 50: 1}] * 800}):
        assert text.evaluate(process_facts(data=data)) == Undecided(
            "the result has more than 65536 entries and characters"
        )


def test_one_evaluation_of_facts_serves_every_guard() -> None:
    facts = process_facts()

    assert facts.sight is facts.sight


def test_a_guard_of_a_rule_sees_its_facts_only() -> None:
    facts = facts_for("rule")
    guard = compile_guard("facts.amount > 2.5", scope_named("rule"))

    assert isinstance(guard, Guard)
    assert guard.verdict(facts) == Passed()


def test_one_module_knows_the_library() -> None:
    domain = Path(sys.modules[Facts.__module__].__file__ or "").parents[1]
    knowing = {path.name for path in domain.rglob("*.py") if "cel_expr_python" in path.read_text()}

    assert knowing == {"guards.py"}
