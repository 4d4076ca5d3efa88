"""Misfires: an occurrence for which nobody was awake. Source: worker.md, "Timers"; X-19."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws import law
from sealwork.domain.work.misfire import GRACE, Misfire, too_late
from work_rows import RUN_AT

MOMENT = timedelta(microseconds=1)


def test_the_policies_are_those_of_the_language() -> None:
    assert [policy.value for policy in Misfire] == ["fire_once", "skip"]


def test_the_grace_is_a_minute() -> None:
    assert timedelta(minutes=1) == GRACE


@pytest.mark.parametrize(
    ("late", "skipped"),
    [(-MOMENT, False), (timedelta(), False), (GRACE, False), (GRACE + MOMENT, True), (timedelta(days=400), True)],
    ids=str,
)
def test_what_is_claimed_after_its_grace_is_skipped(late: timedelta, skipped: bool) -> None:
    assert too_late(Misfire.SKIP, RUN_AT, RUN_AT + late) is skipped


@law
@given(st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=9999)))
def test_a_fire_that_stands_for_all_that_were_missed_is_never_too_late(late: timedelta) -> None:
    assert not too_late(Misfire.FIRE_ONCE, RUN_AT, RUN_AT + late)


def test_a_policy_that_nobody_knows_decides_nothing() -> None:
    with pytest.raises(AssertionError):
        too_late(cast(Misfire, "fire_all"), datetime.min, datetime.max)
