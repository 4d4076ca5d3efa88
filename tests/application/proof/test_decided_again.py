"""What an engine's own key cannot hide: events that the rules forbid, effects that they do not make, rows moved.

Every chain here is whole and every signature right, as if engine and actors had been one forger.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest

from open_box import OpenBox, a_box_with_a_story
from process_forger import appended, found, intent_of, record_of, replace_intent, reseal
from scribe import Scribe
from sealing import START, TENANT, key_of
from sealwork.adapters.memory.tables import Work
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.effects import Cancel
from sealwork.domain.proof.findings import FindingCode
from sealwork.domain.work.work_row import WorkStatus

F = FindingCode
STREAM = "process/c-1"
Forgery = Callable[[OpenBox], None]


def claims_another_state(box: OpenBox) -> None:
    state = record_of(box, STREAM, 4).state
    reseal(box, STREAM, 4, state=state.model_copy(update={"name": "done"}))
    settled_as(box, "escalate")


def claims_another_depth(box: OpenBox) -> None:
    reseal(box, STREAM, 4, depth=3)
    settled_as(box, "escalate")


def adds_an_effect(box: OpenBox) -> None:
    reseal(box, STREAM, 4, effects=(Cancel(id="other"),))
    settled_as(box, "escalate")


def acts_without_the_role(box: OpenBox) -> None:
    appended(box, "process/c-2", "clear", by="maria")


def acts_in_the_wrong_state(box: OpenBox) -> None:
    appended(box, "process/c-2", "clear", by="ana")


def acts_by_another_workflow(box: OpenBox) -> None:
    wrong = intent_of(box, STREAM, 4).definition
    assert wrong is not None
    appended(box, "process/c-2", "submit", by="maria", definition=wrong.model_copy(update={"sha256": "a" * 64}))


def publishes_without_the_permission(box: OpenBox) -> None:
    appended(box, "workflow/customer/onboarding", "withdraw", by="ana", input={"version": 1}, definition=None)


def admits_without_being_an_administrator(box: OpenBox) -> None:
    role: JsonObject = {"key": key_of("ana").actor, "role": "chief"}
    appended(box, "actors/registry", "role.grant", by="ana", input=role, definition=None)


def provenance(box: OpenBox, **members: object) -> JsonObject:
    told = intent_of(box, STREAM, 4).input
    meta = told["meta"]
    assert isinstance(meta, dict)
    automation = meta["automation"]
    assert isinstance(automation, dict)
    changed: JsonObject = {**automation, **{name: str(value) for name, value in members.items()}}
    return {**told, "meta": {"automation": changed}}


def names_another_cause(box: OpenBox) -> None:
    wrong = provenance(box, scheduled_by_actor=key_of("ana").actor)
    replace_intent(box, STREAM, 4, by=key_of("automation"), input=wrong)
    settled_as(box, "escalate")


def names_work_that_nobody_promised(box: OpenBox) -> None:
    replace_intent(box, STREAM, 4, by=key_of("automation"), input=provenance(box, work_id=UUID(int=7)))
    forgotten(box, "escalate")


def fires_a_second_time(box: OpenBox) -> None:
    again = intent_of(box, STREAM, 4)
    appended(box, STREAM, "escalate", by="automation", input=again.input)


def fires_before_it_was_due(box: OpenBox) -> None:
    reseal(box, STREAM, 4, recorded_at=instant_text(START + timedelta(hours=40)))
    settled_as(box, "escalate")


def work(box: OpenBox, action: str) -> Work:
    (kept,) = [kept for kept in box.tables.work.values() if kept.row.action == action]
    return kept


def settled_as(box: OpenBox, action: str) -> None:
    """The row names the event as it is now."""
    work(box, action).change(fired_event_hash=box.events(STREAM)[3].hash)


def forgotten(box: OpenBox, action: str) -> None:
    """The row was never fired."""
    work(box, action).change(fired_event_hash=None, status=WorkStatus.SKIPPED)


def changes(action: str, **members: object) -> Forgery:
    return lambda box: work(box, action).change(**members)


def deletes_the_timer(box: OpenBox) -> None:
    del box.tables.work[TENANT, work(box, "escalate").row.id]


def invents_a_row(box: OpenBox) -> None:
    kept = work(box, "escalate")
    row = kept.row.model_copy(update={"id": UUID(int=7), "schedule_id": "other", "fired_event_hash": None})
    box.tables.work[TENANT, row.id] = Work(row=row, seq=3)


def invents_a_row_of_an_event_to_come(box: OpenBox) -> None:
    invents_a_row(box)
    box.tables.work[TENANT, UUID(int=7)].seq = 9


def goes_on_for_ever(box: OpenBox) -> None:
    work(box, "escalate").every = timedelta(hours=1)


def goes_on_beyond_its_end(box: OpenBox) -> None:
    """The row forgets its `until` for a while: what the worker signs then is not in the effect."""
    recurs(box, until="2026-06-18T13:00:00Z")
    work(box, "tick").until = None
    box.wait(timedelta(hours=20))
    box.fire_due()
    work(box, "tick").until = START + timedelta(hours=3)


def fires_in_the_year_ten_thousand(box: OpenBox) -> None:
    recurs(box)
    box.wait(timedelta(hours=1))
    box.fire_due()
    stream = "process/r-1"
    said = intent_of(box, stream, 2).input
    meta = said["meta"]
    assert isinstance(meta, dict)
    automation = meta["automation"]
    assert isinstance(automation, dict)
    far: JsonObject = {**said, "meta": {"automation": {**automation, "occurrence": 2**31 - 1, "missed": 0}}}
    replace_intent(box, stream, 2, by=key_of("automation"), input=far)
    work(box, "tick").change(fired_event_hash=box.events(stream)[1].hash)


def recurs(box: OpenBox, **bounds: str) -> None:
    """A process whose timer comes every hour."""
    timer: JsonObject = {"id": "t", "action": "tick", "every": "1h", "data": {}, **bounds}
    start: JsonObject = {"type": "create", "role": "intake", "to": "a", "schedule": [timer]}
    actions: JsonObject = {"start": start, "tick": {"role": "AUTOMATION", "from": "a"}}
    box.published({"path": "ticking", "states": {"a": {}}, "actions": actions})
    box.move_to(START)
    box.begin("r-1", path="ticking")


def is_rewound(box: OpenBox) -> None:
    recurs(box)
    for _ in range(3):
        box.wait(timedelta(hours=1))
        box.fire_due()
    work(box, "tick").change(occurrence=1, run_at=START + timedelta(hours=1))


def forgets_what_it_fired(box: OpenBox) -> None:
    recurs(box)
    box.wait(timedelta(hours=1))
    box.fire_due()
    work(box, "tick").change(fired_event_hash=None)


def is_silenced(box: OpenBox) -> None:
    box.begin("c-3")
    box.take("c-3", "submit", "maria")
    kept = next(kept for kept in box.tables.work.values() if kept.row.stream == "process/c-3")
    kept.change(status=WorkStatus.COMPLETED)


def is_of_no_process(box: OpenBox) -> None:
    kept = work(box, "escalate")
    row = kept.row.model_copy(update={"id": UUID(int=7), "stream": "process/zzz"})
    box.tables.work[TENANT, row.id] = Work(row=row, seq=3)


def begins_a_stream_of_no_kind(box: OpenBox) -> None:
    scribe = Scribe(box)
    scribe.actor = box.key("maria")
    scribe.write("foo/bar")


def claims_true_for_one(box: OpenBox) -> None:
    timer: JsonObject = {"id": "t", "action": "tick", "in": "1h", "data": {"n": 1}}
    start: JsonObject = {"type": "create", "role": "intake", "to": "a", "schedule": [timer]}
    actions: JsonObject = {"start": start, "tick": {"role": "AUTOMATION", "from": "a"}}
    box.published({"path": "counting", "states": {"a": {}}, "actions": actions})
    box.begin("n-1", path="counting")
    (effect,) = record_of(box, "process/n-1", 1).effects
    reseal(box, "process/n-1", 1, effects=(effect.model_copy(update={"data": {"n": True}}),))
    (kept,) = [kept for kept in box.tables.work.values() if kept.row.stream == "process/n-1"]
    caused_by = kept.row.caused_by.model_copy(update={"event_hash": box.events("process/n-1")[0].hash})
    kept.change(data={"n": True}, caused_by=caused_by)


FORGERIES: list[tuple[Forgery, set[tuple[FindingCode, str, int]]]] = [
    (claims_another_state, {(F.DECIDED_DIFFERENTLY, STREAM, 4)}),
    (claims_another_depth, {(F.DECIDED_DIFFERENTLY, STREAM, 4)}),
    (adds_an_effect, {(F.DECIDED_DIFFERENTLY, STREAM, 4)}),
    (acts_without_the_role, {(F.NOT_PERMITTED, "process/c-2", 2)}),
    (acts_in_the_wrong_state, {(F.NOT_PERMITTED, "process/c-2", 2)}),
    (acts_by_another_workflow, {(F.NOT_PERMITTED, "process/c-2", 2)}),
    (publishes_without_the_permission, {(F.NOT_PERMITTED, "workflow/customer/onboarding", 2)}),
    (admits_without_being_an_administrator, {(F.NOT_PERMITTED, "actors/registry", 6)}),
    (begins_a_stream_of_no_kind, {(F.NOT_PERMITTED, "foo/bar", 1)}),
    (claims_true_for_one, {(F.DECIDED_DIFFERENTLY, "process/n-1", 1)}),
    (names_another_cause, {(F.NOT_PERMITTED, STREAM, 4)}),
    (names_work_that_nobody_promised, {(F.NOT_PROMISED, STREAM, 4)}),
    (fires_a_second_time, {(F.NOT_PROMISED, STREAM, 5)}),
    (fires_before_it_was_due, {(F.FIRED_EARLY, STREAM, 4)}),
    (goes_on_beyond_its_end, {(F.NOT_PROMISED, "process/r-1", 2), (F.ROW_DIFFERS, "process/r-1", 1)}),
    (
        fires_in_the_year_ten_thousand,
        {
            (F.FIRED_EARLY, "process/r-1", 2),
            (F.NOT_PERMITTED, "process/r-1", 2),
            (F.ROW_DIFFERS, "process/r-1", 1),
        },
    ),
]


ROWS: list[tuple[Forgery, set[tuple[FindingCode, str, int]]]] = [
    (deletes_the_timer, {(F.ROW_MISSING, STREAM, 3)}),
    (invents_a_row, {(F.ROW_UNFOUNDED, STREAM, 3)}),
    (invents_a_row_of_an_event_to_come, {(F.ROW_UNFOUNDED, STREAM, 9)}),
    (is_rewound, {(F.ROW_DIFFERS, "process/r-1", 1)}),
    (forgets_what_it_fired, {(F.ROW_DIFFERS, "process/r-1", 1)}),
    (is_silenced, {(F.ROW_DIFFERS, "process/c-3", 2)}),
    (is_of_no_process, {(F.ROW_UNFOUNDED, "process/zzz", 3)}),
    (changes("screen", occurrence=5), {(F.ROW_DIFFERS, STREAM, 2)}),
    (changes("escalate", status=WorkStatus.PENDING), {(F.ROW_DIFFERS, STREAM, 3)}),
    (changes("escalate", fired_event_hash=None), {(F.ROW_DIFFERS, STREAM, 3)}),
    (goes_on_for_ever, {(F.ROW_DIFFERS, STREAM, 3)}),
    (changes("escalate", run_at=START), {(F.ROW_DIFFERS, STREAM, 3)}),
    (changes("escalate", data={"reason": "none"}), {(F.ROW_DIFFERS, STREAM, 3)}),
    (changes("escalate", data={"reason": "sla", "urgent": True}), {(F.ROW_DIFFERS, STREAM, 3)}),
    (changes("escalate", status=WorkStatus.CANCELLED), {(F.ROW_DIFFERS, STREAM, 3)}),
    (changes("escalate", status=WorkStatus.ACTIVE), {(F.ROW_DIFFERS, STREAM, 3)}),
    (changes("escalate", fired_event_hash="0" * 64), {(F.ROW_DIFFERS, STREAM, 3)}),
    (changes("escalate", depth=2), {(F.ROW_DIFFERS, STREAM, 3)}),
    (changes("screen", status=WorkStatus.SKIPPED), {(F.ROW_DIFFERS, STREAM, 2)}),
    (changes("screen", available_state="draft"), {(F.ROW_DIFFERS, STREAM, 2)}),
    (changes("screen", reason="because"), {(F.ROW_DIFFERS, STREAM, 2)}),
]


@pytest.mark.parametrize(("forge", "expected"), FORGERIES, ids=lambda case: getattr(case, "__name__", ""))
def test_an_event_that_the_rules_do_not_make_is_found(
    forge: Forgery, expected: set[tuple[FindingCode, str, int]]
) -> None:
    box = a_box_with_a_story()

    forge(box)

    assert found(box.verify()) == expected


@pytest.mark.parametrize(("edit", "expected"), ROWS, ids=lambda case: getattr(case, "__name__", ""))
def test_a_row_that_says_something_else_than_its_event_is_found(
    edit: Forgery, expected: set[tuple[FindingCode, str, int]]
) -> None:
    box = a_box_with_a_story()

    edit(box)

    assert found(box.verify()) == expected


def test_everything_is_decided_again_and_every_row_is_looked_at() -> None:
    box = a_box_with_a_story()

    report = box.verify()

    assert report.intact
    assert (report.decided, report.rows) == (report.events, 2)


def test_what_stands_behind_a_forgery_is_not_said_to_be_permitted() -> None:
    box = a_box_with_a_story()
    box.alter(STREAM, 2, intent=b"{}")

    report = box.verify()

    assert report.decided == report.events - 3
    assert any(gap.startswith("that 3 events were permitted") for gap in report.not_proven)


def test_an_old_version_of_a_role_and_a_withdrawn_workflow_do_not_spoil_what_was_right_then() -> None:
    box = a_box_with_a_story()
    maria, admin = key_of("maria"), key_of("admin")
    box.wait(timedelta(hours=1))
    box.actors.retire(TENANT, maria.actor, admin)
    box.withdraw(TENANT, "customer/onboarding", 1, admin)
    box.take("c-1", "clear", "ana")

    report = box.verify()

    assert report.findings == ()
    assert report.decided == report.events
