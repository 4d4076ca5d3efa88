"""Workers that die, come back, lose answers and race: whatever happens, no work is lost and none is done twice.

Over the engine in memory, with real decisions and signatures. `promises` says from the chains what must be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

import promises
from open_box import an_open_box
from promises import Books, Rows, Unit, books_of
from sealing import TENANT, signed
from sealwork.application.ports.work_store import SettleAs, Settlement
from sealwork.application.work.fire_work import Answer
from sealwork.domain.ids import stream_key
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.work.listing import ListedWork
from sealwork.domain.work.misfire import too_late
from sealwork.domain.work.outcomes import Outcome, Unanswered, WorkerCode, outcome_of
from sealwork.domain.work.provenance import fired_input
from sealwork.domain.work.work_row import ClaimedWork, WorkStatus

MACHINE: JsonObject = {"role": "AUTOMATION", "from": ["watched", "late"]}
ANALYST: JsonObject = {"role": "analyst", "from": ["watched", "late"]}


def timer(name: str, **when: str | int) -> JsonObject:
    """A timer and its action, of one name."""
    return {"id": name, "action": name, "data": {"timer": name}, **when}


def at_most(times: int, counter: str) -> JsonObject:
    """An automatic action that becomes available so many times in a process."""
    return {"auto": True, "when": f"data.{counter} < {times}", "mutate": {"$inc": {counter: 1}}}


WATCHED: JsonObject = {
    "path": "job/watched",
    "states": {"draft": {}, "ready": {}, "watched": {}, "late": {}, "done": {"terminal": True}},
    "actions": {
        "start": {
            "type": "create",
            "role": "intake",
            "to": "draft",
            "mutate": {"$set": {"rounds": 0, "counted": 0}},
        },
        "submit": {"role": "intake", "from": "draft", "to": "ready"},
        "screen": {
            "role": ["analyst", "AUTOMATION"],
            "auto": True,
            "from": "ready",
            "to": "watched",
            "schedule": [
                timer("escalate", **{"in": "3h"}),
                timer("remind", every="1h", count=3),
                timer("poll", every="30m", until="2026-06-18T12:00:00Z"),
                timer("look", every="45m"),
                timer("ping", every="20m", misfire="skip"),
            ],
        },
        "count": MACHINE | at_most(3, "counted"),
        "escalate": MACHINE | {"from": "watched", "to": "late"},
        "again": MACHINE | {"from": "late", "to": "ready"} | at_most(2, "rounds"),
        "remind": MACHINE,
        "poll": MACHINE | {"from": "watched"},
        "look": MACHINE,
        "ping": MACHINE,
        "snooze": ANALYST | {"schedule": [timer("remind", every="1h", count=2)]},
        "quiet": ANALYST | {"cancel": ["remind", "poll"]},
        "close": ANALYST | {"to": "done", "cancel": ["escalate", "remind", "poll", "look", "ping"]},
    },
}
"""Automatic actions, one that goes round under its guard, a timer that fires once, one that would rather skip than
fire late, and recurrences that end by a count, by an instant or by being cancelled."""

PROCESSES = ("c-1", "c-2")
ACTIONS = st.sampled_from(["screen", "snooze", "quiet", "quiet", "close", "escalate"])
WORKERS = st.integers(0, 2)
LEASES = st.sampled_from([timedelta(seconds=20), timedelta(minutes=1), timedelta(minutes=10)])
MOVES = st.sampled_from([timedelta(seconds=30), timedelta(minutes=5), timedelta(minutes=31), timedelta(hours=2)])
WHICH = st.integers(0, 30)
"""One of those that there are, counted round."""
BACK = st.sampled_from([SettleAs.RETRY, SettleAs.RELEASE])


@dataclass
class Attempt:
    """A row in the hands of a worker: claimed, then signed, then answered."""

    worker: int
    work: ClaimedWork
    signed: Submission | None = None
    answer: Answer | None = None

    @property
    def unit(self) -> Unit:
        return str(self.work.row.id), self.work.row.occurrence


class Interleavings(RuleBasedStateMachine):
    """People act, three workers work and die, and the clock goes both ways."""

    def __init__(self) -> None:
        super().__init__()
        self.box = an_open_box(WATCHED)
        self.automation = self.box.key("automation")
        self.held: list[Attempt] = []
        """What workers that live are at."""
        self.forgotten: list[Attempt] = []
        """What may still arrive of those that died or gave up."""
        self.claimed: dict[Unit, ClaimedWork] = {}
        self.unfired: set[Unit] = set()
        self.suppressed: set[str] = set()
        self.rows_before: Rows = {}
        for process in PROCESSES:
            self.box.begin(process, path="job/watched")
            self.box.take(process, "submit", "maria")
        self.box.take(PROCESSES[0], "screen", "ana")

    # What people do.

    @rule(process=st.sampled_from(PROCESSES), action=ACTIONS, by=st.sampled_from(["ana", "ana", "maria"]))
    def somebody_acts(self, process: str, action: str, by: str) -> None:
        before = self.box.picture()

        answer = self.box.act(TENANT, process, action, self.box.key(by), input_={})

        assert isinstance(answer, Appended) or self.box.picture() == before

    # What workers do.

    @rule(worker=WORKERS, limit=st.integers(1, 5), lease=LEASES)
    def a_worker_claims_what_is_due_or_waits_for_it(self, worker: int, limit: int, lease: timedelta) -> None:
        now = self.box.clock.now()
        self.box.move_to(max(self.box.store.next_due([TENANT]) or now, now))
        due = {
            work.row.id for work in self.box.tables.work.values() if work.due and work.due <= self.box.clock.now()
        }

        works = self.box.store.claim([TENANT], limit=limit, token=uuid4(), lease=lease)

        assert {work.row.id for work in works} <= due, "nothing is claimed under a lease that lasts"
        for work in works:
            self.note(work)
            self.held.append(Attempt(worker, work))

    @precondition(lambda self: self.held)
    @rule(which=WHICH)
    def a_worker_signs(self, which: int) -> None:
        self.sign(self.held[which % len(self.held)])

    @precondition(lambda self: self.held)
    @rule(which=WHICH)
    def a_worker_submits_what_it_has_signed(self, which: int) -> None:
        self.submit(self.held[which % len(self.held)])

    @precondition(lambda self: self.held)
    @rule(which=WHICH, process=st.sampled_from(PROCESSES))
    def a_worker_submits_while_somebody_acts(self, which: int, process: str) -> None:
        self.submit_while(lambda: self.somebody_acts(process, "quiet", "ana"), which)

    @precondition(lambda self: self.held)
    @rule(which=WHICH, worker=WORKERS, lease=LEASES)
    def a_worker_submits_while_its_lease_runs_out(self, which: int, worker: int, lease: timedelta) -> None:
        def somebody_else_claims() -> None:
            self.time_passes(timedelta(hours=2))
            self.a_worker_claims_what_is_due_or_waits_for_it(worker, 5, lease)

        self.submit_while(somebody_else_claims, which)

    @precondition(lambda self: any(attempt.answer for attempt in self.held))
    @rule(which=WHICH)
    def a_worker_settles_as_it_was_answered(self, which: int) -> None:
        answered = [attempt for attempt in self.held if attempt.answer]
        self.settle(answered[which % len(answered)])

    @precondition(lambda self: self.held)
    @rule(which=WHICH)
    def a_worker_signs_submits_and_settles(self, which: int) -> None:
        attempt = self.held[which % len(self.held)]
        self.sign(attempt)
        self.submit(attempt)
        self.settle(attempt)

    @precondition(lambda self: self.held)
    @rule(which=WHICH, action=st.sampled_from(["quiet", "snooze", "close"]))
    def a_worker_submits_and_somebody_cancels_before_it_settles(self, which: int, action: str) -> None:
        attempt = self.held[which % len(self.held)]
        self.submit(attempt)
        self.somebody_acts(stream_key(attempt.work.row.stream), action, "ana")
        self.settle(attempt)

    @precondition(lambda self: self.held)
    @rule(which=WHICH, wait=MOVES, end=BACK)
    def a_worker_gives_back_what_was_perhaps_fired(self, which: int, wait: timedelta, end: SettleAs) -> None:
        attempt = self.held[which % len(self.held)]
        self.end(attempt, end, wait)
        self.forget(attempt)

    @precondition(lambda self: self.held)
    @rule(worker=WORKERS, lease=LEASES)
    def a_worker_renews_the_leases_that_are_still_its_own(self, worker: int, lease: timedelta) -> None:
        for attempt in [attempt for attempt in self.held if attempt.worker == worker]:
            renewed = self.box.store.renew(attempt.work.lease_token, [attempt.work], lease=lease)
            assert bool(renewed) == self.is_leased(attempt)

    @precondition(lambda self: self.held)
    @rule(worker=WORKERS)
    def a_worker_dies_wherever_it_stands(self, worker: int) -> None:
        for attempt in [attempt for attempt in self.held if attempt.worker == worker]:
            self.forget(attempt)

    @rule()
    def a_whole_worker_fires_what_is_due(self) -> None:
        for fired in self.box.fire_due():
            self.note(fired.work)
            closed = fired.became not in ("lost", "no_event", "retry", "release")
            if closed and not isinstance(fired.answer, Appended):
                self.unfired.add((str(fired.work.row.id), fired.work.row.occurrence))

    # What is not expected any more.

    @precondition(lambda self: self.forgotten)
    @rule(which=WHICH)
    def a_late_submission_arrives(self, which: int) -> None:
        self.submit(self.forgotten[which % len(self.forgotten)])

    @precondition(lambda self: self.forgotten)
    @rule(which=WHICH, end=st.sampled_from(SettleAs), instead=BACK)
    def a_late_settlement_arrives(self, which: int, end: SettleAs, instead: SettleAs) -> None:
        """Of a row that has gone to another; one that has not, its worker has at most given back."""
        attempt = self.forgotten[which % len(self.forgotten)]
        judged = end in (SettleAs.SKIP, SettleAs.FAIL)
        self.end(attempt, instead if judged and self.is_leased(attempt) else end, timedelta(minutes=1))

    # What time does.

    @rule(by=MOVES)
    def time_passes(self, by: timedelta) -> None:
        self.box.wait(by)

    @rule(by=MOVES)
    def the_clock_is_set_back(self, by: timedelta) -> None:
        self.box.wait(-by)

    # What must hold, after every step and at the end.

    @invariant()
    def the_rows_keep_what_the_chains_promise(self) -> None:
        books, rows, before = self.books(), self.rows(), self.rows_before
        promises.each_fire_is_what_was_promised(books, self.automation.actor)
        promises.rows_say_what_was_promised(books, rows)
        promises.statuses_move_along_the_arrows(books, before, rows)
        promises.what_waits_is_one_of_a_name(rows)
        promises.what_was_withdrawn_is_over(books, rows)
        promises.no_occurrence_is_left_out(books, rows, self.claimed, self.unfired)
        self.suppressed |= promises.without_a_row(books, before, rows, self.suppressed)
        self.rows_before = rows

    def teardown(self) -> None:
        """All leases run out, and one worker does what is left; then everything has ended or waits."""
        for _ in range(100):
            self.a_whole_worker_fires_what_is_due()
            due = self.box.store.next_due([TENANT])
            if due is None or not any(row.status in promises.BEGUN for row in self.rows().values()):
                break
            self.box.move_to(max(due, self.box.clock.now()))
        self.the_rows_keep_what_the_chains_promise()
        self.the_chains_verify()
        promises.all_has_ended_or_waits(self.books(), self.rows(), self.unfired, self.box.clock.now())

    def the_chains_verify(self) -> None:
        report = self.box.verify()
        assert report.intact, report.findings

    # How it is done.

    def books(self) -> Books:
        stored = self.box.tables.chains.items()
        return books_of({stream: chain.events for (_, stream), chain in stored if stream.startswith("process/")})

    def rows(self) -> Rows:
        return {str(row.id): row for process in PROCESSES for row in self.box.rows(process)}

    def found(self, attempt: Attempt) -> ListedWork:
        found = self.box.store.find(TENANT, attempt.work.row.id)
        assert found is not None
        return found

    def is_leased(self, attempt: Attempt) -> bool:
        """Return whether nobody has taken the row over, ended it or given it back."""
        return self.found(attempt).row.lease_token == attempt.work.lease_token

    def forget(self, attempt: Attempt) -> None:
        self.held.remove(attempt)
        self.forgotten.append(attempt)

    def note(self, work: ClaimedWork) -> None:
        """An occurrence stays what it was when it was first claimed."""
        first = self.claimed.setdefault((str(work.row.id), work.row.occurrence), work)
        assert work.first_claimed_at == first.first_claimed_at
        assert (work.row.run_at, work.row.missed) == (first.row.run_at, first.row.missed)

    def sign(self, attempt: Attempt) -> Submission:
        row, definition = attempt.work.row, attempt.work.definition
        input_ = fired_input(row, self.automation.actor)
        intent = self.box.intent(row.stream, row.action, "automation", definition=definition, input=input_)
        attempt.signed = signed(intent, self.automation, lease=attempt.work.lease_token)
        return attempt.signed

    def submit(self, attempt: Attempt) -> None:
        """Send it; what the engine does not append changes nothing."""
        before = self.box.picture()
        self.send(attempt)
        appended = isinstance(attempt.answer, Appended) and not attempt.answer.duplicate
        assert appended or self.box.picture() == before

    def submit_while(self, happens: Callable[[], None], which: int) -> None:
        """Send one; something happens after the engine has decided and before it appends."""
        self.box.open_log.before_append = iter([happens])
        self.send(self.held[which % len(self.held)])
        self.box.open_log.before_append = iter(())

    def send(self, attempt: Attempt) -> None:
        """Send it as signed, if it is not too late for that."""
        work = attempt.work
        if too_late(work.misfire, work.row.run_at, work.first_claimed_at):
            attempt.answer = Unanswered(code=WorkerCode.MISFIRE, detail="late")
            return
        attempt.answer = self.box.process_event(attempt.signed or self.sign(attempt))
        appended = isinstance(attempt.answer, Appended) and not attempt.answer.duplicate
        assert self.is_leased(attempt) or not appended, "a lease that is over fires nothing"

    def settle(self, attempt: Attempt) -> None:
        answer = attempt.answer
        assert answer is not None
        match Outcome.ACCEPT if isinstance(answer, Appended) else outcome_of(answer.code):
            case Outcome.ACCEPT:
                self.end(attempt, SettleAs.COMPLETE)
            case Outcome.SKIP:
                self.end(attempt, SettleAs.SKIP)
            case Outcome.RESIGN:
                attempt.signed = attempt.answer = None
                return
            case Outcome.DROP:
                pass
            case unexpected:
                raise AssertionError(f"{unexpected}: {answer}")
        self.forget(attempt)

    def end(self, attempt: Attempt, end: SettleAs, wait: timedelta = timedelta()) -> None:
        """Settle; without an event only who holds the lease can close a row, or keep it waiting."""
        token, before = attempt.work.lease_token, self.found(attempt)
        fired = attempt.unit in self.books().fired

        (became,) = self.box.store.settle(token, [Settlement(work=attempt.work, end=end, wait=wait)])

        after = self.found(attempt)
        if not fired and (before.row.lease_token != token or end is SettleAs.COMPLETE):
            assert (became, after) == ("no_event" if end is SettleAs.COMPLETE else "lost", before)
        elif not fired and end in (SettleAs.RETRY, SettleAs.RELEASE):
            assert (became, after.row.status, after.due) == (end, WorkStatus.CLAIMED, self.box.clock.now() + wait)
        elif not fired:
            self.unfired.add(attempt.unit)


def test_no_work_is_lost_and_none_is_done_twice_whoever_dies_when() -> None:
    run_state_machine_as_test(
        Interleavings,
        settings=settings(
            derandomize=True,
            deadline=None,
            max_examples=100,
            stateful_step_count=50,
            phases=[Phase.generate],  # add Phase.shrink for a short story of a failure: it takes minutes
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        ),
    )
