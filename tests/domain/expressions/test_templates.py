from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealwork.domain.expressions.scopes import Scope, rule_scope, template_scope
from sealwork.domain.expressions.spelling import Flaw
from sealwork.domain.expressions.templates import Resolved, Template, compile_template
from sealwork.domain.expressions.verdicts import Undecided
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import canonical, flaw_in
from sealwork.domain.ledger.effects import with_hash
from vectors.verdicts import CEL, facts_for, process_facts

ACTOR = CEL["facts"]["process"]["actor"]
SCHEMA = CEL["scopes"]["typed"]["data"]
OPEN = template_scope(["draft"], None, None)
TYPED = template_scope(["draft"], SCHEMA, None)
RULE = rule_scope(CEL["scopes"]["rule"]["facts"])


def a_template(value: JsonValue, scope: Scope = OPEN) -> Template:
    template = compile_template(value, scope, allow_hash=True)
    assert isinstance(template, Template), template
    return template


def flaws_of(value: JsonValue, scope: Scope = OPEN, *, allow_hash: bool = True) -> tuple[Flaw, ...]:
    flaws = compile_template(value, scope, allow_hash=allow_hash)
    assert isinstance(flaws, tuple), flaws
    return flaws


def resolved(value: JsonValue, **members: Any) -> JsonValue:
    outcome = a_template(value).resolve(process_facts(**members))
    assert isinstance(outcome, Resolved), outcome
    return outcome.value


def undecided(value: JsonValue, **members: Any) -> Undecided:
    outcome = a_template(value).resolve(process_facts(**members))
    assert isinstance(outcome, Undecided), outcome
    return outcome


# The cases of the language


def test_the_hash_of_the_event_stands_where_the_template_names_it() -> None:
    outcome = a_template({"reason": "state-entry", "source_event": "event.hash"}).resolve(process_facts())

    assert isinstance(outcome, Resolved) and isinstance(outcome.value, dict)
    assert with_hash(outcome.value, outcome.hash_at, "abc") == {"reason": "state-entry", "source_event": "abc"}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ({"n": "${data.n + 1}"}, {"n": 6}),
        ({"t": "case ${process.id} of ${data.amount}"}, {"t": "case p1 of 100.1"}),
        ({"raw": "$${not a ref}"}, {"raw": "${not a ref}"}),
        ({"text": "${'event.hash'}"}, {"text": "event.hash"}),
        ({"m": "${has(data.missing) ? data.missing : null}"}, {"m": None}),
        ({"s": "state"}, {"s": "state"}),
    ],
)
def test_a_template_resolves_as_the_language_says(written: JsonObject, value: JsonObject) -> None:
    assert resolved(written) == value


@pytest.mark.parametrize(
    ("written", "code", "column", "message"),
    [
        ({"a": "event.hsah"}, "TPL_AMBIGUOUS", 1, "write event.hash for the value or ${'event.hsah'}"),
        ({"a": "data.n"}, "TPL_AMBIGUOUS", 1, "write ${data.n} for the value or ${'data.n'} for the text"),
        ({"a": "data['x'].y"}, "TPL_AMBIGUOUS", 1, "looks like a reference"),
        ({"a": "${data.n"}, "TPL_SYNTAX", 1, "${ without }"),
        ({"a": "n: ${data.n"}, "TPL_SYNTAX", 4, "or write $${ for the text ${"),
        ({"a": "x ${data.tags}"}, "TPL_TYPE", 1, "a list cannot be put inside text"),
        ({"a": "x ${data.limits}"}, "TPL_TYPE", 1, "an object cannot be put inside text"),
        ({"a": "x ${null}"}, "TPL_TYPE", 1, "null cannot be put inside text"),
        ({"a": "${type(1)}"}, "TPL_TYPE", 1, "a type is no JSON value"),
        ({"a": "${facts.amount}"}, "EXPR_UNKNOWN_NAME", 3, "'facts' is no name here"),
        ({"a": "x ${data.amount * 2} y"}, "EXPR_TYPE", 17, "double(data.amount) * 2.0"),
        ({"a": "${}"}, "EXPR_SYNTAX", 3, "nothing stands here"),
        ({"a": "x${'a}"}, "EXPR_SYNTAX", 4, "close it with '"),
        ({"a": "x ${event.hash}"}, "TPL_HASH", 5, "event.hash stands alone"),
        ({"a": "${event.hash + 'x'}"}, "TPL_HASH", 3, "event.hash stands alone"),
        ({"a": "\ud800"}, "TPL_SYNTAX", 1, "a lone surrogate"),
    ],
)
def test_a_template_that_cannot_be_meant_is_refused(
    written: JsonObject, code: str, column: int, message: str
) -> None:
    (flaw,) = flaws_of(written, TYPED)

    assert (flaw.code, flaw.pointer, flaw.column) == (code, "/a", column)
    assert message in flaw.message


