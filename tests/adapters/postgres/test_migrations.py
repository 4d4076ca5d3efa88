"""Migrations: forward only, each file once, two at once safe; and the origin, which is for ever."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from sealwork.adapters.postgres import migrate as migrating
from sealwork.adapters.postgres.clock import DatabaseClock
from sealwork.adapters.postgres.database import Database, Role
from sealwork.adapters.postgres.migrate import Migration, migrate, migrations, set_origin
from sealwork.adapters.postgres.recorder import PostgresRecorder
from sealwork.application.ports.event_log import Question
from sealwork.domain.errors import Misconfigured
from sealwork.domain.instants import instant_text
from servers import Server

MOVES = ("set_clock('2031-01-01Z')", "move_clock('1 hour')", "stop_clock('2031-01-01Z')")


@pytest.fixture
def fresh(server: Server) -> Iterator[Database]:
    """A database without a schema."""
    with server.database("template1") as conninfo, Database(conninfo) as database:
        yield database


def test_an_empty_database_gets_every_file_in_order(fresh: Database) -> None:
    applied = migrate(fresh)

    assert list(applied) == list(migrations())
    assert [migration.number for migration in applied] == list(range(1, len(applied) + 1))
    with fresh.owner() as connection:
        rows = connection.execute(
            "SELECT number, name, sha256 FROM sealwork.migrations ORDER BY number"
        ).fetchall()
    assert rows == [(m.number, m.name, m.checksum) for m in migrations()]


def test_migrating_again_does_nothing(fresh: Database) -> None:
    migrate(fresh)

    assert list(migrate(fresh)) == []


def test_two_who_migrate_at_once_share_the_work(fresh: Database) -> None:
    with ThreadPoolExecutor(4) as pool:
        applied = list(pool.map(lambda _: list(migrate(fresh)), range(4)))

    assert sorted(map(len, applied)) == [0, 0, 0, len(migrations())]


def test_what_is_missing_is_applied(fresh: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    migrate(fresh)
    later = Migration(number=9999, name="9999_later.sql", sql=b"CREATE TABLE sealwork.later (id int)")
    with_later = [*migrations(), later]
    monkeypatch.setattr(migrating, "migrations", lambda: with_later)

    assert list(migrate(fresh)) == [later]


def test_a_file_that_fails_leaves_nothing_of_itself(fresh: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    migrate(fresh)
    broken = Migration(number=9999, name="9999_broken.sql", sql=b"CREATE TABLE sealwork.half (id int); SELECT 1/0")
    known = list(migrations())
    monkeypatch.setattr(migrating, "migrations", lambda: [*known, broken])

    with pytest.raises(Misconfigured, match="division by zero"):
        migrate(fresh)

    monkeypatch.setattr(migrating, "migrations", lambda: known)
    assert list(migrate(fresh)) == []
    with fresh.owner() as connection:
        assert connection.execute("SELECT to_regclass('sealwork.half')").fetchone() == (None,)


def test_a_file_that_changed_after_it_was_applied_is_refused(
    fresh: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(fresh)
    first, *others = migrations()
    changed = [first._replace(sql=first.sql + b"\n"), *others]
    monkeypatch.setattr(migrating, "migrations", lambda: changed)

    with pytest.raises(Misconfigured, match=f"{first.name} was changed after it was applied"):
        migrate(fresh)


def test_a_database_of_a_newer_program_is_refused(fresh: Database) -> None:
    migrate(fresh)
    with fresh.owner() as connection:
        connection.execute("INSERT INTO sealwork.migrations VALUES (9999, '9999_future.sql', 'x')")

    with pytest.raises(Misconfigured, match="9999_future.sql, this program does not"):
        migrate(fresh)


def test_an_encoding_that_cannot_hold_signed_bytes_is_refused(server: Server) -> None:
    with (
        server.database("template0 ENCODING 'SQL_ASCII'") as conninfo,
        Database(conninfo) as database,
        pytest.raises(Misconfigured, match="must be encoded in UTF8"),
    ):
        migrate(database)


def test_the_origin_is_given_once(fresh: Database) -> None:
    migrate(fresh)

    set_origin(fresh, "test.example/log")
    set_origin(fresh, "test.example/log")
    with pytest.raises(Misconfigured, match="the origin of this database is already test.example/log"):
        set_origin(fresh, "test.example/other")


def test_an_origin_is_the_name_of_a_log(fresh: Database) -> None:
    migrate(fresh)

    for name in ("Demo", "a//b", "", "a b", "a/", "x" * 201, "a\n"):
        with pytest.raises(Misconfigured, match="origin_is_a_log_name"):
            set_origin(fresh, name)


def test_without_an_origin_nothing_can_be_read_or_written(fresh: Database) -> None:
    migrate(fresh)
    question = Question(tenant="acme", stream="process/p-1")

    with pytest.raises(Misconfigured, match="no origin yet"):
        PostgresRecorder(fresh, Role.READER).head(question)
    with pytest.raises(Misconfigured, match="no origin yet"):
        PostgresRecorder(fresh, Role.READER).heads([question, question])
    with pytest.raises(Misconfigured, match="no origin yet"):
        DatabaseClock(fresh).now()


@pytest.mark.parametrize("origin", ["demo.example/log", "test.example/log"])
def test_the_clock_moves_where_the_origin_says_that_it_is_no_real_log(fresh: Database, origin: str) -> None:
    migrate(fresh)
    set_origin(fresh, origin)

    with fresh.owner() as connection:
        row = connection.execute("SELECT sealwork.set_clock('2031-01-01Z')").fetchone()

    assert row is not None
    assert DatabaseClock(fresh).now() >= row[0]


def test_a_clock_that_was_stopped_stands_until_it_is_set(emptied: Database) -> None:
    clock = DatabaseClock(emptied)
    with emptied.owner() as connection:
        connection.execute("SELECT sealwork.stop_clock('2031-01-01Z')")
        stood = {instant_text(clock.now()), instant_text(clock.now())}
        connection.execute("SELECT sealwork.set_clock('2032-01-01Z')")

    assert stood == {"2031-01-01T00:00:00.000000Z"}
    assert clock.now() < clock.now()


@pytest.mark.parametrize("origin", ["prod.example/log", "demonstration.example/test.x"])
def test_the_clock_of_a_real_log_does_not_move(fresh: Database, origin: str) -> None:
    migrate(fresh)
    set_origin(fresh, origin)

    with fresh.owner() as connection:
        for call in (*MOVES, "move_clock('-1 second')"):
            with pytest.raises(psycopg.errors.CheckViolation, match="only_demo_and_test_origins_move_the_clock"):
                connection.execute(f"SELECT sealwork.{call}".encode())


@pytest.mark.parametrize("role", list(Role))
def test_no_role_moves_the_clock_or_gives_the_origin(emptied: Database, role: Role) -> None:
    with emptied.owner() as connection:
        connection.execute(f"SET ROLE {role}".encode())
        for call in (*MOVES, "set_origin('test.example/log')"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SELECT sealwork.{call}".encode())


@pytest.mark.parametrize("server", ["18"], indirect=True)
def test_who_may_not_become_the_owner_is_told_so(fresh: Database, conninfo: str) -> None:
    """Before PostgreSQL 16 whoever creates roles may become any of them."""
    with fresh.owner() as superuser:
        superuser.execute("CREATE ROLE mere_creator LOGIN CREATEROLE")
        (name,) = superuser.execute("SELECT current_database()").fetchone() or ("",)
        superuser.execute(f"GRANT ALL ON DATABASE {name} TO mere_creator".encode())
        try:
            creator = make_conninfo(conninfo, user="mere_creator", dbname=name)
            with Database(creator) as database, pytest.raises(Misconfigured, match="cannot become sealwork_owner"):
                migrate(database)
        finally:
            superuser.execute("DROP OWNED BY mere_creator; DROP ROLE mere_creator")
