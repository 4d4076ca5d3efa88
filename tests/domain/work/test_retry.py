"""How long a row waits before it is tried again, and when it is given up. Source: worker.md, "Outcomes"; X-12."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from laws import law
from sealwork.domain.work.retry import RetryPolicy

SECOND, DAY = timedelta(seconds=1), timedelta(days=1)
POLICIES = st.builds(
    lambda first, more: RetryPolicy(first=first, longest=min(DAY, first + more)),
    st.timedeltas(min_value=timedelta(milliseconds=1), max_value=DAY),
    st.timedeltas(min_value=timedelta(0), max_value=DAY),
)
ATTEMPTS, CHANCE = st.integers(min_value=1, max_value=2**31 - 1), st.floats(min_value=0, max_value=1)


def test_waits_double_up_to_the_longest() -> None:
    waits = [RetryPolicy().wait(attempts, 1.0) / SECOND for attempts in range(1, 12)]

    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]


def test_chance_takes_up_to_half_of_a_wait() -> None:
    assert [RetryPolicy().wait(3, chance) / SECOND for chance in (0.0, 0.5, 1.0)] == [2, 3, 4]


@law
@given(POLICIES, ATTEMPTS, CHANCE)
def test_a_wait_is_never_nothing_and_never_longer_than_the_longest(
    policy: RetryPolicy, attempts: int, chance: float
) -> None:
    assert timedelta(0) < policy.wait(attempts, chance) <= policy.longest


@law
@given(POLICIES, ATTEMPTS, CHANCE)
def test_who_has_tried_more_often_waits_no_less(policy: RetryPolicy, attempts: int, chance: float) -> None:
    assert policy.wait(attempts, chance) <= policy.wait(attempts + 1, chance)


@law
@given(st.integers(), st.floats(allow_nan=True))
def test_not_even_nonsense_gives_a_wait_of_nothing(attempts: int, chance: float) -> None:
    assert timedelta(0) < RetryPolicy().wait(attempts, chance) <= RetryPolicy().longest


def test_a_row_is_given_up_when_it_has_ended_five_workers() -> None:
    assert [deaths for deaths in range(8) if RetryPolicy().gives_up(deaths)] == [5, 6, 7]


@pytest.mark.parametrize(
    "members",
    [
        {"first": timedelta(0)},
        {"first": -SECOND},
        {"longest": timedelta(milliseconds=999)},
        {"longest": DAY + SECOND},
        {"most_deaths": 0},
        {"most_attempts": 5},
    ],
    ids=str,
)
def test_a_policy_that_makes_no_sense_is_none(members: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        RetryPolicy.model_validate(members)