def test_the_template_of_a_rule_sees_its_facts_only() -> None:
    """The column is where the name begins; the design prints 7, of the field in the bare expression."""
    (flaw,) = flaws_of({"a": "${facts.amunt}"}, RULE)

    assert (flaw.code, flaw.column, flaw.pointer) == ("EXPR_UNKNOWN_NAME", 3, "/a")
    assert "did you mean 'amount'?" in flaw.message
    (bare,) = flaws_of("event.at", RULE)
    assert (bare.code, bare.message) == (
        "TPL_AMBIGUOUS",
        "'event.at' looks like a reference but is none: write ${'event.at'} for the text",
    )
    assert a_template({"a": "${facts.amount}"}, RULE).resolve(facts_for("rule")) == Resolved({"a": 3})


def test_everything_wrong_is_said_at_once() -> None:
    flaws = flaws_of({"meta": {"automation": 1}, "a": ["data.n", {"b/c": "${"}], "${x}": 1})

    assert [(flaw.code, flaw.pointer) for flaw in flaws] == [
        ("TPL_RESERVED", "/meta/automation"),
        ("TPL_AMBIGUOUS", "/a/0"),
        ("TPL_SYNTAX", "/a/1/b~1c"),
        ("TPL_SYNTAX", "/${x}"),
    ]


# References


@pytest.mark.parametrize(
    ("reference", "value"),
    [
        ("event.at", "2026-06-20T10:00:00.000000Z"),
        ("event.action", "submit"),
        ("event.actor", ACTOR),
        ("process.id", "p1"),
    ],
)
def test_a_bare_reference_is_its_value(reference: str, value: str) -> None:
    assert resolved(reference) == value
    assert resolved(f"${{{reference}}}") == value
    assert resolved(f" {reference}") == f" {reference}"


def test_the_hash_of_the_event_is_filled_in_later() -> None:
    written: JsonObject = {
        "reason": "state-entry",
        "source_event": "event.hash",
        "z": ["${ event.hash }", {"~": "event.hash"}],
    }

    outcome = a_template(written).resolve(process_facts())

    assert outcome == Resolved(
        {"reason": "state-entry", "source_event": None, "z": [None, {"~": None}]},
        ("/source_event", "/z/0", "/z/1/~0"),
    )
    assert a_template("event.hash").resolve(process_facts()) == Resolved(None, ("",))


@pytest.mark.parametrize("text", ["event.hash", "${event.hash}"])
def test_what_happens_in_the_event_itself_cannot_know_its_hash(text: str) -> None:
    (flaw,) = flaws_of({"a": text}, allow_hash=False)

    assert (flaw.code, flaw.pointer) == ("TPL_HASH", "/a")
    assert "schedule, auto and spawn data only" in flaw.message


# Values


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("${data.n}", 5),
        ("${data.amount}", 100.1),
        ("${data.tags}", ["a"]),
        ("${data.limits}", {"day": 10, "week": 20.5}),
        ("${data.flag}", True),
        ("${data.nothing}", None),
        ("${event.at - timestamp(data.due)}", "172800s"),
        ("${event.at + duration('1h')}", "2026-06-20T11:00:00.000000Z"),
        ("${double(data.n)}", 5.0),
        ("${ {'a': {'b': 1}}.a.b }", 1),
        ("${'}'}", "}"),
        ("${data.n}${data.n}", "55"),
        ("${data.flag} ${data.text}", "true 1000"),
        ("at ${event.at}: ${double(data.n)} ${1e-7}", "at 2026-06-20T10:00:00.000000Z: 5 1e-7"),
        ("$${${data.n}}", "${5}"),
        ("$$${data.n}", "$${data.n}"),
        ("$ {data.n} $", "$ {data.n} $"),
        ("", ""),
        (None, None),
        ([1, 2.5, True, {"a": []}], [1, 2.5, True, {"a": []}]),
    ],
)
def test_alone_a_value_keeps_its_type_and_inside_text_it_is_text(written: JsonValue, value: JsonValue) -> None:
    assert canonical(resolved(written)) == canonical(value)


def test_what_a_value_contains_is_never_read_again() -> None:
    data: JsonObject = {"a": "${data.b}", "b": "event.hash", "c": ["event.at"]}

    assert resolved(["${data.a}", "x${data.a}", "${data.b}", "${data.c}"], data=data) == [
        "${data.b}",
        "x${data.b}",
        "event.hash",
        ["event.at"],
    ]


