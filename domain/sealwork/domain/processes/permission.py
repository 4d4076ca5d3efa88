"""Whether an act is permitted: its role, the state it finds, its input, the guard, who may not act.

Source: events.md, "Order of checks in `process_event`" (this order); language.md.
"""

from __future__ import annotations

from typing import assert_never

from sealwork.domain.expressions.guards import Facts
from sealwork.domain.expressions.verdicts import Failed, Passed, Undecided
from sealwork.domain.json_value import value_at
from sealwork.domain.processes.act import Act
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.workflows.compiled import CompiledAction


def role_refusal(action: CompiledAction, act: Act) -> Refused | None:
    """Return None if one of the actor's roles may take the action; roles are compared letter by letter (X-21)."""
    roles = action.action.roles
    if act.roles.intersection(roles):
        return None
    wanted, held = " or ".join(roles), ", ".join(sorted(act.roles)) or "none"
    return refused(RefusalCode.WRONG_ROLE, f"{act.action} needs the role {wanted}; the actor has {held}", "/key")


def other_refusal(action: CompiledAction, state: str | None, act: Act, before: Facts) -> Refused | None:
    """Return None if everything but the role permits the act in `state`, which is None before a process began."""
    return (
        _state_refusal(action, state, act)
        or _input_refusal(action, act)
        or _guard_refusal(action, act, before)
        or _actor_refusal(action, act, before)
    )


def _state_refusal(action: CompiledAction, state: str | None, act: Act) -> Refused | None:
    if state is None and action.action.kind == "create":
        return None
    if state is None:
        return refused(RefusalCode.NO_PROCESS, f"no such process, and {act.action} does not begin one", "/stream")
    if state in action.action.from_states:
        return None
    wanted = " or ".join(action.action.from_states) or "a process that has not begun"
    return refused(RefusalCode.WRONG_STATE, f"{act.action} needs {wanted}; the process is in {state}", "/action")


def _input_refusal(action: CompiledAction, act: Act) -> Refused | None:
    violation = action.input.first_violation(act.input) if action.input else None
    if violation is None:
        return None
    detail = f"{act.action} does not take this input: {violation.message}"
    return refused(RefusalCode.INVALID_INPUT, detail, f"/input{violation.pointer}")


def _guard_refusal(action: CompiledAction, act: Act, before: Facts) -> Refused | None:
    if action.guard is None:
        return None
    verdict = action.guard.verdict(before)
    match verdict:
        case Passed():
            return None
        case Failed():
            detail = f"{act.action} may be taken when {action.guard.source}: that is not so"
        case Undecided():
            detail = f"{act.action} may be taken when {action.guard.source}: undecided, {verdict.reason}"
        case _:
            assert_never(verdict)
    return refused(RefusalCode.GUARD, detail, "/action")


def _actor_refusal(action: CompiledAction, act: Act, before: Facts) -> Refused | None:
    """Four eyes: whose key stands in a field of the data may not act, and without a key there nobody may."""
    field = action.action.not_actor
    if field is None:
        return None
    barred = value_at(before.data, *field.split("."))
    if not isinstance(barred, str):
        detail = f"{act.action} needs to know who may not take it: data.{field} holds no key"
        return refused(RefusalCode.SAME_ACTOR, detail, "/action")
    if barred != act.actor and barred not in act.others:
        return None
    whom = "the key" if barred == act.actor else "whoever holds this key, and held the one"
    detail = f"{act.action} is for somebody else than {whom} in data.{field}"
    return refused(RefusalCode.SAME_ACTOR, detail, "/key")
