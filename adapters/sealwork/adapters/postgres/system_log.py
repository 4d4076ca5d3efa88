"""The system log in PostgreSQL, behind one function that only ever adds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sealwork.adapters.postgres.database import Connections, Role, query, sendable
from sealwork.application.ports.system_log import Attempt, LoggedAttempt


class PostgresSystemLog:
    """A system log with the rights of `role`; only WORKER can write, only READER can read."""

    def __init__(self, database: Connections, role: Role) -> None:
        self._database = database
        self._role = role

    def write(self, attempts: Sequence[Attempt]) -> None:
        """See `SystemLog.write`."""
        columns = (
            [attempt.tenant for attempt in attempts],
            [attempt.work_id for attempt in attempts],
            [attempt.stream for attempt in attempts],
            [attempt.action for attempt in attempts],
            [attempt.occurrence for attempt in attempts],
            [attempt.number for attempt in attempts],
            [attempt.result.value for attempt in attempts],
            [sendable(attempt.reason) for attempt in attempts],
            [_hash(attempt.fired_event_hash) for attempt in attempts],
        )
        with self._database.as_role(self._role) as connection:
            connection.execute(query("write_system_log"), columns)

    def newest(self, tenant: str, *, stream: str | None = None, limit: int) -> Sequence[LoggedAttempt]:
        """See `SystemLog.newest`."""
        name = "system_log_of_tenant" if stream is None else "system_log_of_process"
        asked = [tenant, limit] if stream is None else [tenant, stream, limit]
        with self._database.as_role(self._role) as connection:
            return [_logged(row) for row in connection.execute(query(name), asked).fetchall()]


def _hash(text: str | None) -> bytes | None:
    return bytes.fromhex(text) if text else None


def _logged(row: Sequence[Any]) -> LoggedAttempt:
    at, tenant, work_id, stream, action, occurrence, number, result, reason, fired = row
    return LoggedAttempt(
        at=at,
        tenant=tenant,
        work_id=work_id,
        stream=stream,
        action=action,
        occurrence=occurrence,
        number=number,
        result=result,
        reason=reason,
        fired_event_hash=fired.hex() if fired else None,
    )
