"""A process: what one action makes of it.

`decide` is the whole rule. It reads no clock and writes nothing; the engine calls it before an event is
recorded, a verifier calls it again from the chain alone and must get the same bytes.

Source: events.md, "Order of checks" and "Record"; S1-109..112.
"""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.canonical import MAX_RECORD_BYTES
from sealwork.domain.ledger.effects import Auto, Cancel, Effect, Place, Schedule, derived_id
from sealwork.domain.ledger.members import parse_model
from sealwork.domain.ledger.record import state_bytes
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.timing.durations import parse_duration
from sealwork.domain.workflows.availability import available
from sealwork.domain.workflows.mutate import mutated
from sealwork.domain.workflows.workflow import Action, Workflow


class ProcessState(BaseModel):
    """Where a process stands and what it knows; its bytes are what a record's state mark hashes."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    state: str
    data: JsonObject

    def to_bytes(self) -> bytes:
        """Return the canonical bytes."""
        return state_bytes(self.state, self.data)


class Act(BaseModel):
    """One attempt at an action: by whom, with which roles, at which place of which chain, when."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: str
    roles: frozenset[str]
    place: Place
    recorded_at: datetime


class Decision(BaseModel):
    """What the action makes: the state after it, and its effects in the order of the record."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    state: ProcessState
    effects: tuple[Effect, ...]


def parse_state(body: bytes) -> ProcessState | Refused:
    """Return the state that `body` is."""
    return parse_model(ProcessState, body, limit=MAX_RECORD_BYTES)


def action_of(workflow: Workflow, name: str) -> Action | Refused:
    """Return the action of this name; there is no action without a workflow that defines it (S1-119)."""
    action = workflow.actions.get(name)
    if action is not None:
        return action
    known = ", ".join(sorted(workflow.actions))
    return refused(RefusalCode.NO_ACTION, f"{workflow.path} has no action {name!r}; it has {known}", "/action")


def decide(workflow: Workflow, current: ProcessState | None, act: Act) -> Decision | Refused:
    """Return what `act` makes of the process (None before it began), or the first rule that refuses it."""
    action = action_of(workflow, act.action)
    if isinstance(action, Refused):
        return action
    refusal = _role(action, act) or _state(action, current, act)
    if refusal:
        return refusal
    data = mutated(current.data if current else {}, action.mutate)
    if isinstance(data, Refused):
        return data
    after = ProcessState(state=action.to or (current.state if current else ""), data=data)
    if len(after.to_bytes()) > MAX_RECORD_BYTES:
        return refused(RefusalCode.TOO_LARGE, f"the state would exceed {MAX_RECORD_BYTES} bytes", None)
    return Decision(state=after, effects=_effects(workflow, action, after, act))


def _role(action: Action, act: Act) -> Refused | None:
    if act.roles.intersection(action.roles):
        return None
    wanted, held = " or ".join(action.roles), ", ".join(sorted(act.roles)) or "none"
    return refused(RefusalCode.WRONG_ROLE, f"{act.action} needs the role {wanted}; the actor has {held}", "/key")


def _state(action: Action, current: ProcessState | None, act: Act) -> Refused | None:
    if current is None and action.kind == "create":
        return None
    if current is None:
        return refused(RefusalCode.NO_PROCESS, f"no such process, and {act.action} does not begin one", "/stream")
    if current.state in action.from_states:
        return None
    wanted = " or ".join(action.from_states) or "a process that has not begun"
    return refused(
        RefusalCode.WRONG_STATE, f"{act.action} needs {wanted}; the process is in {current.state}", "/action"
    )


def _effects(workflow: Workflow, action: Action, after: ProcessState, act: Act) -> tuple[Effect, ...]:
    """Cancel by id, schedule by id, auto by action, bytewise; the index of each gives it its derived id."""
    effects: list[Effect] = [Cancel(id=id_) for id_ in sorted(set(action.cancel), key=str.encode)]
    for entry in sorted(action.schedule, key=lambda entry: entry.id.encode()):
        work = str(derived_id(act.place, len(effects)))
        run_at = instant_text(act.recorded_at + parse_duration(entry.in_ or ""))
        effects.append(Schedule(id=entry.id, work=work, action=entry.action, data=entry.data, run_at=run_at))
    for name, data in available(workflow, after.state):
        effects.append(Auto(work=str(derived_id(act.place, len(effects))), action=name, data=data))
    return tuple(effects)
