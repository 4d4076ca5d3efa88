"""Provenance: why the machine acted, copied from its row, never invented.

It travels as `input.meta.automation`, inside what the worker signs; the engine compares it with the row.

Source: worker.md, "Provenance"; S1-080..084, S1-148..150; X-01, X-28.
"""

from __future__ import annotations

from typing import assert_never

from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import ActorKey, KeyClass
from sealwork.domain.ledger.intent import Intent, hidden_provenance, reserved_input_of, with_provenance
from sealwork.domain.ledger.members import difference
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.work.work_row import WorkKind, WorkRow, WorkStatus

_AT = "/input/meta/automation"
MAX_OCCURRENCE = 2**31 - 1


def provenance_of(row: WorkRow, fired_by: str) -> JsonObject:
    """Return the provenance of `row`, fired by the key `fired_by`."""
    common: JsonObject = {
        "kind": row.kind.value,
        "work_id": str(row.id),
        "occurrence": row.occurrence,
        "depth": row.depth,
        "fired_by_actor": fired_by,
    }
    match row.kind:
        case WorkKind.SCHEDULED_ACTION:
            return common | _scheduled(row)
        case WorkKind.AUTO_ACTION:
            return common | _queued(row)
        case WorkKind.RULE:
            return common | _queued(row) | {"rule": row.rule, "version": row.rule_version}
        case _:
            assert_never(row.kind)


def fired_input(row: WorkRow, fired_by: str) -> JsonObject:
    """Return the input of the event that fires `row`: its data, fixed when it was made, and its provenance."""
    return with_provenance(row.data, provenance_of(row, fired_by))


def claimed_work(intent: Intent) -> tuple[str, int] | None:
    """Return (work id, occurrence) that an intent claims to fire, None when it claims nothing."""
    claim = _claim(intent)
    work, occurrence = (claim.get("work_id"), claim.get("occurrence")) if claim else (None, None)
    if isinstance(work, str) and type(occurrence) is int and 0 < occurrence <= MAX_OCCURRENCE:
        return work, occurrence
    return None


def told_missed(intent: Intent) -> int:
    """Return how many planned instants before its own an intent says that it stands for; 0 if it says none."""
    claim = _claim(intent)
    missed = claim.get("missed", 0) if claim else 0
    return missed if type(missed) is int else 0


def causing_event(intent: Intent) -> str | None:
    """Return the hash of the event that an intent names as the cause of its work row, None if it claims none."""
    claim = _claim(intent) or {}
    told = claim.get("queued_by_event_hash", claim.get("scheduled_by_event_hash"))
    return told if isinstance(told, str) else None


def check_provenance(
    intent: Intent, actor: ActorKey, row: WorkRow | None, *, lease_token: str | None
) -> Refused | None:
    """Return None if the intent may claim what it claims.

    People and services may not write provenance at all. A key of class AUTOMATION signs nothing else: it must
    hold the lease of the row, and the whole input must be what the row gives (X-02, X-36).
    """
    if actor.key_class is not KeyClass.AUTOMATION:
        return reserved_input_of(intent.input)
    if claimed_work(intent) is None:
        return refused(
            RefusalCode.RESERVED_INPUT,
            "an AUTOMATION key signs only for a work row that its worker has claimed",
            _AT,
        )
    held = row is not None and row.status is WorkStatus.CLAIMED and str(row.lease_token) == lease_token
    if row is None or not held or row.stream != intent.stream:
        return refused(RefusalCode.NOT_CLAIMED, "no row of this process is claimed under this lease", _AT)
    if row.action != intent.action:
        return refused(RefusalCode.RESERVED_INPUT, f"the row is for {row.action}", "/action")
    place = difference(intent.input, fired_input(row, actor.key), "/input")
    differs = refused(RefusalCode.RESERVED_INPUT, "differs from the work row", place) if place else None
    return hidden_provenance(intent.input) or differs


def depth_of(row: WorkRow | None) -> int:
    """Return how many hops without delay lie between a person, a trigger or a timer and this event."""
    return row.depth if row else 0


def _claim(intent: Intent) -> JsonObject | None:
    meta = intent.input.get("meta")
    claim = meta.get("automation") if isinstance(meta, dict) else None
    return claim if isinstance(claim, dict) else None


def _scheduled(row: WorkRow) -> JsonObject:
    return {
        "schedule_id": row.schedule_id,
        "scheduled_by_event_hash": row.caused_by.event_hash,
        "scheduled_by_action": row.caused_by.action,
        "scheduled_by_actor": row.caused_by.actor,
        "scheduled_at": instant_text(row.caused_by.at),
        "run_at": instant_text(row.run_at),
        "missed": row.missed,
    }


def _queued(row: WorkRow) -> JsonObject:
    return {
        "queued_by_event_hash": row.caused_by.event_hash,
        "queued_by_action": row.caused_by.action,
        "queued_by_actor": row.caused_by.actor,
        "queued_at": instant_text(row.caused_by.at),
        "available_state": row.available_state,
        "reason": row.reason,
    }
