"""Work rows as PostgreSQL gives them: the edge where tuples and jsonb become values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from sealwork.domain.errors import Misconfigured
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.work.listing import ListedWork
from sealwork.domain.work.work_row import CausedBy, ClaimedWork, Recurrence, StoredWork, UnreadableWork, WorkRow

_DATA = 6
"""Where the data stand in a row of `queries/kept_work.sql`."""


def claimed_work(row: Sequence[Any], token: UUID) -> ClaimedWork:
    """Return a row of `queries/claim.sql`."""
    *common, seq, hash_, definition, first_claimed_at, misfire = row
    return ClaimedWork(
        row=_work_row(common, status="claimed", lease_token=token),
        lease_token=token,
        seq=seq,
        hash=hash_.hex(),
        definition=DefinitionRef.model_validate(definition),
        first_claimed_at=first_claimed_at,
        misfire=misfire,
    )


def stored_work(row: Sequence[Any]) -> WorkRow:
    """Return a row of `queries/work_of_process.sql`.

    Raises:
        Misconfigured: it holds what no engine wrote.
    """
    try:
        return _stored(row)
    except ValidationError as error:
        raise Misconfigured(f"work row {row[2]} was changed, {_flaw(error)}: run `sealwork verify`") from error


def _stored(row: Sequence[Any]) -> WorkRow:
    *common, status, lease_token, last_error, fired, _ = row
    return _work_row(
        common,
        status=status,
        lease_token=lease_token,
        last_error=last_error,
        fired_event_hash=fired.hex() if fired else None,
    )


def kept_work(row: Sequence[Any]) -> StoredWork | UnreadableWork:
    """Return a row of `queries/kept_work.sql`, or that it holds what no engine wrote."""
    *stored, every, until, count, misfire = row
    try:
        stored[_DATA] = json.loads(stored[_DATA])
        recurrence = Recurrence(every=every, until=until, count=count, misfire=misfire)
        return StoredWork(seq=stored[-1], row=_stored(stored), recurrence=recurrence)
    except ValidationError as error:
        return UnreadableWork(seq=stored[-1], id=stored[2], detail=_flaw(error))
    except (ValueError, RecursionError) as error:
        return UnreadableWork(seq=stored[-1], id=stored[2], detail=f"data: {str(error)[:100]}")


def _flaw(error: ValidationError) -> str:
    """Return the first thing that is wrong, and where."""
    flaw = error.errors(include_url=False)[0]
    where = ".".join(map(str, flaw["loc"]))
    return f"{where}: {flaw['msg']}"


def listed_work(row: Sequence[Any]) -> ListedWork:
    """Return a row of `queries/listed_rows.sql`."""
    *stored, due, _ = row
    return ListedWork(row=stored_work(stored), due=due)


def work_of_json(tenant: str, work: dict[str, Any]) -> WorkRow:
    """Return the `work` member of `read_head`."""
    return WorkRow.model_validate(
        {
            "kind": work["kind"],
            "tenant": tenant,
            "id": work["id"],
            "stream": work["stream"],
            "action": work["action"],
            "data": work["data"],
            "status": work["status"],
            "occurrence": work["occurrence"],
            "run_at": work["run_at"],
            "missed": work["missed"] or 0,
            "depth": work["depth"],
            "caused_by": {
                "event_hash": work["caused_by_event_hash"],
                "action": work["caused_by_action"],
                "actor": work["caused_by_actor"],
                "at": work["caused_by_at"],
            },
            "schedule_id": work["schedule_id"],
            "available_state": work["available_state"],
            "reason": work["reason"],
            "rule": _rule(work["source"]),
            "rule_version": work["rule_version"],
            "lease_token": work["lease_token"],
        }
    )


def _work_row(row: Sequence[Any], **bookkeeping: Any) -> WorkRow:
    kind, tenant, id_, stream, schedule_id, action, data, hash_, by_action, by_actor, by_at = row[:11]
    occurrence, missed, run_at, available_state, reason, source, rule_version, depth, attempts, deaths = row[11:]
    return WorkRow(
        kind=kind,
        tenant=tenant,
        id=id_,
        stream=stream,
        action=action,
        data=data,
        occurrence=occurrence,
        run_at=run_at,
        missed=missed,
        depth=depth,
        caused_by=CausedBy(event_hash=hash_.hex(), action=by_action, actor=by_actor, at=by_at),
        schedule_id=schedule_id,
        available_state=available_state,
        reason=reason,
        rule=_rule(source),
        rule_version=rule_version,
        attempts=attempts,
        deaths=deaths,
        **bookkeeping,
    )


def _rule(source: str | None) -> str | None:
    return None if source in (None, "auto") else source
