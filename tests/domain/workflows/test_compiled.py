"""What is wrong in the expressions and schemas of a document, each with its place in it."""

from __future__ import annotations

import pytest

from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.workflows.definition import issues_of
from workflow_documents import SCREEN, START, SUBMIT, a_timer, a_workflow, found
from workflow_documents import submitting as submit

NUMBERS: JsonObject = {"properties": {"n": {"type": "number"}, "name": {"type": "string"}}}


def places(actions: JsonObject, **fields: JsonValue) -> list[tuple[str, str, int | None]]:
    """Code, pointer and column of everything that is wrong with draft -> ready -> done and `actions`."""
    own: JsonObject = {"start": START, "submit": SUBMIT, "screen": SCREEN}
    issues = issues_of({"path": "a", "actions": {**own, **actions}, **fields})[1]
    return [(issue.code, issue.pointer, issue.column) for issue in issues]


def submitting(**fields: JsonValue) -> JsonObject:
    return {"submit": {**SUBMIT, **fields}}


@pytest.mark.parametrize(
    ("schema", "code", "inside"),
    [
        ({"properties": {"a": {"typ": "string"}}}, "SCHEMA_KEYWORD", "/properties/a/typ"),
        ({"properties": {"a": {"format": "ipv4"}}}, "SCHEMA_FORMAT", "/properties/a/format"),
        ({"items": {"pattern": "(?=a)"}}, "SCHEMA_PATTERN", "/items/pattern"),
        ({"items": {"$ref": "https://a.example"}}, "SCHEMA_REFERENCE", "/items/$ref"),
        ({"properties": {"a": {"type": "text"}}}, "SCHEMA_BAD_VALUE", "/properties/a/type"),
        ({"description": "x" * 65_536}, "SCHEMA_TOO_LARGE", ""),
    ],
)
def test_an_issue_of_a_schema_stands_where_it_is_in_the_document(
    schema: JsonObject, code: str, inside: str
) -> None:
    assert places({}, data=schema) == [(code, f"/data{inside}", None)]
    assert places(submitting(input=schema)) == [(code, f"/actions/submit/input{inside}", None)]


@pytest.mark.parametrize(
    ("when", "code", "column"),
    [
        ("data.n = 1 and not data.n", "EXPR_SYNTAX", 16),
        ("data.n = 1 and sttate = 'draft'", "EXPR_UNKNOWN_NAME", 16),
        ("data.n * 2 > 9", "EXPR_TYPE", 8),
        ("data.n", "EXPR_NOT_BOOLEAN", 1),
        ("state = 'draught'", "EXPR_NEVER_EQUAL", 9),
        ("duration('2d') > duration('1h')", "EXPR_VALUE", 10),
        ("event.at.getHours('Europe/Berlin') = 12", "EXPR_TIME_ZONE", 19),
        ("(" * 40 + "true" + ")" * 40, "EXPR_TOO_DEEP", 1),
    ],
)
def test_an_issue_of_a_condition_has_its_column(when: str, code: str, column: int) -> None:
    assert places(submitting(when=when), data=NUMBERS) == [(code, "/actions/submit/when", column)]


@pytest.mark.parametrize(
    ("fields", "code", "inside", "column"),
    [
        ({"mutate": {"$set": {"a": {"b": "x ${data.n * 2}"}}}}, "EXPR_TYPE", "mutate/$set/a/b", 12),
        ({"mutate": {"$append": {"a": "${data.n"}}}, "TPL_SYNTAX", "mutate/$append/a", 1),
        ({"mutate": {"$inc": {"a": "x${[1]}"}}}, "TPL_TYPE", "mutate/$inc/a", 1),
        ({"mutate": {"$set": {"a": "event.hash"}}}, "TPL_HASH", "mutate/$set/a", 1),
        ({"schedule": [a_timer(at="${sttate}")]}, "EXPR_UNKNOWN_NAME", "schedule/0/at", 3),
        ({"schedule": [a_timer(every="1d", until="${}")]}, "EXPR_SYNTAX", "schedule/0/until", 3),
        ({"schedule": [a_timer(in_="1h", data={"a": ["data.n"]})]}, "TPL_AMBIGUOUS", "schedule/0/data/a/0", 1),
        (
            {"spawn": [{"workflow": "b@1", "action": "start", "id": "c", "data": {"_automation": 1}}]},
            "TPL_RESERVED",
            "spawn/0/data/_automation",
            1,
        ),
    ],
)
def test_an_issue_of_a_template_has_its_place_and_its_column(
    fields: JsonObject, code: str, inside: str, column: int
) -> None:
    assert places(submitting(**fields), data=NUMBERS) == [(code, f"/actions/submit/{inside}", column)]


