"""Locks on files, which the kernel frees when their last holder is gone, however it went."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from sealwork.domain.errors import Unavailable

_POLL_SECONDS = 0.01


def within(seconds: float, condition: Callable[[], bool]) -> bool:
    """Wait until `condition` holds, and return whether it did in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


class FileLock:
    """One holder of the lock at `path`; every instance is a holder of its own, also among threads.

    A child process holds it with us if it is given `descriptor`; no other child inherits it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)

    def try_alone(self) -> bool:
        """Become the only holder, and return whether that could be done at once; if not we hold nothing."""
        return self._try(fcntl.LOCK_EX)

    def take_alone(self, seconds: float) -> None:
        """Become the only holder.

        Raises:
            Unavailable: others held it for `seconds`.
        """
        self._take(fcntl.LOCK_EX, seconds)

    def take_shared(self, seconds: float) -> None:
        """Become one of the holders.

        Raises:
            Unavailable: one held it alone for `seconds`.
        """
        self._take(fcntl.LOCK_SH, seconds)

    def give_back(self) -> None:
        """Free the lock, for those too who inherited it; harmless when repeated."""
        if self.descriptor >= 0:
            fcntl.flock(self.descriptor, fcntl.LOCK_UN)
            self.close()

    def close(self) -> None:
        """Hold it no longer, and leave it to those who inherited it; harmless when repeated."""
        descriptor, self.descriptor = self.descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _take(self, kind: int, seconds: float) -> None:
        if not within(seconds, lambda: self._try(kind)):
            raise Unavailable(f"Others have been holding {self._path} for {seconds:.0f} seconds.")

    def _try(self, kind: int) -> bool:
        try:
            fcntl.flock(self.descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextlib.contextmanager
def alone(path: Path, seconds: float) -> Iterator[FileLock]:
    """Hold the lock at `path` alone; afterwards it is left to those who inherited it.

    Raises:
        Unavailable: others held it for `seconds`.
    """
    with contextlib.closing(FileLock(path)) as lock:
        lock.take_alone(seconds)
        yield lock


def is_held(path: Path) -> bool:
    """Whether anybody holds the lock at `path`."""
    with contextlib.closing(FileLock(path)) as lock:
        return not lock.try_alone()
