"""The engine in this process, as a way to submit. Source: the port `EventSubmitter`."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from open_box import OpenBox, an_open_box
from sealwork.adapters.submitting import InProcess
from sealwork.domain.errors import Unavailable
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import RefusalCode, Refused


def beginning(box: OpenBox, process_id: str, by: str = "maria") -> Submission:
    """The submission that begins a process."""
    definition = box.definitions.find(box.tenant, "customer/onboarding")
    return box.submission(f"process/{process_id}", "start", by, definition=definition)


def test_nothing_submitted_is_nothing_answered() -> None:
    assert list(InProcess(an_open_box().process_event).submit([])) == []


def test_one_answer_for_each_submission_in_their_order() -> None:
    box = an_open_box()
    submissions = [beginning(box, "c-1"), beginning(box, "c-2", by="ana"), beginning(box, "c-3")]

    first, refused, last = InProcess(box.process_event).submit(submissions)

    assert isinstance(first, Appended)
    assert isinstance(refused, Refused)
    assert isinstance(last, Appended)
    assert refused.code is RefusalCode.WRONG_ROLE
    assert (first.receipt.stream, last.receipt.stream) == ("process/c-1", "process/c-3")


def test_the_same_bytes_twice_in_one_call_become_one_event() -> None:
    box = an_open_box()
    submission = beginning(box, "c-1")

    first, again = InProcess(box.process_event).submit([submission, submission])

    assert isinstance(first, Appended)
    assert again == Appended(receipt=first.receipt, duplicate=True)


def test_what_was_appended_before_the_engine_failed_is_answered_as_a_duplicate_the_next_time() -> None:
    box = an_open_box()
    first, second = beginning(box, "c-1"), beginning(box, "c-2")

    class Failing:
        def batch(self, submissions: Sequence[Submission]) -> Sequence[Appended | Refused]:
            box.process_event.batch(submissions[:1])
            raise Unavailable("the database is gone")

    with pytest.raises(Unavailable):
        InProcess(Failing()).submit([first, second])

    answers = InProcess(box.process_event).submit([first, second])
    assert [isinstance(answer, Appended) and answer.duplicate for answer in answers] == [True, False]