@pytest.mark.parametrize("word", ["data", "input"])
def test_the_data_of_an_automatic_action_is_named_by_the_word_that_was_written(word: str) -> None:
    actions: JsonObject = {"screen": {**SCREEN, "auto": {word: {"a": "data.n"}}}}

    assert places(actions) == [("TPL_AMBIGUOUS", f"/actions/screen/auto/{word}/a", 1)]


def test_names_are_known_from_the_schemas_of_data_and_input() -> None:
    schema: JsonObject = {"properties": {"reason": {"enum": ["late"]}}, "additionalProperties": False}

    assert places(submitting(input=schema, when="input.resaon = 'late'")) == [
        ("EXPR_UNKNOWN_NAME", "/actions/submit/when", 1)
    ]
    assert places(submitting(input=schema, when="input.reason = 'lat'")) == [
        ("EXPR_NEVER_EQUAL", "/actions/submit/when", 16)
    ]


def test_the_data_that_it_is_queued_with_types_an_input_without_a_schema() -> None:
    auto: JsonObject = {
        "data": {"n": 1, "at": 1.5, "yes": True, "why": "x", "any": "${data.n}", "all": [], "no": None}
    }

    def screening(when: str) -> list[tuple[str, str, int | None]]:
        return places({"screen": {**SCREEN, "auto": auto, "when": when}})

    wrong = ["input.n * 1.5 > 1.0", "input.at * 2 > 1", "input.yes > 1", "input.why > 1", "input.all > 1"]
    assert [screening(when)[0][0] for when in wrong] == ["EXPR_TYPE"] * len(wrong)
    assert screening("input.any * 2 > 1") == screening("input.no = null") == []


def test_a_schema_that_is_wrong_says_nothing_about_names() -> None:
    assert [code for code, *_ in places(submitting(when="data.x = 1"), data={"typ": 1})] == ["SCHEMA_KEYWORD"]


def test_everything_that_is_wrong_is_told_at_once() -> None:
    """Graph, roles and timers, then expressions, then what they mean."""
    wrong: JsonObject = {
        "submit": {
            **SUBMIT,
            "to": "redy",
            "when": "data.n * 2 > 9",
            "mutate": {"$set": {"x": "event.hsah", "zzz": 1}},
            "schedule": [a_timer(in_="1h", action="scren")],
        },
        "screen": {**SCREEN, "when": "state = 'done'", "input": {"required": ["a"]}, "role": "clerk"},
    }
    data: JsonObject = {**NUMBERS, "additionalProperties": False}

    assert places(wrong, data=data, states={"draft": {}, "ready": {}, "done": {"terminal": True}}) == [
        ("WF_UNKNOWN_STATE", "/actions/submit/to", None),
        ("WF_UNREACHABLE", "/states/done", None),
        ("WF_UNREACHABLE", "/states/ready", None),
        ("WF_DEAD_ACTION", "/actions/screen", None),
        ("WF_AUTO_ROLE", "/actions/screen/role", None),
        ("WF_UNKNOWN_ACTION", "/actions/submit/schedule/0/action", None),
        ("EXPR_TYPE", "/actions/submit/when", 8),
        ("TPL_AMBIGUOUS", "/actions/submit/mutate/$set/x", 1),
        ("WF_WHEN_NEVER", "/actions/screen/when", None),
        ("WF_UNKNOWN_DATA", "/actions/submit/mutate/$set/x", None),
        ("WF_UNKNOWN_DATA", "/actions/submit/mutate/$set/zzz", None),
        ("WF_INPUT_MISMATCH", "/actions/screen/auto", None),
    ]


def test_before_a_process_begins_its_state_is_an_empty_text() -> None:
    start: JsonObject = {**START, "when": "state = ''", "mutate": {"$set": {"new": "${state = '' ? 1 : 2}"}}}

    assert found(a_workflow({"start": start})) == []
    assert [code for code, _ in found(a_workflow(submit(when="state = ''")))][:1] == ["EXPR_NEVER_EQUAL"]


@pytest.mark.parametrize("when", ["false", "1 = 2", "data.n > 1 and false"])
def test_a_constant_that_does_not_hold_is_no_guard(when: str) -> None:
    assert [code for code, _ in found(a_workflow(submit(when=when)))] == ["WF_WHEN_NEVER"]


@pytest.mark.parametrize("kind", ["string", ["array", "null"]])
def test_data_and_input_are_objects(kind: JsonValue) -> None:
    workflow = a_workflow(submit(input={"type": kind}), data={"type": kind})

    assert [(code, at) for code, at in found(workflow) if code == "SCHEMA_NEVER"] == [
        ("SCHEMA_NEVER", "/data/type"),
        ("SCHEMA_NEVER", "/actions/submit/input/type"),
    ]


def test_more_expressions_than_are_compiled_are_one_issue() -> None:
    workflow = a_workflow(submit(mutate={"$set": {"x": "${1}" * 5_001}}))

    assert ("WF_TOO_MANY", "/actions") in found(workflow)
