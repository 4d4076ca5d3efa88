"""Ways from an actor to the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import Refused


class InProcess:
    """The engine in this process: for one machine."""

    def __init__(self, process_event: Callable[[Submission], Appended | Refused]) -> None:
        self._process_event = process_event

    def submit(self, submissions: Sequence[Submission]) -> Sequence[Appended | Refused]:
        """See `EventSubmitter.submit`."""
        return [self._process_event(submission) for submission in submissions]
