"""Tampering with the bytes of a chain of five: each kind is found, at its place, as what it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import ANA, ENGINE, MARIA, PROCESS, TENANT, a_chain, a_trust, changed, link_before, minute, verify
from laws import law
from sealwork.domain.ledger.intent import intent_hash
from sealwork.domain.proof.chain import check_event, link_of
from sealwork.domain.proof.findings import FindingCode
from tampering import CHAIN, PARTS, Part, findings_of, flipped, found, intent_of, record_of, with_event

# What is sound


def test_a_sound_chain_has_no_findings() -> None:
    assert found(CHAIN) == []


def test_a_sound_chain_of_one_has_no_findings() -> None:
    assert found(CHAIN[:1]) == []


def test_several_people_may_act_in_one_chain() -> None:
    assert found(a_chain(by={2: ANA, 4: ANA})) == []


def test_two_events_may_be_recorded_in_the_same_instant() -> None:
    assert found(a_chain(recorded_at=minute(1))) == []


def test_a_tail_that_was_cut_off_cannot_be_seen_in_the_events_alone() -> None:
    # ledger case 18: the head row and, later, checkpoints are there for that
    assert found(CHAIN[:3]) == []


# Bytes


@pytest.mark.parametrize("part", PARTS)
def test_every_changed_byte_is_found(part: Part) -> None:
    event, after = CHAIN[2], link_before(CHAIN, 2)
    body = getattr(event, part)

    missed = [
        at
        for at in range(len(body))
        if not list(check_event(changed(event, **{part: flipped(body, at)}), after, a_trust(), verify))
    ]

    assert missed == []


@law
@given(st.integers(0, 4), st.sampled_from(PARTS), st.data())
def test_every_changed_bit_of_every_event_is_found(index: int, part: Part, data: st.DataObject) -> None:
    body = getattr(CHAIN[index], part)
    at = data.draw(st.integers(0, len(body) - 1))
    mask = data.draw(st.sampled_from([1, 2, 4, 8, 16, 32, 64, 128]))

    assert found(with_event(changed(CHAIN[index], **{part: flipped(body, at, mask)}), index + 1))


@law
@given(st.sampled_from(PARTS), st.binary(max_size=80))
def test_rubbish_instead_of_bytes_is_found_and_does_not_raise(part: Part, rubbish: bytes) -> None:
    assert found(with_event(changed(CHAIN[2], **{part: rubbish})))


@pytest.mark.parametrize("seq", range(1, 6))
def test_an_edited_intent_is_found(seq: int) -> None:
    event = CHAIN[seq - 1]
    edited = intent_of(event).model_copy(update={"input": {"n": 999}}).to_bytes()

    assert found(with_event(changed(event, intent=edited), seq)) == [
        (FindingCode.INTENT_REPLACED, seq),
        (FindingCode.ACTOR_SIGNATURE, seq),
    ]


def test_an_intent_that_cannot_be_read_is_found() -> None:
    found_ = findings_of(with_event(changed(CHAIN[2], intent=b"{}")))

    assert [(finding.code, finding.seq) for finding in found_] == [(FindingCode.INTENT_UNREADABLE, 3)]
    assert found_[0].detail == "Field required"


def test_an_event_without_an_intent_is_found() -> None:
    assert found(with_event(changed(CHAIN[2], intent=None))) == [(FindingCode.INTENT_UNREADABLE, 3)]


@pytest.mark.parametrize("seq", range(1, 5))
def test_an_edited_record_is_found_and_breaks_the_next_link(seq: int) -> None:
    edited = record_of(CHAIN[seq - 1]).model_copy(update={"depth": 7}).to_bytes()

    assert found(with_event(changed(CHAIN[seq - 1], record=edited), seq)) == [
        (FindingCode.ENGINE_SIGNATURE, seq),
        (FindingCode.LINK_BROKEN, seq + 1),
    ]


def test_an_edited_last_record_is_found_by_the_engines_signature_alone() -> None:
    edited = record_of(CHAIN[4]).model_copy(update={"depth": 7}).to_bytes()

    assert found(with_event(changed(CHAIN[4], record=edited), 5)) == [(FindingCode.ENGINE_SIGNATURE, 5)]


def test_a_record_that_cannot_be_read_is_found_with_its_place() -> None:
    broken = CHAIN[2].record.replace(b'"depth":0', b'"depth":"0"')

    findings = findings_of(with_event(changed(CHAIN[2], record=broken)))

    assert [(finding.code, finding.seq) for finding in findings] == [
        (FindingCode.RECORD_UNREADABLE, 3),
        (FindingCode.LINK_BROKEN, 4),
    ]
    assert findings[0].detail.startswith("/depth ")


def test_a_record_that_is_no_json_is_found() -> None:
    (finding, _) = findings_of(with_event(changed(CHAIN[2], record=b"")))

    assert (finding.code, finding.detail[:6]) == (FindingCode.RECORD_UNREADABLE, "line 1")


@pytest.mark.parametrize("signature", [b"", b"\x00" * 64, MARIA.sign(b"another message"), CHAIN[1].intent_sig])
def test_another_signature_of_the_actor_is_found(signature: bytes) -> None:
    assert found(with_event(changed(CHAIN[2], intent_sig=signature))) == [
        (FindingCode.INTENT_REPLACED, 3),
        (FindingCode.ACTOR_SIGNATURE, 3),
    ]


def test_a_missing_signature_of_the_actor_is_found() -> None:
    assert found(with_event(changed(CHAIN[2], intent_sig=None))) == [
        (FindingCode.INTENT_REPLACED, 3),
        (FindingCode.ACTOR_SIGNATURE, 3),
    ]


@pytest.mark.parametrize("signature", [b"", b"\x00" * 64, ENGINE.sign(b"another message"), CHAIN[1].record_sig])
def test_another_signature_of_the_engine_is_found(signature: bytes) -> None:
    assert found(with_event(changed(CHAIN[2], record_sig=signature))) == [(FindingCode.ENGINE_SIGNATURE, 3)]


def test_a_signature_over_the_bare_bytes_is_none() -> None:
    event = CHAIN[2]
    assert event.intent is not None

    bare = changed(event, intent_sig=MARIA.sign(event.intent), record_sig=ENGINE.sign(event.record))

    assert (FindingCode.ACTOR_SIGNATURE, 3) in found(with_event(bare))
    assert (FindingCode.ENGINE_SIGNATURE, 3) in found(with_event(bare))


def test_the_signatures_of_actor_and_engine_cannot_change_places() -> None:
    event = CHAIN[2]

    swapped = changed(event, intent_sig=event.record_sig, record_sig=event.intent_sig)

    assert found(with_event(swapped)) == [
        (FindingCode.ENGINE_SIGNATURE, 3),
        (FindingCode.INTENT_REPLACED, 3),
        (FindingCode.ACTOR_SIGNATURE, 3),
    ]


# Details


def test_a_finding_names_tenant_and_stream() -> None:
    (finding,) = findings_of(with_event(changed(CHAIN[2], record_sig=b"")))

    assert (finding.tenant, finding.stream) == (TENANT, PROCESS)


def test_the_next_event_must_follow_the_hash_of_this_one() -> None:
    link = link_of(CHAIN[2])

    assert (link.seq, link.hash, link.recorded_at) == (3, CHAIN[2].hash, minute(3))


def test_a_record_names_the_hash_of_its_intent() -> None:
    event = CHAIN[0]
    assert event.intent is not None

    assert record_of(event).intent == intent_hash(event.intent)
