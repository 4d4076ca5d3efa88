"""Checking, before anything is written, that the log is the one that was pinned: the engine seals for no other."""

from __future__ import annotations

from sealwork.application.ports.event_log import EventLog, Question
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import ACTOR_REGISTRY, SYSTEM
from sealwork.domain.ledger.record import Record, parse_record


class CheckLog:
    """Compare the identity that the newest record of the system registry names with the pinned one."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def __call__(self, origin: str) -> bool:
        """Return whether the log has begun.

        Raises:
            Misconfigured: it is the log of another origin.
            Unavailable: the log did not answer.
        """
        head = self._log.head(Question(tenant=SYSTEM, stream=ACTOR_REGISTRY))
        record = parse_record(head.head_record) if head.head_record is not None else None
        if isinstance(record, Record) and record.origin != origin:
            raise Misconfigured(f"this database holds the log {record.origin}, but {origin} is pinned")
        return head.seq > 0
