from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from laws import law
from sealwork.domain import ids
from sealwork.domain.ids import actor_id, is_process_id, public_key_of

HEX = "0123456789abcdef"
ORIGIN = TypeAdapter(ids.Origin)
TENANT = TypeAdapter(ids.Tenant)
STREAM = TypeAdapter(ids.StreamName)
PATH = TypeAdapter(ids.WorkflowPath)
DIGEST = TypeAdapter(ids.Digest)
SIGNATURE = TypeAdapter(ids.SignatureText)
UUID = TypeAdapter(ids.UuidText)
ACTOR = TypeAdapter(ids.ActorId)


def fits(kind: TypeAdapter[str], text: str) -> bool:
    try:
        kind.validate_python(text)
    except ValidationError:
        return False
    return True


@law
@given(st.binary(min_size=32, max_size=32))
def test_an_actor_is_its_public_key(key: bytes) -> None:
    assert public_key_of(actor_id(key)) == key


@law
@given(st.binary(min_size=32, max_size=32))
def test_every_actor_has_the_form_of_one(key: bytes) -> None:
    assert fits(ACTOR, actor_id(key))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (ORIGIN, "sealwork.example"),
        (ORIGIN, "sealwork.example/eu-1/prod_2"),
        (ORIGIN, "a" * 200),
        (TENANT, "a"),
        (TENANT, "acme-2"),
        (TENANT, "a" * 63),
        (STREAM, "process/P-1.2_3:4"),
        (STREAM, "workflow/customer/onboarding"),
        (STREAM, "actors/registry"),
        (STREAM, "process/" + "a" * 192),
        (PATH, "customer/onboarding_2"),
        (PATH, "a" * 150),
        (DIGEST, HEX * 4),
        (SIGNATURE, HEX * 8),
        (UUID, "01234567-89ab-cdef-0123-456789abcdef"),
    ],
)
def test_a_name_of_its_form_is_taken(kind: TypeAdapter[str], text: str) -> None:
    assert fits(kind, text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (ORIGIN, ""),
        (ORIGIN, "Sealwork.example"),
        (ORIGIN, "sealwork.example/"),
        (ORIGIN, "/sealwork.example"),
        (ORIGIN, "a//b"),
        (ORIGIN, "a b"),
        (ORIGIN, "a" * 201),
        (TENANT, ""),
        (TENANT, "-acme"),
        (TENANT, "acme-"),
        (TENANT, "Acme"),
        (TENANT, "a" * 64),
        (TENANT, "acme:eu"),
        (STREAM, "process"),
        (STREAM, "process/"),
        (STREAM, "process/-a"),
        (STREAM, "Process/a"),
        (STREAM, "process/ä"),
        (STREAM, "process/a b"),
        (STREAM, "process/" + "a" * 193),
        (PATH, "customer/"),
        (PATH, "customer//onboarding"),
        (PATH, "../customer"),
        (PATH, "a" * 151),
        (DIGEST, HEX.upper() * 4),
        (DIGEST, HEX * 4 + "0"),
        (SIGNATURE, HEX * 4),
        (ACTOR, HEX * 4),
        (ACTOR, "ed25519:" + HEX.upper() * 4),
        (ACTOR, "ed448:" + HEX * 4),
        (ACTOR, "ed25519:" + HEX * 3),
        (UUID, "01234567-89AB-CDEF-0123-456789ABCDEF"),
        (UUID, "{01234567-89ab-cdef-0123-456789abcdef}"),
        (UUID, HEX * 2),
    ],
)
def test_a_name_of_another_form_is_refused(kind: TypeAdapter[str], text: str) -> None:
    assert not fits(kind, text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (ORIGIN, "sealwork.example"),
        (TENANT, "acme"),
        (STREAM, "process/p"),
        (PATH, "customer"),
        (DIGEST, HEX * 4),
        (SIGNATURE, HEX * 8),
        (ACTOR, "ed25519:" + HEX * 4),
        (UUID, "01234567-89ab-cdef-0123-456789abcdef"),
    ],
)
@pytest.mark.parametrize("around", ["{}\n", "\n{}", "{}\x00", " {}", "{}\u2028"])
def test_nothing_stands_around_a_name(kind: TypeAdapter[str], text: str, around: str) -> None:
    assert not fits(kind, around.format(text))


def test_streams_are_named_by_kind_and_key() -> None:
    assert (ids.process_stream("p-1"), ids.workflow_stream("a/b")) == ("process/p-1", "workflow/a/b")


def test_a_stream_name_splits_at_its_first_slash() -> None:
    stream = ids.workflow_stream("customer/onboarding")

    assert (ids.stream_kind(stream), ids.stream_key(stream)) == ("workflow", "customer/onboarding")


def test_the_streams_that_every_tenant_has_are_well_named() -> None:
    assert fits(STREAM, ids.ACTOR_REGISTRY) and fits(STREAM, ids.RULE_SET)


@pytest.mark.parametrize("text", ["p", "P-1", "order:2026.06_18", "a" * 128, "prc-1", "xprc_1"])
def test_a_caller_may_name_a_process_so(text: str) -> None:
    assert is_process_id(text)


@pytest.mark.parametrize("text", ["", "-p", ".p", "a/b", "a b", "ä", "p\n", "a" * 129, "prc_1", "prc_"])
def test_a_caller_may_not_name_a_process_so(text: str) -> None:
    assert not is_process_id(text)


@law
@given(st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9._:-]{0,127}\Z").filter(is_process_id))
def test_every_process_id_makes_a_stream_name(text: str) -> None:
    assert fits(STREAM, ids.process_stream(text))
