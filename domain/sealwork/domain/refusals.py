"""Refusals: the values with which a decision says no.

Source: domain.md, "process_event"; D-15.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class RefusalCode(StrEnum):
    """Why something was refused. Codes are stable: clients and work rows keep them."""

    NOT_CANONICAL = "not_canonical"
    TOO_LARGE = "too_large"
    WRONG_ORIGIN = "wrong_origin"
    WRONG_TENANT = "wrong_tenant"
    BAD_SIGNATURE = "bad_signature"
    ID_CONFLICT = "id_conflict"
    UNKNOWN_ACTOR = "unknown_actor"
    KEY_RETIRED = "key_retired"
    KEY_REVOKED = "key_revoked"
    EXPIRED_INTENT = "expired_intent"
    EXPIRED_TOKEN = "expired_token"
    STALE_HEAD = "stale_head"
    RESERVED_INPUT = "reserved_input"
    NOT_CLAIMED = "not_claimed"
    NO_PROCESS = "no_process"
    NO_ACTION = "no_action"
    DEFINITION_MISMATCH = "definition_mismatch"
    DEFINITION_WITHDRAWN = "definition_withdrawn"
    WRONG_ROLE = "wrong_role"
    WRONG_STATE = "wrong_state"
    INVALID_INPUT = "invalid_input"
    GUARD = "guard"
    SAME_ACTOR = "same_actor"
    INVALID_RESULT = "invalid_result"
    CASCADE_LIMIT = "cascade_limit"
    CHAIN_BROKEN = "chain_broken"
    PERMISSION = "permission"
    RULE_LIMIT = "rule_limit"
    CONFLICT = "conflict"
    IN_USE = "in_use"


class Refused(BaseModel):
    """A refusal: what was wrong, where, and what to write instead."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: RefusalCode
    detail: str
    pointer: str | None = None
    """JSON pointer (RFC 6901) into the refused document; None where the document as a whole is meant."""


def refused(code: RefusalCode, detail: str, at: str | None = None) -> Refused:
    """Return the refusal with `code`; `at` is the pointer to what is meant."""
    return Refused(code=code, detail=detail, pointer=at)
