from __future__ import annotations

import pytest

from sealwork.domain.issues import MAX_ISSUES
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.workflows.checks import check
from sealwork.domain.workflows.workflow import Workflow
from workflow_documents import (
    SCREEN,
    STATES,
    SUBMIT,
    a_timer,
    a_workflow,
    a_workflow_of,
    errors,
    found,
    only_issue,
    scheduling,
    story_workflows,
    submitting,
    the_workflow,
)


def test_a_sound_workflow_has_no_issue() -> None:
    assert check(a_workflow()) == check(a_workflow(states=STATES, roles=["clerk"])) == ()


def test_the_workflows_of_all_stories_have_no_error() -> None:
    workflows = [the_workflow(document) for document in story_workflows()]
    if not workflows:
        pytest.skip("the stories are not beside this repository")

    found_wrong = [issue for workflow in workflows for issue in errors(workflow)]
    assert {issue.code for issue in found_wrong} <= {"WF_NOT_YET"}
    assert all(issue.pointer.endswith("/calendar") for issue in found_wrong)


def test_everything_is_found_at_once_group_by_group() -> None:
    workflow = a_workflow(
        {
            "tick": {"role": "Clerk", "from": "ready", "auto": True},
            **submitting(schedule=[a_timer(action="scren", in_="1h")], cancel=["slaa"]),
        },
        roles=["clerk"],
    )

    assert found(workflow) == [
        ("WF_UNKNOWN_ROLE", "/actions/tick/role"),
        ("WF_AUTO_ROLE", "/actions/tick/role"),
        ("WF_UNKNOWN_ACTION", "/actions/submit/schedule/0/action"),
        ("WF_CANCEL_UNKNOWN", "/actions/submit/cancel/0"),
        ("WF_AUTO_LOOP", "/actions/tick/auto"),
    ]


def test_more_issues_than_are_listed_are_an_error_even_if_all_are_warnings() -> None:
    timers: list[JsonValue] = [a_timer(id=f"t{number}", in_="1h") for number in range(50)]
    actions: JsonObject = {f"act_{n}": {"role": "clerk", "from": "draft", "schedule": timers} for n in range(12)}

    issues = check(a_workflow({**actions}))

    assert len(issues) == MAX_ISSUES + 1
    assert {issue.level for issue in issues[:-1]} == {"warning"}
    assert (issues[-1].code, issues[-1].level) == ("WF_MORE_ISSUES", "error")


# Types


def test_an_update_says_nothing_about_the_state() -> None:
    assert check(a_workflow({"note": {"type": "update", "role": "clerk", "from": ["draft", "ready"]}})) == ()


def test_an_update_may_repeat_the_state_it_is_taken_in() -> None:
    assert check(a_workflow({"note": {"type": "update", "role": "clerk", "from": "draft", "to": "draft"}})) == ()


@pytest.mark.parametrize("from_", ["draft", ["draft", "ready"]])
def test_an_update_that_would_move_is_refused(from_: JsonValue) -> None:
    issue = only_issue(a_workflow({"note": {"type": "update", "role": "clerk", "from": from_, "to": "ready"}}))

    assert (issue.code, issue.pointer) == ("WF_UPDATE_MOVES", "/actions/note/to")


def test_a_transition_without_a_target_is_refused() -> None:
    issue = only_issue(a_workflow({"move": {"type": "transition", "role": "clerk", "from": "draft"}}))

    assert (issue.code, issue.pointer) == ("WF_MISSING_FIELD", "/actions/move/to")


@pytest.mark.parametrize("fields", [{}, {"to": "ready"}, {"from": []}])
def test_an_action_that_creates_nothing_needs_a_state_to_be_taken_in(fields: JsonObject) -> None:
    issue = only_issue(a_workflow({"act": {"role": "clerk", **fields}}))

    assert (issue.code, issue.pointer) == ("WF_MISSING_FIELD", "/actions/act/from")


@pytest.mark.parametrize(
    ("fields", "code", "pointer"),
    [
        ({"to": "draft", "from": "ready"}, "WF_CREATE_HAS_FROM", "/actions/begin/from"),
        ({"to": "draft", "from": []}, "WF_CREATE_HAS_FROM", "/actions/begin/from"),
        ({"to": "draft", "auto": True, "role": "AUTOMATION"}, "WF_CREATE_AUTO", "/actions/begin/auto"),
        ({}, "WF_MISSING_FIELD", "/actions/begin/to"),
    ],
)
def test_a_process_begins_in_a_state_from_nothing_and_not_by_itself(
    fields: JsonObject, code: str, pointer: str
) -> None:
    issue = only_issue(a_workflow({"begin": {"type": "create", "role": "clerk", **fields}}))

    assert (issue.code, issue.pointer) == (code, pointer)


# Graph


def test_a_workflow_that_no_process_can_begin_is_refused() -> None:
    issue = only_issue(a_workflow_of({"submit": SUBMIT}))

    assert (issue.code, issue.pointer) == ("WF_NO_START", "/actions")


