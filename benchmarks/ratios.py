"""What is asked for as a ratio: how much is done beside a peer, and where the time of one event goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Ratio:
    """One line of the table of what stands beside a peer."""

    name: str
    measured: float
    peer: str
    peer_measured: float
    at_least: float | None = None
    """The ratio that is asked for; None for what is told for information."""
    unit: str = "/s"
    """Of both numbers, as it is printed behind them."""

    @property
    def ratio(self) -> float:
        """Return how much there is for one of the peer."""
        return self.measured / self.peer_measured

    @property
    def verdict(self) -> str:
        """Return `ok` or `miss`; empty where nothing is asked for."""
        if self.at_least is None:
            return ""
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
