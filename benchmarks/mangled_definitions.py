"""Mangle definitions at random and see that the domain survives each: `python benchmarks/mangled_definitions.py`.

The same seed gives the same definitions. What is found is raised with the number and the whole document.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import cast

TESTS = Path(__file__).resolve().parents[1] / "tests"


def main(arguments: Sequence[str]) -> int:
    """Mangle as many definitions as asked for, and print what came of them."""
    sys.path.insert(0, str(TESTS))
    from mangling import sound_documents
    from sealwork.domain.json_value import JsonValue
    from sealwork.domain.ledger.canonical import canonical
    from surviving import survive

    parser = ArgumentParser(description="Mangle definitions at random; the domain must survive each of them.")
    parser.add_argument("--count", type=int, default=100_000, help="how many definitions (100000)")
    parser.add_argument("--seed", type=int, default=20_260_618, help="what chance begins with (20260618)")
    asked = parser.parse_args(arguments)
    documents = sound_documents()
    digest = sha256(canonical(cast(list[JsonValue], documents))).hexdigest()[:16]
    print(f"{asked.count} definitions mangled from {len(documents)} sound ones ({digest}), seed {asked.seed}")
    ticks = [perf_counter()]
    tally = survive(asked.count, asked.seed, documents, lambda _: ticks.append(perf_counter()))
    seconds = ticks[-1] - ticks[0]
    slowest = max(after - before for before, after in zip(ticks, ticks[1:], strict=False))
    print(f"accepted {tally.accepted}, refused {tally.refused}, crashes 0")
    print(f"{seconds:.0f} s, {asked.count / seconds:.0f} per second, the slowest took {slowest * 1000:.0f} ms")
    print(f"most calls of Python functions to judge one: {tally.most_steps}")
    _print_counts("definitions by code of an issue", tally.issues)
    _print_counts("acts by answer", tally.answers)
    return 0


def _print_counts(title: str, counts: Counter[str]) -> None:
    print(f"\n{title}:")
    for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        print(f"{count:>9}  {code}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
