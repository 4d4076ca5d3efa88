from __future__ import annotations

import pytest
from pydantic import ValidationError

from builders import ENGINE, a_record, a_sealed_event, an_intent, changed, countersigned
from sealwork.domain.ledger.intent import parse_intent
from sealwork.domain.ledger.record import parse_record, record_hash
from sealwork.domain.ledger.submission import Appended, Receipt, Submission
from sealwork.domain.refusals import Refused


def test_its_hash_is_that_of_its_record() -> None:
    event = a_sealed_event()

    assert event.hash == record_hash(event.record)


def test_it_reads_its_intent_and_its_record() -> None:
    event = a_sealed_event(an_intent(input={"a": 1}))

    assert event.intent is not None
    assert (event.read_intent, event.read_record) == (parse_intent(event.intent), parse_record(event.record))


def test_what_cannot_be_read_is_told() -> None:
    event = changed(a_sealed_event(), intent=b"{}", record=b"")

    assert isinstance(event.read_intent, Refused) and isinstance(event.read_record, Refused)


def test_an_event_with_a_cause_has_no_intent_to_read() -> None:
    event = countersigned(a_record(intent=None, intent_sig=None), ENGINE, None, None)

    assert event.read_intent is None


def test_its_originator_is_its_stream_in_its_tenant() -> None:
    event = a_sealed_event(an_intent(tenant="acme", stream="process/p:1", seq=7))

    assert (event.originator_id, event.originator_version) == ("acme:process/p:1", 7)


def test_no_two_streams_share_an_originator() -> None:
    # no tenant contains a colon, so the first one always ends it
    one = a_sealed_event(an_intent(tenant="a", stream="process/b:c"))
    other = a_sealed_event(an_intent(tenant="a", stream="process/b"))

    assert one.originator_id != other.originator_id


def test_its_receipt_is_its_countersigned_record() -> None:
    event = a_sealed_event()

    assert event.receipt == Receipt(
        tenant=event.tenant,
        stream=event.stream,
        seq=event.seq,
        hash=event.hash,
        record=event.record,
        record_sig=event.record_sig,
    )


def test_it_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        a_sealed_event().__setattr__("seq", 2)


def test_it_stays_equal_after_it_was_read() -> None:
    event = a_sealed_event()

    assert event.read_record
    assert event == a_sealed_event()


@pytest.mark.parametrize("wrong", [{"record": "text"}, {"intent_sig": "00"}, {"seq": "1"}, {"note": ""}])
def test_it_holds_bytes_and_nothing_else(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        changed(a_sealed_event(), **wrong)


def test_a_submission_may_come_without_lease_and_document() -> None:
    submission = Submission(intent=b"{}", signature=b"s")

    assert (submission.lease, submission.document) == (None, None)


def test_an_answer_says_whether_the_event_stood_there_before() -> None:
    receipt = a_sealed_event().receipt

    assert Appended(receipt=receipt, duplicate=True) != Appended(receipt=receipt, duplicate=False)
