"""Bringing a database to this version: numbered SQL files, forward only, each in its own transaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple

import psycopg

from sealwork.adapters.postgres.database import Connection, Database
from sealwork.domain.errors import Misconfigured

_LOCK = 7_236_114_059_201
"""Advisory lock of whoever migrates; any number does, as long as it never changes."""
_BOOKKEEPING = """
    CREATE SCHEMA IF NOT EXISTS sealwork;
    CREATE TABLE IF NOT EXISTS sealwork.migrations (
        number     int         PRIMARY KEY,
        name       text        NOT NULL,
        sha256     text        NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT clock_timestamp())
"""


class Migration(NamedTuple):
    """One file; its number is the first part of its name."""

    number: int
    name: str
    sql: bytes

    @property
    def checksum(self) -> str:
        """Return the SHA-256 of the file, hex."""
        return sha256(self.sql).hexdigest()


def migrations() -> Sequence[Migration]:
    """Return the files of this version, in order."""
    return sorted(_files())


def migrate(database: Database) -> Sequence[Migration]:
    """Apply what is missing, and return it. Two at once are safe: the second finds nothing to do.

    Raises:
        Misconfigured: a file that was applied has changed, or the database is newer than this program, or the
            user may not migrate.
        Unavailable: the server did not answer; migrations that were applied stay.
    """
    with database.owner() as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
        try:
            applied = _applied(connection)
            missing = [m for m in migrations() if m.number not in applied]
            for migration in missing:
                _apply(connection, migration)
            return missing
        finally:
            connection.execute("SELECT pg_advisory_unlock(%s)", (_LOCK,))


def set_origin(database: Database, origin: str) -> None:
    """Give the log its identity, for ever; giving the same again changes nothing.

    Raises:
        Misconfigured: the log has another origin.
    """
    with database.owner() as connection:
        try:
            connection.execute("SELECT sealwork.set_origin(%s)", (origin,))
        except (psycopg.errors.RaiseException, psycopg.errors.CheckViolation) as error:
            raise Misconfigured(str(error).partition("\n")[0]) from error


def _files() -> Iterator[Migration]:
    for file in files(__package__).joinpath("migrations").iterdir():
        number, _, _ = file.name.partition("_")
        if file.name.endswith(".sql"):
            yield Migration(number=int(number), name=file.name, sql=file.read_bytes())


def _applied(connection: Connection) -> set[int]:
    """Return the numbers that were applied, after holding each against its file."""
    connection.execute(_BOOKKEEPING)
    known = {migration.number: migration for migration in migrations()}
    rows = connection.execute("SELECT number, name, sha256 FROM sealwork.migrations").fetchall()
    for number, name, checksum in rows:
        if number not in known:
            raise Misconfigured(f"the database knows migration {name}, this program does not: use a newer one")
        if known[number].checksum != checksum:
            raise Misconfigured(f"migration {name} was changed after it was applied: migrations only move forward")
    return {number for number, _, _ in rows}


def _apply(connection: Connection, migration: Migration) -> None:
    with connection.transaction():
        connection.execute(migration.sql)
        connection.execute(
            "INSERT INTO sealwork.migrations (number, name, sha256) VALUES (%s, %s, %s)",
            (migration.number, migration.name, migration.checksum),
        )
