"""What every `Clock` promises; and what every clock for stories does beside it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from sealwork.application.ports.clock import Clock

HOUR = timedelta(hours=1)


class ClockContract:
    """Fixture: `clock`."""

    def test_an_instant_is_told_in_utc(self, clock: Clock) -> None:
        assert clock.now().tzinfo is UTC

    def test_time_does_not_run_backwards(self, clock: Clock) -> None:
        instants = [clock.now() for _ in range(5)]

        assert instants == sorted(instants)


class MovedClockContract(ClockContract):
    """Fixtures: `clock`, and `move_to`, which sets it."""

    def test_it_stands_where_it_was_moved_to(self, clock: Clock, move_to: Callable[[datetime], object]) -> None:
        for instant in (datetime(2031, 3, 30, 0, 30, tzinfo=UTC), datetime(2001, 1, 1, tzinfo=UTC)):
            move_to(instant)

            assert timedelta(0) <= clock.now() - instant < HOUR
