"""How long a row waits after an attempt that nobody is to blame for, and when one is given up.

Source: worker.md, "Outcomes" (exponential, jittered, capped, never 0; outages never end in failed); X-12.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

_MOST_DOUBLINGS = 64


class RetryPolicy(BaseModel):
    """Waits that double from `first` up to `longest`; `most_deaths` is how many workers a row may end."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    first: Annotated[timedelta, Field(ge=timedelta(milliseconds=1))] = timedelta(seconds=1)
    longest: Annotated[timedelta, Field(le=timedelta(days=1))] = timedelta(minutes=5)
    most_deaths: Annotated[int, Field(ge=1)] = 5

    @model_validator(mode="after")
    def _longest_is_not_shorter(self) -> Self:
        if self.first > self.longest:
            raise ValueError("the first wait is longer than the longest")
        return self

    def wait(self, attempts: int, jitter: float) -> timedelta:
        """Return the wait after attempt number `attempts`, counted from 1; `jitter`, from 0 to 1, spreads it.

        It lies between half and all of what doubling gives, and is never nothing.
        """
        doublings = min(max(attempts, 1) - 1, _MOST_DOUBLINGS)
        # Compared as numbers: a timedelta cannot hold every power of two.
        whole = self.longest if 2**doublings >= self.longest / self.first else self.first * 2**doublings
        return whole * (0.5 + min(1.0, max(0.0, jitter)) / 2)

    def gives_up(self, deaths: int) -> bool:
        """Return whether a row that has ended so many workers is failed instead of being tried again."""
        return deaths >= self.most_deaths
