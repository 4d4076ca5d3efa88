from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from contracts.clock import ClockContract, MovedClockContract
from sealwork.adapters.clocks import SteppingClock, SystemClock
from sealwork.application.ports.clock import Clock


class TestSystemClock(ClockContract):
    """The clock of this machine."""

    @pytest.fixture
    def clock(self) -> Clock:
        return SystemClock()


class TestSteppingClock(MovedClockContract):
    """The clock of stories and tests."""

    @pytest.fixture
    def move_to(self, clock: SteppingClock) -> Callable[[datetime], object]:
        return clock.set

    def test_it_stands_still_until_it_is_moved(self, clock: SteppingClock) -> None:
        start = datetime(2026, 6, 18, 10, tzinfo=UTC)

        before = [clock.now(), clock.now()]
        clock.advance(timedelta(hours=-1))

        assert (before, clock.now()) == ([start, start], start - timedelta(hours=1))
