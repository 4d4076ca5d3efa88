"""A PostgreSQL of its own for benchmarks, with the settings that everybody gets, and databases on it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from benchmarks.bench_engine import ORIGIN, BenchEngine
from sealwork.adapters.event_log.recorded_log import RecordedEventLog
from sealwork.adapters.local_postgres import LocalPostgres
from sealwork.adapters.postgres.clock import DatabaseClock
from sealwork.adapters.postgres.database import Database, Role
from sealwork.adapters.postgres.migrate import migrate, set_origin
from sealwork.adapters.postgres.recorder import PostgresRecorder


@contextmanager
def own_server() -> Iterator[str]:
    """Give how to connect to a new server as superuser; commits wait for the disk, as by default."""
    folder = Path(tempfile.mkdtemp(prefix="sealwork-bench-"))
    folder.chmod(0o711)  # root's server runs as another user, who must pass
    server = LocalPostgres(folder / "home")
    try:
        with server as conninfo:
            yield conninfo
    finally:
        for place in {folder, server.folder}:
            shutil.rmtree(place, ignore_errors=True)


def new_database(conninfo: str, name: str) -> str:
    """Make a database with an empty log and return how to connect to it."""
    own = empty_database(conninfo, name)
    with Database(own) as database:
        migrate(database)
        set_origin(database, ORIGIN)
    return own


def empty_database(conninfo: str, name: str) -> str:
    """Make a database with nothing in it and return how to connect to it."""
    with psycopg.connect(conninfo, autocommit=True) as superuser:
        superuser.execute(f"CREATE DATABASE {name}".encode())
    return make_conninfo(conninfo, dbname=name)


@contextmanager
def engine_in(conninfo: str) -> Iterator[BenchEngine]:
    """Give an engine over the log in a database."""
    with Database(conninfo) as database:
        yield BenchEngine(log_in(database), DatabaseClock(database))


def log_in(database: Database) -> RecordedEventLog:
    """Return the log as an engine sees it."""
    return RecordedEventLog(PostgresRecorder(database, Role.ENGINE))
