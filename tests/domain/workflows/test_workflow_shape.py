from __future__ import annotations

import pytest

from sealwork.domain.issues import MAX_ISSUES
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.workflows.workflow import read_workflow
from workflow_documents import a_document, a_document_with, a_schedule, a_spawn, issues_of, only_issue_of


@pytest.mark.parametrize("document", [None, 5, "text", [], True])
def test_a_workflow_is_an_object(document: JsonValue) -> None:
    issue = only_issue_of(document)

    assert (issue.code, issue.pointer, issue.message) == (
        "WF_BAD_TYPE",
        "",
        "the document is not an object: write an object",
    )


def test_an_empty_document_is_told_every_missing_field() -> None:
    assert issues_of({}) == [("WF_MISSING_FIELD", "/path"), ("WF_MISSING_FIELD", "/actions")]


def test_a_missing_field_is_told_what_to_write() -> None:
    issue = only_issue_of(a_document_with({}))

    assert issue.pointer == "/actions/act/role"
    assert issue.message == ("'role' is required: write a role such as clerk or AUTOMATION, or a list of roles")


@pytest.mark.parametrize(
    ("document", "code", "pointer"),
    [
        (a_document(path="Customer"), "WF_BAD_FORMAT", "/path"),
        (a_document(version=0), "WF_BAD_TYPE", "/version"),
        (a_document(version=True), "WF_BAD_TYPE", "/version"),
        (a_document(version=1.5), "WF_BAD_TYPE", "/version"),
        (a_document(version="1"), "WF_BAD_TYPE", "/version"),
        (a_document(title=""), "WF_BAD_FORMAT", "/title"),
        (a_document(title="x" * 201), "WF_BAD_FORMAT", "/title"),
        (a_document(states=["draft"]), "WF_BAD_TYPE", "/states"),
        (a_document(states={"Draft": {}}), "WF_BAD_FORMAT", "/states/Draft"),
        (a_document(states={"in-review": {}}), "WF_BAD_FORMAT", "/states/in-review"),
        (a_document(states={"a/b": {}}), "WF_BAD_FORMAT", "/states/a~1b"),
        (a_document(states={"s" * 64: {}}), "WF_BAD_FORMAT", "/states/" + "s" * 64),
        (a_document(states={"draft": {"terminal": 1}}), "WF_BAD_TYPE", "/states/draft/terminal"),
        (a_document(states={"draft": {"terminal": "yes"}}), "WF_BAD_TYPE", "/states/draft/terminal"),
        (a_document(states={"draft": True}), "WF_BAD_TYPE", "/states/draft"),
        (a_document(states={f"s{n}": {} for n in range(201)}), "WF_TOO_MANY", "/states"),
        (a_document(roles="clerk"), "WF_BAD_TYPE", "/roles"),
        (a_document(roles=["a clerk"]), "WF_BAD_FORMAT", "/roles/0"),
        (a_document(data=True), "WF_BAD_TYPE", "/data"),
        (a_document(actions={}), "WF_BAD_VALUE", "/actions"),
        (a_document(actions={f"a{n}": {"role": "r"} for n in range(201)}), "WF_TOO_MANY", "/actions"),
        (a_document(actions={"Act": {"role": "r"}}), "WF_BAD_FORMAT", "/actions/Act"),
        (a_document_with(5), "WF_BAD_TYPE", "/actions/act"),
        (a_document_with({"role": 5}), "WF_BAD_TYPE", "/actions/act/role"),
        (a_document_with({"role": "a clerk"}), "WF_BAD_FORMAT", "/actions/act/role"),
        (a_document_with({"role": ["clerk", 5]}), "WF_BAD_TYPE", "/actions/act/role/1"),
        (a_document_with({"role": ["r"] * 201}), "WF_TOO_MANY", "/actions/act/role"),
        (a_document_with({"role": "r", "from": {"draft": 1}}), "WF_BAD_TYPE", "/actions/act/from"),
        (a_document_with({"role": "r", "from": ["draft", "B"]}), "WF_BAD_FORMAT", "/actions/act/from/1"),
        (a_document_with({"role": "r", "type": "move"}), "WF_BAD_VALUE", "/actions/act/type"),
        (a_document_with({"role": "r", "when": "x" * 2_001}), "WF_BAD_FORMAT", "/actions/act/when"),
        (a_document_with({"role": "r", "not_actor": "a b"}), "WF_BAD_FORMAT", "/actions/act/not_actor"),
        (a_document_with({"role": "r", "input": []}), "WF_BAD_TYPE", "/actions/act/input"),
        (a_document_with({"role": "r", "cancel": "sla"}), "WF_BAD_TYPE", "/actions/act/cancel"),
        (a_document_with({"role": "r", "cancel": ["SLA"]}), "WF_BAD_FORMAT", "/actions/act/cancel/0"),
        (a_document_with({"role": "r", "schedule": [7]}), "WF_BAD_TYPE", "/actions/act/schedule/0"),
        (a_document_with({"role": "r", "auto": "yes"}), "WF_BAD_AUTO", "/actions/act/auto"),
        (a_document_with({"role": "r", "auto": 1}), "WF_BAD_AUTO", "/actions/act/auto"),
        (a_document_with({"role": "r", "auto": {"data": 5}}), "WF_BAD_TYPE", "/actions/act/auto/data"),
        (
            a_document_with({"role": "r", "auto": {"data": {}, "input": {}}}),
            "WF_AUTO_BOTH",
            "/actions/act/auto",
        ),
        (
            a_document_with({"role": "r", "mutate": {"$set": {"9": 1}}}),
            "WF_BAD_FORMAT",
            "/actions/act/mutate/$set/9",
        ),
        (
            a_document_with({"role": "r", "mutate": {"$set": {"a..b": 1}}}),
            "WF_BAD_FORMAT",
            "/actions/act/mutate/$set/a..b",
        ),
        (
            a_document_with({"role": "r", "mutate": {"$unset": "a"}}),
            "WF_BAD_TYPE",
            "/actions/act/mutate/$unset",
        ),
        (a_schedule(id="Sla"), "WF_BAD_FORMAT", "/actions/act/schedule/0/id"),
        (a_schedule(calendar="Se"), "WF_BAD_FORMAT", "/actions/act/schedule/0/calendar"),
        (a_schedule(data=[]), "WF_BAD_TYPE", "/actions/act/schedule/0/data"),
        (a_schedule(**{"in": "30s"}), "WF_BAD_DURATION", "/actions/act/schedule/0/in"),
        (a_schedule(every="101y"), "WF_DURATION_RANGE", "/actions/act/schedule/0/every"),
        (a_schedule(every=5), "WF_BAD_TYPE", "/actions/act/schedule/0/every"),
        (a_schedule(count=0), "WF_BAD_TYPE", "/actions/act/schedule/0/count"),
        (a_schedule(count=10_001), "WF_BAD_TYPE", "/actions/act/schedule/0/count"),
        (a_schedule(adjust="nearest"), "WF_BAD_VALUE", "/actions/act/schedule/0/adjust"),
        (a_schedule(misfire="all"), "WF_BAD_VALUE", "/actions/act/schedule/0/misfire"),
        (a_spawn(workflow="billing"), "WF_BAD_FORMAT", "/actions/act/spawn/0/workflow"),
        (a_spawn(workflow="Billing@1"), "WF_BAD_FORMAT", "/actions/act/spawn/0/workflow"),
        (a_spawn(workflow="billing@0"), "WF_BAD_FORMAT", "/actions/act/spawn/0/workflow"),
    ],
)
def test_a_wrong_shape_is_refused_at_its_place(document: JsonObject, code: str, pointer: str) -> None:
    issue = only_issue_of(document)

    assert (issue.code, issue.pointer, issue.level) == (code, pointer, "error")


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            a_document(states={"draft": {"terminal": 1}}),
            "'terminal' is neither true nor false: write true or false",
        ),
        (a_document_with({"role": ["r", 5]}), "entry 1 is not text: write a role such as clerk or AUTOMATION"),
        (a_document_with({"role": "r", "from": 5}), "'from' is neither text nor a list: write a state, of a-z"),
        (a_document_with({"role": "r", "mutate": {"$unset": 5}}), "'$unset' is not a list: write a list of data"),
        (
            a_document_with({"role": "r", "auto": {"data": 5}}),
            "'data' is not an object: write an object, the input",
        ),
        (a_schedule(**{"in": 5}), "'in' is not text: write a duration such as 48h"),
        (a_schedule(misfire="all"), "'misfire' is not 'fire_once' or 'skip': write fire_once or skip"),
        (a_spawn(workflow=5), "'workflow' is not text: write a workflow and its version, such as"),
        (
            a_document(actions={"Act": {"role": "r"}}),
            "'Act' does not have the right form: write an object of actions",
        ),
        (a_document(version=0), "'version' is less than 1: write a whole number from 1"),
        (a_document(title="x" * 201), "'title' has more than 200 characters: write a short text"),
    ],
)
def test_a_message_says_what_is_wrong_and_what_to_write(document: JsonObject, message: str) -> None:
    assert only_issue_of(document).message.startswith(message)


