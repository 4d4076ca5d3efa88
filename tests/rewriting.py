"""Writing where nobody may write: what an owner of the database can do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sealwork.adapters.postgres.database import Connection, Database

_GUARDS = """
    DO $$
    DECLARE
      guard record;
    BEGIN
      FOR guard IN
        SELECT tgrelid::regclass AS guarded, tgname FROM pg_trigger
        WHERE tgrelid::regclass::text LIKE 'sealwork.%' AND NOT tgisinternal
      LOOP
        EXECUTE format('ALTER TABLE %s {} TRIGGER %I', guard.guarded, guard.tgname);
      END LOOP;
    END $$
"""


@contextmanager
def rewriting(database: Database) -> Iterator[Connection]:
    """Give a connection for which nothing is append-only and no key refers to another; all at once, at the end."""
    with database.owner() as owner, owner.transaction():
        owner.execute(_GUARDS.format("DISABLE").encode())
        owner.execute("SET LOCAL session_replication_role = replica")
        yield owner
        owner.execute("SET LOCAL session_replication_role = origin")
        owner.execute(_GUARDS.format("ENABLE ALWAYS").encode())
