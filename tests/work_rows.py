"""Claimed work rows, and intents that fire them."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from builders import ANA, PROCESS, ROBOT, TENANT, an_actor, an_intent
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.work.provenance import fired_input
from sealwork.domain.work.work_row import CausedBy, WorkKind, WorkRow, WorkStatus

TOKEN = UUID("99999999-8888-4777-8666-555555555555")
CAUSED_AT = datetime(2026, 6, 18, 10, 0, 0, 123456, tzinfo=UTC)
RUN_AT = datetime(2026, 6, 20, 10, 0, tzinfo=UTC)
THE_ROBOT = an_actor(ROBOT, KeyClass.AUTOMATION, label="robot", roles=frozenset({"AUTOMATION"}))


def a_row(kind: WorkKind = WorkKind.SCHEDULED_ACTION, **members: object) -> WorkRow:
    """A row that the robot has claimed under `TOKEN`."""
    usual: dict[str, object] = {
        "kind": kind,
        "tenant": TENANT,
        "id": UUID("00000000-0000-8000-8000-000000000001"),
        "stream": PROCESS,
        "action": "escalate",
        "data": {},
        "status": WorkStatus.CLAIMED,
        "occurrence": 2,
        "run_at": RUN_AT,
        "missed": 3,
        "depth": 1,
        "caused_by": CausedBy(event_hash="c" * 64, action="screen", actor=ANA.actor, at=CAUSED_AT),
        "lease_token": TOKEN,
    }
    own: dict[WorkKind, dict[str, object]] = {
        WorkKind.SCHEDULED_ACTION: {"schedule_id": "deadline"},
        WorkKind.AUTO_ACTION: {"available_state": "ready", "reason": "auto action became available"},
        WorkKind.RULE: {"available_state": "ready", "reason": "rule", "rule": "rul_1", "rule_version": 4},
    }
    return WorkRow.model_validate(usual | own[kind] | members)


def firing(row: WorkRow, input_: JsonObject | None = None, **members: object) -> Intent:
    """The intent by which the robot fires `row`; `input_` replaces what the row gives."""
    usual: dict[str, object] = {
        "stream": row.stream,
        "action": row.action,
        "key": ROBOT.actor,
        "input": fired_input(row, ROBOT.actor) if input_ is None else input_,
    }
    return an_intent(**(usual | members))
