"""Time."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """A source of the present moment. In production it is the database's clock (D-14)."""

    def now(self) -> datetime:
        """Return the current instant, timezone-aware, in UTC, in whole microseconds.

        Raises:
            Unavailable: the source did not answer.
        """
        ...
