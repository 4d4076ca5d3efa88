"""Tokens: who holds a key shows it for a short while. Every way to be no token has its own code."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import ANA, MARIA, ORIGIN, TENANT, StandIn, verify
from sealwork.domain.instants import instant_text
from sealwork.domain.ledger.envelope import pae
from sealwork.domain.ledger.token import (
    MAX_TOKEN_CHARACTERS,
    MAX_TOKEN_TIME,
    Token,
    read_token,
    signed_token_bytes,
    token_text,
)
from sealwork.domain.refusals import RefusalCode, Refused

NOW = datetime(2026, 6, 18, 10, tzinfo=UTC)
TICK = timedelta(microseconds=1)


def statement(key: StandIn = MARIA, lasting: timedelta = timedelta(minutes=15), **others: str) -> bytes:
    members = {"origin": ORIGIN, "tenant": TENANT, "key": key.actor, "not_after": instant_text(NOW + lasting)}
    return Token.model_validate(members | others).to_bytes()


def of(body: bytes, signer: StandIn = MARIA) -> str:
    return token_text(body, signer.sign(signed_token_bytes(body)))


def read(text: str) -> object:
    """The actor, or (code, pointer)."""
    answer = read_token(text, NOW, origin=ORIGIN, tenant=TENANT, verify=verify)
    return (answer.code, answer.pointer) if isinstance(answer, Refused) else answer


@pytest.mark.parametrize("lasting", [timedelta(0), TICK, MAX_TOKEN_TIME])
def test_a_token_tells_who_made_it(lasting: timedelta) -> None:
    assert read(of(statement(lasting=lasting))) == MARIA.actor


def test_a_token_is_a_statement_and_a_signature_over_it() -> None:
    body, signature = of(statement()).split(".")
    said = (
        f'{{"key":"{MARIA.actor}","not_after":"2026-06-18T10:15:00.000000Z",'
        f'"origin":"{ORIGIN}","tenant":"{TENANT}","v":1}}'
    ).encode()
    signed = MARIA.sign(pae("application/vnd.sealwork.token.v1+json", said))

    assert body == urlsafe_b64encode(said).rstrip(b"=").decode()
    assert signature == urlsafe_b64encode(signed).rstrip(b"=").decode()


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        (of(statement(lasting=-TICK)), (RefusalCode.EXPIRED_TOKEN, "/not_after")),
        (of(statement(lasting=MAX_TOKEN_TIME + TICK)), (RefusalCode.INVALID_INPUT, "/not_after")),
        (of(statement(origin="other.example/log")), (RefusalCode.WRONG_ORIGIN, "/origin")),
        (of(statement(tenant="globex")), (RefusalCode.WRONG_TENANT, "/tenant")),
        (of(statement(), ANA), (RefusalCode.BAD_SIGNATURE, "/key")),
        (token_text(statement(), MARIA.sign(statement())), (RefusalCode.BAD_SIGNATURE, "/key")),
        (of(statement().replace(b'"v":1', b'"v":2')), (RefusalCode.NOT_CANONICAL, "/v")),
        (of(statement().replace(b'"v":1', b'"v":true')), (RefusalCode.NOT_CANONICAL, "/v")),
        (of(statement().replace(b',"v":1', b',"v":1,"x":1')), (RefusalCode.NOT_CANONICAL, "/x")),
        (of(statement().replace(b',"v":1', b', "v":1')), (RefusalCode.NOT_CANONICAL, "")),
        (of(b"[]"), (RefusalCode.NOT_CANONICAL, "")),
        (of(b"\xff"), (RefusalCode.NOT_CANONICAL, None)),
        (of(statement()) + "=", (RefusalCode.NOT_CANONICAL, None)),
        (of(statement()) + "\n", (RefusalCode.NOT_CANONICAL, None)),
        (of(statement()).replace(".", ".."), (RefusalCode.NOT_CANONICAL, None)),
        (of(statement()).partition(".")[0], (RefusalCode.NOT_CANONICAL, None)),
        ("", (RefusalCode.NOT_CANONICAL, None)),
        (of(b"1" * MAX_TOKEN_CHARACTERS), (RefusalCode.NOT_CANONICAL, None)),
    ],
    ids=[
        "expired",
        "too long",
        "another log",
        "another tenant",
        "another key",
        "the bare bytes signed",
        "another version",
        "true for 1",
        "a member too many",
        "a blank",
        "a list",
        "no text",
        "padding",
        "a line end",
        "two dots",
        "no signature",
        "nothing",
        "too large",
    ],
)
def test_what_is_no_token_is_refused_with_its_own_code(text: str, refusal: object) -> None:
    assert read(text) == refusal


def test_a_token_in_another_spelling_is_none() -> None:
    """The last character of 64 bytes in base64 carries 4 bits that decoding drops."""
    token = of(statement())
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    twin = token[:-1] + alphabet[alphabet.index(token[-1]) + 1]

    assert read(twin) == (RefusalCode.NOT_CANONICAL, None)


@given(st.integers(min_value=0), st.characters(exclude_categories=["Cs"]))
def test_an_edited_token_is_refused(place: int, character: str) -> None:
    token = of(statement())
    at = place % len(token)
    edited = token[:at] + character + token[at + 1 :]

    assert (read(edited) == MARIA.actor) == (edited == token)


@given(st.text() | st.from_regex(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{86}", fullmatch=True))
def test_garbage_is_refused(text: str) -> None:
    answer = read_token(text, NOW, origin=ORIGIN, tenant=TENANT, verify=verify)

    assert isinstance(answer, Refused)


@given(st.binary())
def test_signed_garbage_is_refused(body: bytes) -> None:
    answer = read_token(of(body), NOW, origin=ORIGIN, tenant=TENANT, verify=verify)

    assert isinstance(answer, Refused)
