"""Every mistake at once, even where the shape of some actions is wrong."""

from __future__ import annotations

import pytest

from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.workflows.definition import issues_of
from workflow_documents import SCREEN, START, SUBMIT, a_timer


def wrong(actions: JsonObject, **fields: JsonValue) -> list[tuple[str, str]]:
    document: JsonObject = {"path": "a", "actions": {"start": START, "submit": SUBMIT, "screen": SCREEN}, **fields}
    own = document["actions"]
    assert isinstance(own, dict)
    return [(issue.code, issue.pointer) for issue in issues_of({**document, "actions": {**own, **actions}})[1]]


def test_a_wrong_shape_hides_no_mistake_of_another_action() -> None:
    found = wrong(
        {
            "submit": {**SUBMIT, "wen": "true"},
            "note": {
                "role": "clerk",
                "from": "draft",
                "when": "sttate = 'x'",
                "schedule": [{"id": "t", "action": "scren", "in": "1h", "data": {}}],
            },
        }
    )

    assert found == [
        ("WF_UNKNOWN_FIELD", "/actions/submit/wen"),
        ("WF_UNKNOWN_ACTION", "/actions/note/schedule/0/action"),
        ("EXPR_UNKNOWN_NAME", "/actions/note/when"),
    ]


def test_a_wrong_member_hides_no_wrong_expression_beside_it() -> None:
    timer: JsonObject = {"id": "t", "action": "screen", "in": "1 h", "data": {}}

    found = wrong({"submit": {**SUBMIT, "when": "data.n >", "schedule": [timer], "input": {"type": "strin"}}})

    assert [code for code, _ in found] == ["WF_BAD_DURATION", "SCHEMA_BAD_VALUE", "EXPR_SYNTAX"]


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ({**SUBMIT, "to": "Ready"}, "WF_BAD_FORMAT"),
        ({**SUBMIT, "from": 7}, "WF_BAD_TYPE"),
        ({"from": "draft", "to": "ready"}, "WF_MISSING_FIELD"),
        ({**SUBMIT, "schedule": [a_timer(in_="0h")]}, "WF_BAD_DURATION"),
    ],
)
def test_what_only_the_wrong_member_causes_is_not_said(action: JsonObject, code: str) -> None:
    """Without `to` nothing leads to ready, without the timer nothing is there to cancel: that would confuse."""
    screen: JsonObject = {**SCREEN, "cancel": ["sla"]} if "schedule" in action else SCREEN

    assert [found for found, _ in wrong({"submit": action, "screen": screen})] == [code]


@pytest.mark.parametrize(
    "fields",
    [{"actions": {"Start": START}}, {"path": 7}, {"states": []}, {"actions": {"start": 7}}, {"actions": 7}],
)
def test_where_nothing_is_sound_only_the_shape_is_told(fields: JsonObject) -> None:
    document: JsonObject = {"path": "a", "actions": {"start": START}, **fields}

    assert {issue.code[:3] for issue in issues_of(document)[1]} == {"WF_"}


def test_a_state_that_a_broken_action_might_name_is_no_mistake_unless_states_are_declared() -> None:
    actions: JsonObject = {
        "submit": {**SUBMIT, "to": "Ready"},
        "note": {"role": "clerk", "from": "draft", "when": "state = 'ready'"},
        "screen": {**SCREEN, "from": "draft"},
    }
    states: JsonObject = {"draft": {}, "done": {}}

    assert [code for code, _ in wrong(actions)] == ["WF_BAD_FORMAT"]
    assert "EXPR_NEVER_EQUAL" in {code for code, _ in wrong(actions, states=states)}
