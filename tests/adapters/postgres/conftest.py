from __future__ import annotations

from collections.abc import Iterator

import pytest

from forked import Start, starting
from sealing import Deployment
from sealwork.adapters.event_log.recorder import SealedRecorder
from sealwork.adapters.postgres.database import Database, Role
from sealwork.adapters.postgres.recorder import PostgresRecorder
from sealwork.adapters.postgres.system_log import PostgresSystemLog
from sealwork.application.ports.system_log import SystemLog
from servers import Server


@pytest.fixture
def emptied(server: Server) -> Database:
    """A migrated database with nothing in it."""
    return server.emptied()


@pytest.fixture
def deployment(emptied: Database) -> Deployment:
    """An empty deployment in a PostgreSQL of each version."""
    return Deployment.on_postgres(emptied)


@pytest.fixture
def system_log(emptied: Database) -> SystemLog:
    """The log of `deployment`, to write."""
    return PostgresSystemLog(emptied, Role.WORKER)


@pytest.fixture
def readable_log(emptied: Database) -> SystemLog:
    """The same log, to read."""
    return PostgresSystemLog(emptied, Role.READER)


@pytest.fixture
def recorder(emptied: Database) -> SealedRecorder:
    """What records for `deployment`."""
    return PostgresRecorder(emptied, Role.ENGINE)


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Start processes."""
    with starting(monkeypatch) as start:
        yield start
