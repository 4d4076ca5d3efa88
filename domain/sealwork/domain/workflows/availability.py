"""Which automatic actions are available after an event, and with which input each is queued.

No action names the automation that follows it; the automatic action holds its own condition (S1-016). What is
asked here will be asked again when it is fired: `from`, `when`, `not_actor`, the schema of its input.

Source: S1-042..046, S1-111..113, S1-137..139.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sealwork.domain.json_value import JsonObject, value_at
from sealwork.domain.ledger.actors import AUTOMATION_ROLE
from sealwork.domain.workflows.compiled import CompiledAction, CompiledWorkflow
from sealwork.domain.workflows.guards import Facts
from sealwork.domain.workflows.queued_input import QueuedInput, queued_input
from sealwork.domain.workflows.verdicts import Passed


@dataclass(frozen=True, slots=True)
class Available:
    """An automatic action that may be taken now, and the input that it is queued with."""

    action: str
    input: QueuedInput


def available(workflow: CompiledWorkflow, after: Facts) -> Iterator[Available]:
    """Return the automatic actions that may be taken after an event, in bytewise order of name.

    `after` is the event, with the state and data that it leaves.
    """
    for name, action in workflow.automatic:
        if action.auto is not None and after.state in action.action.from_states:
            queued = queued_input(action.auto, after, action.input)
            if _may_be_taken(action, after, queued.checked):
                yield Available(action=name, input=queued)


def _may_be_taken(action: CompiledAction, after: Facts, input_: JsonObject) -> bool:
    barred = action.action.not_actor
    if barred is not None and not isinstance(value_at(after.data, *barred.split(".")), str):
        return False
    if action.guard is None:
        return True
    machine = replace(after, input=input_, roles=frozenset({AUTOMATION_ROLE}))
    return isinstance(action.guard.verdict(machine), Passed)
