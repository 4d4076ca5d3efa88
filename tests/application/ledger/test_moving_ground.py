"""What happens between decision and append. Source: events.md, "In the append, under the head lock, again"."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from itertools import count, repeat
from uuid import uuid4

import pytest

from families import a_box_with_families, children_of, data_of, last_record
from open_box import OpenBox, an_empty_box, an_open_box
from sealing import accepted, key_of, signed
from sealwork.application.ledger.manage_actors import Admission
from sealwork.domain.errors import Unavailable
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.record import Record
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.work.provenance import fired_input
from sealwork.domain.work.work_row import ClaimedWork


def submitting(box: OpenBox, **others: object) -> Submission:
    """Maria handing in c-1."""
    definition = box.definitions.find(box.tenant, "customer/onboarding")
    return box.submission("process/c-1", "submit", "maria", definition=definition, **others)


def a_begun_box() -> OpenBox:
    """A deployment where maria has begun c-1."""
    box = an_open_box()
    box.begin("c-1")
    return box


def once(box: OpenBox, happens: Callable[[], object]) -> None:
    """Let something happen before the next append, and not before those that it needs itself."""
    box.open_log.before_append = iter([happens])


def newcomers(box: OpenBox) -> Callable[[], object]:
    """Admits somebody new each time, undisturbed."""
    numbers = count(1)

    def admit() -> None:
        disturbed, box.open_log.before_append = box.open_log.before_append, iter(())
        who = f"newcomer {next(numbers)}"
        admission = Admission(tenant=box.tenant, key_class=KeyClass.PERSON, label=who)
        accepted(box.actors.admit(admission, key_of(who), box.key("admin")))
        box.open_log.before_append = disturbed

    return admit


def test_a_batch_is_decided_again_where_the_registry_moves_and_appended_in_one_call() -> None:
    box = a_begun_box()
    box.begin("c-2")
    definition = box.definitions.find(box.tenant, "customer/onboarding")
    other = box.submission("process/c-2", "submit", "maria", definition=definition)
    calls: list[object] = []
    admit = newcomers(box)
    box.open_log.before_append = iter([admit, lambda: calls.append("c-1 and c-2"), lambda: calls.append("more")])

    answers = box.process_event.batch([submitting(box), other])

    assert [accepted(answer).seq for answer in answers] == [2, 2]
    assert calls == ["c-1 and c-2"]
    assert box.verify().intact


def test_an_intent_is_decided_again_when_the_registry_moves() -> None:
    box = a_begun_box()
    positions = len(box.events("actors/registry"))
    once(box, newcomers(box))

    receipt = accepted(box.process_event(submitting(box)))

    record = box.events("process/c-1")[-1].read_record
    assert isinstance(record, Record)
    assert (receipt.seq, record.actors.tenant) == (2, positions + 1)
    assert box.verify().intact


def test_the_second_decision_knows_what_has_changed() -> None:
    box = a_begun_box()
    once(box, lambda: box.actors.retire(box.tenant, box.key("maria").actor, box.key("admin")))

    answer = box.process_event(submitting(box))

    assert isinstance(answer, Refused)
    assert answer.code is RefusalCode.KEY_RETIRED
    assert len(box.events("process/c-1")) == 1


def test_an_intent_is_decided_eight_times_at_most() -> None:
    box = a_begun_box()
    begun = len(box.events("actors/registry"))
    box.open_log.before_append = repeat(newcomers(box))

    with pytest.raises(Unavailable):
        box.process_event(submitting(box))

    assert len(box.events("actors/registry")) == begun + 8
    assert len(box.events("process/c-1")) == 1


def test_the_eighth_decision_may_still_stand() -> None:
    box = a_begun_box()
    box.open_log.before_append = repeat(newcomers(box), 7)

    assert accepted(box.process_event(submitting(box))).seq == 2


def test_who_is_second_at_the_append_is_stale() -> None:
    box = a_begun_box()
    once(box, lambda: box.process_event(submitting(box)))

    answer = box.process_event(submitting(box))

    assert isinstance(answer, Refused)
    assert (answer.code, answer.pointer) == (RefusalCode.STALE_HEAD, "/prev")
    assert len(box.events("process/c-1")) == 2


def test_the_same_bytes_twice_at_once_become_one_event() -> None:
    box = a_begun_box()
    submission = submitting(box)
    once(box, lambda: box.process_event(submission))

    answer = box.process_event(submission)

    assert answer == Appended(receipt=box.events("process/c-1")[1].receipt, duplicate=True)
    assert len(box.events("process/c-1")) == 2


def test_two_intents_of_one_id_at_once_are_a_conflict() -> None:
    box = a_begun_box()
    id_ = str(uuid4())
    once(box, lambda: box.process_event(submitting(box, id=id_)))

    answer = box.process_event(submitting(box, id=id_, input={"other": True}))

    assert isinstance(answer, Refused)
    assert answer.code is RefusalCode.ID_CONFLICT
    assert len(box.events("process/c-1")) == 2


def firing(box: OpenBox, work: ClaimedWork) -> Submission:
    """What the worker submits for `work`, over the present head."""
    key = box.key("automation")
    input_ = fired_input(work.row, key.actor)
    intent = box.intent("process/c-1", "escalate", "automation", definition=work.definition, input=input_)
    return signed(intent, key, lease=work.lease_token)


def a_timer_that_is_due() -> tuple[OpenBox, ClaimedWork]:
    """A deployment where the deadline of c-1 has passed, and its row in the hands of the worker."""
    box = a_begun_box()
    box.take("c-1", "submit", "maria")
    box.fire_due()
    box.wait(timedelta(hours=49))
    (work,) = box.store.claim([box.tenant], limit=1, token=uuid4(), lease=timedelta(minutes=1))
    return box, work


def test_a_unit_of_work_twice_at_once_becomes_one_event() -> None:
    box, work = a_timer_that_is_due()
    submission = firing(box, work)
    once(box, lambda: box.process_event(submission))

    answer = box.process_event(submission)

    assert answer == Appended(receipt=box.events("process/c-1")[3].receipt, duplicate=True)


def test_cancel_beats_a_fire_that_is_under_way() -> None:
    box, work = a_timer_that_is_due()
    once(box, lambda: box.take("c-1", "clear", "ana"))

    late, signed_anew = (box.process_event(firing(box, work)) for _ in range(2))

    assert isinstance(late, Refused)
    assert isinstance(signed_anew, Refused)
    assert (late.code, signed_anew.code) == (RefusalCode.STALE_HEAD, RefusalCode.NOT_CLAIMED)
    assert [event.seq for event in box.events("process/c-1")] == [1, 2, 3, 4]
    assert [row.status.value for row in box.rows("c-1")] == ["completed", "cancelled"]


def test_a_row_that_was_taken_over_is_not_fired_by_the_first_holder() -> None:
    box, work = a_timer_that_is_due()

    def taken_over() -> None:
        box.wait(timedelta(minutes=2))
        box.store.claim([box.tenant], limit=1, token=uuid4(), lease=timedelta(minutes=1))

    once(box, taken_over)

    answer = box.process_event(firing(box, work))

    assert isinstance(answer, Refused)
    assert answer.code is RefusalCode.NOT_CLAIMED
    assert len(box.events("process/c-1")) == 3


def test_what_the_log_itself_refuses_is_refused_with_its_reason() -> None:
    box = an_empty_box(stored_origin="other.example/log")
    admission = Admission(tenant="acme", key_class=KeyClass.ACTOR_ADMIN, label="admin")

    answer = box.actors.admit(admission, box.key("admin"), box.key("root"))

    assert isinstance(answer, Refused)
    assert answer.code is RefusalCode.NOT_CANONICAL
    assert "signed bytes and batch differ" in answer.detail
    assert not box.tables.chains


def test_a_family_is_decided_again_when_the_registry_moves() -> None:
    box = a_box_with_families()
    box.begin("o-1", path="sales/order")
    once(box, newcomers(box))

    box.take("o-1", "approve", "maria", {"amount": 5.0})

    moved = len(box.events("actors/registry"))
    records = [last_record(box, process) for process in ("o-1", *children_of(box, "o-1").values())]
    assert [record.actors.tenant for record in records] == [moved] * 3
    assert box.verify().intact


def test_a_parent_that_is_second_at_the_append_begins_no_child() -> None:
    box = a_box_with_families()
    box.begin("o-1", path="sales/order")
    order = box.definitions.find(box.tenant, "sales/order")
    mine, theirs = (
        box.submission("process/o-1", "approve", "maria", definition=order, input={"amount": amount})
        for amount in (5.0, 6.0)
    )
    once(box, lambda: accepted(box.process_event(theirs)))

    answer = box.process_event(mine)

    assert isinstance(answer, Refused)
    assert answer.code is RefusalCode.STALE_HEAD
    bill = children_of(box, "o-1")["bill"]
    assert (len(box.events(f"process/{bill}")), data_of(box, bill)["amount"]) == (1, 6.0)
    assert box.verify().intact


def test_a_parent_over_a_head_that_moved_leaves_no_child_behind() -> None:
    box = a_box_with_families()
    box.begin("o-1", path="sales/order")
    order = box.definitions.find(box.tenant, "sales/order")
    approval, holding = (
        box.submission("process/o-1", action, "maria", definition=order, input={"amount": 5.0})
        for action in ("approve", "hold")
    )
    once(box, lambda: accepted(box.process_event(holding)))

    answer = box.process_event(approval)

    assert isinstance(answer, Refused)
    assert answer.code is RefusalCode.STALE_HEAD
    assert [stream for _, stream in box.tables.chains if stream.startswith("process/")] == ["process/o-1"]


def test_a_version_that_is_withdrawn_while_its_child_is_decided_may_begin_that_one() -> None:
    box = a_box_with_families()
    box.begin("o-1", path="sales/order")
    withdrawal = box.submission("workflow/billing/invoice", "withdraw", "admin", input={"version": 1})
    once(box, lambda: accepted(box.process_event(withdrawal)))

    box.take("o-1", "approve", "maria", {"amount": 5.0})

    assert list(children_of(box, "o-1")) == ["bill", "ship"]
