"""One person with several keys, one after the other: who may not act may not act with any of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bundled import a_bundle, reported
from open_box import OpenBox, an_open_box
from process_forger import appended, found
from scribe import HOUR
from sealing import TENANT
from sealwork.domain.ids import ACTOR_REGISTRY
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.proof.findings import FindingCode
from sealwork.domain.refusals import RefusalCode

PAYMENT: JsonObject = {
    "path": "treasury/payment",
    "actions": {
        "start": {
            "type": "create",
            "role": "clerk",
            "to": "drafted",
            "mutate": {"$set": {"by": "${event.actor}"}},
        },
        "name": {"role": "clerk", "from": "drafted", "mutate": {"$set": {"by": "${input.by}"}}},
        "release": {"role": "clerk", "from": "drafted", "to": "released", "not_actor": "by"},
        "look": {
            "role": "AUTOMATION",
            "auto": True,
            "from": "released",
            "to": "seen",
            "mutate": {"$set": {"last": "${event.actor}"}},
            "schedule": [{"id": "booking", "action": "book", "in": "1h", "data": {}}],
        },
        "book": {"role": "AUTOMATION", "from": "seen", "to": "booked", "not_actor": "last"},
    },
}
"""Whoever began a payment does not release it; the worker that looked at it does not book it."""


def a_box() -> OpenBox:
    """Kim and olle pay."""
    box = an_open_box(PAYMENT)
    box.admit("kim", KeyClass.PERSON, "clerk")
    box.admit("olle", KeyClass.PERSON, "clerk")
    return box


def released(box: OpenBox, by: str, process: str = "p-1") -> RefusalCode | None:
    """Release a payment; return why it was refused."""
    answer = box.act(TENANT, process, "release", box.key(by), input_={})
    return None if isinstance(answer, Appended) else answer.code


@pytest.mark.parametrize(("began", "releases"), [("kim", "kim 2"), ("kim 2", "kim"), ("kim", "kim 3")])
def test_a_person_does_not_approve_with_one_key_what_they_did_with_another(began: str, releases: str) -> None:
    box = a_box()
    box.admit("kim 2", KeyClass.PERSON, "clerk", succeeds="kim")
    box.admit("kim 3", KeyClass.PERSON, "clerk", succeeds="kim 2")
    box.begin("p-1", by=began, path="treasury/payment")

    assert released(box, releases) is RefusalCode.SAME_ACTOR
    assert released(box, "olle") is None
    assert box.verify().intact


def test_a_key_that_was_admitted_as_nobodys_successor_is_somebody_else() -> None:
    box = a_box()
    box.begin("p-1", by="kim", path="treasury/payment")
    box.admit("kim 2", KeyClass.PERSON, "clerk")

    assert released(box, "kim 2") is None


def test_what_was_right_before_a_succession_stays_right() -> None:
    """The line is the one that the registry knew at the position of the event, not the one of today."""
    box = a_box()
    box.begin("p-1", by="olle", path="treasury/payment")
    box.take("p-1", "name", "olle", {"by": box.key("kim 2").actor})
    assert released(box, "kim") is None

    box.admit("kim 2", KeyClass.PERSON, "clerk", succeeds="kim")
    report = box.verify()

    assert (report.findings, report.decided) == ((), report.events)


@pytest.mark.parametrize(("began", "releases"), [("kim", "kim 3"), ("kim 3", "kim")])
def test_an_engine_that_lets_a_successor_approve_is_found_in_the_log_and_in_a_bundle(
    began: str, releases: str, tmp_path: Path
) -> None:
    box = a_box()
    box.admit("kim 2", KeyClass.PERSON, "clerk", succeeds="kim")
    box.admit("kim 3", KeyClass.PERSON, "clerk", succeeds="kim 2")
    box.begin("p-1", by=began, path="treasury/payment")
    appended(box, "process/p-1", "release", by=releases)

    expected = {(FindingCode.NOT_PERMITTED, "process/p-1", 2)}

    assert found(box.verify()) == expected
    assert found(reported(a_bundle(tmp_path, "p-1", box=box)).report) == expected


def test_an_admission_as_the_successor_of_nobody_vouches_for_nobody() -> None:
    box = a_box()
    box.begin("p-1", by="kim", path="treasury/payment")
    unknown: JsonObject = {"key": box.key("kim 2").actor, "class": "PERSON", "label": "kim 2", "proof": "0" * 128}
    input_ = unknown | {"succeeds": box.key("nobody").actor}
    appended(box, ACTOR_REGISTRY, "key.admit", by="admin", input=input_, definition=None)

    assert {(code, stream) for code, stream, _ in found(box.verify(TENANT))} >= {
        (FindingCode.ACTOR_KEY, ACTOR_REGISTRY)
    }
    assert released(box, "olle") is RefusalCode.CHAIN_BROKEN


@pytest.mark.parametrize(("worker", "code"), [("the next", RefusalCode.SAME_ACTOR), ("another", None)])
def test_the_successor_of_a_worker_is_the_same_machine(worker: str, code: RefusalCode | None) -> None:
    box = a_box()
    box.admit("the next", KeyClass.AUTOMATION, succeeds="automation")
    box.admit("another", KeyClass.AUTOMATION)
    box.begin("p-1", by="kim", path="treasury/payment")
    box.take("p-1", "release", "olle")
    box.fire_due()
    box.wait(HOUR)

    (booked,) = box.worker(signer=box.key(worker))([TENANT])

    assert (booked.work.row.action, getattr(booked.answer, "code", None)) == ("book", code)
    assert box.verify().intact
