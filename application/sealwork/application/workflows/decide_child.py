"""Deciding how a child process begins."""

from __future__ import annotations

from sealwork.application.ledger.hearing import Birth, Ruling
from sealwork.application.workflows.definitions import Definitions
from sealwork.domain.processes.act import Act
from sealwork.domain.processes.process import decide_child
from sealwork.domain.refusals import RefusalCode, Refused, refused


class DecideChild:
    """The rules of a first event without an intent: those of the workflow version that the parent names."""

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions

    def __call__(self, birth: Birth) -> Ruling | Refused:
        """See `ChildDecider`."""
        tenant, ref = birth.place.tenant, birth.spawn.definition
        workflow = self._definitions.workflow(tenant, ref.sha256)
        if workflow is None:
            return refused(
                RefusalCode.CHAIN_BROKEN, f"{ref.path}@{ref.version} is not stored: run `sealwork verify`"
            )
        act = Act(
            action=birth.spawn.action,
            actor=birth.actor.key,
            roles=birth.actor.roles,
            input=birth.input,
            place=birth.place,
            recorded_at=birth.recorded_at,
        )
        decision = decide_child(workflow, act, self._definitions.children(tenant, workflow, act.action))
        if isinstance(decision, Refused):
            return decision
        return Ruling(
            state_name=decision.state.state,
            state=decision.state.to_bytes(),
            effects=decision.effects,
            depth=birth.depth,
        )
