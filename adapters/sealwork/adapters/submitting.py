"""Ways from an actor to the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import Refused


class TakesBatches(Protocol):
    """The engine, as far as submitting needs it."""

    def batch(self, submissions: Sequence[Submission]) -> Sequence[Appended | Refused]:
        """Return one answer per submission, in order."""
        ...


class InProcess:
    """The engine in this process: for one machine."""

    def __init__(self, process_event: TakesBatches) -> None:
        self._process_event = process_event

    def submit(self, submissions: Sequence[Submission]) -> Sequence[Appended | Refused]:
        """See `EventSubmitter.submit`."""
        return self._process_event.batch(submissions)
