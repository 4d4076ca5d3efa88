"""How work rows look to a person, in a list and alone."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sealwork.adapters.cli.output import plain, say
from sealwork.adapters.cli.process_view import print_ladder, when
from sealwork.application.ports.system_log import LoggedAttempt
from sealwork.application.proof.explain import Ladder
from sealwork.application.work.list_work import WorkListing
from sealwork.domain.ids import stream_key
from sealwork.domain.json_value import JsonObject
from sealwork.domain.work.listing import ListedWork
from sealwork.domain.work.work_row import WorkKind, WorkRow


def print_listing(listing: WorkListing) -> None:
    """Print one line for each row, in columns."""
    _print_columns([(_cells(listed), listed.row.last_error) for listed in listing.work], nothing="no work")
    if listing.more:
        say("there is more: write a larger --limit", style="dim")


def print_attempts(attempts: Sequence[LoggedAttempt]) -> None:
    """Print one line for each attempt, in columns."""
    _print_columns([(_attempt_cells(each), each.reason) for each in attempts], nothing="nothing was tried")


def print_work(listed: ListedWork) -> None:
    """Print all that a row says."""
    row = listed.row
    told = {
        "process": stream_key(row.stream),
        "action": row.action,
        "kind": _kind(row),
        "due": "-" if listed.due is None else when(listed.due),
        "planned": when(row.run_at),
        "occurrence": f"{row.occurrence}, {row.missed} missed before it" if row.missed else str(row.occurrence),
        "data": json.dumps(row.data, ensure_ascii=False),
        "depth": str(row.depth),
        "attempts": str(row.attempts),
        "error": row.last_error,
        "lease": None if row.lease_token is None else str(row.lease_token),
        "because": row.reason,
        "in state": row.available_state,
        "caused by": f"{row.caused_by.action}, {when(row.caused_by.at)}",
        "event": row.caused_by.event_hash,
        "actor": row.caused_by.actor,
        "fired as": row.fired_event_hash,
    }
    say(f"{row.id}  {row.status}", style="bold")
    for name, value in told.items():
        if value is not None:
            say(f"  {name:<10} {value}")


def print_why(ladder: Ladder) -> None:
    """Print what led to a row that stands above."""
    say("why:")
    print_ladder(Ladder(rungs=ladder.rungs))


def listed_json(listed: ListedWork) -> JsonObject:
    """Return a row, and when it is due, as one object."""
    document = plain(listed)
    row = document.pop("row")
    assert isinstance(row, dict)
    return {**row, **document}


def _cells(listed: ListedWork) -> tuple[str, ...]:
    row = listed.row
    attempts = f"{row.attempts} attempt{'' if row.attempts == 1 else 's'}"
    return row.status, stream_key(row.stream), row.action, _kind(row), _due(listed), attempts, str(row.id)


def _attempt_cells(attempt: LoggedAttempt) -> tuple[str, ...]:
    process, of = stream_key(attempt.stream), f"occurrence {attempt.occurrence}, attempt {attempt.number}"
    return when(attempt.at), attempt.result, process, attempt.action, of, str(attempt.work_id)


def _print_columns(lines: Sequence[tuple[Sequence[str], str | None]], *, nothing: str) -> None:
    """Print cells under each other, each line with its remark, or that there is `nothing`."""
    widths = [max(map(len, column)) for column in zip(*(cells for cells, _ in lines), strict=True)]
    for cells, remark in lines:
        columns = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        say("  ".join(columns) + (f"  ({remark})" if remark else ""))
    if not lines:
        say(nothing)


def _kind(row: WorkRow) -> str:
    match row.kind:
        case WorkKind.SCHEDULED_ACTION:
            return f"timer {row.schedule_id}"
        case WorkKind.AUTO_ACTION:
            return "automatic"
        case WorkKind.RULE:
            return f"rule {row.rule}"


def _due(listed: ListedWork) -> str:
    return "-" if listed.due is None else f"due {when(listed.due)}"
