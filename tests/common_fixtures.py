"""The fixtures of all tests: servers for the session, a database for each test."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from scribe import Scribe
from sealing import Deployment
from sealwork.adapters.postgres.database import Database
from servers import VERSIONS, Server, Servers, programs


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    """The PostgreSQL servers of this session; a `kill` of it stops them too."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    with Servers() as running:
        yield running
    signal.signal(signal.SIGTERM, before)


@pytest.fixture(params=VERSIONS, ids=lambda version: f"PostgreSQL {version}")
def server(request: pytest.FixtureRequest, servers: Servers) -> Server:
    """Each server that can run here, in turn."""
    version: str = request.param
    if programs(version) is None:
        pytest.skip(f"PostgreSQL {version} is not installed on this machine")
    return servers.of_version(version)


@pytest.fixture
def conninfo(server: Server) -> Iterator[str]:
    """How a superuser connects to a migrated database that nobody else has seen."""
    with server.database() as conninfo:
        yield conninfo


@pytest.fixture
def database(conninfo: str) -> Iterator[Database]:
    """A migrated database that nobody else has seen."""
    with Database(conninfo) as database:
        yield database


@pytest.fixture
def scribe(deployment: Deployment) -> Scribe:
    """Who writes into the deployment past its decisions."""
    return Scribe(deployment)
