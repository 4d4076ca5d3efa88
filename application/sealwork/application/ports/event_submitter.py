"""The way from an actor to the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import Refused


class EventSubmitter(Protocol):
    """The engine, in this process or behind HTTP; the answers are the same."""

    def submit(self, submissions: Sequence[Submission]) -> Sequence[Appended | Refused]:
        """Return one answer per submission, in order. One refused submission does not touch the others.

        Raises:
            Unavailable: some may have been appended; submitting the same bytes again is answered `duplicate`.
        """
        ...