def test_a_process_may_begin_in_several_ways() -> None:
    assert check(a_workflow({"import": {"type": "create", "role": "clerk", "to": "ready"}})) == ()


@pytest.mark.parametrize(
    ("action", "pointer"),
    [
        ({"role": "clerk", "from": "draft", "to": "redy"}, "/actions/act/to"),
        ({"role": "clerk", "from": ["draft", "redy"], "to": "done"}, "/actions/act/from/1"),
    ],
)
def test_a_state_that_is_not_declared_is_told_what_was_probably_meant(action: JsonObject, pointer: str) -> None:
    issue = only_issue(a_workflow({"act": action}, states=STATES))

    assert (issue.code, issue.pointer) == ("WF_UNKNOWN_STATE", pointer)
    assert "did you mean 'ready'?" in issue.message


def test_a_state_that_is_like_no_other_is_told_which_there_are() -> None:
    issue = only_issue(a_workflow({"act": {"role": "clerk", "from": "draft", "to": "zzz"}}, states=STATES))

    assert issue.message == "'zzz' is not one of the states; write one of done, draft, ready"


def test_a_misspelt_target_leaves_what_follows_unreachable() -> None:
    assert found(a_workflow({"submit": {**SUBMIT, "to": "redy"}}, states=STATES)) == [
        ("WF_UNKNOWN_STATE", "/actions/submit/to"),
        ("WF_UNREACHABLE", "/states/done"),
        ("WF_UNREACHABLE", "/states/ready"),
        ("WF_DEAD_ACTION", "/actions/screen"),
    ]


def test_a_declared_state_that_no_action_leads_to_is_refused() -> None:
    issue = only_issue(a_workflow(states={**STATES, "lost": {"terminal": True}}))

    assert (issue.code, issue.pointer) == ("WF_UNREACHABLE", "/states/lost")


def test_states_that_lead_only_to_each_other_are_unreachable() -> None:
    workflow = a_workflow(
        {
            "there": {"role": "clerk", "from": "left", "to": "right"},
            "back": {"role": "clerk", "from": "right", "to": "left"},
        },
        states={**STATES, "left": {}, "right": {}},
    )

    assert [issue.pointer for issue in errors(workflow)] == ["/states/left", "/states/right"]


def test_an_undeclared_state_that_no_action_leads_to_is_warned_about() -> None:
    workflow = a_workflow({"act": {"role": "clerk", "from": ["draft", "redy"], "to": "done"}})

    issue = only_issue(workflow, "warning")
    assert (issue.code, issue.pointer) == ("WF_UNREACHABLE", "/actions/act/from/1")


def test_where_only_such_a_state_leads_is_unreachable_too() -> None:
    workflow = a_workflow({"act": {"role": "clerk", "from": "redy", "to": "dune"}})

    assert found(workflow)[:2] == [
        ("WF_UNREACHABLE", "/actions/act/to"),
        ("WF_UNREACHABLE", "/actions/act/from"),
    ]


def test_an_action_that_can_never_be_taken_is_warned_about() -> None:
    workflow = a_workflow({"act": {"role": "clerk", "from": "redy", "to": "done"}})

    assert [issue.level for issue in check(workflow)] == ["warning", "warning"]
    assert found(workflow) == [("WF_UNREACHABLE", "/actions/act/from"), ("WF_DEAD_ACTION", "/actions/act")]


def test_nothing_may_be_done_in_a_terminal_state() -> None:
    workflow = a_workflow({"reopen": {"role": "clerk", "from": ["ready", "done"], "to": "draft"}}, states=STATES)

    issue = only_issue(workflow)
    assert (issue.code, issue.pointer) == ("WF_LEAVES_TERMINAL", "/actions/reopen/from/1")


def test_a_state_without_a_way_out_that_is_not_terminal_is_warned_about() -> None:
    issue = only_issue(a_workflow(states={**STATES, "done": {}}), "warning")

    assert (issue.code, issue.pointer) == ("WF_DEAD_END", "/states/done")


# Roles


def test_an_action_that_nobody_may_take_is_refused() -> None:
    issue = only_issue(a_workflow({"act": {"role": [], "from": "draft"}}))

    assert (issue.code, issue.pointer) == ("WF_NO_ROLE", "/actions/act/role")


@pytest.mark.parametrize(
    ("role", "hint"),
    [
        ("CLERK", "write 'clerk'"),
        ("clark", "did you mean 'clerk'?"),
        ("officer", "'officer' is not one of the roles"),
    ],
)
def test_a_role_that_is_not_declared_is_told_what_was_probably_meant(role: str, hint: str) -> None:
    issue = only_issue(a_workflow({"act": {"role": ["clerk", role], "from": "draft"}}, roles=["clerk"]))

    assert (issue.code, issue.pointer) == ("WF_UNKNOWN_ROLE", "/actions/act/role/1")
    assert hint in issue.message


