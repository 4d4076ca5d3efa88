"""Faults between the worker and the engine, at the moments that matter."""

from __future__ import annotations

from collections.abc import Sequence

from sealwork.application.ports.event_submitter import EventSubmitter
from sealwork.domain.errors import Unavailable
from sealwork.domain.ledger.intent import Intent, parse_intent
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import Refused


class WorkerDied(Exception):
    """The worker is gone, and with it all that it knew. Only stories raise this."""


class FaultySubmitter:
    """A way to the engine that fails when it is told to."""

    def __init__(self, submitter: EventSubmitter) -> None:
        self._submitter = submitter
        self.crash_after_append = False
        self.transient = 0
        """How many more submissions find nobody who answers."""
        self.last_action = ""
        """What was submitted last."""

    def submit(self, submissions: Sequence[Submission]) -> Sequence[Appended | Refused]:
        """See `EventSubmitter.submit`.

        Raises:
            WorkerDied: as told; the events stand.
        """
        intent = parse_intent(submissions[-1].intent)
        self.last_action = intent.action if isinstance(intent, Intent) else ""
        if self.transient > 0:
            self.transient -= 1
            raise Unavailable("the story says that nobody answers")
        answers = self._submitter.submit(submissions)
        if self.crash_after_append and any(isinstance(answer, Appended) for answer in answers):
            self.crash_after_append = False
            raise WorkerDied
        return answers
