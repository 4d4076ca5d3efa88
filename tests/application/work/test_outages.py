"""The worker while nobody answers: rows wait, none is lost, none fails.

Source: worker.md, "Outcomes"; X-12, S1-090.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest

from open_box import OpenBox, an_open_box
from sealing import TENANT
from sealwork.adapters.submitting import InProcess
from sealwork.application.ports.event_submitter import EventSubmitter
from sealwork.application.ports.work_store import Settlement, WorkStore
from sealwork.application.work.fire_work import LEASE, RETRY_AFTER, USUAL, Fired, FireWork
from sealwork.domain.errors import Misconfigured, Unavailable
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import Refused
from sealwork.domain.work.listing import ListedWork
from sealwork.domain.work.outcomes import Unanswered, WorkerCode
from sealwork.domain.work.work_row import ClaimedWork, WorkRow, WorkStatus


class Road:
    """The way to the engine; nobody answers while `closed`, and while `deaf` the answers are lost."""

    def __init__(self, way: EventSubmitter) -> None:
        self._way = way
        self.closed = self.deaf = False
        self.error: Callable[[str], Exception] = Unavailable
        self.submitted = 0

    def submit(self, submissions: Sequence[Submission]) -> Sequence[Appended | Refused]:
        """See `EventSubmitter.submit`."""
        self.submitted += len(submissions)
        if self.closed:
            raise self.error("the engine does not answer")
        answers = self._way.submit(submissions)
        if self.deaf:
            raise self.error("the answer was lost")
        return answers


class Books:
    """A work store that does not settle while `closed`."""

    def __init__(self, store: WorkStore) -> None:
        self._store = store
        self.closed = False

    def settle(self, token: UUID, settlements: Sequence[Settlement]) -> Sequence[str]:
        """See `WorkStore.settle`."""
        if self.closed:
            raise Unavailable("the store does not answer")
        return self._store.settle(token, settlements)

    def claim(self, tenants: Sequence[str], *, limit: int, token: UUID, lease: timedelta) -> Sequence[ClaimedWork]:
        """See `WorkStore.claim`."""
        return self._store.claim(tenants, limit=limit, token=token, lease=lease)

    def renew(self, token: UUID, works: Sequence[ClaimedWork], *, lease: timedelta) -> Sequence[UUID]:
        """See `WorkStore.renew`."""
        return self._store.renew(token, works, lease=lease)

    def next_due(self, tenants: Sequence[str]) -> datetime | None:
        """See `WorkStore.next_due`."""
        return self._store.next_due(tenants)

    def of_process(self, tenant: str, stream: str) -> Sequence[WorkRow]:
        """See `WorkStore.of_process`."""
        return self._store.of_process(tenant, stream)

    def listing(
        self,
        tenant: str,
        statuses: Collection[WorkStatus],
        *,
        stream: str | None = None,
        limit: int,
        after: ListedWork | None = None,
    ) -> Sequence[ListedWork]:
        """See `WorkStore.listing`."""
        return self._store.listing(tenant, statuses, stream=stream, limit=limit, after=after)

    def find(self, tenant: str, work_id: UUID) -> ListedWork | None:
        """See `WorkStore.find`."""
        return self._store.find(tenant, work_id)


class Bench:
    """A box with work in some processes, and a worker between a road and books that may close."""

    def __init__(self, *processes: str) -> None:
        self.box = an_open_box()
        for process in processes:
            self.box.begin(process)
            self.box.take(process, "submit", "maria")
        self.road, self.books = Road(InProcess(self.box.process_event)), Books(self.box.store)
        self.worker = a_worker(self.box, self.books, self.road)

    def fire(self) -> list[Fired]:
        """Let the worker fire what is due."""
        return list(self.worker([TENANT]))

    def row(self, process: str = "c-1") -> WorkRow:
        """The row of `screen`."""
        (row,) = (row for row in self.box.rows(process) if row.action == "screen")
        return row

    def rows(self, *processes: str) -> list[WorkRow]:
        """Those of several processes, first those that were tried."""
        return sorted(map(self.row, processes), key=lambda row: -row.attempts)


def a_worker(box: OpenBox, store: WorkStore, road: EventSubmitter) -> FireWork:
    """A worker with the admitted key."""
    return box.worker(store=store, submitter=road)


def test_a_row_to_which_nobody_answers_is_tried_again_later() -> None:
    bench = Bench("c-1")
    bench.road.closed = True

    (fired,) = bench.fire()

    row = bench.row()
    assert fired.answer == Unanswered(code=WorkerCode.UNAVAILABLE, detail="the engine does not answer")
    assert (fired.became, row.status, row.lease_token, row.attempts) == ("retry", WorkStatus.CLAIMED, None, 1)
    assert row.last_error == "unavailable: the engine does not answer"
    bench.road.closed = False
    bench.box.wait(USUAL.first)
    assert [fired.became for fired in bench.fire()] == ["completed"]


def test_it_waits_at_least_half_of_what_the_policy_says() -> None:
    bench = Bench("c-1")
    bench.road.closed = True
    waits = []

    for _ in range(12):
        bench.fire()
        due = bench.box.store.next_due([TENANT])
        assert due is not None
        waits.append(due - bench.box.clock.now())
        bench.box.move_to(due)

    for attempts, wait in enumerate(waits, start=1):
        assert USUAL.wait(attempts, 0.0) <= wait <= USUAL.wait(attempts, 1.0)
    assert len(set(waits[-3:])) == 3, "chance spreads them"


def test_the_rest_of_the_round_is_given_back_untried() -> None:
    bench = Bench("c-1", "c-2", "c-3")
    bench.road.closed = True

    assert len(bench.fire()) == bench.road.submitted == 1

    tried, *rest = bench.rows("c-1", "c-2", "c-3")
    assert (tried.attempts, [row.attempts for row in rest]) == (1, [0, 0])
    assert {(row.lease_token, row.last_error, row.deaths) for row in rest} == {(None, None, 0)}
    bench.road.closed = False
    bench.box.wait(RETRY_AFTER)
    assert [fired.became for fired in bench.fire()] == ["completed"] * 3


def test_what_was_answered_before_the_outage_is_settled() -> None:
    bench = Bench("c-1", "c-2")
    submit = bench.road.submit

    def once(submissions: Sequence[Submission]) -> Sequence[Appended | Refused]:
        answers = submit(submissions)
        bench.road.closed = True
        return answers

    worker = a_worker(bench.box, bench.books, _Way(once))

    assert [fired.became for fired in worker([TENANT])] == ["completed", "retry"]


class _Way:
    """A way to the engine that is this function."""

    def __init__(self, submit: Callable[[Sequence[Submission]], Sequence[Appended | Refused]]) -> None:
        self.submit = submit


def test_an_outage_never_fails_a_row_however_long_it_is() -> None:
    bench = Bench("c-1")
    bench.road.closed = True

    for _ in range(200):
        bench.fire()
        bench.box.wait(USUAL.longest)

    assert (bench.row().status, bench.row().attempts) == (WorkStatus.CLAIMED, 200)
    bench.road.closed = False
    assert [fired.became for fired in bench.fire()] == ["completed"]


def test_an_answer_that_was_lost_is_found_when_the_row_is_settled() -> None:
    bench = Bench("c-1")
    bench.road.deaf = True

    (fired,) = bench.fire()

    assert (fired.became, bench.row().status) == ("completed", WorkStatus.COMPLETED)
    assert bench.row().fired_event_hash == bench.box.events("process/c-1")[2].hash


def test_an_engine_that_cannot_work_gives_the_rows_back() -> None:
    bench = Bench("c-1", "c-2")
    bench.road.closed, bench.road.error = True, Misconfigured

    with pytest.raises(Misconfigured, match="the engine does not answer"):
        bench.fire()

    rows = bench.rows("c-1", "c-2")
    assert {(row.status, row.lease_token, row.attempts) for row in rows} == {(WorkStatus.CLAIMED, None, 0)}


# Settling itself is not possible


def test_what_could_not_be_settled_is_taken_over_and_the_fence_knows_it() -> None:
    bench = Bench("c-1")
    bench.books.closed = True
    with pytest.raises(Unavailable, match="the store does not answer"):
        bench.fire()
    assert isinstance(bench.row().lease_token, UUID)
    assert bench.box.fire_due() == []

    bench.box.wait(LEASE)
    (fired,) = bench.box.fire_due()

    event = bench.box.events("process/c-1")[2]
    assert fired.answer == Appended(receipt=event.receipt, duplicate=True)
    assert (bench.row().status, bench.row().fired_event_hash) == (WorkStatus.COMPLETED, event.hash)
    assert len(bench.box.events("process/c-1")) == 3


def test_a_worker_that_goes_on_settles_first_what_it_could_not() -> None:
    bench = Bench("c-1")
    bench.books.closed = True
    with pytest.raises(Unavailable):
        bench.fire()
    bench.books.closed = False

    assert bench.fire() == []

    assert bench.row().status is WorkStatus.COMPLETED


def test_a_worker_that_goes_on_does_not_touch_what_another_has_taken_over() -> None:
    bench = Bench("c-1")
    bench.road.closed = bench.books.closed = True
    with pytest.raises(Unavailable):
        bench.fire()
    bench.box.wait(LEASE)
    (work,) = bench.box.store.claim([TENANT], limit=1, token=uuid4(), lease=LEASE)
    bench.books.closed = False

    assert bench.fire() == []

    assert bench.row() == work.row


def test_an_outage_of_everything_never_counts_as_the_end_of_a_worker_that_goes_on() -> None:
    bench = Bench("c-1", "c-2")
    bench.road.closed = True

    for _ in range(20):
        bench.books.closed = True
        with pytest.raises(Unavailable):
            bench.fire()
        bench.box.wait(2 * LEASE)
        with pytest.raises(Unavailable):
            bench.fire()
        bench.books.closed = False
        bench.fire()
        bench.box.wait(USUAL.longest)

    assert [row.deaths for row in bench.rows("c-1", "c-2")] == [0, 0]
    bench.road.closed = False
    assert sorted(fired.became for fired in bench.fire()) == ["completed", "completed"]
