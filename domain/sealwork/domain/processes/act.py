"""An act: one attempt at an action of a process."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sealwork.domain.expressions.guards import Facts
from sealwork.domain.ids import stream_key
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.effects import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One attempt at an action: by whom, with which roles and input, at which place of which chain, when.

    `input` is what the actor says, without the provenance that a worker adds to it.
    """

    action: str
    actor: str
    roles: frozenset[str]
    input: JsonObject
    place: Place
    recorded_at: datetime
    others: frozenset[str] = frozenset()
    """Further keys of whoever acts: those that the actor's key succeeds, and its successors."""

    def facts(self, state: str, data: JsonObject) -> Facts:
        """Return what expressions see of this act, in a process that stands in `state` with `data`."""
        return Facts(
            state=state,
            data=data,
            input=self.input,
            roles=self.roles,
            at=self.recorded_at,
            process_id=stream_key(self.place.stream),
            action=self.action,
            actor=self.actor,
        )
