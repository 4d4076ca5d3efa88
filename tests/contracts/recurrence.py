"""What every `WorkStore` promises about timers that recur. Fixtures: `deployment`, empty, and its `scribe`.

Times are hours from the start of the deployment; the timers are first due after one, then every hour.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from scribe import HOUR, Scribe, timer
from sealing import START
from sealwork.application.ports.event_log import AppendStatus
from sealwork.application.ports.work_store import SettleAs
from sealwork.domain.instants import instant_text
from sealwork.domain.ledger.effects import Cancel, Schedule
from sealwork.domain.work.misfire import GRACE, Misfire
from sealwork.domain.work.work_row import ClaimedWork, WorkStatus

STREAM = "process/p-1"
COMPLETE, SKIP = SettleAs.COMPLETE, SettleAs.SKIP


class RecurrenceContract:
    """Occurrences: numbered by plan, coalesced, bounded."""

    def test_occurrences_follow_the_plan_and_not_the_clock(self, scribe: Scribe) -> None:
        scribe.write(STREAM, hourly())

        fired = [fire_at(scribe, hours) for hours in (1.5, 2.25, 3.75)]

        assert fired == [(1, 0, "active"), (2, 0, "active"), (3, 0, "active")]
        (row,) = scribe.rows(STREAM)
        assert (row.occurrence, row.run_at, row.missed) == (4, START + 4 * HOUR, 0)
        assert scribe.store.next_due(["acme"]) == START + 4 * HOUR

    def test_nothing_is_due_between_two_occurrences(self, scribe: Scribe) -> None:
        scribe.write(STREAM, hourly())
        fire_at(scribe, 1)

        assert fire_at(scribe, 1.5) is None

    def test_one_fire_stands_for_all_that_were_missed(self, scribe: Scribe) -> None:
        scribe.write(STREAM, hourly())

        fired = [fire_at(scribe, hours) for hours in (4.5, 5.5)]

        assert fired == [(4, 3, "active"), (5, 0, "active")]

    def test_a_fired_occurrence_says_how_many_it_stands_for(self, scribe: Scribe) -> None:
        scribe.write(STREAM, hourly())
        scribe.deployment.move_to(START + 4.5 * HOUR)

        (work,) = scribe.claim()

        assert (work.row.run_at, work.row.missed) == (START + 4 * HOUR, 3)
        assert [row.missed for row in scribe.rows(STREAM)] == [3]

    def test_occurrence_and_missed_freeze_at_the_first_claim(self, scribe: Scribe) -> None:
        scribe.write(STREAM, hourly())
        fire_at(scribe, 1)
        (crashed,) = claim_at(scribe, 5.5)
        (retried,) = claim_at(scribe, 7.5)
        scribe.settle(retried, SettleAs.RETRY)
        (taken_over,) = claim_at(scribe, 9.5)

        claims = [(work.row.occurrence, work.row.missed) for work in (crashed, retried, taken_over)]

        assert claims == [(5, 3), (5, 3), (5, 3)]
        assert [work.row.attempts for work in (crashed, retried, taken_over)] == [1, 2, 3]
        scribe.fire(taken_over)
        assert scribe.settle(taken_over, COMPLETE) == "active"
        assert fire_at(scribe, 9.5) == (9, 3, "active")

    def test_a_claim_says_when_the_occurrence_was_first_claimed(self, scribe: Scribe) -> None:
        scribe.write(STREAM, hourly(misfire="skip"))
        (first,) = claim_at(scribe, 1)
        (taken_over,) = claim_at(scribe, 2)
        scribe.settle(taken_over, SettleAs.RETRY)
        (retried,) = claim_at(scribe, 3)
        scribe.settle(retried, SettleAs.RELEASE)
        (released,) = claim_at(scribe, 4)
        scribe.settle(released, SKIP)
        (moved_on,) = claim_at(scribe, 5)

        works = [first, taken_over, retried, released, moved_on]

        assert [_hour(work.first_claimed_at) for work in works] == [1, 1, 1, 1, 5]
        assert {work.misfire for work in works} == {Misfire.SKIP}

    def test_attempts_are_counted_per_occurrence(self, scribe: Scribe) -> None:
        scribe.write(STREAM, hourly())
        claim_at(scribe, 1.5)
        fire_at(scribe, 4)

        (work,) = claim_at(scribe, 6)

        assert work.row.attempts == 1

    def test_until_is_inclusive(self, scribe: Scribe) -> None:
        scribe.write(STREAM, hourly(until=instant_text(START + 2 * HOUR)))

        fired = [fire_at(scribe, hours) for hours in (1, 2, 9)]

        assert fired == [(1, 0, "active"), (2, 0, "exhausted"), None]

    def test_until_bounds_what_was_missed(self, scribe: Scribe) -> None:
        scribe.write(STREAM, hourly(until=instant_text(START + 3.5 * HOUR)))

        assert [fire_at(scribe, hours) for hours in (20, 21)] == [(3, 2, "exhausted"), None]

    def test_until_bounds_what_is_skipped(self, scribe: Scribe) -> None:
        scribe.write(STREAM, hourly(until=instant_text(START + 2 * HOUR)))

        ends = [end_at(scribe, hours, SKIP) for hours in (1, 2, 3)]

        assert ends == [(1, 0, "active"), (2, 0, "exhausted"), None]

    def test_count_counts_accepted_fires(self, scribe: Scribe) -> None:
        scribe.write(STREAM, hourly(count=2))

        ends = [end_at(scribe, 1, SKIP), fire_at(scribe, 2), fire_at(scribe, 3), fire_at(scribe, 4)]

        assert ends == [(1, 0, "active"), (2, 0, "active"), (3, 0, "exhausted"), None]

    def test_a_misfire_that_is_skipped_leaves_out_what_is_within_its_grace(self, scribe: Scribe) -> None:
        scribe.write(STREAM, hourly(misfire="skip", until=instant_text(START + 4 * HOUR)))
        half_a_minute = timedelta(seconds=30) / HOUR

        ends = [
            end_at(scribe, 3 + half_a_minute, SKIP),
            fire_at(scribe, 3 + half_a_minute),
            end_at(scribe, 5, SKIP),
            fire_at(scribe, 6),
        ]

        assert ends == [(2, 1, "active"), (3, 0, "active"), (4, 0, "exhausted"), None]

    def test_what_may_still_fire_at_the_end_of_its_grace_stands_for_none_that_is_skipped(
        self, scribe: Scribe
    ) -> None:
        scribe.write(STREAM, hourly(misfire="skip"))
        scribe.deployment.stop_at(START + 2 * HOUR + GRACE)

        (late,) = scribe.claim()
        scribe.settle(late, SKIP)
        (in_time,) = scribe.claim()

        assert [(work.row.occurrence, work.row.missed) for work in (late, in_time)] == [(1, 0), (2, 0)]

    def test_a_skipped_occurrence_keeps_its_reason_and_moves_on(self, scribe: Scribe) -> None:
        scribe.write(STREAM, hourly())
        (work,) = claim_at(scribe, 1)

        assert scribe.settle(work, SKIP, error="wrong_state: gone") == "active"
        (row,) = scribe.rows(STREAM)
        assert (row.status, row.last_error) == (WorkStatus.ACTIVE, "wrong_state: gone")
        assert (row.occurrence, row.lease_token, row.fired_event_hash) == (2, None, None)

    def test_a_recurrence_that_fails_has_ended(self, scribe: Scribe) -> None:
        scribe.write(STREAM, hourly())

        assert end_at(scribe, 1, SettleAs.FAIL) == (1, 0, "failed")
        assert fire_at(scribe, 9) is None

    def test_each_occurrence_is_fired_once(self, scribe: Scribe) -> None:
        scribe.write(STREAM, hourly())
        (first,) = claim_at(scribe, 1)
        event = scribe.fire(first)
        scribe.settle(first, COMPLETE)
        (second,) = claim_at(scribe, 2)

        again = scribe.append(scribe.firing(first))
        new = scribe.append(scribe.firing(second))

        assert (again.status, again.hash) == (AppendStatus.DUPLICATE, event.hash)
        assert (new.status, new.seq) == (AppendStatus.APPENDED, 3)
        assert scribe.settle(first, COMPLETE) == "no_event"
        assert scribe.settle(second, COMPLETE) == "active"

    def test_what_was_cancelled_after_its_fire_stays_cancelled(self, scribe: Scribe) -> None:
        scribe.write(STREAM, hourly())
        (work,) = claim_at(scribe, 1)
        event = scribe.fire(work)
        scribe.write(STREAM, Cancel(id="r"))

        assert scribe.settle(work, COMPLETE) == "cancelled"
        (row,) = scribe.rows(STREAM)
        assert (row.status, row.fired_event_hash) == (WorkStatus.CANCELLED, event.hash)
        assert scribe.settle(work, COMPLETE) == "no_event"
        assert fire_at(scribe, 9) is None

    def test_a_fire_may_replace_its_own_timer(self, scribe: Scribe) -> None:
        scribe.write(STREAM, hourly())
        (work,) = claim_at(scribe, 1)
        scribe.fire(work, timer("r", 9 * HOUR))

        assert scribe.settle(work, COMPLETE) == "cancelled"
        assert fire_at(scribe, 8) is None
        assert fire_at(scribe, 9) == (1, 0, "exhausted")

    def test_a_one_shot_that_was_cancelled_after_its_fire_is_exhausted(self, scribe: Scribe) -> None:
        scribe.write(STREAM, timer("r"))
        (work,) = claim_at(scribe, 1)
        scribe.fire(work, Cancel(id="r"))

        assert scribe.settle(work, COMPLETE) == "exhausted"

    def test_a_release_keeps_the_occurrence(self, scribe: Scribe) -> None:
        scribe.write(STREAM, hourly())
        (work,) = claim_at(scribe, 3.5)
        scribe.settle(work, SettleAs.RELEASE)

        (again,) = claim_at(scribe, 8.5)

        assert (again.row.occurrence, again.row.missed, again.row.attempts) == (3, 2, 1)


def hourly(**bounds: object) -> Schedule:
    """The timer of these tests."""
    return timer("r", HOUR, every=3600, **bounds)


def _hour(instant: datetime) -> int:
    """Whole hours since the start: the clock may run on a little."""
    return (instant - START) // HOUR


def claim_at(scribe: Scribe, hours: float) -> list[ClaimedWork]:
    """Claim what is due so many hours after the start."""
    scribe.deployment.move_to(START + hours * HOUR)
    return scribe.claim(lease=HOUR / 2)


def fire_at(scribe: Scribe, hours: float) -> tuple[int, int, str] | None:
    """Fire what is due then; return occurrence, missed and what the row became, None if nothing is due."""
    return end_at(scribe, hours, COMPLETE)


def end_at(scribe: Scribe, hours: float, end: SettleAs) -> tuple[int, int, str] | None:
    """As `fire_at`, but settle by `end`, and fire only to complete."""
    works = claim_at(scribe, hours)
    if not works:
        return None
    (work,) = works
    if end is COMPLETE:
        scribe.fire(work)
    return work.row.occurrence, work.row.missed, scribe.settle(work, end)
