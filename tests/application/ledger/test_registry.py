"""Changing who may sign. Source: events.md, "Keys"; ledger case 9; S1-117, S1-125."""

from __future__ import annotations

import pytest

from open_box import OpenBox, an_empty_box, an_open_box
from sealing import ORIGIN, TENANT, accepted, key_of
from sealwork.application.ledger.manage_actors import Admission
from sealwork.domain.ids import SYSTEM
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.actors import PUBLISH_WORKFLOWS, ActorKey, KeyClass, possession_bytes
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.refusals import RefusalCode, Refused

REGISTRY = "actors/registry"
NEW = key_of("newcomer")
SMALL_ORDER = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
]
"""The 14 encodings of the 8 points of small order, canonical or not."""
NO_POINTS = [
    "0200000000000000000000000000000000000000000000000000000000000000",
    "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
]
"""Encodings of nothing on the curve, or beyond the field."""


def proof(tenant: str = "acme", key_class: KeyClass = KeyClass.PERSON, label: str = "newcomer") -> str:
    """The new key's signature over its own admission."""
    return NEW.sign(possession_bytes(ORIGIN, tenant, NEW.actor, key_class, label)).hex()


def admission(**others: JsonValue) -> JsonObject:
    """The input that admits the new key as a person; None leaves a member out."""
    usual: JsonObject = {"key": NEW.actor, "class": "PERSON", "label": "newcomer", "proof": proof()}
    return {name: value for name, value in (usual | others).items() if value is not None}


def commanded(box: OpenBox, action: str, input_: JsonObject, by: str = "admin", **others: object) -> object:
    """The answer to a command, as (code, pointer) if it is no; then nothing was written."""
    before = box.picture()
    answer = box.process_event(box.submission(REGISTRY, action, by, input=input_, **others))
    if isinstance(answer, Appended):
        return "appended"
    assert box.picture() == before
    return answer.code, answer.pointer


def actor_of(box: OpenBox, name: str) -> ActorKey:
    """What the registry says of somebody."""
    return box.show_actors(box.tenant).keys[box.key(name).actor]


def test_root_admits_the_first_engine_which_countersigns_its_own_admission() -> None:
    box = an_empty_box()

    receipt = box.admit("engine", KeyClass.ENGINE, tenant=SYSTEM, by="root")

    (engine,) = box.show_actors(SYSTEM).keys.values()
    assert (receipt.seq, engine.key, engine.key_class) == (1, box.key("engine").actor, KeyClass.ENGINE)
    assert box.verify().intact


def test_a_deployment_begins_with_engine_administrator_and_automation() -> None:
    box = an_empty_box()

    box.bootstrap()

    assert actor_of(box, "admin").permissions == {PUBLISH_WORKFLOWS}
    assert actor_of(box, "automation").roles == {"AUTOMATION"}
    assert box.verify().intact


def test_an_admission_with_proof_of_possession_is_taken() -> None:
    box = an_open_box()

    assert commanded(box, "key.admit", admission(roles=["clerk"])) == "appended"

    assert actor_of(box, "newcomer").roles == {"clerk"}


@pytest.mark.parametrize(
    "wrong",
    [
        proof(tenant="globex"),
        proof(key_class=KeyClass.SERVICE),
        proof(label="somebody"),
        key_of("other").sign(possession_bytes(ORIGIN, "acme", NEW.actor, KeyClass.PERSON, "newcomer")).hex(),
        NEW.sign(possession_bytes("other.example/log", "acme", NEW.actor, KeyClass.PERSON, "newcomer")).hex(),
        "00" * 64,
    ],
    ids=["another tenant", "another class", "another label", "another key", "another log", "nothing"],
)
def test_a_proof_of_something_else_admits_nobody(wrong: str) -> None:
    answer = commanded(an_open_box(), "key.admit", admission(proof=wrong))

    assert answer == (RefusalCode.INVALID_INPUT, "/input/proof")


@pytest.mark.parametrize("wrong", [None, "", "00" * 63, 7])
def test_an_admission_without_a_proof_is_refused(wrong: str | int | None) -> None:
    answer = commanded(an_open_box(), "key.admit", admission(proof=wrong))

    assert answer == (RefusalCode.INVALID_INPUT, "/input/proof")


@pytest.mark.parametrize("key", SMALL_ORDER + NO_POINTS)
def test_a_weak_key_is_not_admitted(key: str) -> None:
    answer = commanded(an_open_box(), "key.admit", admission(key=f"ed25519:{key}"))

    assert answer == (RefusalCode.INVALID_INPUT, "/input/key")


@pytest.mark.parametrize("by", ["maria", "automation"])
def test_only_an_administrator_changes_the_registry(by: str) -> None:
    assert commanded(an_open_box(), "key.admit", admission(), by) == (RefusalCode.PERMISSION, "/key")


