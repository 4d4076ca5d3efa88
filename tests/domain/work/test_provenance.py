"""Provenance is the row's: each value, each difference, and everybody who may not write it."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import ANA, MARIA, ROBOT, an_actor, an_intent
from json_values import json_objects
from laws import law
from sealwork.domain.json_value import JsonObject, JsonValue, pointer
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.canonical import canonical, parse_canonical
from sealwork.domain.ledger.intent import Intent, parse_intent, without_provenance
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.work.provenance import (
    MAX_OCCURRENCE,
    check_provenance,
    claimed_work,
    depth_of,
    fired_input,
    provenance_of,
)
from sealwork.domain.work.work_row import WorkKind, WorkRow, WorkStatus
from sealwork.domain.workflows.queued_input import QueuedInput
from work_rows import THE_ROBOT, TOKEN, a_row, firing

CLAIM = "/input/meta/automation"
OTHERS = sorted(set(KeyClass) - {KeyClass.AUTOMATION})
Answer = tuple[RefusalCode, str | None] | None


def answer(intent: Intent, row: WorkRow | None, *, token: str | None = str(TOKEN)) -> Answer:
    """What the engine says to the robot's intent."""
    refusal = check_provenance(intent, THE_ROBOT, row, lease_token=token)
    return (refusal.code, refusal.pointer) if refusal else None


def reserved(place: str) -> Answer:
    return RefusalCode.RESERVED_INPUT, place


NOT_CLAIMED: Answer = (RefusalCode.NOT_CLAIMED, CLAIM)


# Each value is the row's


def test_the_provenance_of_a_timer_is_its_row() -> None:
    assert provenance_of(a_row(WorkKind.SCHEDULED_ACTION), ROBOT.actor) == {
        "kind": "scheduled_action",
        "work_id": "00000000-0000-8000-8000-000000000001",
        "occurrence": 2,
        "depth": 1,
        "fired_by_actor": ROBOT.actor,
        "schedule_id": "deadline",
        "scheduled_by_event_hash": "c" * 64,
        "scheduled_by_action": "screen",
        "scheduled_by_actor": ANA.actor,
        "scheduled_at": "2026-06-18T10:00:00.123456Z",
        "run_at": "2026-06-20T10:00:00.000000Z",
        "missed": 3,
    }


def test_the_provenance_of_an_automatic_action_is_its_row() -> None:
    assert provenance_of(a_row(WorkKind.AUTO_ACTION), ROBOT.actor) == {
        "kind": "auto_action",
        "work_id": "00000000-0000-8000-8000-000000000001",
        "occurrence": 2,
        "depth": 1,
        "fired_by_actor": ROBOT.actor,
        "queued_by_event_hash": "c" * 64,
        "queued_by_action": "screen",
        "queued_by_actor": ANA.actor,
        "queued_at": "2026-06-18T10:00:00.123456Z",
        "available_state": "ready",
        "reason": "auto action became available",
    }


def test_the_provenance_of_a_rule_names_the_rule_too() -> None:
    automatic = provenance_of(a_row(WorkKind.AUTO_ACTION, reason="rule"), ROBOT.actor)

    assert provenance_of(a_row(WorkKind.RULE), ROBOT.actor) == automatic | {
        "kind": "rule",
        "rule": "rul_1",
        "version": 4,
    }


def test_a_row_of_a_kind_that_nobody_knows_has_no_provenance() -> None:
    with pytest.raises(AssertionError):
        provenance_of(a_row().model_copy(update={"kind": WorkStatus.ACTIVE}), ROBOT.actor)


@pytest.mark.parametrize("kind", WorkKind)
def test_provenance_has_a_canonical_form(kind: WorkKind) -> None:
    claim = provenance_of(a_row(kind), ROBOT.actor)

    assert parse_canonical(canonical(claim)) == claim


def test_the_input_of_a_fire_is_the_data_of_its_row_and_its_provenance() -> None:
    row = a_row(data={"reason": "sla", "meta": {"source": "x"}})

    assert fired_input(row, ROBOT.actor) == {
        "reason": "sla",
        "meta": {"source": "x", "automation": provenance_of(row, ROBOT.actor)},
    }


def test_the_data_of_a_row_are_left_as_they_were() -> None:
    row = a_row(data={"meta": {}})

    fired_input(row, ROBOT.actor)

    assert row.data == {"meta": {}}


@pytest.mark.parametrize("meta", [None, 1, "text", []])
def test_a_meta_that_is_no_object_gives_way_to_provenance(meta: JsonValue) -> None:
    row = a_row(data={"meta": meta})

    assert fired_input(row, ROBOT.actor) == {"meta": {"automation": provenance_of(row, ROBOT.actor)}}


# The robot may say what the row says


@law
@given(json_objects(), st.none() | json_objects() | st.integers())
def test_an_action_sees_the_same_when_it_is_queued_and_when_it_is_fired(data: JsonObject, meta: JsonValue) -> None:
    data = data if meta is None else {**data, "meta": meta}

    assert without_provenance(fired_input(a_row(data=data), ROBOT.actor)) == QueuedInput(data).checked


