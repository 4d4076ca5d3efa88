from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws import law
from sealwork.domain.ledger.canonical import canonical
from sealwork.domain.ledger.envelope import MediaType, digest, genesis, pae
from sealwork.domain.ledger.intent import intent_hash, signed_intent_bytes
from sealwork.domain.ledger.record import record_hash, signed_record_bytes

NAMES = st.text(min_size=1, max_size=6)


def test_the_encoding_is_that_of_dsse() -> None:
    assert pae("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )


def test_lengths_are_of_bytes() -> None:
    assert pae("é", "ü€".encode()) == "DSSEv1 2 é 5 ü€".encode()


def test_an_empty_body_is_encoded_too() -> None:
    assert pae("", b"") == b"DSSEv1 0  0 "


@law
@given(st.text(), st.binary(), st.text(), st.binary())
def test_different_messages_have_different_encodings(one: str, body: bytes, other: str, other_body: bytes) -> None:
    assert (pae(one, body) == pae(other, other_body)) == ((one, body) == (other, other_body))


@law
@given(st.text(max_size=4), st.binary(min_size=1, max_size=4))
def test_bytes_moved_over_a_boundary_give_another_encoding(kind: str, body: bytes) -> None:
    shifted = kind + body[:1].decode("latin-1")

    assert pae(kind, body) != pae(shifted, body[1:])


@law
@given(NAMES, NAMES, NAMES)
def test_text_moved_between_adjacent_members_gives_other_signed_bytes(one: str, two: str, three: str) -> None:
    # ledger case 28: ("ab", "c") and ("a", "bc")
    members = [one, two, three]
    moved = [[one + two[:1], two[1:], three], [one, two + three[:1], three[1:]], [one + two, "", three]]

    signed = {pae(MediaType.DEDUPE, canonical([*names])) for names in [members, *moved]}

    assert len(signed) == len({tuple(names) for names in [members, *moved]})


@law
@given(st.binary())
def test_one_body_has_another_hash_under_every_media_type(body: bytes) -> None:
    assert len({digest(kind, body) for kind in MediaType}) == len(MediaType)


@pytest.mark.parametrize("kind", MediaType)
def test_a_digest_is_the_sha_256_of_the_encoding(kind: MediaType) -> None:
    assert digest(kind, b"body") == sha256(pae(kind, b"body")).hexdigest()


def test_the_media_types_are_those_of_the_specification() -> None:
    json = [f"{name}.v1+json" for name in ("intent", "record", "key-proof", "token", "dedupe", "work", "trigger")]

    assert {kind.value for kind in MediaType} == {
        f"application/vnd.sealwork.{name}" for name in [*json, "genesis.v1"]
    }


def test_a_stream_begins_with_the_hash_of_its_name() -> None:
    body = b"sealwork.example\nacme\nprocess/p-1"

    assert genesis("sealwork.example", "acme", "process/p-1") == digest(MediaType.GENESIS, body)


def test_no_two_streams_begin_with_the_same_hash() -> None:
    places = [("a", "b", "c/d"), ("x", "b", "c/d"), ("a", "x", "c/d"), ("a", "b", "c/x"), ("ab", "", "c/d")]

    assert len({genesis(*place) for place in places}) == len(places)


@law
@given(st.lists(st.text("ab/", min_size=1, max_size=3), min_size=3, max_size=3), st.integers(0, 1))
def test_text_moved_between_the_names_of_a_stream_gives_another_beginning(names: list[str], at: int) -> None:
    # no name holds the line feed that stands between them
    moved = [*names[:at], names[at] + names[at + 1][:1], names[at + 1][1:], *names[at + 2 :]]

    assert genesis(*names) != genesis(*moved)


def test_an_intent_and_a_record_of_the_same_bytes_are_two_messages() -> None:
    assert signed_intent_bytes(b"{}") != signed_record_bytes(b"{}")
    assert intent_hash(b"{}") != record_hash(b"{}")


def test_the_hash_of_a_message_is_the_hash_of_what_is_signed() -> None:
    assert intent_hash(b"{}") == sha256(signed_intent_bytes(b"{}")).hexdigest()
    assert record_hash(b"{}") == sha256(signed_record_bytes(b"{}")).hexdigest()
