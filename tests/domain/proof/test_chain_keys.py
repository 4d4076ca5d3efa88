"""Keys that sign although they may not, or not any more."""

from __future__ import annotations

import pytest

from builders import (
    ANA,
    ENGINE,
    MARIA,
    ORIGIN,
    ROBOT,
    ROOT,
    TENANT,
    StandIn,
    a_chain,
    a_first_admission,
    a_sealed_event,
    a_trust,
    an_actor,
    an_intent,
    changed,
    minute,
    verify,
)
from sealwork.domain.ids import ACTOR_REGISTRY, SYSTEM
from sealwork.domain.ledger.actors import ActorKey, KeyClass
from sealwork.domain.ledger.intent import signed_intent_bytes
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.proof.chain import Trust, check_event, first_link, link_of
from sealwork.domain.proof.findings import FindingCode
from tampering import CHAIN, found, intent_of, record_of, resealed, with_event

# Actors' keys


def resigned(event: SealedEvent, by: StandIn, **members: object) -> SealedEvent:
    """`event` as if `by` had acted, signed by that key and countersigned by the engine."""
    intent = intent_of(event).model_copy(update={"key": by.actor})
    return a_sealed_event(intent, by, ENGINE, recorded_at=record_of(event).recorded_at, **members)


def trusting(actor: ActorKey) -> Trust:
    return a_trust(an_actor(MARIA), actor)


def test_a_signature_of_another_valid_key_is_found() -> None:
    event = CHAIN[2]
    assert event.intent is not None

    forged = changed(event, intent_sig=ANA.sign(signed_intent_bytes(event.intent)))

    assert found(with_event(forged)) == [(FindingCode.INTENT_REPLACED, 3), (FindingCode.ACTOR_SIGNATURE, 3)]


def test_an_intent_in_the_name_of_another_valid_key_is_found() -> None:
    forged = resigned(CHAIN[2], ANA)

    kept = changed(CHAIN[2], intent=forged.intent, intent_sig=forged.intent_sig)

    assert found(with_event(kept)) == [
        (FindingCode.INTENT_REPLACED, 3),
        (FindingCode.INTENT_REPLACED, 3),
        (FindingCode.MEMBERS_DIFFER, 3),
    ]


def test_a_record_in_the_name_of_another_valid_key_lacks_the_engines_signature() -> None:
    forged = changed(resigned(CHAIN[2], ANA), record_sig=CHAIN[2].record_sig)

    assert found(with_event(forged)) == [(FindingCode.ENGINE_SIGNATURE, 3), (FindingCode.LINK_BROKEN, 4)]


def test_a_key_that_was_never_admitted_is_found() -> None:
    stranger = StandIn("stranger")

    assert found(with_event(resigned(CHAIN[2], stranger)))[0] == (FindingCode.ACTOR_KEY, 3)


@pytest.mark.parametrize("end", ["retired_at", "revoked_at"])
def test_a_key_that_had_ended_is_found(end: str) -> None:
    trust = trusting(an_actor(ANA, KeyClass.PERSON, **{end: 5}))
    before, after = ({"actors": {"tenant": position, "system": 1}} for position in (4, 5))

    assert found([*CHAIN[:2], resigned(CHAIN[2], ANA, **before)], trust) == []
    assert found([*CHAIN[:2], resigned(CHAIN[2], ANA, **after)], trust) == [(FindingCode.ACTOR_KEY, 3)]


def test_a_key_that_was_not_yet_admitted_is_found() -> None:
    trust = trusting(an_actor(ANA, admitted_at=4))

    assert found([*CHAIN[:2], resigned(CHAIN[2], ANA)], trust) == [(FindingCode.ACTOR_KEY, 3)]


@pytest.mark.parametrize(("since", "suspect"), [(1, [1, 2, 3]), (2, [2, 3]), (3, [3]), (4, [])])
def test_what_a_stolen_key_signed_since_then_is_suspect(since: int, suspect: list[int]) -> None:
    maria = an_actor(MARIA, revoked_at=9, compromised_since=minute(since))

    assert found(CHAIN[:3], a_trust(maria)) == [(FindingCode.SUSPECT_KEY, seq) for seq in suspect]


def test_a_key_that_was_revoked_without_suspicion_leaves_its_events_sound() -> None:
    assert found(CHAIN, a_trust(an_actor(MARIA, revoked_at=9))) == []


