"""Whatever is submitted is answered: with the receipt of what stands, or with a refusal that wrote nothing.

Source: ledger case 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mangled_intents import KINDS, Kind, Office, Post, an_office, at_the_edges, posts, written
from sealing import accepted
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import Refused

LAW = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("number", range(7))
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_letter_that_nobody_changed_is_accepted(kind: Kind, number: int) -> None:
    office = an_office()
    letter = kind(office, number)

    assert accepted(office.box.process_event(letter.signed(written(letter.members))))


@LAW
@given(st.lists(posts(), min_size=1, max_size=8))
def test_whatever_is_submitted_is_written_whole_or_not_at_all(sent: Sequence[Post]) -> None:
    are_answered(an_office(), sent)


def test_whatever_lies_at_a_limit_is_written_whole_or_not_at_all() -> None:
    are_answered(an_office(), at_the_edges())


def are_answered(office: Office, sent: Iterable[Post]) -> None:
    """Each is answered with what stands, or with a refusal that wrote nothing; and all that stands is sound."""
    for post in sent:
        before, submission = office.box.picture(), post(office)

        answer = office.box.process_event(submission)

        if isinstance(answer, Refused):
            answer.model_dump_json().encode()  # it can be sent to anybody
        if isinstance(answer, Appended) and not answer.duplicate:
            assert stands(office, answer, submission)
        else:
            assert office.box.picture() == before
    assert office.box.verify().intact


def stands(office: Office, answer: Appended, submission: Submission) -> bool:
    """Whether the last event of its stream holds what was submitted, and is what the receipt says."""
    last = office.box.events(answer.receipt.stream, answer.receipt.tenant)[-1]
    held = (last.receipt, last.intent, last.intent_sig)
    return held == (answer.receipt, submission.intent, submission.signature)
