"""Listing attempts: what the worker tried, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from sealwork.application.ports.system_log import LoggedAttempt, SystemLog
from sealwork.domain.ids import process_stream


class ListAttempts:
    """The system log of a tenant, to read. It explains work rows; it proves nothing, the chain does (S1-101)."""

    def __init__(self, system_log: SystemLog) -> None:
        self._system_log = system_log

    def __call__(self, tenant: str, *, process_id: str | None = None, limit: int) -> Sequence[LoggedAttempt]:
        """Return the newest attempts, on all work rows or on those of one process, the newest first.

        Raises:
            Unavailable: the log did not answer.
        """
        stream = None if process_id is None else process_stream(process_id)
        return self._system_log.newest(tenant, stream=stream, limit=limit)
