"""Commands to an actor registry, as steps that a test takes one after the other."""

from __future__ import annotations

from builders import MARIA, ZEROS, StandIn
from sealwork.domain.ledger.actors import (
    ActorCommand,
    Admit,
    ChangePermission,
    ChangeRole,
    KeyClass,
    Retire,
    Revoke,
)

PROOF = ZEROS * 2
Step = tuple[str, ActorCommand]


def admit(key: StandIn = MARIA, key_class: KeyClass = KeyClass.PERSON, label: str = "maria", *roles: str) -> Step:
    members: dict[str, object] = {"key": key.actor, "class": key_class, "label": label, "proof": PROOF}
    return "key.admit", Admit.model_validate(members | ({"roles": roles} if roles else {}))


def succeed(old: StandIn, new: StandIn, label: str = "next", key_class: KeyClass = KeyClass.PERSON) -> Step:
    members = {"key": new.actor, "class": key_class, "label": label, "proof": PROOF, "succeeds": old.actor}
    return "key.admit", Admit.model_validate(members)


def retire(key: StandIn = MARIA) -> Step:
    return "key.retire", Retire(key=key.actor)


def revoke(key: StandIn = MARIA, since: str | None = None) -> Step:
    return "key.revoke", Revoke(key=key.actor, compromised_since=since)


def role(action: str, name: str, key: StandIn = MARIA) -> Step:
    return f"role.{action}", ChangeRole(key=key.actor, role=name)


def permission(action: str, name: str, key: StandIn = MARIA) -> Step:
    return f"permission.{action}", ChangePermission(key=key.actor, permission=name)
