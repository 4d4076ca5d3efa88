"""Which automatic actions are available after an event, and with which input each is queued.

No action names the automation that follows it; the automatic action holds its own condition (S1-016). What is
asked here will be asked again when it is fired: `from`, `when`, `not_actor`, the schema of its input.

Source: S1-042..046, S1-111..113, S1-137..139.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sealwork.domain.expressions.guards import Facts
from sealwork.domain.expressions.verdicts import Passed
from sealwork.domain.json_value import value_at
from sealwork.domain.ledger.actors import AUTOMATION_ROLE
from sealwork.domain.workflows.compiled import Automatic, CompiledAction, CompiledWorkflow
from sealwork.domain.workflows.queued_input import QueuedInput, queued_input

_MACHINE = frozenset({AUTOMATION_ROLE})
_NOTHING = QueuedInput({})


@dataclass(frozen=True, slots=True)
class Asked:
    """An automatic action whose state it is, with the input that it would be queued with."""

    action: str
    input: QueuedInput
    is_available: bool


def automatic(workflow: CompiledWorkflow, after: Facts) -> Iterator[Asked]:
    """Return the automatic actions of the state in which an event leaves its process, in bytewise order of name.

    `after` is the event, with the state and data that it leaves.
    """
    machine = after.seen_with({}, _MACHINE)
    for free in workflow.automatic.get(after.state, ()):
        if not _barred(free.action, after):
            yield _asked(free, after, machine)


def _barred(action: CompiledAction, after: Facts) -> bool:
    """Where nobody is named who may not act, nobody may."""
    field = action.action.not_actor
    return field is not None and not isinstance(value_at(after.data, *field.split(".")), str)


def _asked(free: Automatic, after: Facts, machine: Facts) -> Asked:
    """A guard that does not read the input is asked first, for `machine`: what is given once is taken in once."""
    guard = free.action.guard
    if guard is not None and not guard.expression.reads_input and not isinstance(guard.verdict(machine), Passed):
        return Asked(free.name, _NOTHING, is_available=False)
    queued = queued_input(free.input, after, free.action.input)
    if guard is None or not guard.expression.reads_input:
        return Asked(free.name, queued, is_available=True)
    verdict = guard.verdict(machine.seen_with(queued.checked, _MACHINE))
    return Asked(free.name, queued, is_available=isinstance(verdict, Passed))
