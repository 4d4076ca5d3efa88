"""Measuring: how long one run takes, beside a peer that is measured at the same time.

All of it computes and waits for nothing, so the time of the processor is taken: what others do on the machine in
between is not counted. Their share of the caches is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import thread_time
from typing import TypeAlias

Run: TypeAlias = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. Times are medians, in seconds of the processor."""

    name: str
    seconds: float
    best_seconds: float
    """The shortest of all: what is left when the machine does nothing else."""
    peer: str
    peer_seconds: float
    must_seconds: float | None = None
    """The most that it may take; None for what is told for information."""

    @property
    def ratio(self) -> float:
        """Return how many times the peer it takes."""
        return self.seconds / self.peer_seconds

    @property
    def verdict(self) -> str:
        """Return `ok` or `miss`; empty where nothing is asked for."""
        if self.must_seconds is None:
            return ""
        return "ok" if self.seconds <= self.must_seconds else "miss"


def measured(
    name: str, run: Run, peer: str, peer_run: Run, *, times: int, must_seconds: float | None = None
) -> Row:
    """Return the row of `run`; it and its peer take turns, so that a busy machine is busy for both."""
    own: list[float] = []
    others: list[float] = []
    run()
    peer_run()
    for _ in range(times):
        own.append(seconds_of(run))
        others.append(seconds_of(peer_run))
    return Row(name, median(own), min(own), peer, median(others), must_seconds)


def seconds_of(run: Run) -> float:
    """Return how long `run` takes once, on the processor."""
    begun = thread_time()
    run()
    return thread_time() - begun
