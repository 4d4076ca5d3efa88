"""Which automatic actions are available after an event, and with which input each is queued.

No action names the automation that follows it; the automatic action holds its own condition (S1-016). What is
asked here will be asked again when it is fired: `from`, `when`, `not_actor`, the schema of its input.

Source: S1-042..046, S1-111..113, S1-137..139.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sealwork.domain.json_value import value_at
from sealwork.domain.ledger.actors import AUTOMATION_ROLE
from sealwork.domain.workflows.compiled import CompiledAction, CompiledWorkflow
from sealwork.domain.workflows.guards import Facts
from sealwork.domain.workflows.queued_input import QueuedInput, queued_input
from sealwork.domain.workflows.verdicts import Passed

_MACHINE = frozenset({AUTOMATION_ROLE})


@dataclass(frozen=True, slots=True)
class Available:
    """An automatic action that may be taken now, and the input that it is queued with."""

    action: str
    input: QueuedInput


def available(workflow: CompiledWorkflow, after: Facts) -> Iterator[Available]:
    """Return the automatic actions that may be taken after an event, in bytewise order of name.

    `after` is the event, with the state and data that it leaves.
    """
    machine = after.seen_with({}, _MACHINE)
    for name, action in workflow.automatic:
        if action.auto is not None and after.state in action.action.from_states:
            queued = queued_input(action.auto, after, action.input)
            if _may_be_taken(action, machine, queued):
                yield Available(action=name, input=queued)


def _may_be_taken(action: CompiledAction, machine: Facts, queued: QueuedInput) -> bool:
    """The library takes in once what it is given once: `machine` serves all that do not look at their input."""
    barred, guard = action.action.not_actor, action.guard
    if barred is not None and not isinstance(value_at(machine.data, *barred.split(".")), str):
        return False
    if guard is None:
        return True
    seen = machine.seen_with(queued.checked, _MACHINE) if guard.expression.reads_input else machine
    return isinstance(guard.verdict(seen), Passed)
