"""What every `WorkStore` promises. Fixtures: `deployment`, empty, and its `scribe`."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from scribe import DEFINITION, HOUR, Scribe, auto, rule, timer
from sealing import START, Deployment
from sealwork.application.ports.work_store import SettleAs, Settlement
from sealwork.domain.ledger.effects import Cancel, Effect
from sealwork.domain.work.misfire import Misfire
from sealwork.domain.work.work_row import WorkKind, WorkStatus

STREAM = "process/p-1"
COMPLETE, SKIP, FAIL = SettleAs.COMPLETE, SettleAs.SKIP, SettleAs.FAIL
RETRY, RELEASE = SettleAs.RETRY, SettleAs.RELEASE
ONE_SHOT = timer("t", -HOUR)
EITHER = pytest.mark.parametrize("effect", [auto(), ONE_SHOT], ids=["queue row", "timer"])


class WorkStoreContract:
    """Claims, leases, settlements."""

    @EITHER
    def test_a_claim_gives_the_row_and_the_head_of_its_process(self, scribe: Scribe, effect: Effect) -> None:
        scribe.write(STREAM, effect)
        head, token = scribe.write(STREAM), uuid4()
        (waiting,) = scribe.rows(STREAM)

        (work,) = scribe.claim(token=token)

        claimed = {"status": WorkStatus.CLAIMED, "lease_token": token, "attempts": 1}
        assert work.row == waiting.model_copy(update=claimed)
        assert (work.lease_token, work.seq, work.hash) == (token, 2, head.hash)
        assert work.definition == DEFINITION
        assert list(scribe.rows(STREAM)) == [work.row]

    @EITHER
    def test_who_takes_a_row_over_learns_when_it_was_first_claimed(
        self, scribe: Scribe, deployment: Deployment, effect: Effect
    ) -> None:
        scribe.write(STREAM, effect)
        (first,) = scribe.claim(lease=HOUR)
        deployment.wait(HOUR)

        (second,) = scribe.claim()

        assert second.first_claimed_at == first.first_claimed_at
        assert first.first_claimed_at - START < HOUR / 2
        assert {first.misfire, second.misfire} == {Misfire.FIRE_ONCE}
        assert first.first_claimed_at.utcoffset() == timedelta(0)

    def test_a_timer_is_claimed_when_its_instant_has_come(self, scribe: Scribe, deployment: Deployment) -> None:
        scribe.write(STREAM, timer("t", 2 * HOUR))

        assert scribe.claim() == []
        deployment.wait(HOUR)
        assert scribe.claim() == []
        deployment.move_to(START + 2 * HOUR)
        assert len(scribe.claim()) == 1

    def test_a_claimed_row_is_nobody_elses_until_its_lease_runs_out(
        self, scribe: Scribe, deployment: Deployment
    ) -> None:
        scribe.write(STREAM, auto())
        (first,) = scribe.claim(lease=2 * HOUR)

        deployment.wait(HOUR)
        assert scribe.claim() == []
        deployment.wait(HOUR)
        (second,) = scribe.claim()

        assert (second.row.id, second.row.attempts) == (first.row.id, 2)
        assert second.lease_token != first.lease_token

    @pytest.mark.parametrize("end", [SKIP, FAIL, RETRY, RELEASE])
    def test_who_lost_the_lease_changes_nothing(
        self, scribe: Scribe, deployment: Deployment, end: SettleAs
    ) -> None:
        scribe.write(STREAM, auto())
        (old,) = scribe.claim()
        deployment.wait(2 * HOUR)
        scribe.claim()
        before = list(scribe.rows(STREAM))

        assert scribe.settle(old, end, error="late") == "lost"
        assert list(scribe.store.renew(old.lease_token, [old], lease=HOUR)) == []
        assert list(scribe.rows(STREAM)) == before

    @pytest.mark.parametrize(
        ("effect", "became"), [(auto(), "completed"), (rule(), "completed"), (ONE_SHOT, "exhausted")], ids=str
    )
    def test_what_was_fired_is_complete(self, scribe: Scribe, effect: Effect, became: str) -> None:
        scribe.write(STREAM, effect)
        (work,) = scribe.claim()
        event = scribe.fire(work)

        assert scribe.settle(work, COMPLETE) == became
        (row,) = scribe.rows(STREAM)
        assert (row.status, row.fired_event_hash, row.attempts) == (became, event.hash, 1)
        assert (row.lease_token, row.last_error) == (None, None)
        assert scribe.store.next_due(["acme"]) is None

    @EITHER
    def test_without_an_event_nothing_is_complete(self, scribe: Scribe, effect: Effect) -> None:
        scribe.write(STREAM, effect)
        (work,) = scribe.claim()

        assert scribe.settle(work, COMPLETE) == "no_event"
        assert list(scribe.rows(STREAM)) == [work.row]

    @pytest.mark.parametrize("end", [SKIP, FAIL, RETRY, RELEASE])
    @EITHER
    def test_the_fence_is_asked_first(self, scribe: Scribe, effect: Effect, end: SettleAs) -> None:
        scribe.write(STREAM, effect)
        (work,) = scribe.claim()
        event = scribe.fire(work)

        assert scribe.settle(work, end, error="lost the answer", wait=HOUR) in ("completed", "exhausted")
        (row,) = scribe.rows(STREAM)
        assert (row.fired_event_hash, row.last_error, row.attempts) == (event.hash, None, 1)

    def test_completing_needs_no_lease(self, scribe: Scribe, deployment: Deployment) -> None:
        scribe.write(STREAM, auto())
        (first,) = scribe.claim()
        event = scribe.fire(first)
        deployment.wait(2 * HOUR)
        (second,) = scribe.claim()

        assert scribe.settle(first, COMPLETE) == "completed"
        assert scribe.settle(second, COMPLETE) == "no_event"
        assert scribe.settle(second, FAIL) == "lost"
        assert [row.fired_event_hash for row in scribe.rows(STREAM)] == [event.hash]

    @pytest.mark.parametrize(("end", "became"), [(SKIP, "skipped"), (FAIL, "failed")])
    @EITHER
    def test_skipped_and_failed_rows_have_ended(
        self, scribe: Scribe, deployment: Deployment, effect: Effect, end: SettleAs, became: str
    ) -> None:
        scribe.write(STREAM, effect)
        (work,) = scribe.claim()

        assert scribe.settle(work, end, error="guard: no") == became
        (row,) = scribe.rows(STREAM)
        assert (row.status, row.last_error, row.fired_event_hash) == (became, "guard: no", None)
        deployment.wait(48 * HOUR)
        assert scribe.claim() == []
        assert scribe.settle(work, end) == "lost"

    @EITHER
    def test_a_retry_waits_and_stays_claimed(self, scribe: Scribe, deployment: Deployment, effect: Effect) -> None:
        scribe.write(STREAM, effect)
        (work,) = scribe.claim()

        assert scribe.settle(work, RETRY, wait=2 * HOUR, error="unavailable") == "retry"
        (row,) = scribe.rows(STREAM)
        assert (row.status, row.lease_token) == (WorkStatus.CLAIMED, None)
        assert (row.attempts, row.last_error) == (1, "unavailable")
        deployment.wait(HOUR)
        assert scribe.claim() == []
        deployment.wait(HOUR)
        (again,) = scribe.claim()
        assert (again.row.attempts, again.row.occurrence) == (2, 1)

    @EITHER
    def test_a_retry_does_not_change_what_the_row_says(self, scribe: Scribe, effect: Effect) -> None:
        scribe.write(STREAM, effect)
        (work,) = scribe.claim()
        scribe.settle(work, RETRY, wait=HOUR, error="unavailable")

        (row,) = scribe.rows(STREAM)

        assert row == work.row.model_copy(update={"lease_token": None, "last_error": "unavailable"})

    @EITHER
    def test_a_release_gives_the_attempt_back(
        self, scribe: Scribe, deployment: Deployment, effect: Effect
    ) -> None:
        scribe.write(STREAM, effect)
        (work,) = scribe.claim()
        scribe.settle(work, RETRY, error="unavailable")
        (work,) = scribe.claim()

        assert scribe.settle(work, RELEASE, wait=2 * HOUR) == "release"
        (row,) = scribe.rows(STREAM)
        assert (row.attempts, row.last_error, row.lease_token) == (1, "unavailable", None)
        deployment.wait(HOUR)
        assert scribe.claim() == []
        deployment.wait(HOUR)
        assert [work.row.attempts for work in scribe.claim()] == [2]

    @EITHER
    def test_a_row_whose_lease_ran_out_has_perhaps_ended_its_worker(
        self, scribe: Scribe, deployment: Deployment, effect: Effect
    ) -> None:
        scribe.write(STREAM, effect)

        deaths = []
        for _ in range(3):
            (work,) = scribe.claim()
            deaths.append(work.row.deaths)
            assert [row.deaths for row in scribe.rows(STREAM)] == deaths[-1:]
            deployment.wait(HOUR)

        assert deaths == [0, 1, 2]

    @EITHER
    def test_a_renewed_lease_is_no_death(self, scribe: Scribe, deployment: Deployment, effect: Effect) -> None:
        scribe.write(STREAM, effect)
        (work,) = scribe.claim()
        deployment.wait(HOUR)
        scribe.store.renew(work.lease_token, [work], lease=HOUR)
        scribe.settle(work, RELEASE)

        assert [work.row.deaths for work in scribe.claim()] == [0]

    @pytest.mark.parametrize(("end", "left"), [(RETRY, 0), (SKIP, 0), (FAIL, 0), (RELEASE, 1)])
    @EITHER
    def test_a_worker_that_lives_to_settle_a_row_was_not_ended_by_it(
        self, scribe: Scribe, deployment: Deployment, effect: Effect, end: SettleAs, left: int
    ) -> None:
        scribe.write(STREAM, effect)
        scribe.claim()
        deployment.wait(HOUR)
        (work,) = scribe.claim()

        scribe.settle(work, end)

        assert [row.deaths for row in scribe.rows(STREAM)] == [left]

    @EITHER
    def test_a_row_that_fired_has_ended_nobody(
        self, scribe: Scribe, deployment: Deployment, effect: Effect
    ) -> None:
        scribe.write(STREAM, effect)
        scribe.claim()
        deployment.wait(HOUR)
        (work,) = scribe.claim()
        scribe.fire(work)

        scribe.settle(work, COMPLETE)

        assert [row.deaths for row in scribe.rows(STREAM)] == [0]

    def test_settlements_are_answered_in_order(self, scribe: Scribe) -> None:
        for number in range(4):
            scribe.write(f"process/q-{number}", auto() if number % 2 else timer("t", -HOUR))
        token = uuid4()
        works = scribe.claim(token=token)
        ends = [FAIL, RELEASE, SKIP, COMPLETE]
        settlements = [Settlement(work=work, end=end) for work, end in zip(works, ends, strict=True)]

        assert list(scribe.store.settle(token, settlements)) == ["failed", "release", "skipped", "no_event"]
        assert list(scribe.store.settle(token, [])) == []

    def test_an_unknown_row_is_lost(self, scribe: Scribe) -> None:
        scribe.write(STREAM, auto())
        (work,) = scribe.claim()
        unknown = work.model_copy(update={"row": work.row.model_copy(update={"id": uuid4()})})
        elsewhere = work.model_copy(update={"row": work.row.model_copy(update={"tenant": "globex"})})

        assert scribe.settle(unknown, FAIL) == "lost"
        assert scribe.settle(elsewhere, FAIL) == "lost"
        assert scribe.settle(elsewhere, COMPLETE) == "no_event"

    def test_a_renewed_lease_lasts_longer(self, scribe: Scribe, deployment: Deployment) -> None:
        scribe.write("process/q-1", auto())
        scribe.write("process/q-2", timer("t", -HOUR))
        token = uuid4()
        works = scribe.claim(token=token, lease=2 * HOUR)
        deployment.wait(HOUR)

        renewed = scribe.store.renew(token, works, lease=2 * HOUR)

        assert set(renewed) == {work.row.id for work in works}
        deployment.wait(HOUR)
        assert scribe.claim() == []
        deployment.wait(HOUR)
        assert len(scribe.claim()) == 2

    def test_a_settled_row_is_not_renewed(self, scribe: Scribe) -> None:
        scribe.write(STREAM, auto())
        (work,) = scribe.claim()
        scribe.settle(work, RETRY)

        assert list(scribe.store.renew(work.lease_token, [work], lease=HOUR)) == []

    def test_the_next_due_instant_is_the_earliest_of_all_that_waits(self, scribe: Scribe) -> None:
        nothing = scribe.store.next_due(["acme"])
        scribe.write("process/q-1", timer("t", 9 * HOUR))
        timer_due = scribe.store.next_due(["acme"])
        scribe.write("process/q-2", auto())
        waiting = _hours_from_start(scribe)
        (work,) = scribe.claim(lease=4 * HOUR)
        leased = _hours_from_start(scribe)
        scribe.settle(work, RETRY, wait=6 * HOUR)
        retried = _hours_from_start(scribe)

        assert (nothing, timer_due) == (None, START + 9 * HOUR)
        assert (waiting, leased, retried) == (0, 4, 6)
        assert scribe.store.next_due(["globex"]) is None
        assert scribe.store.next_due([]) is None

    def test_what_has_ended_is_not_due(self, scribe: Scribe) -> None:
        scribe.write(STREAM, timer("t", 9 * HOUR))
        scribe.write("process/q-2", auto())
        (work,) = scribe.claim()

        scribe.settle(work, FAIL)
        scribe.write(STREAM, Cancel(id="t"))

        assert scribe.store.next_due(["acme"]) is None

    def test_a_batch_holds_one_row_of_a_process(self, scribe: Scribe) -> None:
        scribe.write("process/q-1", auto("a"), auto("b"), timer("t", -HOUR))
        scribe.write("process/q-2", auto("a"), auto("b"))

        batches = [sorted(work.row.stream for work in scribe.claim()) for _ in range(4)]

        assert batches == [["process/q-1", "process/q-2"], ["process/q-1", "process/q-2"], ["process/q-1"], []]

    def test_a_batch_holds_one_timer_of_a_process(self, scribe: Scribe) -> None:
        scribe.write(STREAM, timer("t", -2 * HOUR), timer("u", -HOUR))

        assert [[work.row.schedule_id for work in scribe.claim()] for _ in range(3)] == [["t"], ["u"], []]

    def test_a_batch_holds_no_timer_of_a_process_whose_queue_row_it_holds(self, scribe: Scribe) -> None:
        scribe.write("process/t-1", timer("t", -3 * HOUR))
        scribe.write("process/t-2", timer("t", -2 * HOUR))
        scribe.write("process/both", timer("t", -HOUR), auto())

        streams = [work.row.stream for work in scribe.claim(4)]

        assert sorted(streams) == ["process/both", "process/t-1", "process/t-2"]

    def test_a_batch_is_no_larger_than_asked(self, scribe: Scribe) -> None:
        for number in range(5):
            scribe.write(f"process/q-{number}", auto())
            scribe.write(f"process/t-{number}", timer("t", -HOUR))

        assert [len(scribe.claim(3)) for _ in range(5)] == [3, 3, 3, 1, 0]

    def test_the_longest_due_goes_first(self, scribe: Scribe) -> None:
        for hours in (1, 3, 2):
            scribe.write(f"process/q-{hours}", timer("t", -hours * HOUR))

        assert [scribe.claim(1)[0].row.stream for _ in range(3)] == ["process/q-3", "process/q-2", "process/q-1"]

    def test_only_the_named_tenants_are_claimed(self, scribe: Scribe, deployment: Deployment) -> None:
        Scribe(deployment, "globex").write(STREAM, auto())

        assert scribe.claim() == []
        works = scribe.store.claim(["acme", "globex"], limit=9, token=uuid4(), lease=HOUR)
        assert [work.row.tenant for work in works] == ["globex"]
        assert list(scribe.store.claim([], limit=9, token=uuid4(), lease=HOUR)) == []

    @pytest.mark.parametrize("limit", [1, 4])
    def test_no_tenant_and_no_lane_starves(self, deployment: Deployment, limit: int) -> None:
        big, small = Scribe(deployment, "big"), Scribe(deployment, "small")
        for number in range(100):
            big.write(f"process/q-{number}", auto() if number % 2 else timer("t", -3 * HOUR))
        small.write("process/q", auto())
        small.write("process/t", timer("t", -HOUR))

        served: Counter[tuple[str, WorkKind]] = Counter()
        for _ in range(64 // limit):
            works = deployment.store.claim(["big", "small"], limit=limit, token=uuid4(), lease=HOUR)
            served.update((work.row.tenant, work.row.kind) for work in works)

        assert served["small", WorkKind.AUTO_ACTION] == 1
        assert served["small", WorkKind.SCHEDULED_ACTION] == 1
        assert sum(served.values()) == 64

    @pytest.mark.parametrize(
        ("written", "kept"),
        [
            ("a\tb\r\n\x1b[31mc\x7f\u202ed\u2028e", "a b [31mc d e"),
            ("é" * 1500, "é" * 1000),
            ("x" + "é" * 1500, "x" + "é" * 999),
            ("xxx" + "\U0001f600" * 600, "xxx" + "\U0001f600" * 499),
            ("x" * 3000, "x" * 2000),
            ("", ""),
            ("a\0b\ud800c", "a b?c"),
        ],
        ids=["control characters", "two bytes", "odd", "four bytes", "one byte", "nothing", "no text at all"],
    )
    def test_the_text_of_an_error_is_clean_and_short(self, scribe: Scribe, written: str, kept: str) -> None:
        scribe.write(STREAM, auto())
        (work,) = scribe.claim()

        scribe.settle(work, FAIL, error=written)

        assert [row.last_error for row in scribe.rows(STREAM)] == [kept]

    def test_a_process_without_work_has_no_rows(self, scribe: Scribe) -> None:
        scribe.write(STREAM)

        assert list(scribe.rows(STREAM)) == []
        assert list(scribe.rows("process/unknown")) == []

    def test_instants_are_told_in_utc(self, scribe: Scribe) -> None:
        scribe.write(STREAM, timer("t", -HOUR))
        (work,) = scribe.claim()
        (row,) = scribe.rows(STREAM)

        instants = [work.row.run_at, work.row.caused_by.at, row.run_at, row.caused_by.at]

        assert {instant.utcoffset() for instant in instants} == {timedelta(0)}
        assert work.row.run_at == datetime(2026, 6, 18, 9, tzinfo=UTC)


def _hours_from_start(scribe: Scribe) -> int:
    """The next due instant, in whole hours: the clock may run on a little."""
    due = scribe.store.next_due(["acme"])
    assert due is not None
    return (due - START) // HOUR
