"""Checking the whole log. Source: events.md, "Verification"; ledger cases 1, 3, 6, 14, 18, 19, 22, 24; S1-123."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest

from open_box import OpenBox, an_empty_box, an_open_box
from sealing import START, TENANT, accepted, key_of
from sealwork.adapters.signing import Ed25519Verifier, SecretKey
from sealwork.application.ports.event_log import StreamHead
from sealwork.application.proof.verify import NOT_PROVEN, Report, Verify
from sealwork.domain.ids import SYSTEM
from sealwork.domain.instants import instant_text
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.intent import Intent, intent_hash, signed_intent_bytes
from sealwork.domain.ledger.record import Record, signed_record_bytes, state_bytes
from sealwork.domain.proof.findings import FindingCode

STREAM = "process/c-1"
REGISTRY = "actors/registry"


def a_box_with_a_story() -> OpenBox:
    """A deployment where c-1 has four events, two of them by the machine, and c-2 one."""
    box = an_open_box()
    box.begin("c-1")
    box.take("c-1", "submit", "maria", {"country": "SE"})
    box.fire_due()
    box.wait(timedelta(hours=49))
    box.fire_due()
    box.begin("c-2")
    return box


def found(report: Report) -> set[tuple[str, str, int]]:
    """Code, stream and position of each finding."""
    return {(finding.code, finding.stream, finding.seq) for finding in report.findings}


def record_of(box: OpenBox, stream: str, seq: int, tenant: str = TENANT) -> Record:
    """What the engine countersigned."""
    record = box.events(stream, tenant)[seq - 1].read_record
    assert isinstance(record, Record)
    return record


def intent_of(box: OpenBox, stream: str, seq: int) -> Intent:
    """What the actor signed."""
    intent = box.events(stream)[seq - 1].read_intent
    assert isinstance(intent, Intent)
    return intent


def reseal(box: OpenBox, stream: str, seq: int, by: SecretKey | None = None, **members: object) -> None:
    """Change a record and countersign it, as somebody who has stolen an engine key could."""
    body = record_of(box, stream, seq).model_copy(update=members).to_bytes()
    key = by or box.key("engine")
    box.alter(stream, seq, record=body, record_sig=key.sign(signed_record_bytes(body)))


def replace_intent(box: OpenBox, stream: str, seq: int, by: SecretKey, **members: object) -> None:
    """Change an intent, sign it, and seal a record that fits, as somebody who has stolen every key could."""
    body = intent_of(box, stream, seq).model_copy(update=members).to_bytes()
    signature = by.sign(signed_intent_bytes(body))
    reseal(box, stream, seq, intent=intent_hash(body), intent_sig=signature.hex())
    box.alter(stream, seq, intent=body, intent_sig=signature)


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
        assert report.not_proven == NOT_PROVEN
        assert any("cut off" in gap for gap in report.not_proven)


@dataclass(frozen=True)
class Tampering:
    """One change behind the engine's back, and all that must be found, in the stream of c-1 unless it is said."""

    name: str
    does: Callable[[OpenBox], None]
    found: set[tuple[FindingCode, int]]
    stream: str = STREAM


def drops(seq: int) -> Callable[[OpenBox], None]:
    return lambda box: box.events(STREAM).__delitem__(seq - 1)


def alters(seq: int, **members: bytes | None) -> Callable[[OpenBox], None]:
    return lambda box: box.alter(STREAM, seq, **members)


def edits_the_country(box: OpenBox) -> None:
    intent = (box.events(STREAM)[1].intent or b"").replace(b'"SE"', b'"NO"')
    box.alter(STREAM, 2, intent=intent)


def edits_the_record(box: OpenBox) -> None:
    box.alter(STREAM, 2, record=box.events(STREAM)[1].record.replace(b'"ready"', b'"draft"'))


def swaps_two(box: OpenBox) -> None:
    events = box.events(STREAM)
    events[1], events[2] = events[2], events[1]


def puts_another_process_in(box: OpenBox) -> None:
    stray = box.events("process/c-2")[0]
    box.alter(STREAM, 1, intent=stray.intent, intent_sig=stray.intent_sig, record=stray.record)
    box.alter(STREAM, 1, record_sig=stray.record_sig)


def forges_the_actor(box: OpenBox) -> None:
    replace_intent(box, STREAM, 4, by=key_of("ana"), input={"country": "NO"})


