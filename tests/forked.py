"""Processes that a test starts, and that do not outlive it."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from typing import Protocol

import pytest

PATIENCE_SECONDS = 60
"""A process that has not ended by then, never will."""


class Start(Protocol):
    """Starting a process; whatever becomes of the test, it does not outlive it."""

    def __call__(self, life: Callable[..., None], *arguments: object) -> BaseProcess:
        """Return the process, which runs."""
        ...


@contextmanager
def starting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Start processes: forked from a server that has no threads and has imported everything."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    context = get_context("forkserver")
    context.set_forkserver_preload(["__main__", "attackers"])
    started: list[BaseProcess] = []

    def begin(life: Callable[..., None], *arguments: object) -> BaseProcess:
        process = context.Process(target=life, args=arguments, daemon=True)
        process.start()
        started.append(process)
        return process

    try:
        yield begin
    finally:
        for process in started:
            process.kill()
            process.join()


def ended(processes: Sequence[BaseProcess]) -> Counter[int | None]:
    """Wait until all have ended; return how."""
    codes: Counter[int | None] = Counter()
    for process in processes:
        process.join(PATIENCE_SECONDS)
        codes[process.exitcode] += 1
    return codes
