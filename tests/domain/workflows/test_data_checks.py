"""What is written, and read, against the schema of the data."""

from __future__ import annotations

import pytest

from sealwork.domain.json_value import JsonObject, JsonValue
from workflow_documents import SUBMIT, a_workflow, errors, found

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "amount": {"type": "integer", "minimum": 1},
        "rate": {"type": "number"},
        "name": {"type": "string"},
        "ok": {"type": "boolean"},
        "notes": {"type": "array", "items": {"$ref": "#/$defs/note"}},
        "who": {"type": "object", "properties": {"key": {"type": "string"}}, "additionalProperties": False},
        "free": {},
    },
    "additionalProperties": False,
    "$defs": {"note": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}},
}
INPUT: JsonObject = {"properties": {"name": {"type": "string"}, "n": {"type": "integer"}, "any": {}}}


def submitting(**fields: JsonValue) -> list[tuple[str, str]]:
    workflow = a_workflow({"submit": {**SUBMIT, "input": INPUT, **fields}}, data=SCHEMA)
    return [(issue.code, issue.pointer.removeprefix("/actions/submit/")) for issue in errors(workflow)]


@pytest.mark.parametrize(
    ("operator", "field", "value", "at"),
    [
        ("$set", "amount", "{input.amount}", ""),
        ("$set", "amount", 0, ""),
        ("$set", "amount", "${input.name}", ""),
        ("$set", "amount", "of ${input.n}", ""),
        ("$set", "name", "${input.n + 1}", ""),
        ("$set", "ok", "${size(input.name)}", ""),
        ("$set", "notes", "event.actor", ""),
        ("$set", "who.key", True, ""),
        ("$append", "amount", 1, ""),
        ("$append", "notes", {"txt": "x"}, ""),
        ("$append", "notes", {"text": 7}, "/text"),
        ("$inc", "who", 1, ""),
        ("$inc", "name", "${input.n}", ""),
    ],
)
def test_what_the_data_can_never_be_is_found_before_anything_runs(
    operator: str, field: str, value: JsonValue, at: str
) -> None:
    assert submitting(mutate={operator: {field: value}}) == [
        ("WF_DATA_MISMATCH", f"mutate/{operator}/{field}{at}")
    ]


@pytest.mark.parametrize(
    ("operator", "field", "value"),
    [
        ("$set", "amount", 7),
        ("$set", "amount", "${input.n}"),
        ("$set", "amount", "${input.any}"),
        ("$set", "rate", "${input.n}"),
        ("$set", "amount", "${double(input.n) * 2.0}"),
        ("$set", "name", "by ${input.n}"),
        ("$set", "name", "event.at"),
        ("$set", "name", "${event.at}"),
        ("$set", "free", {"anything": [1]}),
        ("$append", "notes", {"text": "${input.name}"}),
        ("$append", "free", 1),
        ("$inc", "rate", 0.5),
        ("$inc", "free", 1),
    ],
)
def test_what_may_be_is_left_to_the_event(operator: str, field: str, value: JsonValue) -> None:
    assert submitting(mutate={operator: {field: value}}) == []


def test_whoever_may_not_act_is_named_by_a_text() -> None:
    assert submitting(not_actor="amount") == [("WF_DATA_MISMATCH", "not_actor")]
    assert submitting(not_actor="name") == submitting(not_actor="who.key") == []


def test_the_data_is_meant_anyway() -> None:
    (issue,) = errors(a_workflow({"submit": {**SUBMIT, "not_actor": "data.name"}}, data=SCHEMA))

    assert issue.code == "WF_UNKNOWN_DATA"
    assert issue.message.endswith(": write 'name', the data is meant anyway")


@pytest.mark.parametrize(
    ("at", "wrong"), [("${data.amount}", True), ("${data.ok}", True), ("${data.name}", False)]
)
@pytest.mark.parametrize("word", ["at", "until"])
def test_an_instant_comes_from_a_text_or_a_timestamp(at: str, wrong: bool, word: str) -> None:
    when: JsonObject = {"at": at} if word == "at" else {"every": "1d", "until": at}
    timer: JsonObject = {"id": "t", "action": "screen", "data": {}, **when}

    expected = [("WF_BAD_TIMESTAMP", f"schedule/0/{word}")] if wrong else []
    assert submitting(schedule=[timer]) == expected


def test_without_a_schema_anything_may_be_written() -> None:
    assert found(a_workflow({"submit": {**SUBMIT, "mutate": {"$inc": {"a": 1}, "$append": {"b": 1}}}})) == []