def forges_the_engine(box: OpenBox) -> None:
    body = box.events(STREAM)[3].record
    box.alter(STREAM, 4, record_sig=key_of("ana").sign(signed_record_bytes(body)))


def seals_with_another_key(box: OpenBox) -> None:
    reseal(box, STREAM, 4, by=key_of("another engine"), engine_key=key_of("another engine").actor)


def seals_with_the_key_of_a_person(box: OpenBox) -> None:
    reseal(box, STREAM, 4, by=key_of("maria"), engine_key=key_of("maria").actor)


def claims_an_earlier_position(box: OpenBox) -> None:
    reseal(box, STREAM, 4, actors=record_of(box, STREAM, 4).actors.model_copy(update={"tenant": 1}))


def claims_another_actor(box: OpenBox) -> None:
    reseal(box, STREAM, 4, actor=key_of("ana").actor)


def claims_an_earlier_time(box: OpenBox) -> None:
    reseal(box, STREAM, 4, recorded_at=instant_text(START - timedelta(hours=1)))


def claims_another_origin(box: OpenBox) -> None:
    reseal(box, STREAM, 4, origin="other.example/log")


def starts_without_genesis(box: OpenBox) -> None:
    reseal(box, STREAM, 1, prev="0" * 64)


def signs_for_a_stranger(box: OpenBox) -> None:
    stranger = key_of("stranger")
    replace_intent(box, STREAM, 4, by=stranger, key=stranger.actor)
    reseal(box, STREAM, 4, actor=stranger.actor)


F = FindingCode
TAMPERINGS = [
    Tampering("an intent edited", edits_the_country, {(F.INTENT_REPLACED, 2), (F.ACTOR_SIGNATURE, 2)}),
    Tampering("no intent at all", alters(2, intent=b"{}"), {(F.INTENT_UNREADABLE, 2)}),
    Tampering(
        "intent and signature taken out", alters(2, intent=None, intent_sig=None), {(F.INTENT_UNREADABLE, 2)}
    ),
    Tampering(
        "another signature", alters(2, intent_sig=bytes(64)), {(F.INTENT_REPLACED, 2), (F.ACTOR_SIGNATURE, 2)}
    ),
    Tampering("a record edited", edits_the_record, {(F.ENGINE_SIGNATURE, 2), (F.LINK_BROKEN, 3)}),
    Tampering("an empty record", alters(2, record=b""), {(F.RECORD_UNREADABLE, 2), (F.LINK_BROKEN, 3)}),
    Tampering("a record of nothing", alters(2, record=b"{}"), {(F.RECORD_UNREADABLE, 2), (F.LINK_BROKEN, 3)}),
    Tampering("null for a record", alters(2, record=b"null"), {(F.RECORD_UNREADABLE, 2), (F.LINK_BROKEN, 3)}),
    Tampering("another countersignature", alters(2, record_sig=bytes(64)), {(F.ENGINE_SIGNATURE, 2)}),
    Tampering("no countersignature", alters(2, record_sig=b""), {(F.ENGINE_SIGNATURE, 2)}),
    Tampering("an event taken out", drops(2), {(F.EVENTS_MISSING, 3)}),
    Tampering("the first event taken out", drops(1), {(F.EVENTS_MISSING, 2)}),
    Tampering("countersigned by a person", forges_the_engine, {(F.ENGINE_SIGNATURE, 4)}),
    Tampering("signed by another", forges_the_actor, {(F.ACTOR_SIGNATURE, 4), (F.HEAD_DIFFERS, 4)}),
    Tampering("sealed by a stranger", seals_with_another_key, {(F.ENGINE_KEY, 4), (F.HEAD_DIFFERS, 4)}),
    Tampering("sealed by a person", seals_with_the_key_of_a_person, {(F.ENGINE_KEY, 4), (F.HEAD_DIFFERS, 4)}),
    Tampering("signed by a stranger", signs_for_a_stranger, {(F.ACTOR_KEY, 4), (F.HEAD_DIFFERS, 4)}),
    Tampering("before the key was admitted", claims_an_earlier_position, {(F.ACTOR_KEY, 4), (F.HEAD_DIFFERS, 4)}),
    Tampering("of another actor", claims_another_actor, {(F.MEMBERS_DIFFER, 4), (F.HEAD_DIFFERS, 4)}),
    Tampering("recorded earlier", claims_an_earlier_time, {(F.TIME_BACKWARDS, 4), (F.HEAD_DIFFERS, 4)}),
    Tampering(
        "of another log",
        claims_another_origin,
        {(F.WRONG_PLACE, 4), (F.MEMBERS_DIFFER, 4), (F.HEAD_DIFFERS, 4)},
    ),
    Tampering(
        "begun without its genesis",
        starts_without_genesis,
        {(F.LINK_BROKEN, 1), (F.MEMBERS_DIFFER, 1), (F.LINK_BROKEN, 2)},
    ),
    Tampering(
        "an event of another process",
        puts_another_process_in,
        {(F.WRONG_PLACE, 1), (F.LINK_BROKEN, 1), (F.LINK_BROKEN, 2), (F.TIME_BACKWARDS, 2)},
    ),
]
"""Whoever re-seals the last event must also change the head; here the head row still says what it said."""


