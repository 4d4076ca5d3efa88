"""Findings: what verification says is wrong, and where."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class FindingCode(StrEnum):
    """What kind of change was found. Codes are stable."""

    RECORD_UNREADABLE = "record_unreadable"
    INTENT_UNREADABLE = "intent_unreadable"
    WRONG_PLACE = "wrong_place"
    LINK_BROKEN = "link_broken"
    INTENT_REPLACED = "intent_replaced"
    CAUSE_DIFFERS = "cause_differs"
    MEMBERS_DIFFER = "members_differ"
    TIME_BACKWARDS = "time_backwards"
    CONTEXT_BACKWARDS = "context_backwards"
    CONTEXT_UNKNOWN = "context_unknown"
    CONTEXT_OUTDATED = "context_outdated"
    ACTOR_SIGNATURE = "actor_signature"
    ACTOR_KEY = "actor_key"
    SUSPECT_KEY = "suspect_key"
    ENGINE_SIGNATURE = "engine_signature"
    ENGINE_KEY = "engine_key"
    NOT_PERMITTED = "not_permitted"
    DECIDED_DIFFERENTLY = "decided_differently"
    NOT_PROMISED = "not_promised"
    FIRED_EARLY = "fired_early"
    ROW_MISSING = "row_missing"
    ROW_UNFOUNDED = "row_unfounded"
    ROW_DIFFERS = "row_differs"
    ACTORS_DIFFER = "actors_differ"
    COLUMN_DIFFERS = "column_differs"
    HEAD_DIFFERS = "head_differs"
    STATE_DIFFERS = "state_differs"
    DOCUMENT_DIFFERS = "document_differs"
    EVENTS_MISSING = "events_missing"
    NOTHING_CHECKED = "nothing_checked"


class Finding(BaseModel):
    """One thing that is wrong, at one position of one chain."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: FindingCode
    tenant: str
    stream: str
    seq: int
    detail: str
