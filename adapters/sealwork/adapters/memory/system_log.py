"""The system log in memory: the twin of the table `system_log` and its function."""

from __future__ import annotations

from collections.abc import Sequence

from sealwork.adapters.memory.tables import Tables, clean_error
from sealwork.application.ports.system_log import KEPT, Attempt, LoggedAttempt


class MemorySystemLog:
    """A system log that forgets at exit."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def write(self, attempts: Sequence[Attempt]) -> None:
        """See `SystemLog.write`."""
        with self._tables.lock:
            now = self._tables.clock.now()
            for attempt in attempts:
                told = attempt.model_dump() | {"at": now, "reason": clean_error(attempt.reason)}
                self._tables.attempts.setdefault(attempt.tenant, []).append(LoggedAttempt.model_validate(told))
            for tenant in {attempt.tenant for attempt in attempts}:
                del self._tables.attempts[tenant][:-KEPT]

    def newest(self, tenant: str, *, stream: str | None = None, limit: int) -> Sequence[LoggedAttempt]:
        """See `SystemLog.newest`."""
        with self._tables.lock:
            newest_first = reversed(self._tables.attempts.get(tenant, []))
            return [each for each in newest_first if stream in (None, each.stream)][:limit]