@pytest.mark.parametrize("tampering", TAMPERINGS, ids=lambda tampering: tampering.name)
def test_a_change_is_found_where_it_was_made(tampering: Tampering) -> None:
    box = a_box_with_a_story()
    last = box.events(STREAM)[-1]
    box.open_log.heads[STREAM] = {"seq": last.seq, "hash": last.hash}
    tampering.does(box)

    report = box.verify()

    assert not report.intact
    assert found(report) == {(code, tampering.stream, seq) for code, seq in tampering.found}
    assert {finding.tenant for finding in report.findings} == {TENANT}
    assert all(finding.detail for finding in report.findings)


def test_two_events_in_the_wrong_order_are_found() -> None:
    box = a_box_with_a_story()
    swaps_two(box)

    assert (F.EVENTS_MISSING, STREAM, 3) in found(box.verify())


def test_an_end_that_was_cut_off_is_found_as_long_as_the_head_is_left() -> None:
    box = a_box_with_a_story()
    last = box.events(STREAM)[-1]
    box.open_log.heads[STREAM] = {"seq": last.seq, "hash": last.hash}
    del box.events(STREAM)[2:]

    codes = {finding.code for finding in box.verify().findings}

    assert codes == {F.HEAD_DIFFERS, F.STATE_DIFFERS}


def test_an_end_that_was_cut_off_together_with_its_head_is_not_found_and_the_report_says_so() -> None:
    box = a_box_with_a_story()
    del box.events("process/c-2")[0]
    del box.tables.chains[(TENANT, "process/c-2")]

    report = box.verify()

    assert report.intact
    assert any("cut off together with its head" in gap for gap in report.not_proven)


@pytest.mark.parametrize("head", [{"seq": 3}, {"seq": 0, "hash": ""}, {"hash": "0" * 64}], ids=str)
def test_a_head_row_that_does_not_name_the_last_event_is_found(head: dict[str, object]) -> None:
    box = a_box_with_a_story()
    box.open_log.heads[STREAM] = head

    assert found(box.verify()) == {(F.HEAD_DIFFERS, STREAM, int(str(head.get("seq", 4))))}


@pytest.mark.parametrize("state", [state_bytes("done", {}), b""], ids=["another", "empty"])
def test_a_stored_state_that_was_not_countersigned_is_found(state: bytes) -> None:
    box = a_box_with_a_story()
    box.chain(STREAM).state = state

    assert found(box.verify()) == {(F.STATE_DIFFERS, STREAM, 4)}


def test_a_state_that_is_gone_is_found() -> None:
    box = a_box_with_a_story()
    box.open_log.heads[STREAM] = {"state": None}

    assert found(box.verify()) == {(F.STATE_DIFFERS, STREAM, 4)}


def test_a_head_of_a_stream_without_events_is_found() -> None:
    box = a_box_with_a_story()
    ghost = StreamHead(tenant=TENANT, stream="process/ghost", seq=3, hash="0" * 64, state=None)
    box.open_log.headless.append(ghost)

    assert found(box.verify()) == {(F.HEAD_DIFFERS, "process/ghost", 3)}


def test_events_whose_head_is_gone_are_found() -> None:
    box = a_box_with_a_story()
    box.open_log.heads["process/c-2"] = {"seq": 0, "hash": "", "state": None}

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
