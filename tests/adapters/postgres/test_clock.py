from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from contracts.clock import MovedClockContract
from sealing import Deployment
from sealwork.adapters.postgres.clock import DatabaseClock
from sealwork.adapters.postgres.database import Database
from sealwork.application.ports.clock import Clock

MINUTE = timedelta(minutes=1)


class TestDatabaseClock(MovedClockContract):
    """The clock of the database."""

    @pytest.fixture
    def clock(self, emptied: Database) -> Clock:
        return DatabaseClock(emptied)

    @pytest.fixture
    def move_to(self, deployment: Deployment) -> Callable[[datetime], object]:
        return deployment.move_to

    def test_it_moves_by_what_it_is_told(self, emptied: Database, deployment: Deployment) -> None:
        clock = DatabaseClock(emptied)
        for by in (timedelta(days=400), timedelta(hours=-1), timedelta(microseconds=1), timedelta(days=-400)):
            before = clock.now()

            clock.move(by)

            assert timedelta(0) <= clock.now() - before - by < MINUTE


@pytest.mark.parametrize("zone", ["Europe/Paris", "Australia/Lord_Howe"])
def test_the_time_zone_of_a_session_does_not_matter(database: Database, conninfo: str, zone: str) -> None:
    an_hour_before_summer_time = datetime(2031, 3, 30, 0, 30, tzinfo=UTC)
    with database.owner() as owner:
        (name,) = owner.execute("SELECT current_database()").fetchone() or ("",)
        owner.execute(f"ALTER DATABASE {name} SET timezone = '{zone}'".encode())
    with Database(conninfo) as there:
        deployment, clock = Deployment.on_postgres(there), DatabaseClock(there)

        deployment.move_to(an_hour_before_summer_time)
        assert timedelta(0) <= clock.now() - an_hour_before_summer_time < MINUTE
        clock.move(timedelta(days=1))
        assert timedelta(0) <= clock.now() - an_hour_before_summer_time - timedelta(days=1) < MINUTE
