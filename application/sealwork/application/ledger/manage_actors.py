"""Admitting keys, and changing what they may do."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from sealwork.application.ledger.sign_and_submit import SignAndSubmit, Wish
from sealwork.application.ports.signatures import Signer
from sealwork.domain.ids import ACTOR_REGISTRY
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import ActorAction, KeyClass, Possession, possession_bytes
from sealwork.domain.ledger.members import difference, document_of
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.refusals import RefusalCode, Refused, refused


class Admission(BaseModel):
    """Who a new key is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tenant: str
    key_class: KeyClass
    label: str
    roles: tuple[str, ...] = ()
    succeeds: str | None = None
    """The key that the same holder had before."""


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
        return self._admit(admission, new_key.actor, new_key.sign(statement).hex(), by)

    def admit_proven(self, admission: Admission, possession: Possession, by: Signer) -> Appended | Refused:
        """Admit a key that somebody else holds, who has proven it for this very admission."""
        wanted = {
            "origin": self._origin,
            "tenant": admission.tenant,
            "key_class": admission.key_class,
            "label": admission.label,
        }
        meant = document_of(possession.model_copy(update=wanted))
        place = difference(document_of(possession), meant)
        if place is not None:
            detail = f"the proof is about another admission: let its holder prove {meant[place[1:]]!r}"
            return refused(RefusalCode.INVALID_INPUT, detail, place)
        return self._admit(admission, possession.key, possession.proof, by)

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

    def withdraw_permission(self, tenant: str, key: str, permission: str, by: Signer) -> Appended | Refused:
        """Let a key do it no longer."""
        return self._command(tenant, "permission.revoke", {"key": key, "permission": permission}, by)

    def grant_role(self, tenant: str, key: str, role: str, by: Signer) -> Appended | Refused:
        """Let a key act in one more role."""
        return self._command(tenant, "role.grant", {"key": key, "role": role}, by)

    def withdraw_role(self, tenant: str, key: str, role: str, by: Signer) -> Appended | Refused:
        """Let a key act in one role less."""
        return self._command(tenant, "role.revoke", {"key": key, "role": role}, by)

    def _admit(self, admission: Admission, key: str, proof: str, by: Signer) -> Appended | Refused:
        input_: JsonObject = {
            "key": key,
            "class": admission.key_class.value,
            "label": admission.label,
            "proof": proof,
        }
        if admission.roles:
            input_["roles"] = list(admission.roles)
        if admission.succeeds is not None:
            input_["succeeds"] = admission.succeeds
        return self._command(admission.tenant, "key.admit", input_, by)

    def _command(self, tenant: str, action: ActorAction, input_: JsonObject, by: Signer) -> Appended | Refused:
        return self._submit(Wish(tenant=tenant, stream=ACTOR_REGISTRY, action=action, input=input_), by)
