"""Run all benchmarks and print one table. What is too slow is called a miss; it is no error."""

from __future__ import annotations

from argparse import ArgumentParser

from benchmarks import appends, decisions, events, guards, verification
from benchmarks.appends import Sizes
from benchmarks.largest import AUTOMATIC
from benchmarks.table import as_json, as_text

TIMES = 200


def main() -> None:
    """Read the arguments, measure, print."""
    parser = ArgumentParser(prog="dev.py bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the rows as JSON, times in seconds")
    parser.add_argument("--times", type=int, default=TIMES, help=f"how often each is measured ({TIMES})")
    parser.add_argument("--size", type=int, default=AUTOMATIC, help=f"guards and automatic actions ({AUTOMATIC})")
    parser.add_argument("--long", type=int, default=Sizes.long, help=f"events of a long process ({Sizes.long})")
    parser.add_argument(
        "--stored", type=int, default=Sizes.stored, help=f"events in a full store ({Sizes.stored})"
    )
    parser.add_argument(
        "--verified",
        type=int,
        default=verification.VERIFIED,
        help=f"events of the largest log that is verified ({verification.VERIFIED})",
    )
    given = parser.parse_args()
    rows = [
        *guards.rows(given.times, given.size + 1),
        *decisions.rows(given.times, given.size),
        *events.rows(given.times, given.size),
    ]
    written, writing = appends.rows(Sizes(given.times, given.long, given.stored))
    verified, verifying = verification.rows(given.verified)
    told = rows, [*written, *verified], [writing, *verifying]
    print(as_json(*told) if given.json else as_text(*told))


if __name__ == "__main__":
    main()
