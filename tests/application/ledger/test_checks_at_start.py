"""What is checked before the first row is touched. Source: events.md, "Keys" (start-up); S1-019; ledger case 6."""

from __future__ import annotations

import pytest

from open_box import OpenBox, an_empty_box, an_open_box
from sealing import accepted, key_of
from sealwork.adapters.signing import Ed25519Verifier
from sealwork.application.ledger.actor_registries import ActorRegistries
from sealwork.application.ledger.check_log import CheckLog
from sealwork.application.ledger.check_own_key import CheckOwnKey
from sealwork.application.ports.signatures import Signer
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import SYSTEM
from sealwork.domain.ledger.actors import ActorRegistry, KeyClass
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.record import Positions


class Forgetful:
    """A key that is admitted, and no longer knows how to sign."""

    actor = key_of("automation").actor

    def sign(self, message: bytes) -> bytes:
        """Return no signature."""
        return bytes(64)


def check(box: OpenBox, key_class: KeyClass, signer: Signer, tenant: str = "acme") -> None:
    """Check a key; nothing is written either way."""
    before = box.picture()
    try:
        CheckOwnKey(box.log, Ed25519Verifier())(tenant, key_class, signer)
    finally:
        assert box.picture() == before


def test_a_valid_key_of_the_right_class_may_start() -> None:
    box = an_open_box()

    check(box, KeyClass.AUTOMATION, box.key("automation"))
    check(box, KeyClass.ENGINE, box.key("engine"), SYSTEM)


def test_a_key_that_nobody_admitted_may_not() -> None:
    with pytest.raises(Misconfigured, match="no such key is admitted"):
        check(an_open_box(), KeyClass.AUTOMATION, key_of("another machine"))


def test_a_key_of_another_class_may_not() -> None:
    with pytest.raises(Misconfigured, match="admitted as PERSON"):
        check(an_open_box(), KeyClass.AUTOMATION, key_of("maria"))


@pytest.mark.parametrize("how", ["retire", "revoke"])
def test_a_key_that_has_ended_may_not(how: str) -> None:
    box = an_open_box()
    accepted(getattr(box.actors, how)(box.tenant, box.key("automation").actor, box.key("admin")))

    with pytest.raises(Misconfigured, match=f"the key of automation was {how}d"):
        check(box, KeyClass.AUTOMATION, box.key("automation"))


def test_a_key_that_does_not_verify_its_own_signature_may_not() -> None:
    with pytest.raises(Misconfigured, match="does not verify its own signature"):
        check(an_open_box(), KeyClass.AUTOMATION, Forgetful())


def test_a_log_that_has_not_begun_is_anybodys() -> None:
    assert CheckLog(an_empty_box().log)("other.example/log") is False


def test_the_pinned_log_has_begun() -> None:
    box = an_open_box()

    assert CheckLog(box.log)(box.origin) is True


def test_another_log_than_the_pinned_one_is_not_written_to() -> None:
    with pytest.raises(Misconfigured, match=r"holds the log test\.example/log, but other\.example/log is pinned"):
        CheckLog(an_open_box().log)("other.example/log")


def test_a_registry_is_rebuilt_as_of_a_position() -> None:
    box = an_open_box()
    registries = ActorRegistries(box.log, Ed25519Verifier(), origin=box.origin, root=box.key("root").actor)
    length = len(box.events("actors/registry"))

    def known(position: int) -> int:
        registry = registries.at(box.tenant, Positions(tenant=position, system=1))
        assert isinstance(registry, ActorRegistry)
        return len(registry.keys)

    assert [known(position) for position in (length, 1, 0, length, length)] == [4, 1, 0, 4, 4]


def unreadable(box: OpenBox, **members: object) -> None:
    """Somebody changed the second event of the registry."""
    intent = box.events("actors/registry")[1].read_intent
    assert isinstance(intent, Intent)
    box.alter("actors/registry", 2, intent=intent.model_copy(update=members).to_bytes())


@pytest.mark.parametrize("members", [{"action": "key.steal"}, {"input": {}}], ids=str)
def test_a_registry_that_cannot_be_read_vouches_for_nobody(members: dict[str, object]) -> None:
    box = an_open_box()
    unreadable(box, **members)

    with pytest.raises(
        Misconfigured, match=r"event 2 of acme's actor registry cannot be read: run `sealwork verify`"
    ):
        check(box, KeyClass.AUTOMATION, box.key("automation"))


def test_an_event_of_a_registry_that_is_no_intent_is_told_the_same_way() -> None:
    box = an_open_box()
    box.alter("actors/registry", 2, intent=None, intent_sig=None)

    with pytest.raises(Misconfigured, match="event 2 of acme's actor registry"):
        box.show_actors(box.tenant)
