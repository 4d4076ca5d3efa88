"""The table, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from benchmarks.measuring import Row
from benchmarks.ratios import Ratio, Shares

_LEGEND = """\
In memory, one thread, time of the processor; median and best. ratio: to the peer, measured in the same run.
must: what is asked for; a miss is told and stops nothing. docs/explanation/speed.md says more."""
_STORED_LEGEND = """\
In PostgreSQL with its default settings, in time of the clock; the median of three rounds in turn with the peer."""
_STORED = ("name", "measured", "peer does", "ratio", "at least", "", "peer")
_HEAD = ("name", "measured", "best", "must", "ratio", "", "peer")


def as_text(rows: Sequence[Row], ratios: Sequence[Ratio], shares: Sequence[Shares]) -> str:
    """Return the rows as columns; a ratio is that to the peer, measured in the same run."""
    computed, stored = _columns([_HEAD, *map(_cells, rows)]), _columns([_STORED, *map(_rates, ratios)])
    told = "\n".join(map(_told, shares))
    return f"{computed}\n\n{_LEGEND}\n\n{stored}\n\n{told}\n\n{_STORED_LEGEND}"


def as_json(rows: Sequence[Row], ratios: Sequence[Ratio], shares: Sequence[Shares]) -> str:
    """Return the rows as JSON: times in seconds, of the processor where nothing is stored."""
    stored = [{**asdict(ratio), "ratio": ratio.ratio, "verdict": ratio.verdict or None} for ratio in ratios]
    document = {"computed": [_members(row) for row in rows], "stored": stored, "shares": list(map(asdict, shares))}
    return json.dumps(document, indent=2)


def _columns(lines: Sequence[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def _rates(row: Ratio) -> tuple[str, ...]:
    ours, theirs = f"{row.measured:,.0f}{row.unit}", f"{row.peer_measured:,.0f}{row.unit}"
    at_least = "" if row.at_least is None else f"{row.at_least:.2f}"
    return row.name, ours, theirs, f"{row.ratio:.2f}", at_least, row.verdict, row.peer


def _told(shares: Shares) -> str:
    parts = ", ".join(f"{part} {seconds * 1_000:.3f} ms" for part, seconds in shares.parts.items())
    return f"{shares.name}: {shares.seconds * 1_000:.3f} ms = {parts}"


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
