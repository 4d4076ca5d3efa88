"""Deciding what may change in an actor registry."""

from __future__ import annotations

from sealwork.application.ledger.hearing import Hearing, Ruling
from sealwork.application.ports.signatures import SignatureVerifier
from sealwork.domain.ids import ACTOR_REGISTRY
from sealwork.domain.ledger.actors import (
    ActorCommand,
    Admit,
    KeyClass,
    command_of,
    decide,
    possession_bytes,
)
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.record import state_bytes
from sealwork.domain.refusals import RefusalCode, Refused, refused


class DecideActors:
    """The rules of `actors/registry`. Its state is the stream itself, so the state mark is constant."""

    def __init__(self, verifier: SignatureVerifier, *, root: str) -> None:
        self._verifier = verifier
        self._root = root

    def __call__(self, hearing: Hearing) -> Ruling | Refused:
        """See `Decider`."""
        intent = hearing.intent
        if intent.stream != ACTOR_REGISTRY:
            return refused(RefusalCode.NOT_CANONICAL, f"the only stream of actors is {ACTOR_REGISTRY}", "/stream")
        if hearing.actor.key_class is not KeyClass.ACTOR_ADMIN:
            detail = f"{hearing.actor.label} is no ACTOR_ADMIN of this registry"
            return refused(RefusalCode.PERMISSION, detail, "/key")
        command = command_of(intent)
        if isinstance(command, Refused):
            return command
        refusal = self._possession(intent, command) or decide(
            hearing.registry, intent.action, command, tenant=intent.tenant
        )
        return refusal or Ruling(state_name="open", state=state_bytes("open", {}))

    def _possession(self, intent: Intent, command: ActorCommand) -> Refused | None:
        if not isinstance(command, Admit):
            return None
        if command.key == self._root:
            return refused(RefusalCode.INVALID_INPUT, "the root key is in no registry (ADR 0007)", "/input/key")
        if not self._verifier.admissible(command.key):
            detail = "no usable Ed25519 public key: weak, not canonical, or not on the curve"
            return refused(RefusalCode.INVALID_INPUT, detail, "/input/key")
        statement = possession_bytes(intent.origin, intent.tenant, command.key, command.key_class, command.label)
        if not self._verifier.verify(command.key, statement, bytes.fromhex(command.proof)):
            detail = "the new key did not sign its own admission to this tenant, class and label"
            return refused(RefusalCode.INVALID_INPUT, detail, "/input/proof")
        return None
