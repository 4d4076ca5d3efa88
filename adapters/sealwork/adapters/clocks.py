"""Clocks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from time import sleep


class SystemClock:
    """The clock of this machine: for what an actor claims, never for what the engine records (D-14)."""

    def now(self) -> datetime:
        """See `Clock.now`."""
        return datetime.now(UTC)


class SteppingClock:
    """A clock that stands still until it is moved, in either direction."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        """See `Clock.now`."""
        return self._now

    def advance(self, by: timedelta) -> None:
        """Move the clock by `by`, which may be negative."""
        self._now += by

    def set(self, instant: datetime) -> None:
        """Move the clock to `instant`."""
        self._now = instant


def sleep_for(time: timedelta) -> None:
    """Do nothing for `time`."""
    sleep(time.total_seconds())
