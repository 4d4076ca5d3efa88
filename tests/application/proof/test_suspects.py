"""What a stolen key led to: its events, the children that they began, what the machine did because of them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bundled import a_bundle, reported
from families import SHIP, a_box_with_families, children_of
from open_box import OpenBox
from process_forger import found, reseal
from sealing import START, TENANT, accepted
from sealwork.application.proof.verify import Report
from sealwork.domain.ids import process_stream
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.record import Cause
from sealwork.domain.proof.findings import FindingCode

RELAY: JsonObject = {
    "path": "relay",
    "actions": {
        "begin": {"type": "create", "role": "packer", "to": "begun"},
        "hand_on": {"role": "AUTOMATION", "auto": True, "from": "begun", "to": "over", "spawn": [SHIP]},
    },
}
"""Begun by a parent; the machine hands it on to a parcel."""
RELAYED: JsonObject = {
    "path": "sales/order",
    "actions": {
        "start": {"type": "create", "role": "intake", "to": "draft"},
        "approve": {"role": "intake", "from": "draft", "to": "approved"},
        "relay": {
            "role": "AUTOMATION",
            "auto": True,
            "from": "approved",
            "to": "relayed",
            "spawn": [{"workflow": "relay@1", "action": "begin", "id": "relay", "data": {}}],
        },
    },
}
"""The machine relays what was approved."""


def approved(box: OpenBox) -> str:
    """Let maria begin o-1 and, a minute later, approve it; return when that was."""
    box.begin("o-1", path="sales/order")
    box.wait(timedelta(minutes=1))
    since = instant_text(box.clock.now())
    box.take("o-1", "approve", "maria", {"amount": 12.5})
    return since


def stolen(box: OpenBox, since: str) -> None:
    """Maria's key was in other hands since then."""
    box.wait(timedelta(days=40))
    box.fire_due()
    accepted(box.actors.revoke(TENANT, box.key("maria").actor, box.key("admin"), compromised_since=since))


def suspects(report: Report) -> set[tuple[str, int]]:
    """Stream and position of each finding, which must all be suspect."""
    assert {finding.code for finding in report.findings} <= {FindingCode.SUSPECT_KEY}
    return {(finding.stream, finding.seq) for finding in report.findings}


def told(report: Report, stream: str, seq: int) -> str:
    (detail,) = [each.detail for each in report.findings if (each.stream, each.seq) == (stream, seq)]
    return detail


def test_children_of_a_suspect_event_are_suspect_and_what_the_machine_did_with_them(tmp_path: Path) -> None:
    box = a_box_with_families()
    since = approved(box)
    parcel, invoice = (process_stream(children_of(box, "o-1")[name]) for name in ("ship", "bill"))
    box.fire_due()
    stolen(box, since)

    report = box.verify()

    assert suspects(report) == {("process/o-1", 2), (parcel, 1), (invoice, 1), (invoice, 2), (invoice, 3)}
    assert told(report, parcel, 1).startswith("begun by event 2 of process/o-1, which is suspect: maria's key")
    assert told(report, invoice, 2) == "the machine did this because of event 1, which is suspect"
    assert report.decided == report.events
    assert suspects(reported(a_bundle(tmp_path, "o-1", box=box)).report) == suspects(report)


def test_what_followed_from_events_before_the_theft_is_not_suspect() -> None:
    box = a_box_with_families()
    approved(box)
    box.fire_due()
    stolen(box, since=instant_text(box.clock.now() + timedelta(days=1)))

    assert box.verify().intact


def test_what_the_machine_began_because_of_a_suspect_event_is_suspect_however_far_it_goes(tmp_path: Path) -> None:
    box = a_box_with_families(RELAY, RELAYED)
    since = approved(box)
    box.fire_due()
    relay = children_of(box, "o-1")["relay"]
    box.fire_due()
    parcel = process_stream(children_of(box, relay)["ship"])
    stolen(box, since)

    report = box.verify()

    relayed = process_stream(relay)
    assert suspects(report) == {("process/o-1", 2), ("process/o-1", 3), (relayed, 1), (relayed, 2), (parcel, 1)}
    assert told(report, relayed, 1) == "begun by event 3 of process/o-1, to which a suspect event led"
    assert told(report, parcel, 1) == f"begun by event 2 of {relayed}, to which a suspect event led"
    assert suspects(reported(a_bundle(tmp_path, "o-1", box=box)).report) == suspects(report)


def test_what_the_machine_began_because_of_somebody_else_is_not_suspect() -> None:
    box = a_box_with_families(RELAY, RELAYED)
    approved(box)
    box.fire_due()
    box.admit("eva")
    eva, since = box.key("eva").actor, instant_text(START)
    accepted(box.actors.revoke(TENANT, eva, box.key("admin"), compromised_since=since))

    assert box.verify().intact


@pytest.mark.parametrize("through", ["relay", "ship"])
def test_causes_that_go_round_in_a_circle_are_found_and_do_not_hold_up(through: str) -> None:
    box = a_box_with_families(RELAY, RELAYED)
    since = approved(box)
    box.fire_due()
    relay = children_of(box, "o-1")["relay"]
    relayed, parcel = process_stream(relay), process_stream(children_of(box, relay)["ship"])
    other = relayed if through == "relay" else parcel
    for stream, cause in ((relayed, other), (parcel, relayed)):
        reseal(box, stream, 1, cause=Cause(stream=cause, seq=1, hash="0" * 64))
    stolen(box, since)

    assert {(FindingCode.CAUSE_DIFFERS, relayed, 1), (FindingCode.CAUSE_DIFFERS, parcel, 1)} <= found(box.verify())
