"""The table, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence

from benchmarks.measuring import Row

_LEGEND = """\
In memory, one thread, time of the processor; median and best. ratio: to the peer, measured in the same run.
must: what is asked for; a miss is told and stops nothing. docs/explanation/speed.md says more."""
_HEAD = ("name", "measured", "best", "must", "ratio", "", "peer")


def as_text(rows: Sequence[Row]) -> str:
    """Return the rows as columns; a ratio is that to the peer, measured in the same run."""
    lines = [_HEAD, *map(_cells, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEAD))]
    table = "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
    return f"{table}\n\n{_LEGEND}"


def as_json(rows: Sequence[Row]) -> str:
    """Return the rows as a JSON list, times in seconds of the processor."""
    return json.dumps([_members(row) for row in rows], indent=2)


def _cells(row: Row) -> tuple[str, ...]:
    must = "" if row.must_seconds is None else _milliseconds(row.must_seconds)
    measured, best = _milliseconds(row.seconds), _milliseconds(row.best_seconds)
    return row.name, measured, best, must, f"{row.ratio:.1f}", row.verdict, row.peer


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1_000:.2f} ms"


def _members(row: Row) -> dict[str, str | float | None]:
    return {
        "name": row.name,
        "seconds": row.seconds,
        "best_seconds": row.best_seconds,
        "must_seconds": row.must_seconds,
        "peer": row.peer,
        "peer_seconds": row.peer_seconds,
        "ratio": row.ratio,
        "verdict": row.verdict or None,
    }
