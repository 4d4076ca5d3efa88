"""What the holder of a key does alone, without the log: proving possession, to be admitted or to read."""

from __future__ import annotations

from datetime import timedelta

from sealwork.application.ports.clock import Clock
from sealwork.application.ports.signatures import Signer
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import KeyClass, Possession, possession_bytes
from sealwork.domain.ledger.members import model_of
from sealwork.domain.ledger.token import Token, signed_token_bytes, token_text, too_long
from sealwork.domain.refusals import RefusalCode, Refused


class HoldKey:
    """Sign statements about one's own key, for one log."""

    def __init__(self, clock: Clock, *, origin: str) -> None:
        self._clock = clock
        self._origin = origin

    def prove(self, signer: Signer, tenant: str, key_class: KeyClass, label: str) -> Possession | Refused:
        """Return what an administrator needs to admit this key, to this tenant, class and label only."""
        statement = possession_bytes(self._origin, tenant, signer.actor, key_class, label)
        members: JsonObject = {
            "origin": self._origin,
            "tenant": tenant,
            "key": signer.actor,
            "class": key_class.value,
            "label": label,
            "proof": signer.sign(statement).hex(),
        }
        return model_of(Possession, members, code=RefusalCode.INVALID_INPUT)

    def token(self, signer: Signer, tenant: str, *, lasting: timedelta) -> str | Refused:
        """Return a token that counts from now on for this long, by the clock of this machine."""
        refusal = too_long(lasting)
        if refusal:
            return refusal
        not_after = instant_text(self._clock.now() + lasting)
        body = Token(origin=self._origin, tenant=tenant, key=signer.actor, not_after=not_after).to_bytes()
        return token_text(body, signer.sign(signed_token_bytes(body)))
