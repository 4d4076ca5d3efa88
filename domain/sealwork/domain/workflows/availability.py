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
from sealwork.domain.workflows.templates import Template
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
        if action.auto is not None and after.state in action.action.from_states and not _barred(action, after):
            queued = _queued(action, action.auto, after, machine)
            if queued is not None:
                yield Available(action=name, input=queued)


def _barred(action: CompiledAction, after: Facts) -> bool:
    """Where nobody is named who may not act, nobody may."""
    field = action.action.not_actor
    return field is not None and not isinstance(value_at(after.data, *field.split(".")), str)


def _queued(action: CompiledAction, auto: Template, after: Facts, machine: Facts) -> QueuedInput | None:
    """Return the input, None if the guard does not hold for it.

    A guard that does not read it is asked first, for `machine`: the library takes in once what it is given once.
    """
    guard = action.guard
    if guard is None:
        return queued_input(auto, after, action.input)
    if not guard.expression.reads_input:
        is_free = isinstance(guard.verdict(machine), Passed)
        return queued_input(auto, after, action.input) if is_free else None
    queued = queued_input(auto, after, action.input)
    return queued if isinstance(guard.verdict(machine.seen_with(queued.checked, _MACHINE)), Passed) else None
