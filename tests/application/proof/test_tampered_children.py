"""A child stands for what its cause began, and for nothing else: every other cause is found.

Whoever tampers here holds the key of the engine, and changes the heads too.

Source: events.md, "Record" (cause) and "Verification".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest

from families import ORDER, a_box_with_families, children_of
from open_box import OpenBox
from sealing import START, TENANT
from sealwork.application.proof.verify import Report
from sealwork.domain.instants import instant_text
from sealwork.domain.ledger.effects import Spawn
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.ledger.record import Cause, Record, signed_record_bytes
from sealwork.domain.proof.findings import FindingCode

F = FindingCode
PARENT = "process/o-1"


@dataclass(frozen=True)
class Family:
    """An approved order, its invoice, which went on to its second event, and its parcel, which did not."""

    box: OpenBox
    invoice: str
    parcel: str

    def record(self, stream: str, seq: int = 1) -> Record:
        """What the engine countersigned."""
        record = self.box.events(stream)[seq - 1].read_record
        assert isinstance(record, Record)
        return record

    def cause(self) -> Cause:
        """The true cause of both."""
        cause = self.record(self.parcel).cause
        assert cause is not None
        return cause

    def reseal(self, stream: str, seq: int = 1, **members: object) -> None:
        """Change a record and countersign it, as somebody who has stolen the engine's key could."""
        body = self.record(stream, seq).model_copy(update=members).to_bytes()
        signature = self.box.key("engine").sign(signed_record_bytes(body))
        self.box.alter(stream, seq, record=body, record_sig=signature)

    def recaused(self, **members: object) -> None:
        """Let the parcel name another cause."""
        self.reseal(self.parcel, cause=self.cause().model_copy(update=members))


def a_family() -> Family:
    """Two orders that are approved: o-1, whose children are the family, and o-2."""
    box = a_box_with_families(ORDER)
    for order in ("o-1", "o-2"):
        box.begin(order, path="sales/order")
        box.take(order, "approve", "maria", {"amount": 5.0})
    box.fire_due()
    children = {name: f"process/{child}" for name, child in children_of(box, "o-1").items()}
    return Family(box, children["bill"], children["ship"])


def found(report: Report) -> set[tuple[FindingCode, str, int]]:
    """Code, stream and position of each finding."""
    return {(finding.code, finding.stream, finding.seq) for finding in report.findings}


def hash_of(box: OpenBox, stream: str, seq: int) -> str:
    """The hash of a stored event."""
    return box.events(stream)[seq - 1].hash


def other_definition(family: Family) -> None:
    invoice = family.record(family.invoice).definition
    assert isinstance(invoice, DefinitionRef)
    family.reseal(family.parcel, definition=invoice)


def earlier_actors(family: Family) -> None:
    actors = family.record(family.parcel).actors
    family.reseal(family.parcel, actors=actors.model_copy(update={"tenant": actors.tenant - 1}))


