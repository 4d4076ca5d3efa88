"""Outcomes: what the worker does with its row after the engine's answer. One table, total over all codes.

Source: worker.md, "Outcomes"; S1-088..093, X-11, X-12; D-15.
"""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from pydantic import BaseModel, ConfigDict

from sealwork.domain.refusals import RefusalCode


class Outcome(StrEnum):
    """What becomes of a claimed row.

    ACCEPT   the event stands: completed, exhausted, or on to the next occurrence
    SKIP     the rules refused it: recorded with the reason; a recurrence moves on
    DROP     the row belongs to another by now: settle nothing
    RESIGN   the head moved or the intent expired: sign again at once, then RETRY
    RETRY    try later, without end
    FAIL     no attempt can succeed
    PARK     the key is not good in this tenant: give the row back, leave the tenant alone
    STOP     the own signature does not verify: give the rows back as they were, and stop
    """

    ACCEPT = "accept"
    SKIP = "skip"
    DROP = "drop"
    RESIGN = "resign"
    RETRY = "retry"
    FAIL = "fail"
    PARK = "park"
    STOP = "stop"


class WorkerCode(StrEnum):
    """Why there is no answer of the engine: the worker's own words beside the codes of refusals."""

    MISFIRE = "misfire"
    WORKERS_ENDED = "workers_ended"
    UNAVAILABLE = "unavailable"


class Unanswered(BaseModel):
    """An attempt that the engine did not answer, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: WorkerCode
    detail: str


def outcome_of(code: RefusalCode | WorkerCode) -> Outcome:
    """Return the one outcome of a refusal, or of an attempt without an answer."""
    return _of_attempt(code) if isinstance(code, WorkerCode) else _of_refusal(code)


def _of_attempt(code: WorkerCode) -> Outcome:
    match code:
        case WorkerCode.MISFIRE:
            return Outcome.SKIP
        case WorkerCode.UNAVAILABLE:
            return Outcome.RETRY
        case WorkerCode.WORKERS_ENDED:
            return Outcome.FAIL
        case _:
            assert_never(code)


def _of_refusal(code: RefusalCode) -> Outcome:
    match code:
        case (
            RefusalCode.WRONG_ROLE
            | RefusalCode.WRONG_STATE
            | RefusalCode.GUARD
            | RefusalCode.INVALID_INPUT
            | RefusalCode.INVALID_RESULT
            | RefusalCode.SAME_ACTOR
            | RefusalCode.DEFINITION_WITHDRAWN
        ):
            return Outcome.SKIP
        case RefusalCode.NOT_CLAIMED:
            return Outcome.DROP
        case RefusalCode.STALE_HEAD | RefusalCode.EXPIRED_INTENT:
            return Outcome.RESIGN
        case RefusalCode.UNKNOWN_ACTOR | RefusalCode.KEY_RETIRED | RefusalCode.KEY_REVOKED:
            return Outcome.PARK
        case RefusalCode.BAD_SIGNATURE:
            return Outcome.STOP
        case (
            RefusalCode.NO_PROCESS
            | RefusalCode.NO_ACTION
            | RefusalCode.TOO_LARGE
            | RefusalCode.ID_CONFLICT
            | RefusalCode.RESERVED_INPUT
            | RefusalCode.NOT_CANONICAL
            | RefusalCode.WRONG_ORIGIN
            | RefusalCode.WRONG_TENANT
            | RefusalCode.EXPIRED_TOKEN
            | RefusalCode.DEFINITION_MISMATCH
            | RefusalCode.CASCADE_LIMIT
            | RefusalCode.CHAIN_BROKEN
            | RefusalCode.PERMISSION
            | RefusalCode.RULE_LIMIT
            | RefusalCode.CONFLICT
            | RefusalCode.IN_USE
        ):
            return Outcome.FAIL
        case _:
            assert_never(code)
