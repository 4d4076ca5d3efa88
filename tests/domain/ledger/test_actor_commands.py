"""Commands to an actor registry, as members of an intent; and the proof that a new key is at hand."""

from __future__ import annotations

import pytest

from actor_steps import PROOF, Step, admit, permission, retire, revoke, role
from builders import AN_ID, ANA, AT, MARIA, an_intent
from sealwork.domain.ids import ACTOR_REGISTRY
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.actors import KeyClass, command_of, input_of, possession_bytes
from sealwork.domain.ledger.canonical import flaw_in
from sealwork.domain.ledger.envelope import pae
from sealwork.domain.refusals import RefusalCode, Refused

# Commands in intents


@pytest.mark.parametrize(
    "step",
    [
        admit(),
        admit(MARIA, KeyClass.PERSON, "Maria M.", "intake", "clerk"),
        retire(),
        revoke(),
        revoke(since=AT),
        role("grant", "intake"),
        role("revoke", "intake"),
        permission("grant", "workflow.publish"),
        permission("revoke", "workflow.publish"),
    ],
)
def test_a_command_is_read_back_from_its_input(step: Step) -> None:
    action, command = step
    intent = an_intent(stream=ACTOR_REGISTRY, action=action, input=input_of(command))

    assert flaw_in(intent.input) is None
    assert command_of(intent) == command


@pytest.mark.parametrize("action", ["submit", "key.admitted", "role.grants", "key"])
def test_a_registry_knows_no_other_action(action: str) -> None:
    answer = command_of(an_intent(stream=ACTOR_REGISTRY, action=action, id=AN_ID))

    assert isinstance(answer, Refused)
    assert (answer.code, answer.pointer) == (RefusalCode.NO_ACTION, "/action")


AN_ADMISSION: JsonObject = {"key": MARIA.actor, "class": "PERSON", "label": "maria", "proof": PROOF}
A_KEY: JsonObject = {"key": MARIA.actor}


@pytest.mark.parametrize(
    ("action", "input_", "place"),
    [
        ("key.admit", {}, "/input/key"),
        ("key.admit", AN_ADMISSION | {"class": "ROOT"}, "/input/class"),
        ("key.admit", AN_ADMISSION | {"class": "person"}, "/input/class"),
        ("key.admit", AN_ADMISSION | {"label": ""}, "/input/label"),
        ("key.admit", AN_ADMISSION | {"label": "a\nb"}, "/input/label"),
        ("key.admit", AN_ADMISSION | {"label": "a" * 64}, "/input/label"),
        ("key.admit", AN_ADMISSION | {"label": "[red]maria"}, "/input/label"),
        ("key.admit", AN_ADMISSION | {"proof": "00"}, "/input/proof"),
        ("key.admit", AN_ADMISSION | {"roles": None}, "/input/roles"),
        ("key.admit", AN_ADMISSION | {"roles": ["ok", "not ok"]}, "/input/roles/1"),
        ("key.admit", AN_ADMISSION | {"roles": "intake"}, "/input/roles"),
        ("key.admit", AN_ADMISSION | {"permissions": []}, "/input/permissions"),
        ("key.retire", {}, "/input/key"),
        ("key.retire", {"key": MARIA.actor.upper()}, "/input/key"),
        ("key.retire", A_KEY | {"reason": "left"}, "/input/reason"),
        ("key.revoke", A_KEY | {"compromised_since": None}, "/input/compromised_since"),
        ("key.revoke", A_KEY | {"compromised_since": "yesterday"}, "/input/compromised_since"),
        ("role.grant", A_KEY, "/input/role"),
        ("role.grant", A_KEY | {"role": ""}, "/input/role"),
        ("role.revoke", A_KEY | {"role": 1}, "/input/role"),
        ("permission.grant", A_KEY | {"permission": "publish"}, "/input/permission"),
        ("permission.revoke", A_KEY | {"permission": "workflow.Publish"}, "/input/permission"),
    ],
)
def test_input_that_does_not_fit_is_refused_where_it_is_wrong(
    action: str, input_: dict[str, JsonValue], place: str
) -> None:
    answer = command_of(an_intent(stream=ACTOR_REGISTRY, action=action, input=input_))

    assert isinstance(answer, Refused)
    assert (answer.code, answer.pointer) == (RefusalCode.INVALID_INPUT, place)


def test_a_member_of_a_command_has_one_name() -> None:
    input_ = {("key_class" if name == "class" else name): value for name, value in AN_ADMISSION.items()}

    assert isinstance(command_of(an_intent(action="key.admit", input=input_)), Refused)


# Proof of possession


def test_a_new_key_signs_where_and_as_whom_it_enters() -> None:
    statement = possession_bytes("test.example/log", "acme", MARIA.actor, KeyClass.PERSON, "maria")

    body = (
        f'{{"class":"PERSON","key":"{MARIA.actor}","label":"maria","origin":"test.example/log",'
        '"tenant":"acme","v":1}'
    )
    assert statement == pae("application/vnd.sealwork.key-proof.v1+json", body.encode())


def test_a_proof_for_one_admission_is_none_for_another() -> None:
    usual = ("o", "t", MARIA.actor, KeyClass.PERSON, "l")
    others = [
        ("x", "t", MARIA.actor, KeyClass.PERSON, "l"),
        ("o", "x", MARIA.actor, KeyClass.PERSON, "l"),
        ("o", "t", ANA.actor, KeyClass.PERSON, "l"),
        ("o", "t", MARIA.actor, KeyClass.SERVICE, "l"),
        ("o", "t", MARIA.actor, KeyClass.PERSON, "x"),
        ("ot", "", MARIA.actor, KeyClass.PERSON, "l"),
    ]

    assert len({possession_bytes(*statement) for statement in [usual, *others]}) == 7
