"""What an expression can come to: three verdicts of a guard, two outcomes of a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sealwork.domain.json_value import JsonValue


@dataclass(frozen=True, slots=True)
class Passed:
    """The guard holds."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The guard does not hold."""


@dataclass(frozen=True, slots=True)
class Undecided:
    """There is no answer: something is missing, or of the wrong kind. It never counts as true."""

    reason: str
    pointer: str = ""
    """JSON pointer into the template that was resolved; empty for an expression."""
    is_too_large: bool = False
    """It was given up, since it came to more than a record could hold."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The value that an expression came to."""

    value: JsonValue


Verdict: TypeAlias = Passed | Failed | Undecided
