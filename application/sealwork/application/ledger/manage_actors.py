"""Admitting keys, and changing what they may do."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from sealwork.application.ledger.sign_and_submit import SignAndSubmit, Wish
from sealwork.application.ports.signatures import Signer
from sealwork.domain.ids import ACTOR_REGISTRY
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import (
    ActorAction,
    KeyClass,
    possession_bytes,
)
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.refusals import Refused


class Admission(BaseModel):
    """Who a new key is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tenant: str
    key_class: KeyClass
    label: str
    roles: tuple[str, ...] = ()


class ManageActors:
    """Change the actor registry of a tenant, signed by an ACTOR_ADMIN of it or by the root key."""

    def __init__(self, submit: SignAndSubmit, *, origin: str) -> None:
        self._submit = submit
        self._origin = origin

    def admit(self, admission: Admission, new_key: Signer, by: Signer) -> Appended | Refused:
        """Admit `new_key`, which signs its own admission to prove that its private half is at hand."""
        statement = possession_bytes(
            self._origin, admission.tenant, new_key.actor, admission.key_class, admission.label
        )
        input_: JsonObject = {
            "key": new_key.actor,
            "class": admission.key_class.value,
            "label": admission.label,
            "proof": new_key.sign(statement).hex(),
        }
        if admission.roles:
            input_["roles"] = list(admission.roles)
        return self._command(admission.tenant, "key.admit", input_, by)

    def retire(self, tenant: str, key: str, by: Signer) -> Appended | Refused:
        """End a key; what it signed stands."""
        return self._command(tenant, "key.retire", {"key": key}, by)

    def revoke(
        self, tenant: str, key: str, by: Signer, *, compromised_since: str | None = None
    ) -> Appended | Refused:
        """End a key that others may hold; `compromised_since` is an instant as in `instants`."""
        since: JsonObject = {"compromised_since": compromised_since} if compromised_since else {}
        return self._command(tenant, "key.revoke", {"key": key, **since}, by)

    def grant_permission(self, tenant: str, key: str, permission: str, by: Signer) -> Appended | Refused:
        """Let a key do one administrative thing, such as `workflow.publish`."""
        return self._command(tenant, "permission.grant", {"key": key, "permission": permission}, by)

    def grant_role(self, tenant: str, key: str, role: str, by: Signer) -> Appended | Refused:
        """Let a key act in one more role."""
        return self._command(tenant, "role.grant", {"key": key, "role": role}, by)

    def _command(self, tenant: str, action: ActorAction, input_: JsonObject, by: Signer) -> Appended | Refused:
        return self._submit(Wish(tenant=tenant, stream=ACTOR_REGISTRY, action=action, input=input_), by)
