"""Showing a process: where it stands, and how it came there."""

from __future__ import annotations

from datetime import timedelta

import pytest

from open_box import OpenBox, a_box_with_a_story, an_open_box
from sealing import START, TENANT
from sealwork.application.proof.show_process import ProcessView, TimelineEntry
from sealwork.domain.errors import Misconfigured
from sealwork.domain.instants import instant_text
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.ledger.record import state_bytes
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.work.provenance import provenance_of

DUE = START + timedelta(hours=48)


def a_box_with_a_cleared_story() -> OpenBox:
    """The usual story, and ana has cleared c-1 in the end."""
    box = a_box_with_a_story()
    box.take("c-1", "clear", "ana")
    return box


def timeline(box: OpenBox) -> tuple[TimelineEntry, ...]:
    """Every event of c-1."""
    entries = box.show.timeline(TENANT, "c-1")
    assert not isinstance(entries, Refused)
    return entries


def test_a_process_is_shown_as_it_stands() -> None:
    box = a_box_with_a_cleared_story()
    last = box.events("process/c-1")[-1]
    workflow = box.definitions.find(TENANT, "customer/onboarding")
    assert isinstance(workflow, DefinitionRef)

    view = box.show(TENANT, "c-1")

    assert view == ProcessView(
        process_id="c-1",
        workflow=workflow,
        state="done",
        data={"screening": "started"},
        seq=5,
        hash=last.hash,
        work=tuple(box.rows("c-1")),
    )
    assert [row.action for row in box.rows("c-1")] == ["screen", "escalate"]


def test_a_timeline_says_who_did_what_when_and_where_that_led() -> None:
    told = [
        (entry.seq, entry.label, entry.action, entry.state) for entry in timeline(a_box_with_a_cleared_story())
    ]

    assert told == [
        (1, "maria", "start", "draft"),
        (2, "maria", "submit", "ready"),
        (3, "automation", "screen", "screening"),
        (4, "automation", "escalate", "escalated"),
        (5, "ana", "clear", "done"),
    ]


def test_a_timeline_names_keys_hashes_and_the_time_of_the_log() -> None:
    box = a_box_with_a_cleared_story()

    entries = timeline(box)

    assert [entry.hash for entry in entries] == [event.hash for event in box.events("process/c-1")]
    assert [entry.actor for entry in entries[:1]] == [box.key("maria").actor]
    assert [entry.at for entry in entries] == [START] * 3 + [START + timedelta(hours=49)] * 2


def test_a_timeline_keeps_what_people_wrote_and_says_why_the_machine_acted() -> None:
    box = a_box_with_a_cleared_story()
    automation = box.key("automation").actor
    screen, escalate = box.rows("c-1")

    entries = timeline(box)

    assert entries[1].input == {"country": "SE"}
    assert [entry.why for entry in (entries[0], entries[1], entries[4])] == [None, None, None]
    assert entries[2].why == provenance_of(screen, automation)
    assert entries[3].why == provenance_of(escalate, automation)


def test_a_timeline_tells_what_followed_from_an_event() -> None:
    effects = [entry.effects for entry in timeline(a_box_with_a_cleared_story())]

    assert effects == [
        (),
        ("auto screen",),
        (f"schedule deadline at {instant_text(DUE)}",),
        (),
        ("cancel deadline",),
    ]


def test_an_actor_whom_the_registry_does_not_know_has_no_name() -> None:
    box = a_box_with_a_cleared_story()
    del box.tables.chains[(TENANT, "actors/registry")]

    assert {entry.label for entry in timeline(box)} == {"unknown"}


def test_a_process_that_is_not_there_is_refused() -> None:
    box = an_open_box()

    for answer in (box.show(TENANT, "c-1"), box.show.timeline(TENANT, "c-1"), box.show("globex", "c-1")):
        assert isinstance(answer, Refused)
        assert (answer.code, answer.pointer) == (RefusalCode.NO_PROCESS, "/stream")


@pytest.mark.parametrize("state", [b"", b"{}", state_bytes("done", {}) + b"\n"], ids=repr)
def test_a_state_that_cannot_be_read_is_told_so(state: bytes) -> None:
    box = a_box_with_a_cleared_story()
    box.chain("process/c-1").state = state

    with pytest.raises(Misconfigured, match="the state of c-1 cannot be read: run `sealwork verify`"):
        box.show(TENANT, "c-1")


def test_a_definition_that_cannot_be_read_is_told_so() -> None:
    box = a_box_with_a_cleared_story()
    box.alter("process/c-1", 5, intent=b"{}")

    with pytest.raises(Misconfigured, match="run `sealwork verify`"):
        box.show(TENANT, "c-1")


@pytest.mark.parametrize("part", ["intent", "record"])
def test_an_event_that_cannot_be_read_is_told_so(part: str) -> None:
    box = a_box_with_a_cleared_story()
    box.alter("process/c-1", 2, **{part: b"{}"})

    with pytest.raises(Misconfigured, match="event 2 of process/c-1 cannot be read: run `sealwork verify`"):
        box.show.timeline(TENANT, "c-1")
