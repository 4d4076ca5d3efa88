"""Sessions that wait for a lock, as the server sees them: nobody has to guess how long something takes."""

from __future__ import annotations

import time
from collections.abc import Callable

from sealwork.adapters.postgres.database import Database

PATIENCE_SECONDS = 30
_WAITING = """
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


def waiter(database: Database, *, unless: Callable[[], object]) -> int | None:
    """Return the session that waits for a lock, as soon as one does; None if `unless` comes true before."""
    with database.owner() as owner:

        def seen() -> object:
            return owner.execute(_WAITING).fetchone() or unless()

        until(seen)
        session: tuple[int] | None = owner.execute(_WAITING).fetchone()
    return session[0] if session else None


def until(happened: Callable[[], object]) -> None:
    """Return when something has happened elsewhere that tells nobody, and that takes a moment."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not happened():
        assert time.monotonic() < deadline, f"it has not happened within {PATIENCE_SECONDS} s"
        time.sleep(0.005)
