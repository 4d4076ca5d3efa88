"""What the worker tells of its attempts, and that nothing hangs on it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from open_box import OpenBox, an_open_box
from sealing import TENANT
from sealwork.adapters.submitting import InProcess
from sealwork.application.ports.system_log import Attempt, AttemptResult, LoggedAttempt
from sealwork.application.work.fire_work import RETRY_AFTER
from sealwork.domain.errors import Misconfigured, Unavailable
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import Refused


class Silent:
    """A log that answers nobody."""

    def write(self, attempts: Sequence[Attempt]) -> None:
        """Say nothing."""
        raise Unavailable("the system log does not answer")

    def newest(self, tenant: str, *, stream: str | None = None, limit: int) -> Sequence[LoggedAttempt]:
        """Say nothing."""
        raise Unavailable("the system log does not answer")


class NoRoad:
    """A way to an engine that is away for one submission."""

    def __init__(self, box: OpenBox) -> None:
        self._road, self._closed = InProcess(box.process_event), True

    def submit(self, submissions: Sequence[Submission]) -> Sequence[Appended | Refused]:
        """See `EventSubmitter.submit`."""
        if self._closed:
            self._closed = False
            raise Unavailable("the engine does not answer")
        return self._road.submit(submissions)


def a_box_with_work(*processes: str) -> OpenBox:
    box = an_open_box()
    for process in processes:
        box.begin(process)
        box.take(process, "submit", "maria")
    return box


def told(box: OpenBox) -> list[tuple[str, str, int, AttemptResult]]:
    attempts = box.list_attempts(TENANT, limit=10)
    return [(each.stream, each.action, each.number, each.result) for each in attempts]


def test_an_accepted_attempt_is_logged_with_its_event() -> None:
    box = a_box_with_work("c-1")

    box.fire_due()

    (attempt,) = box.list_attempts(TENANT, process_id="c-1", limit=10)
    event = box.events("process/c-1")[2]
    assert (attempt.action, attempt.result, attempt.number) == ("screen", AttemptResult.ACCEPTED, 1)
    assert (attempt.fired_event_hash, attempt.reason, attempt.at) == (event.hash, None, box.clock.now())
    assert attempt.work_id == box.rows("c-1")[0].id


def test_a_skip_is_logged_with_its_reason_and_leaves_no_event() -> None:
    box = a_box_with_work("c-1")
    box.take("c-1", "screen", "ana")
    before = len(box.events("process/c-1"))

    box.fire_due()

    (attempt,) = box.list_attempts(TENANT, limit=10)
    assert attempt.result is AttemptResult.SKIPPED
    assert attempt.reason == "wrong_state: screen needs ready; the process is in screening"
    assert len(box.events("process/c-1")) == before


def test_every_attempt_on_one_occurrence_is_logged_not_only_the_last() -> None:
    box = a_box_with_work("c-1")
    worker = box.worker(submitter=NoRoad(box))

    worker([TENANT])
    box.wait(RETRY_AFTER * 10)
    worker([TENANT])

    assert told(box) == [
        ("process/c-1", "screen", 2, AttemptResult.ACCEPTED),
        ("process/c-1", "screen", 1, AttemptResult.TRANSIENT_ERROR),
    ]


def test_an_attempt_by_a_key_that_is_not_taken_is_logged_before_the_worker_stops() -> None:
    box = a_box_with_work("c-1")

    with pytest.raises(Misconfigured):
        box.worker(signer=box.key("stranger"))([TENANT])

    assert told(box) == [("process/c-1", "screen", 1, AttemptResult.RELEASED)]


def test_without_the_system_log_all_work_is_done_and_settled() -> None:
    box, twin = a_box_with_work("c-1", "c-2"), a_box_with_work("c-1", "c-2")

    fired = box.worker(system_log=Silent())([TENANT])
    twin.fire_due()

    assert sorted(each.became for each in fired) == ["completed", "completed"]
    assert [row.status for row in box.rows("c-1")] == [row.status for row in twin.rows("c-1")]
    assert box.verify().intact
