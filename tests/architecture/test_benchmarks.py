"""The benchmarks run and print their rows. How fast anything is, no test asks.

Nor which test misses a guard of the store that was taken away: that takes minutes, and its answers are recorded.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

from architecture.sources import ROOT

TINY = ("--times", "1", "--size", "2", "--long", "2", "--stored", "20", "--verified", "20")


def test_every_row_is_printed_with_its_peer() -> None:
    computed, legend, stored, shares, _ = bench(*TINY).split("\n\n")
    document = json.loads(bench(*TINY, "--json"))

    assert _head(computed) == ["name", "measured", "best", "must", "ratio", "peer"]
    assert _names(computed) == [row["name"] for row in document["computed"]]
    assert all(f"{word}:" in legend for word in ("ratio", "must"))
    assert _head(stored) == ["name", "measured", "peer", "does", "ratio", "at", "least", "peer"]
    assert _names(stored) == [row["name"] for row in document["stored"]]
    assert all(part in shares for each in document["shares"] for part in each["parts"])


def test_programs_read_what_must_be_how_fast() -> None:
    document = json.loads(bench(*TINY, "--json"))

    rows = document["computed"]
    assert [row["must_seconds"] for row in rows] == [0.002, 0.005, 0.005, None, None, None]
    assert all(
        row["seconds"] >= row["best_seconds"] > 0 and row["peer_seconds"] > 0 and row["peer"] for row in rows
    )
    assert all((row["verdict"] is None) == (row["must_seconds"] is None) for row in rows)
    stored = document["stored"]
    asked = [row["at_least"] and round(row["at_least"], 2) for row in stored]
    assert asked == [1.0, 1.5, 3.0, 0.83, 0.83, 0.85, None, 1.7, 0.83]
    assert all(row["ratio"] > 0 and (row["verdict"] is None) == (row["at_least"] is None) for row in stored)


def test_every_guard_that_is_taken_away_stands_where_the_record_says() -> None:
    found = [_place(line) for line in bench("--find", module="benchmarks.guards_taken_away").splitlines()]
    recorded = (ROOT / "benchmarks" / "recorded" / "guards_taken_away.txt").read_text().splitlines()

    assert [_place(line) for line in recorded if ".sql:" in line] == found
    assert len(found) >= 14


def _place(line: str) -> list[str]:
    """Return the guard, and the migration and line where it stands."""
    return re.split(r"  +", line)[:2]


def _head(table: str) -> list[str]:
    return table.splitlines()[0].split()


def _names(table: str) -> list[str]:
    return [line.partition("  ")[0] for line in table.splitlines()[1:]]


def bench(*arguments: str, module: str = "benchmarks") -> str:
    """Return what the benchmarks print; a miss does not make them fail."""
    command = (sys.executable, "-m", module, *arguments)
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
