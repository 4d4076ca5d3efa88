"""The worker and timers that would rather not fire than fire late. Source: worker.md, "Timers"; X-19, S1-103."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from open_box import OpenBox, an_open_box
from sealing import ONBOARDING, TENANT
from sealwork.application.work.fire_work import LEASE, Fired
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject
from sealwork.domain.work.outcomes import Unanswered, WorkerCode
from sealwork.domain.work.work_row import WorkRow, WorkStatus

HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
ACTIONS = ONBOARDING["actions"]
assert isinstance(ACTIONS, dict)


def a_box_with_a_timer(**timer: str | int) -> OpenBox:
    """A deployment where c-1 is in draft, and a timer of `remind`, skipping what comes late, has begun."""
    box = an_open_box(a_workflow(timer))
    box.begin("c-1")
    return box


def a_workflow(timer: dict[str, str | int]) -> JsonObject:
    """ONBOARDING, where `remind` changes nothing."""
    schedule: JsonObject = {"id": "r", "action": "remind", "misfire": "skip", "data": {}, **timer}
    assert isinstance(ACTIONS, dict)
    start: JsonObject = {"type": "create", "role": "intake", "to": "draft", "schedule": [schedule]}
    return {
        **ONBOARDING,
        "actions": {**ACTIONS, "start": start, "remind": {"role": "AUTOMATION", "from": "draft"}},
    }


def the_row(box: OpenBox) -> WorkRow:
    """The timer."""
    (row,) = box.rows("c-1")
    return row


def events(box: OpenBox) -> int:
    """How many events c-1 has; the first began it."""
    return len(box.events("process/c-1"))


def told(fired: list[Fired]) -> list[tuple[int, str]]:
    """Which occurrences were attempted, and what became of the row."""
    return [(fire.work.row.occurrence, fire.became) for fire in fired]


@pytest.mark.parametrize("late", [timedelta(), 60 * SECOND], ids=str)
def test_within_its_grace_it_fires(late: timedelta) -> None:
    box = a_box_with_a_timer(**{"in": "1h"})
    box.wait(HOUR + late)

    assert told(box.fire_due()) == [(1, "exhausted")]
    assert events(box) == 2


def test_later_it_is_skipped_with_the_reason_and_nothing_is_submitted() -> None:
    box = a_box_with_a_timer(**{"in": "1h"})
    planned = box.clock.now() + HOUR
    box.wait(HOUR + 61 * SECOND)

    (fired,) = box.fire_due()

    row = the_row(box)
    assert isinstance(fired.answer, Unanswered)
    assert (fired.answer.code, fired.became, events(box)) == (WorkerCode.MISFIRE, "skipped", 1)
    assert (row.status, row.fired_event_hash) == (WorkStatus.SKIPPED, None)
    assert row.last_error == (
        f"misfire: due at {instant_text(planned)}, first claimed at {instant_text(box.clock.now())}:"
        " more than 60 s late"
    )


def test_a_one_shot_that_was_skipped_has_ended() -> None:
    box = a_box_with_a_timer(**{"in": "1h"})
    box.wait(2 * HOUR)
    box.fire_due()
    box.wait(48 * HOUR)

    assert box.fire_due() == []
    assert box.store.next_due([TENANT]) is None


def test_what_was_claimed_in_time_fires_after_a_takeover_however_late() -> None:
    box = a_box_with_a_timer(**{"in": "1h"})
    box.wait(HOUR + 60 * SECOND)
    (died,) = box.store.claim([TENANT], limit=1, token=uuid4(), lease=LEASE)
    box.wait(48 * HOUR)

    (fired,) = box.fire_due()

    assert fired.work.row.id == died.row.id
    assert (fired.became, events(box)) == ("exhausted", 2)


def test_what_was_claimed_too_late_stays_too_late_after_a_takeover() -> None:
    box = a_box_with_a_timer(**{"in": "1h"})
    box.wait(2 * HOUR)
    box.store.claim([TENANT], limit=1, token=uuid4(), lease=LEASE)
    box.wait(LEASE)

    assert told(box.fire_due()) == [(1, "skipped")]
    assert events(box) == 1


def test_a_recurrence_skips_what_is_late_and_goes_on_in_the_same_round() -> None:
    box = a_box_with_a_timer(every="1h")
    box.wait(3 * HOUR + 30 * SECOND)

    assert told(box.fire_due()) == [(2, "active"), (3, "active")]
    assert [the_row(box).occurrence, events(box)] == [4, 2]


def test_a_recurrence_that_is_late_for_good_fires_at_its_next_instant() -> None:
    box = a_box_with_a_timer(every="1h")
    box.wait(3.5 * HOUR)

    assert told(box.fire_due()) == [(3, "active")]
    assert (the_row(box).status, events(box)) == (WorkStatus.ACTIVE, 1)
    box.wait(0.5 * HOUR)
    assert told(box.fire_due()) == [(4, "active")]
    assert events(box) == 2


def test_a_skip_is_no_fire_that_counts() -> None:
    box = a_box_with_a_timer(every="1h", count=1)
    box.wait(1.5 * HOUR)

    assert told(box.fire_due()) == [(1, "active")]
    box.wait(0.5 * HOUR)
    assert told(box.fire_due()) == [(2, "exhausted")]


def test_a_recurrence_whose_last_instant_is_skipped_is_exhausted() -> None:
    begun = instant_text(an_open_box().clock.now() + 2 * HOUR)
    box = a_box_with_a_timer(every="1h", until=begun)
    box.wait(9 * HOUR)

    assert told(box.fire_due()) == [(2, "exhausted")]
    assert events(box) == 1
