"""Deciding what may change in a workflow definition."""

from __future__ import annotations

from sealwork.application.ledger.hearing import Hearing, Ruling
from sealwork.application.workflows.definitions import Definitions
from sealwork.domain.ids import stream_key
from sealwork.domain.ledger.actors import PUBLISH_WORKFLOWS
from sealwork.domain.ledger.canonical import MAX_DOCUMENT_BYTES, parse_canonical
from sealwork.domain.ledger.record import state_bytes
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.workflows.definition import Publish, Surroundings, command_of, decide, evolve


class DecideDefinition:
    """The rules of `workflow/…` streams. The state mark is the number of versions."""

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions

    def __call__(self, hearing: Hearing) -> Ruling | Refused:
        """See `Decider`."""
        intent = hearing.intent
        if PUBLISH_WORKFLOWS not in hearing.actor.permissions:
            detail = f"{hearing.actor.label} does not hold the permission {PUBLISH_WORKFLOWS}"
            return refused(RefusalCode.PERMISSION, detail, "/key")
        command = command_of(intent)
        if isinstance(command, Refused):
            return command
        definition = self._definitions.of(intent.tenant, stream_key(intent.stream))
        document = hearing.submission.document
        refusal = decide(definition, command, document, self._surroundings(intent.tenant, document))
        if refusal:
            return refusal
        versions = len(evolve(definition, command).versions)
        return Ruling(
            state_name="published",
            state=state_bytes("published", {"versions": versions}),
            keeps_document=isinstance(command, Publish),
        )

    def _surroundings(self, tenant: str, document: bytes | None) -> Surroundings | None:
        value = parse_canonical(document, limit=MAX_DOCUMENT_BYTES) if document else None
        return None if isinstance(value, Refused) else self._definitions.surroundings(tenant, value)
