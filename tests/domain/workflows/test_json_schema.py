from __future__ import annotations

import json
import sys
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealwork.domain.expressions.guards import compile_guard
from sealwork.domain.expressions.scopes import guard_scope
from sealwork.domain.issues import Issue
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.workflows.json_schema import (
    FORMATS,
    KEYWORDS,
    MAX_BYTES,
    MAX_PATTERNS,
    JsonSchema,
    Violation,
    compile_schema,
)
from vectors.verdicts import JSON_SCHEMA, violated


def a_schema(document: JsonValue) -> JsonSchema:
    schema = compile_schema(document)
    assert isinstance(schema, JsonSchema), schema
    return schema


def issues_of(document: JsonValue) -> tuple[Issue, ...]:
    issues = compile_schema(document)
    assert isinstance(issues, tuple), issues
    return issues


# What is committed


@pytest.mark.parametrize("case", JSON_SCHEMA["values"], ids=lambda case: f"{case['case']}")
def test_a_value_is_judged_as_it_always_was(case: dict[str, Any]) -> None:
    assert violated(case) == case["violation"]


@pytest.mark.parametrize("case", JSON_SCHEMA["refused"], ids=lambda case: json.dumps(case["schema"])[:60])
def test_what_is_no_schema_for_us_stays_none(case: dict[str, Any]) -> None:
    first = issues_of(case["schema"])[0]

    assert (first.code, first.pointer) == (case["code"], case["pointer"])


# The profile


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"typ": "string"}, "did you mean 'type'?"),
        ({"$id": "https://a.example"}, "leave it out"),
        ({"format": "datetime"}, "did you mean 'date-time'?"),
        ({"format": "ipv4"}, "write one of date, date-time, email, uri, uuid, or a pattern"),
        ({"$ref": "https://a.example/s"}, "write #/$defs/… with a plain name"),
        ({"$ref": "#/$defs/lin", "$defs": {"line": {}}}, "did you mean 'line'?"),
        ({"$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}}, "a schema has to end"),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "or leave it out"),
        ({"items": {"$defs": {}}}, "at the root"),
        ({"pattern": "(?<=a)b"}, "without look-around and back references"),
        ({"type": "text"}, "write array, boolean, integer, null, number, object, string, or a list of several"),
        ({"minimum": "1"}, 'not of type "number"'),
        (True, "write {} where anything may stand"),
        ({"const": float("inf")}, "not a finite number"),
    ],
)
def test_an_issue_says_what_to_write(document: JsonValue, message: str) -> None:
    assert message in issues_of(document)[0].message


def test_every_issue_of_the_profile_is_said_at_once() -> None:
    issues = issues_of({"properties": {"a/b": {"typ": 1}, "c": {"format": "x"}}, "items": {"$ref": "y"}})

    assert [issue.pointer for issue in issues] == ["/properties/a~1b/typ", "/properties/c/format", "/items/$ref"]


def test_the_names_of_properties_are_no_keywords() -> None:
    assert a_schema({"properties": {"typo": {}, "$id": {}, "pattern": {}}, "$defs": {"typo": {}}})


def test_a_schema_has_a_size_in_bytes_in_patterns_and_written_out() -> None:
    patterns: JsonObject = {str(number): {"pattern": "a"} for number in range(MAX_PATTERNS)}
    more: JsonObject = {**patterns, "more": {"patternProperties": {"b": {}}}}
    doubling: JsonObject = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(13)}
    laughs: JsonObject = {"$defs": {**doubling, "d13": {}}, "$ref": "#/$defs/d0"}

    assert a_schema({"properties": patterns})
    assert [issue.code for issue in issues_of({"properties": more})] == ["SCHEMA_PATTERN"]
    assert [issue.code for issue in issues_of({"title": "x" * MAX_BYTES})] == ["SCHEMA_TOO_LARGE"]
    assert [issue.code for issue in issues_of(laughs)] == ["SCHEMA_TOO_LARGE"]


@pytest.mark.parametrize("order", [1, -1])
def test_references_one_behind_the_other_have_an_end(order: int) -> None:
    def chain(length: int) -> JsonObject:
        definitions: JsonObject = {f"d{n:04}": {"$ref": f"#/$defs/d{n + order:04}"} for n in range(1, length)}
        last = "d0000" if order < 0 else f"d{length:04}"
        return {"$defs": {**definitions, last: {"type": "integer"}}}

    assert a_schema(chain(32))
    assert [issue.code for issue in issues_of(chain(1500))] == ["SCHEMA_REFERENCE"]


def test_a_pattern_may_not_grow_without_bound_when_compiled() -> None:
    assert [issue.code for issue in issues_of({"pattern": r"(\p{L}{20}|1)"})] == ["SCHEMA_PATTERN"]


def test_a_pattern_runs_in_linear_time() -> None:
    schema = a_schema({"pattern": "^(a+)+$"})

    assert schema.first_violation("a" * 50_000 + "b")