@pytest.mark.parametrize("kind", WorkKind)
def test_the_fire_of_a_claimed_row_is_allowed(kind: WorkKind) -> None:
    row = a_row(kind, data={"reason": "sla", "n": [1, {"a": None}]})

    assert answer(firing(row), row) is None


@law
@given(json_objects(), st.sampled_from(WorkKind))
def test_a_fire_is_allowed_after_it_went_through_bytes(data: JsonObject, kind: WorkKind) -> None:
    row = a_row(kind, data={name: value for name, value in data.items() if name not in ("meta", "_automation")})

    read = parse_intent(firing(row).to_bytes())

    assert isinstance(read, Intent)
    assert answer(read, row) is None


def test_numbers_that_are_one_number_in_json_do_not_differ() -> None:
    row = a_row(data={"n": 1.0})

    assert answer(firing(row, fired_input(a_row(data={"n": 1}), ROBOT.actor)), row) is None


# Each difference is found


def changes(value: JsonObject, at: tuple[str, ...] = ()) -> Iterator[tuple[str, JsonObject]]:
    """Each single change of a member, anywhere in `value`: replaced, left out, or one more beside it."""
    yield pointer(*at, "more"), {**value, "more": None}
    for name, member in value.items():
        place = pointer(*at, name)
        yield place, {kept: value[kept] for kept in value if kept != name}
        others: list[JsonValue] = [None, "other", {"a": 1}, [member], not isinstance(member, bool)]
        for other in others:
            yield place, {**value, name: other}
        if isinstance(member, dict):
            for inner, changed in changes(member, (*at, name)):
                yield inner, {**value, name: changed}


@pytest.mark.parametrize("kind", WorkKind)
def test_every_single_change_of_the_provenance_is_found(kind: WorkKind) -> None:
    row = a_row(kind)
    claim = provenance_of(row, ROBOT.actor)
    named = {"/work_id", "/occurrence"}  # without these no row is named at all

    for place, changed in changes(claim):
        told = answer(firing(row, {"meta": {"automation": changed}}), row)

        assert told == reserved(CLAIM + place) or (place in named and told == reserved(CLAIM)), place


def test_every_single_change_of_the_data_is_found() -> None:
    data: JsonObject = {"a": 1, "b/~": {"c": [True, None], "d": {}}, "e": 0}
    row = a_row(data=data)

    for place, changed in changes(data):
        told = answer(firing(row, fired_input(a_row(data=changed), ROBOT.actor)), row)

        assert told is not None, place
        assert told[0] is RefusalCode.RESERVED_INPUT
        assert str(told[1]).startswith(f"/input{place}"), place


@pytest.mark.parametrize(
    ("mine", "place"),
    [
        ({"n": True}, "/input/n"),
        ({"n": "1"}, "/input/n"),
        ({"n": [1]}, "/input/n"),
        ({"n": None}, "/input/n"),
        ({}, "/input/n"),
        ({"n": 1, "m": None}, "/input/m"),
    ],
)
def test_true_is_not_taken_for_one(mine: JsonObject, place: str) -> None:
    row = a_row(data={"n": 1})

    assert answer(firing(row, fired_input(a_row(data=mine), ROBOT.actor)), row) == reserved(place)


@pytest.mark.parametrize(("member", "value"), [("missed", False), ("depth", True)])
def test_truth_is_not_taken_for_a_number_in_the_provenance(member: str, value: bool) -> None:
    row = a_row(missed=0, depth=1)
    claim = provenance_of(row, ROBOT.actor) | {member: value}

    assert answer(firing(row, {"meta": {"automation": claim}}), row) == reserved(f"{CLAIM}/{member}")


def test_a_difference_inside_a_list_is_found_at_its_place() -> None:
    row = a_row(data={"list": [0, [1, 2]]})

    mine = fired_input(a_row(data={"list": [0, [1, True]]}), ROBOT.actor)

    assert answer(firing(row, mine), row) == reserved("/input/list/1/1")


def test_a_name_with_a_slash_is_escaped_in_the_pointer() -> None:
    row = a_row(data={"a/b": 1})

    mine = fired_input(a_row(data={"a/b": 2}), ROBOT.actor)

    assert answer(firing(row, mine), row) == reserved("/input/a~1b")


def test_more_input_than_the_row_gives_is_refused() -> None:
    row = a_row()

    assert answer(firing(row, fired_input(row, ROBOT.actor) | {"amount": 1}), row) == reserved("/input/amount")


def test_the_fire_of_a_row_by_another_key_is_no_other_provenance() -> None:
    row = a_row()

    told = answer(firing(row, fired_input(row, MARIA.actor)), row)

    assert told == reserved(f"{CLAIM}/fired_by_actor")


def test_a_row_fires_its_own_action_only() -> None:
    row = a_row()

    assert answer(firing(row, action="approve"), row) == reserved("/action")


