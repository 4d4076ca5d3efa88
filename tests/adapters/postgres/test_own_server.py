"""What only a server shows that nobody else uses: its first migration, and its death."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from sealing import ORIGIN, a_deployment
from sealwork.adapters.local_postgres import LocalPostgres
from sealwork.adapters.local_postgres.locks import within
from sealwork.adapters.postgres.database import Database, Role
from sealwork.adapters.postgres.migrate import migrate, migrations, set_origin
from sealwork.application.ports.event_log import Question
from sealwork.domain.errors import Misconfigured, Unavailable
from servers import VERSIONS, own_server, programs, running


@pytest.fixture(scope="module", params=VERSIONS, ids=lambda version: f"PostgreSQL {version}")
def home(request: pytest.FixtureRequest) -> Iterator[LocalPostgres]:
    """A server of each version that has never run."""
    version: str = request.param
    if programs(version) is None:
        pytest.skip(f"PostgreSQL {version} is not installed on this machine")
    with own_server(version) as server:
        yield server


def test_an_operator_who_is_no_superuser_sets_up_two_databases_at_once(home: LocalPostgres) -> None:
    with running(home) as conninfo, psycopg.connect(conninfo, autocommit=True) as superuser:
        superuser.execute("CREATE ROLE operator LOGIN CREATEROLE")
        for name in ("one", "two"):
            superuser.execute(f"CREATE DATABASE {name} OWNER operator".encode())
        with (
            Database(make_conninfo(conninfo, user="operator", dbname="one")) as one,
            Database(make_conninfo(conninfo, user="operator", dbname="two")) as two,
        ):
            with pytest.raises(Misconfigured, match='"sealwork_reader" does not exist'), one.as_role(Role.READER):
                pass
            with ThreadPoolExecutor(2) as pool:
                applied = list(pool.map(migrate, (one, two)))

            assert [len(files) for files in applied] == [len(migrations())] * 2
            with one.owner() as operator:
                operator.execute(f"GRANT {', '.join(Role)} TO operator".encode())
            for database in (one, two):
                set_origin(database, ORIGIN)
                assert a_deployment(database).verify().intact


def test_a_server_that_dies_between_two_statements_loses_nothing(home: LocalPostgres) -> None:
    with running(home) as conninfo:
        with psycopg.connect(conninfo, autocommit=True) as superuser:
            superuser.execute("CREATE DATABASE three")
        database = Database(make_conninfo(conninfo, dbname="three"))
        migrate(database)
        set_origin(database, ORIGIN)
        deployment = a_deployment(database)
        receipt = deployment.begin("c-1")

        _kill(conninfo)
        with pytest.raises(Unavailable):
            deployment.log.head(Question(tenant="acme", stream="process/c-1"))
        with pytest.raises(Unavailable):
            deployment.store.next_due(["acme"])
        with pytest.raises(Unavailable):
            deployment.clock.now()
        with pytest.raises(Unavailable):
            migrate(database)

    with running(home), database:
        assert deployment.take("c-1", "submit", "maria").seq == 2
        assert [fired.became for fired in deployment.fire_due()] == ["completed"]
        assert deployment.log.load("acme", "process/c-1", list)[0].receipt == receipt
        assert deployment.verify().intact


def _kill(conninfo: str) -> None:
    """End the server at once, as a crash would, and wait until it is gone."""
    with psycopg.connect(conninfo) as connection:
        (folder,) = connection.execute("SHOW data_directory").fetchone() or ("",)
    pid_file = Path(folder) / "postmaster.pid"
    postmaster = int(pid_file.read_text().split()[0])
    os.kill(postmaster, signal.SIGQUIT)
    assert within(30, lambda: not pid_file.exists())
