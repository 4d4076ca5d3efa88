"""Every change of the stored bytes is found at its place. Source: ledger cases 1, 3, 14, 19, 22, 24.

Whoever makes them has every right on the database, and in some cases every key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest

from open_box import OpenBox, a_box_with_a_story
from process_forger import found, record_of, replace_intent, reseal
from sealing import START, TENANT, key_of
from sealwork.domain.instants import instant_text
from sealwork.domain.ledger.record import signed_record_bytes
from sealwork.domain.proof.findings import FindingCode

STREAM = "process/c-1"
REGISTRY = "actors/registry"


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


def claims_a_position_to_come(box: OpenBox) -> None:
    reseal(box, STREAM, 4, actors=record_of(box, STREAM, 4).actors.model_copy(update={"tenant": 99}))


def claims_a_time_before_the_engine(box: OpenBox) -> None:
    reseal(box, STREAM, 4, actors=record_of(box, STREAM, 4).actors.model_copy(update={"system": 0}))


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
    Tampering(
        "before the key was admitted",
        claims_an_earlier_position,
        {(F.CONTEXT_BACKWARDS, 4), (F.CONTEXT_OUTDATED, 4), (F.ACTOR_KEY, 4), (F.HEAD_DIFFERS, 4)},
    ),
    Tampering(
        "before the engine was admitted",
        claims_a_time_before_the_engine,
        {(F.CONTEXT_BACKWARDS, 4), (F.CONTEXT_OUTDATED, 4), (F.ENGINE_KEY, 4), (F.HEAD_DIFFERS, 4)},
    ),
    Tampering("after all admissions", claims_a_position_to_come, {(F.CONTEXT_UNKNOWN, 4), (F.HEAD_DIFFERS, 4)}),
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
    box.open_log.head_rows[STREAM] = {"seq": last.seq, "hash": last.hash}
    tampering.does(box)

    report = box.verify()

    assert not report.intact
    assert found(report) == {(code, tampering.stream, seq) for code, seq in tampering.found}
    assert {finding.tenant for finding in report.findings} == {TENANT}
    assert all(finding.detail for finding in report.findings)


def test_every_kind_of_finding_is_among_these_or_told_of_a_whole_log() -> None:
    of_a_whole_log = {F.STATE_DIFFERS, F.SUSPECT_KEY, F.DOCUMENT_DIFFERS, F.NOTHING_CHECKED}

    of_children = {F.CAUSE_DIFFERS}  # in test_tampered_children.py
    of_rules = {F.NOT_PERMITTED, F.DECIDED_DIFFERENTLY, F.NOT_PROMISED, F.FIRED_EARLY}  # in test_decided_again.py
    of_rows = {F.ROW_MISSING, F.ROW_UNFOUNDED, F.ROW_DIFFERS}  # there too
    of_tables = {F.ACTORS_DIFFER, F.COLUMN_DIFFERS}  # in adapters/postgres/test_edited_tables.py
    in_a_chain = {code for tampering in TAMPERINGS for code, _ in tampering.found}

    assert in_a_chain | of_a_whole_log | of_children | of_rules | of_rows | of_tables == {*FindingCode}