@pytest.mark.parametrize(
    ("field", "most", "entry"),
    [
        ("schedule", 50, {"id": "sla", "action": "act", "data": {}}),
        ("spawn", 50, {"workflow": "b@1", "action": "start", "id": "c"}),
        ("cancel", 200, "sla"),
        ("from", 200, "draft"),
    ],
)
def test_the_lists_of_an_action_are_bounded(field: str, most: int, entry: JsonValue) -> None:
    assert issues_of(a_document_with({"role": "r", field: [entry] * most})) == []
    assert issues_of(a_document_with({"role": "r", field: [entry] * (most + 1)})) == [
        ("WF_TOO_MANY", f"/actions/act/{field}")
    ]


@pytest.mark.parametrize("field", ["$set", "$append", "$inc"])
def test_the_fields_that_an_action_writes_are_bounded(field: str) -> None:
    assert issues_of(a_document_with({"role": "r", "mutate": {field: {f"f{n}": 1 for n in range(200)}}})) == []
    assert issues_of(a_document_with({"role": "r", "mutate": {field: {f"f{n}": 1 for n in range(201)}}})) == [
        ("WF_TOO_MANY", f"/actions/act/mutate/{field}")
    ]


@pytest.mark.parametrize("amount", ["1", True, None, [], {}])
def test_inc_adds_numbers_only(amount: JsonValue) -> None:
    issue = only_issue_of(a_document_with({"role": "r", "mutate": {"$inc": {"n": amount}}}))

    assert (issue.code, issue.pointer) == ("WF_BAD_TYPE", "/actions/act/mutate/$inc/n")
    assert "write a number" in issue.message