@pytest.mark.parametrize(
    ("written", "pointer", "reason"),
    [
        ({"m": "${data.missing}"}, "/m", "data.missing is missing"),
        ({"a": [1, "x ${data.missing}"]}, "/a/1", "data.missing is missing"),
        ({"a": "x ${data.tags}"}, "/a", "a list cannot be put inside text"),
        ({"a": "x ${data.limits}"}, "/a", "an object cannot be put inside text"),
        ({"a": "x ${data.nothing}"}, "/a", "null cannot be put inside text"),
        ({"a": "${data.n * 9007199254740991}"}, "/a", "the number lies beyond ±9007199254740991"),
        ({"a": "${1.0 / 0.0}"}, "/a", "the number lies beyond ±9007199254740991"),
        ({"a": r"${'\u0000'}"}, "/a", "U+0000 cannot be stored"),
        ({"a": "${ {1: 2} }"}, "/a", "the names in an object of JSON are text"),
        ({"a": "${data.limits}", "b": "${data.x}", "c": "${data.y}"}, "/b", "data.x is missing"),
        (
            {"meta": "${data.meta}"},
            "/meta/automation",
            "/meta/automation is reserved for the engine: leave it out",
        ),
    ],
)
def test_the_first_place_without_a_value_is_named(written: JsonObject, pointer: str, reason: str) -> None:
    known = CEL["facts"]["process"]["data"]

    assert undecided(written, data={**known, "meta": {"automation": {}}}) == Undecided(reason, pointer)


def test_a_value_that_makes_the_template_too_deep_is_undecided() -> None:
    deep: JsonValue = 1
    for _ in range(30):
        deep = [deep]

    outcome = undecided({"a": [["${data.deep}"]]}, data={"deep": deep})

    assert outcome.reason == "nested deeper than 32"
    assert outcome.pointer.startswith("/a/0/0/0")


@pytest.mark.parametrize("name", ["meta.automation", "_automation", "meta._automation"])
def test_provenance_is_written_by_nobody(name: str) -> None:
    inner: JsonValue = {name.split(".")[1]: 1} if "." in name else 1
    (flaw,) = flaws_of({name.split(".")[0]: inner})

    assert (flaw.code, flaw.pointer) == ("TPL_RESERVED", "/" + name.replace(".", "/"))


def test_a_template_says_what_it_reads() -> None:
    template = a_template({"a": "${data.b}", "c": ["x ${data.a} ${state}", "event.at"]})

    assert template.reads == ("data.a", "data.b", "state")
    assert [expression.source for expression in template.expressions] == ["data.b", "data.a", "state"]
    assert template.source == {"a": "${data.b}", "c": ["x ${data.a} ${state}", "event.at"]}


@pytest.mark.parametrize(
    ("written", "is_constant"),
    [
        ({"a": [1, "x", None], "b": {"c": "$${x}"}}, True),
        ({"a": ["event.hash", {"b": "${event.hash}"}]}, True),
        ({"a": ["event.at"]}, False),
        ({"a": {"b": ["process.id"]}}, False),
        ({"a": "x ${data.n}"}, False),
        ({"a": [1, "${1 + 1}"]}, False),
    ],
)
def test_a_template_is_constant_if_it_comes_to_the_same_but_for_the_hash(
    written: JsonObject, is_constant: bool
) -> None:
    assert a_template(written).is_constant == is_constant


# Laws

PIECES = st.sampled_from(["$", "{", "}", "${", "$${", "data.n", "'", "event.at", "event.hash", " ", "meta", "x"])
TEXTS = st.lists(PIECES, max_size=6).map("".join) | st.text(max_size=8)
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    TEXTS | st.none() | st.booleans() | st.integers() | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(VALUES, st.booleans(), st.dictionaries(st.sampled_from(["n", "x"]), VALUES, max_size=2))
def test_no_template_and_no_data_raises(value: JsonValue, allow_hash: bool, data: JsonObject) -> None:
    template = compile_template(value, OPEN, allow_hash=allow_hash)

    if isinstance(template, Template):
        outcome = template.resolve(process_facts(data=data))
        assert isinstance(outcome, Undecided) or flaw_in(outcome.value) is None
    else:
        assert template and all(flaw.code and flaw.message for flaw in template)


@given(TEXTS)
def test_every_text_can_be_written(text: str) -> None:
    escaped = text.replace("${", "$${")
    template = compile_template({"a": escaped}, OPEN, allow_hash=False)
    quoted = text.replace("\\", "\\\\").replace("'", "''")
    as_expression = compile_template({"a": f"${{'{quoted}'}}"}, OPEN, allow_hash=False)

    writings = [one for one in (template, as_expression) if isinstance(one, Template)]
    values = [one.resolve(process_facts()) for one in writings]

    assert Resolved({"a": text}) in values or not text.isprintable()
