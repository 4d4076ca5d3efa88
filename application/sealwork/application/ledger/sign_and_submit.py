"""The client's side of an event: read the head, compose the intent, sign it, submit it."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from sealwork.application.ports.clock import Clock
from sealwork.application.ports.event_log import EventLog, Question, Snapshot
from sealwork.application.ports.event_submitter import EventSubmitter
from sealwork.application.ports.signatures import Signer
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.canonical import flaw_in
from sealwork.domain.ledger.intent import DefinitionRef, Intent, signed_intent_bytes
from sealwork.domain.ledger.members import model_of
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import Refused


class Wish(BaseModel):
    """What somebody wants to happen in a stream; the rest of the intent follows from the head and the key."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tenant: str
    stream: str
    action: str
    input: JsonObject
    definition: DefinitionRef | None = None
    document: bytes | None = None


class SignAndSubmit:
    """Compose, sign and submit one intent."""

    def __init__(
        self,
        log: EventLog,
        submitter: EventSubmitter,
        clock: Clock,
        *,
        new_id: Callable[[], UUID],
        origin: str,
    ) -> None:
        self._log = log
        self._submitter = submitter
        self._clock = clock
        self._new_id = new_id
        self._origin = origin

    def head(self, tenant: str, stream: str) -> Snapshot:
        """Return the present head of a stream, over which the next intent is signed."""
        return self._log.head(Question(tenant=tenant, stream=stream))

    def __call__(self, wish: Wish, signer: Signer, *, over: Snapshot | None = None) -> Appended | Refused:
        """Return the engine's answer; `stale_head` means that another was faster: look again, then wish again.

        `over` is the head that was read before, where the wish depends on it.
        """
        flaw = flaw_in(wish.input, "/input")
        if flaw:
            return flaw
        head = over or self.head(wish.tenant, wish.stream)
        intent = self._compose(wish, signer, head)
        if isinstance(intent, Refused):
            return intent
        body = intent.to_bytes()
        signature = signer.sign(signed_intent_bytes(body))
        (answer,) = self._submitter.submit([Submission(intent=body, signature=signature, document=wish.document)])
        return answer

    def _compose(self, wish: Wish, signer: Signer, head: Snapshot) -> Intent | Refused:
        members = {
            "origin": self._origin,
            "tenant": wish.tenant,
            "stream": wish.stream,
            "seq": head.seq + 1,
            "prev": head.hash,
            "id": str(self._new_id()),
            "definition": wish.definition,
            "action": wish.action,
            "key": signer.actor,
            "at": instant_text(self._clock.now()),
            "input": wish.input,
        }
        return model_of(Intent, members)