def test_an_administrator_of_one_tenant_is_nobody_in_another() -> None:
    box = an_open_box()
    box.admit("their admin", KeyClass.ACTOR_ADMIN, tenant="globex", by="root")

    answer = commanded(box, "key.admit", admission(), "admin", tenant="globex")

    assert answer == (RefusalCode.UNKNOWN_ACTOR, "/key")


def test_there_is_one_registry() -> None:
    box = an_open_box()

    answer = box.process_event(box.submission("actors/others", "key.admit", "admin", input=admission()))

    assert isinstance(answer, Refused)
    assert (answer.code, answer.pointer) == (RefusalCode.NOT_CANONICAL, "/stream")


def test_root_is_nobody_beside_the_registry_of_that_name() -> None:
    box = an_open_box()

    answer = box.process_event(box.submission("actors/others", "key.admit", "root", input=admission()))

    assert isinstance(answer, Refused)
    assert (answer.code, answer.pointer) == (RefusalCode.UNKNOWN_ACTOR, "/key")


@pytest.mark.parametrize(
    ("action", "input_", "refusal"),
    [
        ("key.steal", {}, (RefusalCode.NO_ACTION, "/action")),
        ("key.admit", admission(more=1), (RefusalCode.INVALID_INPUT, "/input/more")),
        ("key.admit", admission(label=""), (RefusalCode.INVALID_INPUT, "/input/label")),
        ("key.admit", admission(key="ed25519:00"), (RefusalCode.INVALID_INPUT, "/input/key")),
        ("key.retire", {"key": NEW.actor}, (RefusalCode.INVALID_INPUT, "/input/key")),
        (
            "key.revoke",
            {"key": key_of("maria").actor, "compromised_since": "yesterday"},
            (RefusalCode.INVALID_INPUT, "/input/compromised_since"),
        ),
        ("role.grant", {"key": key_of("maria").actor, "role": "intake"}, (RefusalCode.CONFLICT, "/input/role")),
        (
            "role.grant",
            {"key": key_of("maria").actor, "role": "AUTOMATION"},
            (RefusalCode.INVALID_INPUT, "/input/role"),
        ),
        (
            "permission.revoke",
            {"key": key_of("maria").actor, "permission": "workflow.publish"},
            (RefusalCode.CONFLICT, "/input/permission"),
        ),
    ],
)
def test_a_command_that_the_registry_cannot_take_is_refused(
    action: str, input_: JsonObject, refusal: tuple[RefusalCode, str]
) -> None:
    assert commanded(an_open_box(), action, input_) == refusal


def test_one_label_one_valid_key() -> None:
    box = an_open_box()
    taken = admission(label="maria", proof=proof(label="maria"))

    assert commanded(box, "key.admit", taken) == (RefusalCode.CONFLICT, "/input/label")
    accepted(box.actors.retire(box.tenant, box.key("maria").actor, box.key("admin")))
    assert commanded(box, "key.admit", taken) == "appended"


def test_a_key_is_admitted_once_in_its_life() -> None:
    box = an_open_box()
    commanded(box, "key.admit", admission())
    accepted(box.actors.retire(box.tenant, NEW.actor, box.key("admin")))

    again = admission(label="second", proof=proof(label="second"))

    assert commanded(box, "key.admit", again) == (RefusalCode.CONFLICT, "/input/key")


def test_a_revocation_says_since_when_the_key_is_suspect() -> None:
    box = an_open_box()
    since = "2026-06-18T09:00:00.000000Z"

    accepted(box.actors.revoke(box.tenant, box.key("maria").actor, box.key("admin"), compromised_since=since))

    assert actor_of(box, "maria").compromised_since == since


def test_an_administrator_whose_key_was_revoked_changes_nothing_more() -> None:
    box = an_open_box()
    box.admit("second admin", KeyClass.ACTOR_ADMIN)
    accepted(box.actors.revoke(box.tenant, box.key("admin").actor, box.key("second admin")))

    assert commanded(box, "key.admit", admission()) == (RefusalCode.KEY_REVOKED, "/key")
    assert commanded(box, "key.admit", admission(), "second admin") == "appended"


@pytest.mark.parametrize("key_class", [KeyClass.ENGINE, KeyClass.LOG, KeyClass.WITNESS])
def test_keys_of_the_deployment_live_in_its_own_tenant(key_class: KeyClass) -> None:
    box = an_open_box()
    who = Admission(tenant=box.tenant, key_class=key_class, label="newcomer")

    answer = box.actors.admit(who, NEW, box.key("admin"))

    assert isinstance(answer, Refused)
    assert (answer.code, answer.pointer) == (RefusalCode.INVALID_INPUT, "/input/class")


def test_the_root_key_enters_no_registry() -> None:
    """ADR 0007: whoever holds it administers, and acts on nothing."""
    box = an_open_box()
    who = Admission(tenant=TENANT, key_class=KeyClass.PERSON, label="rooty", roles=("intake",))

    answer = box.actors.admit(who, box.key("root"), box.key("admin"))

    assert isinstance(answer, Refused)
    assert (answer.code, answer.pointer) == (RefusalCode.INVALID_INPUT, "/input/key")
