"""What the two clocks do beside their contract, which `memory/test_clocks.py` runs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from sealwork.adapters.clocks import SteppingClock, SystemClock
from sealwork.domain.instants import instant_of, instant_text

START = datetime(2026, 6, 18, 10, tzinfo=UTC)


def test_the_system_clock_tells_the_present() -> None:
    before = datetime.now(UTC)

    now = SystemClock().now()

    assert before <= now <= datetime.now(UTC)


def test_what_the_system_clock_tells_can_be_signed() -> None:
    now = SystemClock().now()

    assert instant_of(instant_text(now)) == now


@pytest.mark.parametrize("by", [timedelta(microseconds=1), timedelta(days=400), timedelta(hours=-3), timedelta()])
def test_a_stepping_clock_moves_by_what_it_is_told(by: timedelta) -> None:
    clock = SteppingClock(START)

    clock.advance(by)

    assert clock.now() == START + by


def test_moves_of_a_stepping_clock_add_up() -> None:
    clock = SteppingClock(START)

    for _ in range(3):
        clock.advance(timedelta(minutes=1))

    assert clock.now() == START + timedelta(minutes=3)


def test_a_stepping_clock_is_set_to_an_instant() -> None:
    clock = SteppingClock(START)

    clock.set(START - timedelta(days=1))

    assert clock.now() == START - timedelta(days=1)


def test_two_stepping_clocks_do_not_move_each_other() -> None:
    one, other = SteppingClock(START), SteppingClock(START)

    one.advance(timedelta(hours=1))

    assert other.now() == START
