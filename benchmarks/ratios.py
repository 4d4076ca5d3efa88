"""What is asked for as a ratio: events per second beside a peer, and where the time of one event goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Ratio:
    """One line of the table of events per second."""

    name: str
    per_second: float
    peer: str
    peer_per_second: float
    at_least: float
    """The ratio that is asked for."""

    @property
    def ratio(self) -> float:
        """Return how many events there are for one of the peer."""
        return self.per_second / self.peer_per_second

    @property
    def verdict(self) -> str:
        """Return `ok` or `miss`."""
        return "ok" if self.ratio >= self.at_least else "miss"


@dataclass(frozen=True, slots=True)
class Shares:
    """How long one event takes, and what for."""

    name: str
    seconds: float
    parts: Mapping[str, float]

    @classmethod
    def of(cls, name: str, seconds: float, parts: Mapping[str, float], times: int) -> Self:
        """Return the shares of one of `times` events that took so long together; what no part has is the rest."""
        rest = seconds - sum(parts.values())
        whole = {**parts, "the rest": rest}
        return cls(name, seconds / times, {part: spent / times for part, spent in whole.items()})
