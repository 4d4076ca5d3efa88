"""Ed25519 keys: what they sign, what is taken for a signature, and that the private half is never shown."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws import law
from sealwork.adapters.signing import Ed25519Verifier, SecretKey, new_secret_key
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import actor_id
from sealwork.domain.ledger.envelope import MediaType, pae
from sealwork.domain.ledger.intent import signed_intent_bytes
from sealwork.domain.ledger.record import signed_record_bytes
from secret_seed import KEY, SEED, shows_the_seed, traceback_of

VERIFIER = Ed25519Verifier()
BODY = b'{"a":1}'


# Signing


def test_a_key_signs_as_its_public_half() -> None:
    assert VERIFIER.verify(KEY.actor, b"message", KEY.sign(b"message"))


def test_a_signature_is_64_bytes_and_always_the_same() -> None:
    assert (len(KEY.sign(BODY)), KEY.sign(BODY)) == (64, SecretKey(SEED).sign(BODY))


def test_a_new_key_is_one_that_nobody_had_before() -> None:
    keys = {new_secret_key().actor for _ in range(5)}

    assert len(keys) == 5
    assert all(VERIFIER.admissible(actor) for actor in keys)


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_seed_of_another_length_is_no_key(length: int) -> None:
    with pytest.raises(Misconfigured, match=f"not of {length}"):
        SecretKey(bytes(length))


# Verifying


@pytest.mark.parametrize("kind", MediaType)
def test_a_signature_over_one_media_type_is_none_over_another(kind: MediaType) -> None:
    signature = KEY.sign(pae(kind, BODY))

    taken = [other for other in MediaType if VERIFIER.verify(KEY.actor, pae(other, BODY), signature)]

    assert taken == [kind]


def test_a_signature_over_an_intent_is_none_over_its_bare_bytes() -> None:
    signature = KEY.sign(signed_intent_bytes(BODY))

    assert VERIFIER.verify(KEY.actor, signed_intent_bytes(BODY), signature)
    assert not VERIFIER.verify(KEY.actor, BODY, signature)
    assert not VERIFIER.verify(KEY.actor, signed_record_bytes(BODY), signature)


def test_a_signature_of_another_key_is_none() -> None:
    assert not VERIFIER.verify(new_secret_key().actor, BODY, KEY.sign(BODY))


@pytest.mark.parametrize("at", range(64))
def test_a_signature_with_a_changed_byte_is_none(at: int) -> None:
    signature = bytearray(KEY.sign(BODY))
    signature[at] ^= 1

    assert not VERIFIER.verify(KEY.actor, BODY, bytes(signature))


@pytest.mark.parametrize("signature", [b"", KEY.sign(BODY)[:63], KEY.sign(BODY) + b"\x00", b"0000", bytes(64)])
def test_a_placeholder_is_no_signature(signature: bytes) -> None:
    # S1-117, X-31
    assert not VERIFIER.verify(KEY.actor, BODY, signature)


def test_the_message_may_be_empty() -> None:
    assert VERIFIER.verify(KEY.actor, b"", KEY.sign(b""))


SPELLINGS: list[Callable[[str], str]] = [
    str.upper,
    lambda actor: actor.removeprefix("ed25519:"),
    lambda actor: f"{actor} ",
    lambda actor: f" {actor}",
    lambda actor: f"{actor}\n",
    lambda actor: actor.replace(":", ": "),
    lambda actor: f"ed25519:{actor}",
    lambda actor: "ed25519:" + actor.removeprefix("ed25519:").upper(),
    lambda actor: f"ed25519:{actor[8:40]} {actor[40:]}",
    lambda actor: actor[:-2],
    lambda actor: f"{actor}00",
    lambda actor: "",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_an_actor_has_one_spelling(spelling: Callable[[str], str]) -> None:
    assert not VERIFIER.verify(spelling(KEY.actor), BODY, KEY.sign(BODY))
    assert not VERIFIER.admissible(spelling(KEY.actor))


@law
@given(st.text() | st.binary(min_size=32, max_size=32).map(actor_id), st.binary(), st.binary())
def test_the_verifier_never_raises(actor: str, message: bytes, signature: bytes) -> None:
    assert VERIFIER.verify(actor, message, signature) is False
    assert VERIFIER.admissible(actor) in (False, True)


@law
@given(st.binary(min_size=64, max_size=64), st.binary())
def test_nothing_made_up_is_a_signature(signature: bytes, message: bytes) -> None:
    assert not VERIFIER.verify(KEY.actor, message, signature)


@law
@given(st.binary(min_size=32, max_size=32), st.binary())
def test_every_seed_makes_a_key_that_may_be_admitted_and_verifies(seed: bytes, message: bytes) -> None:
    key = SecretKey(seed)

    assert VERIFIER.admissible(key.actor)
    assert VERIFIER.verify(key.actor, message, key.sign(message))


# The private half is never shown


def test_the_text_of_a_key_is_its_public_half() -> None:
    assert repr(KEY) == str(KEY) == f"{KEY}" == f"SecretKey({KEY.actor})"


@pytest.mark.parametrize("text_of", [repr, str, lambda key: repr(vars(key)), lambda key: f"{[key]!r}", ascii])
def test_no_text_of_a_key_shows_its_seed(text_of: Callable[[object], str]) -> None:
    assert not shows_the_seed(text_of(KEY))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_key_is_not_pickled(protocol: int) -> None:
    with pytest.raises(TypeError, match="a private key is not serialised") as raised:
        pickle.dumps(KEY, protocol)

    assert not shows_the_seed(str(raised.value))


@pytest.mark.parametrize("made", [copy.copy, copy.deepcopy, json.dumps])
def test_a_key_is_not_copied_nor_written_as_json(made: Callable[[SecretKey], object]) -> None:
    with pytest.raises(TypeError):
        made(KEY)


def test_a_traceback_through_a_key_does_not_show_its_seed() -> None:
    with pytest.raises(TypeError) as raised:
        KEY.sign(cast(bytes, "no bytes"))

    assert not shows_the_seed(traceback_of(raised))