# Only a claimed row, only under this lease


@pytest.mark.parametrize("status", sorted(set(WorkStatus) - {WorkStatus.CLAIMED}))
def test_a_row_that_is_not_claimed_is_not_fired(status: WorkStatus) -> None:
    row = a_row(status=status)

    assert answer(firing(row), row) == NOT_CLAIMED


@pytest.mark.parametrize("token", [None, "", "None", str(UUID(int=0)), TOKEN.hex])
def test_a_row_is_not_fired_under_another_lease(token: str | None) -> None:
    row = a_row()

    assert answer(firing(row), row, token=token) == NOT_CLAIMED


def test_a_row_whose_lease_was_given_back_is_not_fired() -> None:
    row = a_row(lease_token=None)

    assert answer(firing(row), row, token=None) == NOT_CLAIMED


def test_a_row_that_is_not_there_is_not_fired() -> None:
    assert answer(firing(a_row()), None) == NOT_CLAIMED


def test_a_row_of_another_process_is_not_fired() -> None:
    row = a_row()

    assert answer(firing(row, stream="process/p-2"), row) == NOT_CLAIMED


# An AUTOMATION key signs nothing else


@pytest.mark.parametrize(
    "input_",
    [
        {},
        {"meta": {}},
        {"meta": None},
        {"meta": {"automation": None}},
        {"meta": {"automation": "x"}},
        {"meta": {"automation": []}},
        {"meta": {"automation": {}}},
        {"meta": {"automation": {"work_id": "x"}}},
        {"meta": {"automation": {"occurrence": 1}}},
        {"meta": {"automation": {"work_id": "x", "occurrence": 0}}},
        {"meta": {"automation": {"work_id": "x", "occurrence": -1}}},
        {"meta": {"automation": {"work_id": "x", "occurrence": True}}},
        {"meta": {"automation": {"work_id": "x", "occurrence": 1.5}}},
        {"meta": {"automation": {"work_id": "x", "occurrence": "1"}}},
        {"meta": {"automation": {"work_id": "x", "occurrence": MAX_OCCURRENCE + 1}}},
        {"meta": {"automation": {"work_id": 1, "occurrence": 1}}},
        {"automation": {"work_id": "x", "occurrence": 1}},
    ],
)
def test_an_automation_key_that_names_no_row_is_refused(input_: JsonObject) -> None:
    row = a_row()

    assert answer(firing(row, input_), row) == reserved(CLAIM)


@pytest.mark.parametrize("occurrence", [1, MAX_OCCURRENCE])
def test_a_claim_is_a_work_id_and_an_occurrence(occurrence: int) -> None:
    intent = an_intent(input={"meta": {"automation": {"work_id": "w", "occurrence": occurrence}}})

    assert claimed_work(intent) == ("w", occurrence)


def test_most_intents_claim_nothing() -> None:
    assert claimed_work(an_intent(input={"a": 1})) is None


def test_not_even_the_robot_writes_the_second_reserved_name() -> None:
    row = a_row(data={"_automation": 1})
    inner = a_row(data={"meta": {"_automation": 1}})

    assert answer(firing(row), row) == reserved("/input/_automation")
    assert answer(firing(inner), inner) == reserved("/input/meta/_automation")


# Everybody else writes none at all


def told_to(key_class: KeyClass, input_: JsonObject, row: WorkRow | None = None) -> Answer:
    refusal = check_provenance(an_intent(input=input_), an_actor(MARIA, key_class), row, lease_token=str(TOKEN))
    return (refusal.code, refusal.pointer) if isinstance(refusal, Refused) else None


@pytest.mark.parametrize("key_class", OTHERS)
@pytest.mark.parametrize(
    ("input_", "place"),
    [
        ({"meta": {"automation": {}}}, CLAIM),
        ({"meta": {"automation": None}}, CLAIM),
        ({"_automation": 1}, "/input/_automation"),
        ({"meta": {"_automation": 1}}, "/input/meta/_automation"),
    ],
)
def test_nobody_else_writes_provenance(key_class: KeyClass, input_: JsonObject, place: str) -> None:
    assert told_to(key_class, input_) == reserved(place)


@pytest.mark.parametrize("key_class", OTHERS)
def test_nobody_else_fires_a_row_even_with_true_provenance_and_its_lease(key_class: KeyClass) -> None:
    row = a_row()

    assert told_to(key_class, fired_input(row, MARIA.actor), row) == reserved(CLAIM)


@pytest.mark.parametrize("key_class", OTHERS)
def test_everybody_else_acts_without_provenance(key_class: KeyClass) -> None:
    assert told_to(key_class, {"meta": {"note": "x"}, "automation": 1}) is None


# Depth


def test_an_event_of_a_person_has_no_depth() -> None:
    assert depth_of(None) == 0


def test_an_event_that_fires_a_row_has_the_depth_of_the_row() -> None:
    assert depth_of(a_row(depth=4)) == 4