def test_a_value_that_is_wrong_all_over_is_judged_at_its_first_fault() -> None:
    """Making every error of every choice took the better part of a minute; the first one takes no time."""
    choices: JsonValue = [{"const": index} for index in range(1_000)]
    schema = compile_schema({"items": {"anyOf": choices}})
    assert isinstance(schema, JsonSchema)
    before = process_time()

    violation = schema.first_violation(["x"] * 2_000)

    assert violation is not None
    assert violation.pointer == "/0"
    assert process_time() - before < 5


def test_every_keyword_and_format_of_the_profile_is_one_of_the_library() -> None:
    """The library would ignore what it does not know, and let everything through."""
    for format_ in FORMATS:
        assert a_schema({"format": format_}).first_violation("\n")
    assert {"type", "$ref", "properties"} <= KEYWORDS


# Values


@pytest.mark.parametrize("whole", [1, 1.0, -3.0, 1e15])
def test_a_whole_number_is_one_without_a_fraction(whole: float) -> None:
    assert a_schema({"type": "integer"}).first_violation(whole) is None


def test_a_violation_does_not_repeat_the_value() -> None:
    schema = a_schema({"properties": {"iban": {"pattern": "^DE", "maxLength": 3}}, "required": ["iban"]})

    values: list[JsonValue] = [{"iban": "secret"}, {}, {"iban": 5}]
    for value in values:
        violation = schema.first_violation(value)
        assert violation is None or "secret" not in violation.message


def test_a_violation_is_short() -> None:
    violation = a_schema({"enum": ["x" * 200, "y" * 200]}).first_violation("z")

    assert violation is not None and len(violation.message) == 300


@pytest.mark.parametrize(
    ("value", "pointer", "message"),
    [
        ("\ud800", "", "a lone surrogate is not text"),
        ({"a": "\ud800"}, "/a", "a lone surrogate is not text"),
        ({"a": object()}, "/a", "a object is not a JSON value"),
        ({1: 2}, "", "names of members are text"),
    ],
)
def test_what_is_no_json_is_a_violation(value: Any, pointer: str, message: str) -> None:
    schema = a_schema({"properties": {"a": {"pattern": "^a"}}, "pattern": "^a"})

    assert schema.first_violation(value) == Violation(pointer, message)


def test_a_value_deeper_than_any_event_is_a_violation() -> None:
    deep: JsonValue = 1
    for _ in range(5000):
        deep = [deep]

    assert a_schema({"type": "object"}).first_violation(deep)


def test_the_first_violation_does_not_depend_on_the_order_of_names() -> None:
    properties: JsonObject = {"b": {"type": "integer"}, "a": {"type": "integer"}, "c": {"type": "integer"}}
    turned: JsonObject = dict(reversed(properties.items()))
    value: JsonObject = {"c": "x", "b": "x", "a": "x"}

    for known in (properties, turned):
        for given_ in (value, dict(reversed(value.items()))):
            assert a_schema({"properties": known}).first_violation(given_) == a_schema(
                {"properties": properties}
            ).first_violation(value)


def test_a_guard_is_checked_against_the_schema_as_it_was_written() -> None:
    schema = a_schema({"properties": {"n": {"type": "integer"}}, "additionalProperties": False})

    assert schema.raw == {"additionalProperties": False, "properties": {"n": {"type": "integer"}}}
    assert not hasattr(compile_guard("data.n > 1", guard_scope([], schema.raw, None)), "code")
    assert hasattr(compile_guard("data.m > 1", guard_scope([], schema.raw, None)), "code")


# Laws

WORDS = st.sampled_from(
    [*sorted(KEYWORDS), *sorted(FORMATS), "integer", "object", "#/$defs/a", "a", "^a", "(", "$id", "1"]
)
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=3), inner, max_size=4),
    max_leaves=10,
)


@settings(deadline=None, max_examples=300)
@given(VALUES, VALUES)
def test_no_document_and_no_value_raises(document: JsonValue, value: JsonValue) -> None:
    schema = compile_schema(document)

    if isinstance(schema, JsonSchema):
        violation = schema.first_violation(value)
        assert violation is None or violation.message
    else:
        assert schema


def test_one_module_knows_the_library() -> None:
    domain = Path(sys.modules[JsonSchema.__module__].__file__ or "").parents[1]
    knowing = {path.name for path in domain.rglob("*.py") if "jsonschema_rs" in path.read_text()}

    assert knowing == {"json_schema.py"}


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"properties": {"customer": {}}, "required": ["custmer"], "additionalProperties": False}, "/required/0"),
        ({"properties": {"n": {"minimum": 2, "maximum": 1}}}, "/properties/n/minimum"),
    ],
)
def test_a_schema_that_nothing_satisfies_is_refused(schema: JsonObject, pointer: str) -> None:
    found = compile_schema(schema)

    assert not isinstance(found, JsonSchema)
    assert [(issue.code, issue.pointer) for issue in found] == [("SCHEMA_NEVER", pointer)]


def test_the_values_of_an_enum_count_like_schemas() -> None:
    found = compile_schema({"items": {"enum": [[number] for number in range(3_000)]}})

    assert not isinstance(found, JsonSchema)
    assert found[0].code == "SCHEMA_TOO_LARGE"
