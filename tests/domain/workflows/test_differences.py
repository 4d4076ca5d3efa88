"""Where two workflow documents differ. Source: language.md, "Workflow DSL v2" (aliases, version)."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given

from json_values import ALIKE, json_values, same
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.workflows.differences import Added, Changed, Difference, Removed, differences
from workflow_documents import EVERYTHING, a_document, a_document_with


def all_of(old: JsonValue, new: JsonValue) -> list[Difference]:
    return [*differences(old, new)]


def steps_of(pointer: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def applied(document: JsonValue, found: list[Difference]) -> JsonValue:
    """`document` after these differences: what is removed goes last, from the end, so that no index moves."""
    document = deepcopy(document)
    for each in [*filter(lambda one: not isinstance(one, Removed), found), *reversed(found)]:
        *above, last = steps_of(each.pointer) or [""]
        if not steps_of(each.pointer):
            assert isinstance(each, Changed)
            return each.new
        around = document
        for step in above:
            around = around[int(step)] if isinstance(around, list) else dict_of(around)[step]
        if isinstance(around, list):
            around[int(last) :] = [] if isinstance(each, Removed) else [each.new, *around[int(last) + 1 :]]
        elif isinstance(each, Removed):
            del dict_of(around)[last]
        else:
            dict_of(around)[last] = each.new
    return document


def dict_of(value: JsonValue) -> JsonObject:
    assert isinstance(value, dict)
    return value


def test_what_was_added_removed_and_changed_is_told_with_its_place() -> None:
    old: JsonObject = {"path": "a", "title": "Old", "states": {"draft": {}, "a/b": {}}, "roles": ["x", "y"]}
    new: JsonObject = {"path": "a", "data": {}, "states": {"draft": {"terminal": True}}, "roles": ["x", "z", "w"]}

    assert all_of(old, new) == [
        Removed(pointer="/title", old="Old"),
        Added(pointer="/states/draft/terminal", new=True),
        Removed(pointer="/states/a~1b", old={}),
        Changed(pointer="/roles/1", old="y", new="z"),
        Added(pointer="/roles/2", new="w"),
        Added(pointer="/data", new={}),
    ]


def test_entries_that_a_list_lost_are_told_from_the_first_on() -> None:
    assert all_of([1, 2, 3], [1]) == [Removed(pointer="/1", old=2), Removed(pointer="/2", old=3)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (a_document(), a_document(version=7)),
        (a_document(version=1), a_document(version=7)),
        (
            a_document_with({"role": "r", "auto": {"input": {"a": 1}}}),
            a_document_with({"role": "r", "auto": {"data": {"a": 1}}}),
        ),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": 4}, {"a": 4.0}),
        (EVERYTHING, EVERYTHING),
    ],
    ids=["a version given", "another version", "auto.input", "another order", "a whole number", "the same"],
)
def test_documents_that_say_the_same_do_not_differ(old: JsonObject, new: JsonObject) -> None:
    assert all_of(old, new) == []


@pytest.mark.parametrize(
    ("old", "new"), [(True, 1), (0, False), (None, False), ("1", 1), ([], {}), ({}, None), ("", [])], ids=repr
)
def test_values_that_are_easily_taken_for_each_other_differ(old: JsonValue, new: JsonValue) -> None:
    assert all_of({"a": old}, {"a": new}) == [Changed(pointer="/a", old=old, new=new)]


def test_data_of_an_automatic_action_is_told_under_the_name_that_is_stored() -> None:
    old = a_document_with({"role": "r", "auto": {"input": {"a": 1}}})
    new = a_document_with({"role": "r", "auto": {"data": {"a": 2}}})

    assert all_of(old, new) == [Changed(pointer="/actions/act/auto/data/a", old=1, new=2)]


def test_what_is_no_object_can_be_compared() -> None:
    assert all_of([], {"version": 3}) == [Changed(pointer="", old=[], new={"version": 3})]


@given(json_values(ALIKE), json_values(ALIKE))
def test_the_differences_turn_one_document_into_the_other(old: JsonValue, new: JsonValue) -> None:
    one: JsonObject = {"inside": old}
    other: JsonObject = {"inside": new}

    found = all_of(one, other)

    assert same(applied(one, found), other)
    assert (found == []) is same(old, new)
