"""Run all benchmarks and print one table. What is too slow is called a miss; it is no error."""

from __future__ import annotations

from argparse import ArgumentParser

from benchmarks import decisions, events, guards
from benchmarks.largest import AUTOMATIC
from benchmarks.table import as_json, as_text

TIMES = 200


def main() -> None:
    """Read the arguments, measure, print."""
    parser = ArgumentParser(prog="dev.py bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the rows as JSON, times in seconds")
    parser.add_argument("--times", type=int, default=TIMES, help=f"how often each is measured ({TIMES})")
    parser.add_argument("--size", type=int, default=AUTOMATIC, help=f"guards and automatic actions ({AUTOMATIC})")
    given = parser.parse_args()
    rows = [
        *guards.rows(given.times, given.size + 1),
        *decisions.rows(given.times, given.size),
        *events.rows(given.times, given.size),
    ]
    print(as_json(rows) if given.json else as_text(rows))


if __name__ == "__main__":
    main()