LIES: dict[str, Callable[[Family], None]] = {
    "a cause that is not there": lambda family: family.recaused(seq=99),
    "a stream that is not there": lambda family: family.recaused(stream="process/o-9"),
    "another hash": lambda family: family.recaused(hash="0" * 64),
    "an event that began nothing": lambda family: family.recaused(seq=1, hash=hash_of(family.box, PARENT, 1)),
    "an event that began another": lambda family: family.recaused(
        stream="process/o-2", hash=hash_of(family.box, "process/o-2", 2)
    ),
    "its sister": lambda family: family.recaused(
        stream=family.invoice, seq=1, hash=hash_of(family.box, family.invoice, 1)
    ),
    "itself": lambda family: family.recaused(stream=family.parcel, seq=1),
    "another definition": other_definition,
    "no definition": lambda family: family.reseal(family.parcel, definition=None),
    "another action": lambda family: family.reseal(family.parcel, action="start"),
    "no action": lambda family: family.reseal(family.parcel, action=None),
    "another actor": lambda family: family.reseal(family.parcel, actor=family.box.key("ana").actor),
    "no hop": lambda family: family.reseal(family.parcel, depth=0),
    "another time": lambda family: family.reseal(
        family.parcel, recorded_at=instant_text(START + timedelta(seconds=1))
    ),
    "earlier actors": earlier_actors,
    "other rules": lambda family: family.reseal(family.parcel, rules=1),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_child_that_names_what_did_not_begin_it_so_is_found(lie: Callable[[Family], None]) -> None:
    family = a_family()
    lie(family)

    report = family.box.verify()

    assert found(report) == {(F.CAUSE_DIFFERS, family.parcel, 1)}
    assert {finding.tenant for finding in report.findings} == {TENANT}


def test_a_family_is_intact() -> None:
    report = a_family().box.verify()

    assert report.intact


def test_a_child_whose_cause_was_cut_off_is_found() -> None:
    family = a_family()
    del family.box.events(PARENT)[1]

    told = found(family.box.verify())

    assert told == {
        (F.STATE_DIFFERS, PARENT, 1),
        (F.CAUSE_DIFFERS, family.invoice, 1),
        (F.CAUSE_DIFFERS, family.parcel, 1),
    }


def test_children_whose_cause_was_taken_out_whole_are_found() -> None:
    family = a_family()
    del family.box.tables.chains[(TENANT, PARENT)]

    assert found(family.box.verify()) == {
        (F.CAUSE_DIFFERS, family.invoice, 1),
        (F.CAUSE_DIFFERS, family.parcel, 1),
    }


def test_a_cause_that_was_resealed_without_the_child_is_found() -> None:
    family = a_family()
    effects = tuple(
        effect.model_copy(update={"action": "start"})
        if isinstance(effect, Spawn) and effect.id == "ship"
        else effect
        for effect in family.record(PARENT, 2).effects
    )
    family.reseal(PARENT, 2, effects=effects)

    details = {finding.stream: finding.detail for finding in family.box.verify().findings}

    gone = "its cause, event 2 of process/o-1, is not there"
    assert details == {
        PARENT: "decided again it has another effect 1, of kind spawn",
        family.invoice: gone,
        family.parcel: gone,
    }


def test_children_of_a_stranger_are_found_by_their_parent() -> None:
    family = a_family()
    stranger = family.box.key("stranger").actor
    family.reseal(PARENT, 2, actor=stranger)
    parent_hash = family.box.events(PARENT)[1].hash
    for child in (family.invoice, family.parcel):
        cause = family.cause().model_copy(update={"hash": parent_hash})
        family.reseal(child, actor=stranger, cause=cause)

    told = found(family.box.verify())

    assert (F.MEMBERS_DIFFER, PARENT, 2) in told


def test_an_unreadable_cause_is_no_cause() -> None:
    family = a_family()
    family.box.alter(PARENT, 2, record=b"{}")

    told = found(family.box.verify())

    assert {(F.CAUSE_DIFFERS, family.parcel, 1), (F.RECORD_UNREADABLE, PARENT, 2)} <= told


def test_a_later_event_cannot_be_passed_off_as_begun_by_the_parent() -> None:
    family = a_family()
    family.box.alter(family.invoice, 2, intent=None, intent_sig=None)
    first = family.record(family.invoice)
    family.reseal(
        family.invoice,
        2,
        intent=None,
        intent_sig=None,
        **{
            name: getattr(first, name)
            for name in ("cause", "definition", "action", "actor", "recorded_at", "depth")
        },
    )

    assert found(family.box.verify()) == {(F.CAUSE_DIFFERS, family.invoice, 2)}


def test_a_child_that_also_names_an_intent_is_found() -> None:
    family = a_family()
    family.reseal(family.parcel, intent="0" * 64, intent_sig="0" * 128)

    assert found(family.box.verify()) == {(F.INTENT_UNREADABLE, family.parcel, 1)}


@pytest.mark.parametrize("member", ["cause", "definition", "action"])
def test_an_event_with_an_intent_that_also_tells_of_a_cause_is_found(member: str) -> None:
    family = a_family()
    family.reseal(family.invoice, 2, **{member: getattr(family.record(family.invoice), member)})

    assert found(family.box.verify()) == {(F.MEMBERS_DIFFER, family.invoice, 2)}


def test_a_tenant_alone_is_verified_with_its_children() -> None:
    family = a_family()
    family.recaused(seq=1)

    assert found(family.box.verify(TENANT)) == {(F.CAUSE_DIFFERS, family.parcel, 1)}


def test_a_child_that_was_taken_out_whole_is_missed() -> None:
    family = a_family()
    del family.box.tables.chains[TENANT, family.parcel]

    assert found(family.box.verify()) == {(F.EVENTS_MISSING, family.parcel, 1)}