def test_after_its_revocation_a_stolen_key_is_not_merely_suspect() -> None:
    maria = an_actor(MARIA, revoked_at=3, compromised_since=minute(1))

    assert found(CHAIN[:1], a_trust(maria)) == [(FindingCode.ACTOR_KEY, 1)]


def test_the_root_key_acts_in_registries_only() -> None:
    process = a_chain(1, by={1: ROOT})
    registry = a_chain(1, stream=ACTOR_REGISTRY, by={1: ROOT})

    assert found(process) == [(FindingCode.ACTOR_KEY, 1)]
    assert found(registry) == []


def test_the_root_key_must_sign_too() -> None:
    event = a_first_admission()

    assert found([changed(event, intent_sig=b"\x00" * 64)]) == [
        (FindingCode.INTENT_REPLACED, 1),
        (FindingCode.ACTOR_SIGNATURE, 1),
    ]


# Engine keys


@pytest.mark.parametrize("key_class", sorted(set(KeyClass) - {KeyClass.ENGINE}))
def test_only_a_key_of_class_engine_countersigns(key_class: KeyClass) -> None:
    trust = a_trust(system=(an_actor(ROBOT, key_class),))
    event = resealed(CHAIN[0], ROBOT, engine_key=ROBOT.actor)

    assert found([event], trust) == [(FindingCode.ENGINE_KEY, 1)]


def test_an_engine_of_the_tenant_is_none_of_the_deployment() -> None:
    trust = a_trust(an_actor(MARIA), an_actor(ROBOT, KeyClass.ENGINE))
    event = resealed(CHAIN[0], ROBOT, engine_key=ROBOT.actor)

    assert found([event], trust) == [(FindingCode.ENGINE_KEY, 1)]


@pytest.mark.parametrize("end", [{"retired_at": 2}, {"revoked_at": 2}, {"admitted_at": 3}])
def test_an_engine_key_that_was_not_valid_at_the_position_is_found(end: dict[str, object]) -> None:
    trust = a_trust(system=(an_actor(ENGINE, KeyClass.ENGINE, **end),))

    assert found(a_chain(1, actors={"tenant": 3, "system": 2}), trust) == [(FindingCode.ENGINE_KEY, 1)]


def test_what_a_stolen_engine_key_countersigned_since_then_is_suspect() -> None:
    engine = an_actor(ENGINE, KeyClass.ENGINE, revoked_at=2, compromised_since=minute(4))

    assert found(CHAIN, a_trust(system=(engine,))) == [(FindingCode.SUSPECT_KEY, 4), (FindingCode.SUSPECT_KEY, 5)]


def test_the_first_engine_key_countersigns_its_own_admission() -> None:
    assert found([a_first_admission()]) == []


@pytest.mark.parametrize(
    "system", [(an_actor(ENGINE, KeyClass.ENGINE, admitted_at=2),), (an_actor(ENGINE, KeyClass.LOG),)]
)
def test_no_other_key_countersigns_the_first_event(system: tuple[ActorKey, ...]) -> None:
    assert found([a_first_admission()], a_trust(system=system)) == [(FindingCode.ENGINE_KEY, 1)]


def test_the_exception_for_the_first_event_is_none_for_the_second() -> None:
    actors = {"tenant": 0, "system": 0}
    second = a_chain(2, stream=ACTOR_REGISTRY, by={1: ROOT, 2: ROOT}, actors=actors)[1]
    event = changed(second, tenant=SYSTEM)

    codes = [f.code for f in check_event(event, link_of(a_first_admission()), a_trust(), verify)]

    assert FindingCode.ENGINE_KEY in codes


@pytest.mark.parametrize(
    ("tenant", "stream"), [(TENANT, ACTOR_REGISTRY), (SYSTEM, "process/p-1"), (SYSTEM, "rules/set")]
)
def test_the_exception_for_the_first_event_is_none_elsewhere(tenant: str, stream: str) -> None:
    prev = first_link(ORIGIN, tenant, stream).hash
    event = a_sealed_event(an_intent(tenant=tenant, stream=stream, prev=prev), actors={"tenant": 3, "system": 0})

    assert found([event]) == [(FindingCode.ENGINE_KEY, 1)]
