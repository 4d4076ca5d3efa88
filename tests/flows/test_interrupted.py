"""A first demo that is interrupted, at any moment: the next one works, and leaves no server behind."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from signal import SIGINT, SIGKILL, Signals

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from flows.commands import Place, a_place


def initdb_is_well_under_way(data: Path) -> bool:
    """The folder of the data fills."""
    return (data.with_name("data.new") / "global" / "pg_control").exists()


def migrations_are_applied(data: Path) -> bool:
    """Some of them at least."""
    with suppress(OSError, IndexError, psycopg.Error):
        sockets = (data / "postmaster.pid").read_text().splitlines()[4]
        conninfo = make_conninfo(host=sockets, user="postgres", dbname="postgres")
        with psycopg.connect(conninfo) as connection:
            row = connection.execute("SELECT count(*) FROM sealwork.migrations").fetchone()
            return row is not None and row[0] >= 3
    return False


@pytest.mark.parametrize("moment", [initdb_is_well_under_way, migrations_are_applied])
@pytest.mark.parametrize("number", [SIGINT, SIGKILL], ids=lambda number: number.name)
def test_a_first_demo_that_was_interrupted_hinders_no_other(
    number: Signals, moment: Callable[[Path], bool]
) -> None:
    with a_place() as place:
        interrupted_then_again(place, number, moment)


def interrupted_then_again(place: Place, number: Signals, moment: Callable[[Path], bool]) -> None:
    """Interrupt a demo, and run it again."""
    running = place.begin("demo")
    running.reaches(lambda: moment(place.home / "postgres" / "data"))

    done = running.signalled(number)

    assert done.code == (130 if number is SIGINT else -SIGKILL), done
    assert done.err == ""
    assert number is SIGKILL or place.processes() == []
    assert "19 events in 5 chains, nothing wrong." in place.does("demo")
    assert place.processes() == []
    assert not (place.postgres / "data.new").exists()
    assert not (place.postgres / "data" / "postmaster.pid").exists()
