"""Checking the whole log. Source: events.md, "Verification"; ledger cases 1, 3, 6, 14, 18, 19, 22, 24; S1-123."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from open_box import OpenBox, OpenEvidence, a_box_with_a_story, an_empty_box
from sealing import ONBOARDING, START, TENANT, accepted, key_of
from sealwork.adapters.signing import Ed25519Verifier
from sealwork.application.ports.chains import StreamHead
from sealwork.application.ports.evidence import Evidence
from sealwork.application.proof.verify import NOT_PROVEN, Report, Verify
from sealwork.domain.ids import SYSTEM
from sealwork.domain.instants import instant_text
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.record import state_bytes
from sealwork.domain.proof.findings import FindingCode

STREAM = "process/c-1"
REGISTRY = "actors/registry"
F = FindingCode


def found(report: Report) -> set[tuple[str, str, int]]:
    """Code, stream and position of each finding."""
    return {(finding.code, finding.stream, finding.seq) for finding in report.findings}


def intent_of(box: OpenBox, stream: str, seq: int) -> Intent:
    """What the actor signed."""
    intent = box.events(stream)[seq - 1].read_intent
    assert isinstance(intent, Intent)
    return intent


def test_a_log_that_nobody_touched_is_intact() -> None:
    box = a_box_with_a_story()
    events = sum(len(chain.events) for chain in box.tables.chains.values())

    report = box.verify()

    assert report.intact
    assert (report.streams, report.events, report.findings) == (len(box.tables.chains), events, ())


def test_verifying_writes_nothing() -> None:
    box = a_box_with_a_story()
    before = box.picture()

    box.verify()

    assert box.picture() == before


def test_what_was_not_proven_is_always_said() -> None:
    intact, broken = a_box_with_a_story(), a_box_with_a_story()
    broken.alter(STREAM, 2, intent=b"{}")

    for report in (intact.verify(), broken.verify(), an_empty_box().verify()):
        assert report.not_proven[: len(NOT_PROVEN)] == NOT_PROVEN
        assert any("cut off" in gap for gap in report.not_proven)


def test_two_events_in_the_wrong_order_are_found() -> None:
    box = a_box_with_a_story()
    events = box.events(STREAM)
    events[1], events[2] = events[2], events[1]

    assert (F.EVENTS_MISSING, STREAM, 3) in found(box.verify())


def test_an_end_that_was_cut_off_is_found_as_long_as_the_head_is_left() -> None:
    box = a_box_with_a_story()
    last = box.events(STREAM)[-1]
    box.open_log.head_rows[STREAM] = {"seq": last.seq, "hash": last.hash}
    del box.events(STREAM)[2:]

    codes = {finding.code for finding in box.verify().findings}

    assert codes == {F.HEAD_DIFFERS, F.STATE_DIFFERS}


def test_an_end_that_was_cut_off_together_with_its_head_is_not_found_and_the_report_says_so() -> None:
    box = a_box_with_a_story()
    del box.events("process/c-2")[0]
    del box.tables.chains[(TENANT, "process/c-2")]

    report = box.verify()

    assert report.intact
    assert any("cut off together with the head" in gap for gap in report.not_proven)


@pytest.mark.parametrize("head", [{"seq": 3}, {"seq": 0, "hash": ""}, {"hash": "0" * 64}], ids=str)
def test_a_head_row_that_does_not_name_the_last_event_is_found(head: dict[str, object]) -> None:
    box = a_box_with_a_story()
    box.open_log.head_rows[STREAM] = head

    assert found(box.verify()) == {(F.HEAD_DIFFERS, STREAM, int(str(head.get("seq", 4))))}


@pytest.mark.parametrize("state", [state_bytes("done", {}), b""], ids=["another", "empty"])
def test_a_stored_state_that_was_not_countersigned_is_found(state: bytes) -> None:
    box = a_box_with_a_story()
    box.chain(STREAM).state = state

    assert found(box.verify()) == {(F.STATE_DIFFERS, STREAM, 4)}


def test_a_state_that_is_gone_is_found() -> None:
    box = a_box_with_a_story()
    box.open_log.head_rows[STREAM] = {"state": None}

    assert found(box.verify()) == {(F.STATE_DIFFERS, STREAM, 4)}


def test_a_head_of_a_stream_without_events_is_found() -> None:
    box = a_box_with_a_story()
    ghost = StreamHead(tenant=TENANT, stream="process/ghost", seq=3, hash="0" * 64, state=None)
    box.open_log.headless.append(ghost)

    assert found(box.verify()) == {(F.HEAD_DIFFERS, "process/ghost", 3)}


def test_events_whose_head_is_gone_are_found() -> None:
    box = a_box_with_a_story()
    box.open_log.head_rows["process/c-2"] = {"seq": 0, "hash": "", "state": None}

    assert found(box.verify()) == {(F.HEAD_DIFFERS, "process/c-2", 0), (F.STATE_DIFFERS, "process/c-2", 0)}


def test_an_edited_registry_is_found_in_its_own_chain() -> None:
    box = a_box_with_a_story()
    intent = intent_of(box, REGISTRY, 5)
    box.alter(
        REGISTRY, 5, intent=intent.model_copy(update={"input": {**intent.input, "roles": ["boss"]}}).to_bytes()
    )

    assert found(box.verify()) == {(F.INTENT_REPLACED, REGISTRY, 5), (F.ACTOR_SIGNATURE, REGISTRY, 5)}


def test_a_registry_that_cannot_be_read_vouches_for_nobody() -> None:
    box = a_box_with_a_story()
    box.alter(REGISTRY, 2, intent=b"{}")

    report = box.verify()

    assert (F.INTENT_UNREADABLE, REGISTRY, 2) in found(report)
    assert (F.ACTOR_KEY, STREAM, 1) in found(report)


def test_a_system_registry_that_cannot_be_read_vouches_for_no_engine() -> None:
    box = a_box_with_a_story()
    box.alter(REGISTRY, 1, SYSTEM, intent=b"{}")

    codes = {(finding.code, finding.tenant) for finding in box.verify().findings}

    assert {(F.INTENT_UNREADABLE, SYSTEM), (F.ENGINE_KEY, TENANT), (F.ENGINE_KEY, SYSTEM)} <= codes


def test_the_first_engine_was_admitted_by_the_pinned_root_and_by_nobody_else() -> None:
    box = a_box_with_a_story()

    report = Verify(box.log, Ed25519Verifier(), origin=box.origin, root=key_of("another root").actor)()

    roots = {(finding.code, finding.tenant, finding.seq) for finding in report.findings}
    assert roots == {(F.ACTOR_KEY, SYSTEM, 1), (F.ACTOR_KEY, TENANT, 1)}


def test_a_log_of_another_origin_is_not_the_pinned_one() -> None:
    box = a_box_with_a_story()

    report = Verify(box.log, Ed25519Verifier(), origin="other.example/log", root=box.key("root").actor)()

    assert (F.WRONG_PLACE, STREAM, 1) in found(report)
    assert (F.LINK_BROKEN, STREAM, 1) in found(report)


def test_what_was_signed_since_a_key_was_compromised_is_suspect() -> None:
    box = a_box_with_a_story()
    since = instant_text(START + timedelta(hours=49))
    maria = box.key("maria").actor
    accepted(box.actors.revoke(TENANT, maria, box.key("admin"), compromised_since=since))

    assert found(box.verify()) == {(F.SUSPECT_KEY, "process/c-2", 1)}


def test_nothing_checked_is_no_success() -> None:
    report = an_empty_box().verify()

    assert not report.intact
    assert (report.streams, report.events) == (0, 0)
    assert [finding.code for finding in report.findings] == [F.NOTHING_CHECKED]


def test_nothing_checked_of_the_tenant_that_was_asked_for_is_no_success() -> None:
    report = a_box_with_a_story().verify("typo")

    (finding,) = report.findings
    assert (finding.code, finding.tenant) == (F.NOTHING_CHECKED, "typo")
    assert report.events == 1


def test_a_tenant_is_checked_together_with_the_system_registry() -> None:
    box = a_box_with_a_story()
    box.admit("their admin", tenant="globex", by="root", key_class=KeyClass.ACTOR_ADMIN)
    box.alter(REGISTRY, 1, "globex", intent=b"{}")

    ours, theirs, everybody = box.verify(TENANT), box.verify("globex"), box.verify()

    assert ours.intact
    assert (theirs.intact, everybody.intact) == (False, False)
    assert ours.streams == len(box.tables.chains) - 1
    assert (theirs.streams, everybody.streams) == (2, len(box.tables.chains))


def test_the_system_tenant_is_checked_once() -> None:
    report = a_box_with_a_story().verify(SYSTEM)

    assert (report.streams, report.events, report.intact) == (1, 1, True)


@pytest.mark.parametrize("document", [None, b"{}"], ids=["gone", "another"])
def test_a_definition_that_is_gone_or_another_is_found_at_its_publication(document: bytes | None) -> None:
    box = a_box_with_a_story()
    (key,) = box.tables.documents
    box.tables.documents.pop(key)
    if document is not None:
        box.tables.documents[key] = document

    assert found(box.verify()) == {(FindingCode.DOCUMENT_DIFFERS, "workflow/customer/onboarding", 1)}


def test_what_an_ended_key_signed_while_the_registry_was_set_back_is_found() -> None:
    """The engine is honest, and sees an old registry for a while; afterwards everything is put back."""
    box = a_box_with_a_story()
    accepted(box.actors.retire(TENANT, box.key("maria").actor, box.key("admin")))
    ended = box.events(REGISTRY).pop()
    box.move_to(box.clock.now() + timedelta(hours=1))
    box.begin("c-9")
    box.events(REGISTRY).append(ended)

    assert found(box.verify()) == {(FindingCode.CONTEXT_OUTDATED, "process/c-9", 1)}


def test_a_command_about_a_key_that_was_never_admitted_is_found_and_stops_nothing() -> None:
    box = a_box_with_a_story()
    del box.events(REGISTRY)[0]

    report = box.verify()

    assert (FindingCode.EVENTS_MISSING, REGISTRY, 2) in found(report)


def test_one_process_is_checked_with_what_it_rests_on_and_no_others() -> None:
    box = a_box_with_a_story()
    box.alter("process/c-2", 1, record_sig=bytes(64))

    report = box.verify(TENANT, processes=["c-1"])

    assert report.intact
    assert report.events == len(box.events(STREAM)) + len(box.events(REGISTRY)) + 1 + 1
    assert any("other processes" in gap for gap in report.not_proven)
    assert found(box.verify(TENANT, processes=["c-2"])) == {(F.ENGINE_SIGNATURE, "process/c-2", 1)}


def test_what_a_process_rests_on_is_checked_with_it() -> None:
    box = a_box_with_a_story()
    box.alter("workflow/customer/onboarding", 1, intent_sig=bytes(64))

    told = found(box.verify(TENANT, processes=["c-1"]))

    assert (F.ACTOR_SIGNATURE, "workflow/customer/onboarding", 1) in told


def test_a_process_that_is_not_there_is_told_beside_those_that_are() -> None:
    box = a_box_with_a_story()

    told = found(box.verify(TENANT, processes=["c-1", "c-7"]))

    assert told == {(F.NOTHING_CHECKED, "process/c-7", 0)}


class Counting(OpenEvidence):
    """Evidence that notes which documents are read."""

    read: list[str]

    def document(self, tenant: str, sha256: str) -> bytes | None:
        """See `Chains.document`."""
        self.read.append(sha256)
        return super().document(tenant, sha256)


class CountingLog:
    """A log whose evidence notes which documents are read."""

    def __init__(self, box: OpenBox) -> None:
        self._box = box
        self.read: list[str] = []

    @contextmanager
    def as_of_now(self) -> Iterator[Evidence]:
        """See `EvidenceSource.as_of_now`."""
        with self._box.open_log.as_of_now() as evidence:
            counting = Counting(evidence, self._box.open_log)
            counting.read = self.read
            yield counting


def test_a_document_is_not_read_again_for_every_later_version() -> None:
    box, versions = an_empty_box(), 12
    box.bootstrap()
    for number in range(versions):
        box.published({**ONBOARDING, "title": f"version {number}"})
    log = CountingLog(box)

    report = Verify(log, Ed25519Verifier(), origin=box.origin, root=key_of("root").actor)()

    assert report.decided == report.events
    assert len(log.read) <= 4 * versions
