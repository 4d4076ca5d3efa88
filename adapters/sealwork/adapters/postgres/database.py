"""Connections to one database, one pool per role; every psycopg error is translated here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from enum import StrEnum
from functools import cache
from importlib.resources import files
from threading import Lock
from types import TracebackType
from typing import Any, Protocol, TypeAlias

import psycopg
from psycopg.rows import TupleRow
from psycopg.sql import SQL
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from sealwork.domain.errors import Misconfigured, Unavailable

Connection: TypeAlias = psycopg.Connection[TupleRow]
CONNECT_SECONDS = 10
MAX_CONNECTIONS = 8

_NO_SCHEMA = (
    psycopg.errors.UndefinedTable,
    psycopg.errors.UndefinedFunction,
    psycopg.errors.UndefinedColumn,
    psycopg.errors.InvalidSchemaName,
)
_NEVER_RIGHT = re.compile(
    r"does not exist|permission denied|authentication failed|no password supplied|invalid [\w ]*(value|number)"
)


class Role(StrEnum):
    """Whose rights a connection has; none of them may write a table directly (S1-058..061)."""

    ENGINE = "sealwork_engine"
    WORKER = "sealwork_worker"
    READER = "sealwork_reader"


class Connections(Protocol):
    """Where an adapter gets its connections from."""

    def as_role(self, role: Role) -> AbstractContextManager[Connection]:
        """Give a connection with the rights of `role`."""
        ...

    def at_one_moment(self, role: Role) -> AbstractContextManager[Connections]:
        """Give connections that all see the database as it stands now, and write nothing."""
        ...


class Inside:
    """One open transaction as the only connection: what it has changed is seen, and nobody else sees it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @contextmanager
    def as_role(self, role: Role) -> Iterator[Connection]:
        """Give the transaction's connection, whose rights stay those of whoever opened it."""
        with translated():
            yield self._connection

    @contextmanager
    def at_one_moment(self, role: Role) -> Iterator[Connections]:
        """Give this very transaction."""
        yield self


class Database:
    """One database. Pools open on first use; leaving the `with` block closes them."""

    def __init__(self, conninfo: str) -> None:
        self.conninfo = conninfo
        self._pools: dict[Role, ConnectionPool[Connection]] = {}
        self._opening = Lock()

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pool in self._pools.values():
            pool.close()
        self._pools = {}

    @contextmanager
    def owner(self) -> Iterator[Connection]:
        """Give a connection as whoever the DSN names: for migrations, and for moving the clock of a demo.

        Raises:
            Unavailable: the server did not answer.
            Misconfigured: this user may not do it.
        """
        with (
            translated(),
            psycopg.connect(self.conninfo, autocommit=True, connect_timeout=CONNECT_SECONDS) as connection,
        ):
            yield connection

    @contextmanager
    def as_role(self, role: Role) -> Iterator[Connection]:
        """Give a pooled connection with the rights of `role`; each statement is its own transaction.

        Raises:
            Unavailable: the server did not answer.
            Misconfigured: the schema or the rights are not there.
        """
        with translated(), self._pool(role).connection() as connection:
            yield connection

    @contextmanager
    def at_one_moment(self, role: Role, moment: str | None = None) -> Iterator[Connections]:
        """Give one transaction that sees the database as it stands at its first statement, or at a shared moment.

        Raises:
            Unavailable, Misconfigured: as `as_role`.
        """
        with self.as_role(role) as connection, connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            if moment is not None:
                connection.execute(SQL("SET TRANSACTION SNAPSHOT {}").format(moment))
            yield Inside(connection)

    @contextmanager
    def shared_moment(self, role: Role) -> Iterator[str]:
        """Give the name of the present moment, which other sessions can see too while this block lasts.

        Raises:
            Unavailable, Misconfigured: as `as_role`.
        """
        with self.at_one_moment(role) as inside, inside.as_role(role) as connection:
            row = connection.execute("SELECT pg_export_snapshot()").fetchone()
            assert row is not None
            yield row[0]

    def _pool(self, role: Role) -> ConnectionPool[Connection]:
        with self._opening:
            return self._pools.get(role) or self._open(role)

    def _open(self, role: Role) -> ConnectionPool[Connection]:
        options: dict[str, Any] = {
            "autocommit": True,
            "connect_timeout": CONNECT_SECONDS,
            "options": f"-c role={role.value} -c TimeZone=UTC",  # elsewhere the first and last days do not fit
            "prepare_threshold": 1,
        }
        psycopg.connect(self.conninfo, **options).close()  # a pool would hide why it cannot connect
        self._pools[role] = ConnectionPool(
            self.conninfo,
            kwargs=options,
            min_size=0,
            max_size=MAX_CONNECTIONS,
            timeout=CONNECT_SECONDS,
            name=role.value,
            open=True,
        )
        return self._pools[role]


@contextmanager
def translated() -> Iterator[None]:
    """Turn psycopg's errors into ours. Who expects one of them catches it inside.

    Raises:
        Unavailable: the server did not answer, or ended the session.
        Misconfigured: the schema, the role or the right is missing; or the database refuses the statement.
    """
    try:
        yield
    except _NO_SCHEMA as e:
        raise Misconfigured(
            "this database has no Sealwork schema of this version: run `sealwork db migrate`"
        ) from e
    except psycopg.errors.InsufficientPrivilege as e:
        raise Misconfigured(f"the database user lacks a right: {_first_line(e)}") from e
    except (PoolTimeout, PoolClosed) as e:
        raise Unavailable(f"no connection to the database within {CONNECT_SECONDS} s") from e
    except (psycopg.OperationalError, psycopg.errors.ReadOnlySqlTransaction) as e:
        if _NEVER_RIGHT.search(str(e)):
            raise Misconfigured(f"the database refuses this connection: {_first_line(e)}") from e
        raise Unavailable(f"the database did not answer: {_first_line(e)}") from e
    except psycopg.DataError as e:
        what = "the database refuses this" if e.sqlstate else "what the database holds cannot be read"
        raise Misconfigured(f"{what}: {_first_line(e)}") from e
    except psycopg.Error as e:
        what = "the database refuses this" if e.sqlstate else "SEALWORK_DSN cannot be read"
        raise Misconfigured(f"{what}: {_first_line(e)}") from e


@cache
def query(name: str) -> bytes:
    """Return the SQL in `queries/NAME.sql`."""
    return files(__package__).joinpath("queries", f"{name}.sql").read_bytes()


def sendable(text: str | None) -> str | None:
    """Return `text` without what PostgreSQL's text cannot hold; the database cleans and cuts the rest."""
    return text and text.replace("\0", " ").encode(errors="replace").decode()


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
