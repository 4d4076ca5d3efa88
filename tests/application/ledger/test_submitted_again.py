"""Submitting again is harmless: the same id, the same unit of work. Source: events.md, "Order of checks"; X-10."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from open_box import OpenBox, an_open_box
from sealing import accepted, key_of, signed
from sealwork.application.ports.event_log import Question
from sealwork.domain.instants import instant_text
from sealwork.domain.ledger.intent import Intent, parse_intent
from sealwork.domain.ledger.submission import Appended, Receipt, Submission
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.work.provenance import fired_input
from sealwork.domain.work.work_row import ClaimedWork


def beginning(box: OpenBox, **others: object) -> Submission:
    """The submission that begins c-1."""
    definition = box.definitions.find(box.tenant, "customer/onboarding")
    return box.submission("process/c-1", "start", "maria", definition=definition, **others)


def is_the_duplicate(box: OpenBox, submission: Submission, first: Receipt) -> None:
    """The answer is the first receipt, byte for byte, and nothing was written."""
    before = box.picture()
    assert box.process_event(submission) == Appended(receipt=first, duplicate=True)
    assert box.picture() == before


def test_the_same_bytes_are_answered_with_the_first_receipt() -> None:
    box = an_open_box()
    submission = beginning(box)
    first = accepted(box.process_event(submission))

    is_the_duplicate(box, submission, first)


def test_the_first_receipt_is_the_answer_even_after_the_head_has_moved_on() -> None:
    box = an_open_box()
    submission = beginning(box)
    first = accepted(box.process_event(submission))
    box.take("c-1", "submit", "maria")

    is_the_duplicate(box, submission, first)


def test_the_first_receipt_is_the_answer_even_after_the_key_was_revoked() -> None:
    box = an_open_box()
    submission = beginning(box)
    first = accepted(box.process_event(submission))
    accepted(box.actors.revoke(box.tenant, box.key("maria").actor, box.key("admin")))

    is_the_duplicate(box, submission, first)


def test_the_first_receipt_is_the_answer_even_when_it_is_no_longer_wanted() -> None:
    box = an_open_box()
    submission = beginning(box, not_after=instant_text(box.clock.now()))
    first = accepted(box.process_event(submission))
    box.wait(timedelta(days=1))

    is_the_duplicate(box, submission, first)


def test_the_same_id_over_other_bytes_is_a_conflict() -> None:
    box = an_open_box()
    id_ = str(uuid4())
    box.process_event(beginning(box, id=id_))
    before = box.picture()

    answer = box.process_event(beginning(box, id=id_))

    assert isinstance(answer, Refused)
    assert (answer.code, answer.pointer) == (RefusalCode.ID_CONFLICT, "/id")
    assert box.picture() == before


def test_an_id_may_be_used_again_in_another_stream() -> None:
    box = an_open_box()
    id_ = str(uuid4())
    accepted(box.process_event(beginning(box, id=id_)))
    definition = box.definitions.find(box.tenant, "customer/onboarding")

    other = box.submission("process/c-2", "start", "maria", definition=definition, id=id_)

    assert accepted(box.process_event(other)).stream == "process/c-2"


def claimed(box: OpenBox) -> ClaimedWork:
    """The claimed row that screens c-1."""
    box.begin("c-1")
    box.take("c-1", "submit", "maria")
    (work,) = box.store.claim([box.tenant], limit=1, token=uuid4(), lease=timedelta(minutes=1))
    return work


def firing(box: OpenBox, work: ClaimedWork, **others: object) -> Submission:
    """What the worker submits for `work`, signed anew over the present head."""
    key = box.key("automation")
    usual = {"definition": work.definition, "input": fired_input(work.row, key.actor)}
    intent = box.intent(work.row.stream, work.row.action, "automation", **(usual | others))
    return signed(intent, key, lease=work.lease_token)


def test_a_unit_of_work_that_was_fired_is_answered_with_its_event_whatever_is_signed_anew() -> None:
    box = an_open_box()
    work = claimed(box)
    first = accepted(box.process_event(firing(box, work)))

    is_the_duplicate(box, firing(box, work), first)


def test_a_unit_of_work_that_was_fired_is_answered_with_its_event_over_any_head_and_lease() -> None:
    box = an_open_box()
    work = claimed(box)
    first = accepted(box.process_event(firing(box, work)))
    box.take("c-1", "clear", "ana")

    late = firing(box, work, seq=3, prev="0" * 64, not_after=instant_text(box.clock.now() - timedelta(days=1)))

    is_the_duplicate(box, late.model_copy(update={"lease": uuid4()}), first)


def test_a_unit_of_work_that_was_fired_is_answered_to_a_valid_key_only() -> None:
    """ADR 0013."""
    box = an_open_box()
    work = claimed(box)
    accepted(box.process_event(firing(box, work)))
    accepted(box.actors.retire(box.tenant, box.key("automation").actor, box.key("admin")))

    answer = box.process_event(firing(box, work))

    assert isinstance(answer, Refused)
    assert answer.code is RefusalCode.KEY_RETIRED


@pytest.mark.parametrize(
    ("name", "code"), [("maria", RefusalCode.RESERVED_INPUT), ("stranger", RefusalCode.UNKNOWN_ACTOR)]
)
def test_nobody_else_is_told_that_his_action_stands_because_he_names_what_was_fired(
    name: str, code: RefusalCode
) -> None:
    """ADR 0013: work ids stand in every timeline."""
    box = an_open_box()
    work = claimed(box)
    fired = firing(box, work)
    accepted(box.process_event(fired))
    intent = parse_intent(fired.intent)
    assert isinstance(intent, Intent)
    forged = intent.model_copy(update={"key": key_of(name).actor, "id": str(uuid4()), "seq": 4})
    head = box.events(work.row.stream)[-1]

    answer = box.process_event(signed(forged.model_copy(update={"prev": head.hash}), key_of(name)))

    assert isinstance(answer, Refused)
    assert answer.code is code


def test_the_signature_is_checked_even_for_what_stands_already() -> None:
    box = an_open_box()
    submission = beginning(box)
    accepted(box.process_event(submission))

    answer = box.process_event(submission.model_copy(update={"signature": bytes(64)}))

    assert isinstance(answer, Refused)
    assert answer.code is RefusalCode.BAD_SIGNATURE


def test_another_tenant_may_use_the_same_ids() -> None:
    box = an_open_box()
    id_ = str(uuid4())
    accepted(box.process_event(beginning(box, id=id_)))

    assert box.log.head(Question(tenant="globex", stream="process/c-1", intent_id=id_)).same_id is None
