"""Doing several things at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

Answer = TypeVar("Answer")


def all_at_once(calls: Sequence[Callable[[], Answer]]) -> list[Answer]:
    """Return the answers to `calls`, each made by a thread of its own; all begin together."""
    gate = Barrier(len(calls), timeout=60)

    def begin(call: Callable[[], Answer]) -> Answer:
        gate.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(begin, calls))
