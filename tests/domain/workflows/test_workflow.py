from __future__ import annotations

import copy
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from sealwork.domain.issues import Issue
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.workflows.workflow import Action, Workflow, read_workflow
from workflow_documents import (
    EVERYTHING,
    a_document,
    a_document_with,
    a_schedule,
    an_action,
    as_written,
    everything_wrong_with,
    issues_of,
    story_workflows,
    the_workflow,
)


def test_a_workflow_that_uses_everything_is_read() -> None:
    assert read_workflow(EVERYTHING)[1] == ()


def test_a_workflow_says_what_its_document_says() -> None:
    assert as_written(the_workflow(EVERYTHING)) == EVERYTHING


def test_the_workflows_of_all_stories_are_read_as_they_are_written() -> None:
    documents = story_workflows()
    if not documents:
        pytest.skip("the stories are not beside this repository")

    assert [as_written(the_workflow(document)) for document in documents] == documents


@pytest.mark.parametrize("value", [None, True, 5, 1.5, "text", [], {}, [{}]])
def test_data_holds_any_json(value: JsonValue) -> None:
    document = a_document_with({"role": "clerk", "mutate": {"$set": {"field": value}}})

    assert as_written(the_workflow(document)) == document


@pytest.mark.parametrize(
    "text",
    [
        "2026-06-18T10:00:00Z",
        "2026-06-18t10:00:00.123456z",
        "2026-06-18T10:00:00-05:30",
        "${data.due}",
        "${data.day}T10:00:00Z",
        "event.at",
    ],
)
def test_an_instant_is_rfc_3339_or_comes_from_a_template(text: str) -> None:
    assert issues_of(a_schedule(at=text, until=text)) == []


def test_editors_are_told_that_role_and_from_take_one_or_several() -> None:
    schema = TypeAdapter(Workflow).json_schema(by_alias=True)

    role = schema["$defs"]["Action"]["properties"]["role"]
    assert [form["type"] for form in role["oneOf"]] == ["string", "array"]


# What it means


@pytest.mark.parametrize(
    ("action", "kind"),
    [
        (an_action(to="open"), "transition"),
        (an_action(from_="open"), "update"),
        (an_action(type="create", to="open"), "create"),
        (an_action(type="update", to="open"), "update"),
        (an_action(type="transition"), "transition"),
    ],
)
def test_the_kind_of_an_action_is_its_type_or_follows_from_to(action: Action, kind: str) -> None:
    assert action.kind == kind


def test_one_role_and_a_list_of_one_mean_the_same() -> None:
    assert an_action(role="clerk").roles == an_action(role=["clerk"]).roles == ("clerk",)


def test_an_action_may_be_taken_in_one_state_in_several_or_in_none() -> None:
    assert an_action(from_="draft").from_states == ("draft",)
    assert an_action(from_=["draft", "open"]).from_states == ("draft", "open")
    assert an_action().from_states == ()


@pytest.mark.parametrize(
    ("auto", "automatic", "data"),
    [
        (False, False, {}),
        (True, True, {}),
        ({}, True, {}),
        ({"data": {"a": 1}}, True, {"a": 1}),
        ({"input": {"a": 1}}, True, {"a": 1}),
    ],
)
def test_auto_is_a_switch_or_carries_data(auto: JsonValue, automatic: bool, data: JsonObject) -> None:
    action = an_action(auto=auto)

    assert (action.is_automatic, action.auto_data) == (automatic, data)


def test_an_action_without_auto_is_not_automatic() -> None:
    assert not an_action().is_automatic


def test_a_transition_leads_to_its_state_and_an_update_stays() -> None:
    assert an_action(to="open").state_after("draft") == "open"
    assert an_action().state_after("draft") == "draft"


def test_declared_states_are_the_states() -> None:
    workflow = the_workflow(a_document(states={"draft": {}, "lost": {"terminal": True}}))

    assert workflow.state_names == {"draft", "lost"}
    assert workflow.terminal_states == {"lost"}


def test_states_that_nobody_declared_are_those_of_the_actions() -> None:
    workflow = the_workflow(
        a_document(actions={"act": {"role": "clerk", "from": ["a", "b"], "to": "c"}, "note": {"role": "clerk"}})
    )

    assert workflow.state_names == {"a", "b", "c"}
    assert workflow.terminal_states == frozenset()


# Laws

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=()))
    | st.sampled_from(["draft", "48h", "${data.x}", "AUTOMATION", "create", "event.hash", "a@1"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=5) | st.sampled_from(["path", "actions", "role", "[key]", "data", "meta"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@st.composite
def mangled(draw: st.DrawFn) -> JsonValue:
    """The workflow that uses everything, with up to three members replaced, removed, renamed or added."""
    document = copy.deepcopy(EVERYTHING)
    for _ in range(draw(st.integers(1, 3))):
        containers = [container for container in containers_in(document) if container]
        container = draw(st.sampled_from(containers or [document]))
        change = draw(st.sampled_from(["replace", "remove", "rename", "add"]))
        if isinstance(container, dict):
            name = draw(st.sampled_from([*container, "path"]))
            former = container.pop(name, None) if change != "add" else None
            added = {"replace": name, "rename": name + "x", "add": draw(st.text(max_size=4))}
            if change in added:
                container[added[change]] = former if change == "rename" else draw(anything)
        elif change == "remove":
            container.pop()
        else:
            container.append(draw(anything))
    return document


def containers_in(value: JsonValue) -> Iterator[JsonObject | list[JsonValue]]:
    if isinstance(value, dict | list):
        yield value
        for member in value.values() if isinstance(value, dict) else value:
            yield from containers_in(member)


def places_in(value: JsonValue, place: str = "") -> Iterator[str]:
    yield place
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, member in members:
        yield from places_in(member, f"{place}/{str(step).replace('~', '~0').replace('/', '~1')}")


def place_of(issue: Issue) -> str:
    """The pointer, or that of the object in which a field is missing."""
    return issue.pointer.rpartition("/")[0] if issue.code == "WF_MISSING_FIELD" else issue.pointer


@given(anything | mangled())
def test_any_json_gives_a_workflow_or_issues_never_an_exception(document: JsonValue) -> None:
    workflow, issues = read_workflow(document)

    assert (workflow is None) == bool(issues)


@given(anything | mangled())
def test_every_issue_points_into_the_document(document: JsonValue) -> None:
    _, issues = read_workflow(document)

    places = {place_of(issue) for issue in issues if issue.code != "WF_BAD_JSON"}
    assert places <= set(places_in(document))


@given(mangled())
def test_whatever_is_read_says_what_its_document_says(document: JsonValue) -> None:
    workflow, _ = read_workflow(document)

    assert workflow is None or as_written(workflow) == document


@given(mangled())
def test_whatever_is_read_can_be_checked(document: JsonValue) -> None:
    workflow, _ = read_workflow(document)

    issues = everything_wrong_with(workflow) if workflow else ()
    assert {place_of(issue) for issue in issues} <= set(places_in(document))
