"""The database's clock, which the engine records by (D-14)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sealwork.adapters.postgres.database import Database, Role
from sealwork.domain.errors import Misconfigured


class DatabaseClock:
    """`sealwork.now()`; only the owner can move it, and only in a log whose origin begins with demo. or test."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def now(self) -> datetime:
        """See `Clock.now`."""
        with self._database.as_role(Role.READER) as connection:
            row = connection.execute("SELECT sealwork.now()").fetchone()
        if row is None or row[0] is None:
            raise Misconfigured("this database has no origin yet: run `sealwork init`")
        instant: datetime = row[0]
        return instant.astimezone(UTC)

    def move(self, by: timedelta) -> None:
        """Move the clock; time runs on from there."""
        with self._database.owner() as connection:
            connection.execute("SELECT sealwork.move_clock(%s)", (by,))
