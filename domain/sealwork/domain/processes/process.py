"""A process: what one action makes of it.

`decide` is the whole rule. It reads no clock and writes nothing; the engine calls it before an event is
recorded, a verifier calls it again from the chain alone and must get the same bytes.

Source: events.md, "Order of checks" and "Record"; S1-109..112.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from sealwork.domain.expressions.guards import Facts
from sealwork.domain.expressions.readable import Readable, read_back
from sealwork.domain.expressions.verdicts import Undecided
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import MAX_RECORD_BYTES
from sealwork.domain.ledger.effects import Effect
from sealwork.domain.ledger.members import parse_model
from sealwork.domain.ledger.record import state_bytes
from sealwork.domain.processes.act import Act
from sealwork.domain.processes.consequences import NO_VERSIONS, Versions, consequences
from sealwork.domain.processes.mutate import Changes, mutated
from sealwork.domain.processes.permission import other_refusal, role_refusal
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.workflows.compiled import CompiledAction, CompiledWorkflow

_BYTES_AROUND_DATA = 1_024
"""At most: of a state, its name with all that is written around it."""


class ProcessState(BaseModel):
    """Where a process stands and what it knows; its bytes are what a record's state mark hashes."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    state: str
    data: JsonObject

    def to_bytes(self) -> bytes:
        """Return the canonical bytes."""
        return state_bytes(self.state, self.data)


@dataclass(frozen=True, slots=True)
class Decision:
    """What the action makes: the state after it, and its effects in the order of the record."""

    state: ProcessState
    effects: tuple[Effect, ...]


def parse_state(body: bytes) -> ProcessState | Refused:
    """Return the state that `body` is."""
    return parse_model(ProcessState, body, limit=MAX_RECORD_BYTES)


def action_of(workflow: CompiledWorkflow, name: str) -> CompiledAction | Refused:
    """Return the action of this name; there is no action without a workflow that defines it (S1-119)."""
    action = workflow.actions.get(name)
    if action is not None:
        return action
    known = ", ".join(workflow.actions)
    detail = f"{workflow.workflow.path} has no action {name!r}; it has {known}"
    return refused(RefusalCode.NO_ACTION, detail, "/action")


def decide(
    workflow: CompiledWorkflow, current: ProcessState | None, act: Act, versions: Versions = NO_VERSIONS
) -> Decision | Refused:
    """Return what `act` makes of the process (None before it began), or the first rule that refuses it."""
    action = action_of(workflow, act.action)
    if isinstance(action, Refused):
        return action
    return role_refusal(action, act) or _decided(workflow, action, current, act, versions)


def decide_child(workflow: CompiledWorkflow, act: Act, versions: Versions = NO_VERSIONS) -> Decision | Refused:
    """Return what `act` makes of the process that it begins, authorised by the action of a parent.

    Everything is asked but the role: the parent's action was allowed, and it says what begins.
    """
    action = action_of(workflow, act.action)
    return action if isinstance(action, Refused) else _decided(workflow, action, None, act, versions)


def _decided(
    workflow: CompiledWorkflow,
    action: CompiledAction,
    current: ProcessState | None,
    act: Act,
    versions: Versions,
) -> Decision | Refused:
    before = act.facts(current.state if current else "", current.data if current else {})
    refusal = other_refusal(action, current.state if current else None, act, before)
    if refusal:
        return refusal
    after = evolve(action, before)
    if isinstance(after, Refused):
        return after
    violation = workflow.data.first_violation(after.data) if workflow.data else None
    if violation:
        detail = f"after {act.action} the data would not be what the workflow says: {violation.message}"
        return refused(RefusalCode.INVALID_RESULT, detail, f"/data{violation.pointer}")
    effects = consequences(workflow, action, after, act.place, versions)
    if isinstance(effects, Refused):
        return effects
    return Decision(state=ProcessState(state=after.state, data=after.data), effects=effects)


def evolve(action: CompiledAction, before: Facts) -> Facts | Refused:
    """Return a permitted act with the state and data that it leaves: where the action leads, what it writes.

    `before` is the act with the state and data that it finds. Values are as their canonical bytes read.
    """
    changes = _changes(action, before)
    data = changes if isinstance(changes, Refused) else mutated(before.data, changes)
    if isinstance(data, Refused):
        return data
    readable = read_back(data, depth=2)
    if isinstance(readable, Refused):
        at = f"/data{readable.pointer or ''}"
        return readable.model_copy(update={"code": RefusalCode.INVALID_RESULT, "pointer": at})
    after = before.left_as(action.action.to or before.state, readable)
    if _is_too_large(after, readable):
        return refused(RefusalCode.TOO_LARGE, f"the state would exceed {MAX_RECORD_BYTES} bytes", None)
    return after


def _is_too_large(after: Facts, data: Readable) -> bool:
    """Most data is so small that its bytes need not be counted."""
    most_bytes = data.most_bytes + _BYTES_AROUND_DATA
    return most_bytes > MAX_RECORD_BYTES and len(state_bytes(after.state, after.data)) > MAX_RECORD_BYTES


def _changes(action: CompiledAction, before: Facts) -> Changes | Refused:
    """Resolve what the action writes, all from the state before it."""
    mutate = action.mutate
    resolved: list[dict[str, JsonValue]] = []
    size = 0
    for templates in (mutate.set_, mutate.append, mutate.inc):
        values: dict[str, JsonValue] = {}
        for name, template in templates.items():
            came_to = template.resolve(before)
            if isinstance(came_to, Undecided):
                detail = f"{name}{came_to.pointer} cannot be written: {came_to.reason}"
                return refused(RefusalCode.INVALID_INPUT, detail, "/input")
            size += came_to.size
            if size > MAX_RECORD_BYTES:  # told before the rest is resolved: there may be much of it
                return refused(RefusalCode.TOO_LARGE, f"the state would exceed {MAX_RECORD_BYTES} bytes", None)
            values[name] = came_to.value
        resolved.append(values)
    set_, append, inc = resolved
    return Changes(set_=set_, append=append, unset=mutate.unset, inc=inc)
