"""The benchmarks run and print their rows. How fast anything is, no test asks."""

from __future__ import annotations

import json
import subprocess
import sys

from architecture.sources import ROOT

TINY = ("--times", "1", "--size", "2")


def test_every_row_is_printed_with_its_peer() -> None:
    table, _, legend = bench(*TINY).partition("\n\n")
    head, *rows = table.splitlines()

    assert head.split() == ["name", "measured", "best", "must", "ratio", "peer"]
    assert [row.partition("  ")[0] for row in rows] == [row["name"] for row in json.loads(bench(*TINY, "--json"))]
    assert all(f"{word}:" in legend for word in ("ratio", "must"))


def test_programs_read_what_must_be_how_fast() -> None:
    rows = json.loads(bench(*TINY, "--json"))

    assert [row["must_seconds"] for row in rows] == [0.002, 0.005, 0.005, None, None, None]
    assert all(
        row["seconds"] >= row["best_seconds"] > 0 and row["peer_seconds"] > 0 and row["peer"] for row in rows
    )
    assert all((row["verdict"] is None) == (row["must_seconds"] is None) for row in rows)


def bench(*arguments: str) -> str:
    """Return what the benchmarks print; a miss does not make them fail."""
    command = (sys.executable, "-m", "benchmarks", *arguments)
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
