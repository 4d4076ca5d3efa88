"""Rows that end whoever fires them: given up after five, and nobody else pays. Source: worker.md; X-12, S1-091."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from uuid import uuid4

import pytest

from open_box import OpenBox, an_open_box
from sealing import TENANT
from sealwork.adapters.submitting import InProcess
from sealwork.application.ports.event_submitter import EventSubmitter
from sealwork.application.stories.faults import WorkerDied
from sealwork.application.work.fire_work import LEASE, USUAL, Fired
from sealwork.domain.ids import process_stream
from sealwork.domain.ledger.intent import Intent, parse_intent
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import Refused
from sealwork.domain.work.outcomes import Unanswered, WorkerCode
from sealwork.domain.work.work_row import WorkRow, WorkStatus


class Cliff:
    """A way to the engine on which workers die with the rows of some processes; `stands`: after their event."""

    def __init__(self, way: EventSubmitter, *deadly: str, stands: bool) -> None:
        self._way, self._deadly, self._stands = way, {process_stream(process) for process in deadly}, stands
        self.deaths = 0

    def submit(self, submissions: Sequence[Submission]) -> Sequence[Appended | Refused]:
        """See `EventSubmitter.submit`."""
        (submission,) = submissions
        intent = parse_intent(submission.intent)
        assert isinstance(intent, Intent)
        if intent.stream not in self._deadly:
            return self._way.submit(submissions)
        if self._stands:
            self._way.submit(submissions)
        self.deaths += 1
        raise WorkerDied


class Crew:
    """Workers one after the other, each in place of the one that died."""

    def __init__(self, processes: Sequence[str], *deadly: str, stands: bool = False) -> None:
        self.box = an_open_box()
        for process in processes:
            self.box.begin(process)
            self.box.take(process, "submit", "maria")
        self.cliff = Cliff(InProcess(self.box.process_event), *deadly, stands=stands)

    def work(self, most_deaths: int = 100) -> list[Fired]:
        """Fire what is due until a worker lives to the end; return what that one told."""
        for _ in range(most_deaths):
            box = self.box
            worker = box.worker(submitter=self.cliff)
            try:
                return list(worker([TENANT]))
            except WorkerDied:
                box.wait(LEASE)
        raise AssertionError("they die without end")

    def row(self, process: str) -> WorkRow:
        """The row of `screen`."""
        return screening(self.box, process)


def screening(box: OpenBox, process: str) -> WorkRow:
    """The row of `screen` of a process."""
    (row,) = (row for row in box.rows(process) if row.action == "screen")
    return row


def test_a_row_that_ended_five_workers_is_failed_by_the_next_with_a_readable_reason() -> None:
    crew = Crew(["c-1"], "c-1")

    (fired,) = crew.work()

    row = crew.row("c-1")
    assert crew.cliff.deaths == USUAL.most_deaths == 5
    assert fired.answer == Unanswered(code=WorkerCode.WORKERS_ENDED, detail="was being fired when 5 workers ended")
    assert (fired.became, row.status, row.fired_event_hash) == ("failed", WorkStatus.FAILED, None)
    assert row.last_error == "workers_ended: was being fired when 5 workers ended"
    assert len(crew.box.events("process/c-1")) == 2


def test_a_row_that_was_given_up_is_not_tried_again() -> None:
    crew = Crew(["c-1"], "c-1")
    crew.work()
    crew.box.wait(timedelta(days=9))

    assert crew.work() == []
    assert crew.cliff.deaths == 5


@pytest.mark.parametrize("deadly", [["c-7"], ["c-0", "c-4", "c-11"]], ids=["one", "three"])
def test_who_stands_in_the_same_batch_as_a_deadly_row_fires_all_the_same(deadly: list[str]) -> None:
    processes = [f"c-{number}" for number in range(12)]
    crew = Crew(processes, *deadly)

    crew.work()

    statuses = {process: crew.row(process).status for process in processes}
    failed = {process for process, status in statuses.items() if status is WorkStatus.FAILED}
    assert failed == {*deadly}
    assert {statuses[process] for process in processes if process not in failed} == {WorkStatus.COMPLETED}
    assert crew.cliff.deaths <= 5 * len(deadly)


def test_a_row_whose_event_stood_each_time_is_no_failure() -> None:
    crew = Crew(["c-1"], "c-1", stands=True)

    (fired,) = crew.work()

    row = crew.row("c-1")
    assert (fired.became, row.status) == ("completed", WorkStatus.COMPLETED)
    assert row.fired_event_hash == crew.box.events("process/c-1")[2].hash
    assert len(crew.box.events("process/c-1")) == 3


def test_a_worker_that_lives_to_settle_begins_the_count_anew() -> None:
    box = an_open_box()
    box.begin("c-1")
    box.take("c-1", "submit", "maria")
    for _ in range(4):
        box.store.claim([TENANT], limit=1, token=uuid4(), lease=LEASE)
        box.wait(LEASE)

    assert screening(box, "c-1").deaths == 3
    assert [fired.became for fired in box.fire_due()] == ["completed"]
    assert screening(box, "c-1").deaths == 0