@pytest.mark.parametrize(
    "text",
    [
        "2026-07-01T00:00:00",
        "2026-07-01",
        "2026-02-30T00:00:00Z",
        "2026-07-01 00:00:00Z",
        "2026-07-01T24:30:00Z",
        "0001-01-01T00:00:00+14:00",
        "data.due",
        "",
    ],
)
def test_an_instant_without_offset_or_that_does_not_exist_is_refused(text: str) -> None:
    issue = only_issue_of(a_schedule(at=text))

    assert (issue.code, issue.pointer) == ("WF_BAD_TIMESTAMP", "/actions/act/schedule/0/at")
    assert "such as 2026-06-18T10:00:00Z" in issue.message


@pytest.mark.parametrize(
    ("field", "document"),
    [
        ("/title", a_document(title=None)),
        ("/states", a_document(states=None)),
        ("/actions/act/to", a_document_with({"role": "r", "to": None})),
        ("/actions/act/from", a_document_with({"role": "r", "from": None})),
        ("/actions/act/auto/data", a_document_with({"role": "r", "auto": {"data": None}})),
    ],
)
def test_null_is_no_way_to_leave_a_field_out(field: str, document: JsonObject) -> None:
    issue = only_issue_of(document)

    assert (issue.code, issue.pointer) == ("WF_BAD_TYPE", field)
    assert "leave the field out" in issue.message


