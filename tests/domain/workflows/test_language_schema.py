"""The schema that editors get. Source: language.md, "Workflow DSL v2" (JSON Schema exported for editors)."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_values import ALIKE, json_values
from sealwork.domain.issues import Place
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.workflows.language_schema import language_schema
from sealwork.domain.workflows.workflow import read_workflow
from workflow_documents import (
    EVERYTHING,
    a_document,
    a_document_with,
    a_schedule,
    a_spawn,
    issues_of,
    story_workflows,
)

_VALIDATOR = jsonschema_rs.Draft202012Validator(language_schema())
_TEXTS: st.SearchStrategy[JsonValue] = st.sampled_from(
    ["48h", "3bd", "${data.x}", "event.at", "a@1", "draft", "2026-06-18T10:00:00Z", "A B", ""]
)


def is_valid(document: JsonValue) -> bool:
    return _VALIDATOR.is_valid(document)


def places(value: JsonValue, *above: str | int) -> Iterator[Place]:
    """Every place inside `value`."""
    inside: list[tuple[str | int, JsonValue]] = []
    if isinstance(value, dict):
        inside = [*value.items()]
    if isinstance(value, list):
        inside = [*enumerate(value)]
    for step, item in inside:
        yield (*above, step)
        yield from places(item, *above, step)


def replaced(document: JsonValue, place: Place, value: JsonValue) -> JsonValue:
    """`document` with another value at `place`."""
    if not place:
        return value
    step, *rest = place
    copied = deepcopy(document)
    if isinstance(copied, list) and isinstance(step, int):
        copied[step] = replaced(copied[step], tuple(rest), value)
    if isinstance(copied, dict) and isinstance(step, str):
        copied[step] = replaced(copied[step], tuple(rest), value)
    return copied


def test_it_is_a_schema_of_the_draft_that_editors_know() -> None:
    schema = language_schema()

    jsonschema_rs.meta.validate(schema)
    assert [*schema][0] == "$schema"
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert (schema["title"], "$id" in schema) == ("Sealwork workflow", False)


@pytest.mark.parametrize(
    "document",
    [
        EVERYTHING,
        a_document(),
        a_document(states={}, roles=["clerk"], data={"anything": None}),
        a_document_with({"role": "r", "auto": {"input": {"a": None}}}),
        a_document_with({"role": ["r"], "from": ["a", "b"], "mutate": {"$set": {"a.b": None}}}),
        a_schedule(every="1d", until="event.at"),
        a_spawn(data={}),
        *story_workflows(),
    ],
    ids=lambda document: str(document)[:40],
)
def test_what_is_a_workflow_is_valid(document: JsonValue) -> None:
    assert issues_of(document) == []
    assert is_valid(document)


@given(st.sampled_from([*places(EVERYTHING)]), _TEXTS | json_values(ALIKE))
def test_no_workflow_is_called_invalid(place: Place, value: JsonValue) -> None:
    document = replaced(EVERYTHING, place, value)

    accepted = read_workflow(document)[0] is not None

    assert is_valid(document) or not accepted


@pytest.mark.parametrize("place", [*places(EVERYTHING)], ids=str)
def test_null_is_taken_exactly_where_data_may_hold_it(place: Place) -> None:
    document = replaced(EVERYTHING, place, None)

    assert is_valid(document) is (read_workflow(document)[0] is not None or place[-2:-1] == ("$inc",))


@pytest.mark.parametrize(
    "document",
    [
        [],
        {},
        a_document(colour="red"),
        a_document(path="Customer"),
        a_document(version=0),
        a_document(version="1"),
        a_document(title=""),
        a_document(states={"Draft": {}}),
        a_document(states={"draft": {"termnal": True}}),
        a_document(states={"draft": {"terminal": "yes"}}),
        a_document(roles="clerk"),
        a_document(actions={}),
        a_document(actions={"Act": {"role": "r"}}),
        a_document_with({}),
        a_document_with({"role": 5}),
        a_document_with({"role": "r", "wen": "x"}),
        a_document_with({"role": "r", "type": "move"}),
        a_document_with({"role": "r", "auto": "yes"}),
        a_document_with({"role": "r", "auto": {"inputs": {}}}),
        a_document_with({"role": "r", "mutate": {"set": {}}}),
        a_document_with({"role": "r", "mutate": {"$set": {"a..b": 1}}}),
        a_document_with({"role": "r", "cancel": ["SLA"]}),
        a_schedule(**{"in": "30s"}),
        a_schedule(**{"in": 30}),
        a_schedule(evry="1d"),
        a_schedule(count=0),
        a_schedule(adjust="nearest"),
        a_spawn(workflow="billing"),
    ],
    ids=str,
)
def test_a_typical_mistake_is_invalid(document: JsonValue) -> None:
    assert issues_of(document)
    assert not is_valid(document)


def test_every_field_keeps_its_description_and_has_neither_title_nor_null() -> None:
    def properties(schema: JsonObject) -> Iterator[tuple[str, JsonValue]]:
        members = schema["properties"]
        assert isinstance(members, dict)
        yield from members.items()

    schema = language_schema()
    assert isinstance(schema["$defs"], dict)
    models = [model for model in (schema, *schema["$defs"].values()) if isinstance(model, dict) and model]

    fields = [field for model in models for field in properties(model)]

    assert len(fields) > 40
    for name, field in fields:
        assert isinstance(field, dict), name
        assert field["description"], name
        assert "title" not in field, name
        assert field.get("default", "") is not None, name
