"""Checking, before the first row is touched, that the own key is the one the registry knows.

Source: events.md, "Keys" (start-up); S1-019.
"""

from __future__ import annotations

from sealwork.application.ledger.actor_registries import folded
from sealwork.application.ports.event_log import EventLog
from sealwork.application.ports.signatures import SignatureVerifier, Signer
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import ACTOR_REGISTRY
from sealwork.domain.ledger.actors import ActorKey, KeyClass
from sealwork.domain.refusals import RefusalCode, Refused

_MESSAGE = b"sealwork: this key signs and verifies"


class CheckOwnKey:
    """Derive the public key, find it valid in its registry, sign and verify a fixed message."""

    def __init__(self, log: EventLog, verifier: SignatureVerifier) -> None:
        self._log = log
        self._verifier = verifier

    def __call__(self, tenant: str, key_class: KeyClass, signer: Signer) -> None:
        """Return if `signer` may act for `key_class` in `tenant`.

        Raises:
            Misconfigured: it may not; nothing was touched.
            Unavailable: the log did not answer.
        """
        actor = self.actor(tenant, signer, called=f"the {key_class} key of this process")
        if actor.key_class is not key_class:
            raise Misconfigured(f"the {key_class} key of this process is admitted as {actor.key_class}")

    def actor(self, tenant: str, signer: Signer, *, called: str = "this key") -> ActorKey:
        """Return who `signer` is in `tenant`.

        Raises:
            Misconfigured: it cannot act there; the message says why, and what to do.
            Unavailable: the log did not answer.
        """
        actor = self._log.load(tenant, ACTOR_REGISTRY, folded).valid(signer.actor)
        if isinstance(actor, Refused):
            raise Misconfigured(f"{called} cannot be used in {tenant}: {actor.detail}: {_advice(actor.code)}")
        if not self._verifier.verify(signer.actor, _MESSAGE, signer.sign(_MESSAGE)):
            raise Misconfigured(f"{called} does not verify its own signature: take it out of use")
        return actor


def _advice(code: RefusalCode) -> str:
    if code is RefusalCode.UNKNOWN_ACTOR:
        return "let an administrator admit it (`sealwork keys admit`), or name another --tenant"
    return "use the key that replaced it, or make one (`sealwork keys new`) and let it be admitted"