@pytest.mark.parametrize(
    ("document", "pointer", "hint"),
    [
        (a_document(action={}), "/action", "did you mean 'actions'?"),
        (a_document(states={"draft": {"termnal": True}}), "/states/draft/termnal", "did you mean 'terminal'?"),
        (a_document_with({"role": "r", "wen": "x"}), "/actions/act/wen", "did you mean 'when'?"),
        (a_document_with({"role": "r", "from_": "x"}), "/actions/act/from_", "did you mean 'from'?"),
        (
            a_document_with({"role": "r", "auto": {"inputs": {}}}),
            "/actions/act/auto/inputs",
            "did you mean 'input'?",
        ),
        (a_document_with({"role": "r", "auto": {"data": {}, "on": 1}}), "/actions/act/auto/on", "data, input"),
        (a_document_with({"role": "r", "mutate": {"set": {}}}), "/actions/act/mutate/set", "did you mean '$set'?"),
        (a_schedule(evry="1d"), "/actions/act/schedule/0/evry", "did you mean 'every'?"),
        (a_spawn(dat={}), "/actions/act/spawn/0/dat", "did you mean 'data'?"),
        (a_document(colour="red"), "/colour", "write one of path, version, title"),
    ],
)
def test_an_unknown_field_is_told_what_was_probably_meant(document: JsonObject, pointer: str, hint: str) -> None:
    issue = only_issue_of(document)

    assert (issue.code, issue.pointer) == ("WF_UNKNOWN_FIELD", pointer)
    assert hint in issue.message


def test_all_issues_are_found_at_once() -> None:
    document: JsonObject = {
        "path": "Wrong",
        "states": {"Draft": 5},
        "actions": {"act": {"role": 5, "auto": "yes", "wen": "x"}, "Other": {}},
    }

    assert issues_of(document) == [
        ("WF_BAD_FORMAT", "/path"),
        ("WF_BAD_FORMAT", "/states/Draft"),
        ("WF_BAD_TYPE", "/states/Draft"),
        ("WF_BAD_TYPE", "/actions/act/role"),
        ("WF_BAD_AUTO", "/actions/act/auto"),
        ("WF_UNKNOWN_FIELD", "/actions/act/wen"),
        ("WF_BAD_FORMAT", "/actions/Other"),
        ("WF_MISSING_FIELD", "/actions/Other/role"),
    ]


def test_names_that_pydantic_uses_itself_are_no_trouble_in_a_document() -> None:
    document = a_document(
        states={"[key]": 5},
        actions={
            "[key]": {"role": "r"},
            "role": {"role": ["one", 5]},
            "auto": {"role": "r", "[key]": 1, "auto": {"data": {}, "switch": 1}},
        },
    )

    assert issues_of(document) == [
        ("WF_BAD_FORMAT", "/states/[key]"),
        ("WF_BAD_TYPE", "/states/[key]"),
        ("WF_BAD_FORMAT", "/actions/[key]"),
        ("WF_BAD_TYPE", "/actions/role/role/1"),
        ("WF_UNKNOWN_FIELD", "/actions/auto/auto/switch"),
        ("WF_UNKNOWN_FIELD", "/actions/auto/[key]"),
    ]


@pytest.mark.parametrize(
    ("value", "pointer"),
    [(float("nan"), "/title"), (2**60, "/title"), ("\ud800", "/title"), (-0.0, "/title")],
)
def test_what_could_never_be_signed_is_refused_before_anything_else(value: JsonValue, pointer: str) -> None:
    assert issues_of(a_document(title=value)) == [("WF_BAD_JSON", pointer)]


def test_a_document_without_bottom_is_refused() -> None:
    document: JsonValue = []
    for _ in range(5_000):
        document = [document]

    assert only_issue_of(document).code == "WF_BAD_JSON"


def test_a_flood_of_issues_is_cut_and_stays_an_error() -> None:
    document = a_document(**{f"field_{number}": 0 for number in range(MAX_ISSUES + 5)})

    issues = read_workflow(document)[1]

    assert len(issues) == MAX_ISSUES + 1
    assert (issues[-1].code, issues[-1].level) == ("WF_MORE_ISSUES", "error")


def test_exactly_as_many_issues_as_are_listed_are_all_there_are() -> None:
    document = a_document(**{f"field_{number}": 0 for number in range(MAX_ISSUES)})

    assert {issue.code for issue in read_workflow(document)[1]} == {"WF_UNKNOWN_FIELD"}


def test_a_long_name_is_cut_in_the_message() -> None:
    assert len(only_issue_of(a_document(**{"x" * 10_000: 1})).message) < 200
