"""The same command has the same outcome, however it comes in: key, role and row decide. Source: S1-086, X-27."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import TypeAlias
from uuid import uuid4

import pytest

from command_line import CommandLine
from open_box import OpenBox, an_open_box
from sealing import signed
from sealwork.adapters.submitting import InProcess
from sealwork.application.work.fire_work import LEASE
from sealwork.application.workflows.submit_action import SubmitAction
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.record import Record
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.work.outcomes import Unanswered
from sealwork.domain.work.provenance import fired_input
from sealwork.domain.work.work_row import WorkKind

Answer: TypeAlias = Appended | Refused
Caller: TypeAlias = Callable[[OpenBox, str, str, JsonObject], Answer]
"""(box, action, whose key signs, input) → the answer."""


def straight(box: OpenBox, action: str, by: str, input_: JsonObject) -> Answer:
    """Who calls the engine."""
    definition = box.definitions.find(box.tenant, "customer/onboarding")
    return box.process_event(box.submission("process/c-1", action, by, definition=definition, input=input_))


def in_process(box: OpenBox, action: str, by: str, input_: JsonObject) -> Answer:
    """Who submits through the port."""
    definition = box.definitions.find(box.tenant, "customer/onboarding")
    submission = box.submission("process/c-1", action, by, definition=definition, input=input_)
    (answer,) = InProcess(box.process_event).submit([submission])
    return answer


def by_the_use_case(box: OpenBox, action: str, by: str, input_: JsonObject) -> Answer:
    """Who works at the command line."""
    return SubmitAction(box.submit)(box.tenant, "c-1", action, box.key(by), input_=input_)


CALLERS = [straight, in_process, by_the_use_case]
COMMANDS: list[tuple[str, str, JsonObject]] = [
    ("submit", "maria", {"country": "SE"}),
    ("submit", "ana", {}),
    ("submit", "stranger", {}),
    ("submit", "automation", {}),
    ("clear", "ana", {}),
    ("clear", "maria", {}),
    ("start", "maria", {}),
    ("fly", "maria", {}),
    ("submit", "maria", {"meta": {"automation": {"kind": "auto_action"}}}),
    ("submit", "maria", {"_automation": {}}),
]


def told(box: OpenBox, answer: Answer) -> object:
    """What a caller may compare: all of a refusal; of an event what is not new each time."""
    if isinstance(answer, Refused):
        return answer
    record = box.events("process/c-1")[-1].read_record
    assert isinstance(record, Record)
    return record.state, record.effects, record.depth, record.recorded_at, answer.duplicate


def outcome(caller: Caller, action: str, by: str, input_: JsonObject) -> object:
    """The outcome of one command in a deployment like all others."""
    box = an_open_box()
    box.begin("c-1")
    return told(box, caller(box, action, by, input_))


@pytest.mark.parametrize(("action", "by", "input_"), COMMANDS, ids=str)
def test_a_command_has_one_outcome(action: str, by: str, input_: JsonObject) -> None:
    first, *others = (outcome(caller, action, by, input_) for caller in CALLERS)

    assert [first] * len(others) == others


@pytest.mark.parametrize("key_class", [KeyClass.SERVICE, KeyClass.INTEGRATION, KeyClass.ACTOR_ADMIN])
def test_another_class_with_the_same_role_has_the_same_outcome(key_class: KeyClass) -> None:
    outcomes = []
    for of_class in (KeyClass.PERSON, key_class):
        box = an_open_box()
        box.begin("c-1")
        box.admit("somebody", of_class, "intake")
        outcomes.append(told(box, straight(box, "submit", "somebody", {})))

    assert outcomes[0] == outcomes[1]
    assert not isinstance(outcomes[0], Refused)


def a_due_deadline() -> OpenBox:
    """A deployment where c-1 is overdue."""
    box = an_open_box()
    box.begin("c-1")
    box.take("c-1", "submit", "maria")
    box.fire_due()
    box.wait(timedelta(hours=49))
    return box


def test_a_fired_action_has_the_outcome_of_the_worker_whoever_submits_it() -> None:
    by_worker, by_hand = a_due_deadline(), a_due_deadline()
    (fired,) = by_worker.fire_due()
    (work,) = by_hand.store.claim([by_hand.tenant], limit=1, token=uuid4(), lease=timedelta(minutes=1))
    key = by_hand.key("automation")
    intent = by_hand.intent(
        "process/c-1",
        "escalate",
        "automation",
        definition=work.definition,
        input=fired_input(work.row, key.actor),
    )

    answer = by_hand.process_event(signed(intent, key, lease=work.lease_token))

    assert not isinstance(fired.answer, Unanswered)
    assert told(by_hand, answer) == told(by_worker, fired.answer)


def test_a_person_may_take_an_action_that_is_automatic_too() -> None:
    by_machine, by_person = (an_open_box() for _ in range(2))
    for box in (by_machine, by_person):
        box.begin("c-1")
        box.take("c-1", "submit", "maria")
    by_machine.fire_due()

    by_person.take("c-1", "screen", "ana")

    one, other = (box.events("process/c-1")[-1].read_record for box in (by_machine, by_person))
    assert isinstance(one, Record)
    assert isinstance(other, Record)
    assert (one.state, one.effects) == (other.state, other.effects)


# Five kinds of callers take the same action of the same process


CHECKED: JsonObject = {
    "path": "customer/onboarding",
    "actions": {
        "start": {"type": "create", "role": "intake", "to": "draft"},
        "submit": {
            "role": "intake",
            "from": "draft",
            "to": "ready",
            "mutate": {"$set": {"open": True}},
            "schedule": [{"id": "late", "action": "check", "in": "1h", "data": {"why": "due"}}],
        },
        "check": {
            "role": ["intake", "AUTOMATION"],
            "from": "ready",
            "to": "checked",
            "when": "data.open",
            "auto": {"data": {"why": "due"}},
            "input": {"required": ["why"]},
            "mutate": {"$set": {"why": "${input.why}"}},
            "schedule": [{"id": "next", "action": "file", "in": "1h", "data": {}}],
            "cancel": ["late"],
        },
        "file": {"role": "AUTOMATION", "auto": True, "from": "checked", "to": "filed"},
        "close": {"role": "intake", "from": "ready", "mutate": {"$set": {"open": False}}},
        "leave": {"role": "intake", "from": "ready", "to": "left"},
    },
}
"""`submit` queues `check`, and sets a timer for it. `close` and `leave` make it come too late."""
WHY: JsonObject = {"why": "due"}


def at_the_command_line(box: OpenBox, action: str, by: str, input_: JsonObject) -> Answer:
    """Whoever types."""
    done = CommandLine(box)("act", "c-1", action, "--as", by, "--input", json.dumps(input_), "--json")
    document = json.loads(done.stdout)
    if "refused" in document:
        return Refused.model_validate(document["refused"])
    return Appended(receipt=box.events("process/c-1")[-1].receipt, duplicate=document["duplicate"])


def from_outside(box: OpenBox, action: str, _: str, input_: JsonObject) -> Answer:
    """An integration, with the role of the person."""
    return straight(box, action, "bank", input_)


def fired(kind: WorkKind) -> Caller:
    """The worker, for its row of this kind."""

    def fire(box: OpenBox, action: str, _: str, input_: JsonObject) -> Answer:
        works = [box.store.claim([box.tenant], limit=1, token=uuid4(), lease=LEASE)[0] for _ in range(2)]
        (work,) = (work for work in works if work.row.kind is kind)
        assert (work.row.action, work.row.data) == (action, input_)
        key = box.key("automation")
        input_ = fired_input(work.row, key.actor)
        intent = box.intent("process/c-1", action, "automation", definition=work.definition, input=input_)
        return box.process_event(signed(intent, key, lease=work.lease_token))

    return fire


FIVE: dict[str, Caller] = {
    "person": straight,
    "command line": at_the_command_line,
    "integration": from_outside,
    "timer": fired(WorkKind.SCHEDULED_ACTION),
    "auto": fired(WorkKind.AUTO_ACTION),
}


@pytest.mark.parametrize(
    ("before", "code"),
    [(None, None), ("close", RefusalCode.GUARD), ("leave", RefusalCode.WRONG_STATE)],
    ids=["accepted", "guard", "state"],
)
def test_five_kinds_of_callers_have_one_outcome(before: str | None, code: RefusalCode | None) -> None:
    outcomes: dict[str, object] = {}
    for kind, caller in FIVE.items():
        box = an_open_box(CHECKED)
        box.admit("bank", KeyClass.INTEGRATION, "intake")
        box.begin("c-1")
        box.take("c-1", "submit", "maria")
        if before:
            box.take("c-1", before, "maria")
        box.wait(timedelta(hours=1))

        answer = caller(box, "check", "maria", WHY)

        record = box.events("process/c-1")[-1].read_record
        assert isinstance(record, Record)
        outcomes[kind] = (
            answer if isinstance(answer, Refused) else (record.state, record.effects, answer.duplicate)
        )
        assert (answer.code if isinstance(answer, Refused) else None) is code

    assert len(outcomes) == 5
    assert [outcome for outcome in outcomes.values() if outcome != outcomes["person"]] == []