def test_without_declared_roles_every_role_is_known() -> None:
    assert check(a_workflow({"act": {"role": "officer", "from": "draft"}})) == ()


def test_automation_needs_no_declaration_and_suffers_one() -> None:
    assert check(a_workflow(roles=["clerk"])) == check(a_workflow(roles=["clerk", "AUTOMATION"])) == ()


@pytest.mark.parametrize("roles", [{}, {"roles": ["clerk"]}])
def test_automation_in_another_spelling_is_refused(roles: JsonObject) -> None:
    issue = only_issue(a_workflow({"act": {"role": ["clerk", "Automation"], "from": "draft"}}, **roles))

    assert (issue.code, issue.pointer) == ("WF_UNKNOWN_ROLE", "/actions/act/role/1")
    assert "write 'AUTOMATION'" in issue.message


def test_automation_may_not_be_declared_in_another_spelling() -> None:
    issue = only_issue(a_workflow(roles=["clerk", "automation"]))

    assert (issue.code, issue.pointer) == ("WF_UNKNOWN_ROLE", "/roles/1")


@pytest.mark.parametrize(
    ("workflow", "pointer"),
    [
        (a_workflow({"act": {"role": ["clerk", "clerk"], "from": "draft"}}), "/actions/act/role/1"),
        (a_workflow({"act": {"role": "clerk", "from": ["draft", "draft"]}}), "/actions/act/from/1"),
        (
            a_workflow({**scheduling(a_timer(every="1d")), "screen": {**SCREEN, "cancel": ["sla", "sla"]}}),
            "/actions/screen/cancel/1",
        ),
        (a_workflow(roles=["clerk", "clerk"]), "/roles/1"),
    ],
)
def test_what_stands_twice_in_a_list_is_warned_about(workflow: Workflow, pointer: str) -> None:
    issue = only_issue(workflow, "warning")

    assert (issue.code, issue.pointer) == ("WF_DUPLICATE", pointer)


# Mutate


def test_set_state_may_repeat_where_the_action_leads() -> None:
    mutate: JsonObject = {"$set": {"state": "ready", "status": "started"}}

    assert check(a_workflow(submitting(mutate=mutate))) == ()


@pytest.mark.parametrize("value", ["done", "${data.next}", None, 5])
def test_set_state_to_anything_else_is_refused(value: JsonValue) -> None:
    issue = only_issue(a_workflow(submitting(mutate={"$set": {"state": value}})))

    assert (issue.code, issue.pointer) == ("WF_MUTATE_STATE", "/actions/submit/mutate/$set/state")
    assert "only 'ready'" in issue.message


@pytest.mark.parametrize("value", ["draft", None])
def test_an_update_does_not_set_the_state(value: JsonValue) -> None:
    update: JsonObject = {"role": "clerk", "from": "draft", "mutate": {"$set": {"state": value}}}

    issue = only_issue(a_workflow({"note": update}))
    assert (issue.code, issue.pointer) == ("WF_MUTATE_STATE", "/actions/note/mutate/$set/state")


@pytest.mark.parametrize(
    ("mutate", "place"),
    [
        ({"$set": {"state.name": "ready"}}, "$set/state.name"),
        ({"$append": {"state": "ready"}}, "$append/state"),
        ({"$inc": {"state": 1}}, "$inc/state"),
        ({"$unset": ["state"]}, "$unset/0"),
    ],
)
def test_state_is_no_data_field(mutate: JsonObject, place: str) -> None:
    issue = only_issue(a_workflow(submitting(mutate=mutate)))

    assert (issue.code, issue.pointer) == ("WF_MUTATE_STATE", f"/actions/submit/mutate/{place}")
    assert "drop it, for only `to` changes the state" in issue.message


@pytest.mark.parametrize(
    ("mutate", "place"),
    [
        ({"$set": {"n": 1}, "$inc": {"n": 1}}, "$inc/n"),
        ({"$set": {"n": 1}, "$append": {"n": 1}}, "$append/n"),
        ({"$set": {"n": 1}, "$unset": ["m", "n"]}, "$unset/1"),
        ({"$unset": ["n", "n"]}, "$unset/1"),
        ({"$set": {"a": {}, "a.b.c": 1}}, "$set/a.b.c"),
        ({"$set": {"a.b.c": 1}, "$unset": ["a.b"]}, "$set/a.b.c"),
    ],
)
def test_one_action_writes_a_field_once(mutate: JsonObject, place: str) -> None:
    issue = only_issue(a_workflow(submitting(mutate=mutate)))

    assert (issue.code, issue.pointer) == ("WF_MUTATE_CONFLICT", f"/actions/submit/mutate/{place}")


def test_fields_beside_each_other_do_not_conflict() -> None:
    mutate: JsonObject = {"$set": {"a.b": 1, "a.c": 1, "ab": 1}, "$inc": {"a.bc": 1}, "$unset": ["b"]}

    assert check(a_workflow(submitting(mutate=mutate))) == ()
