"""Nobody above the adapters sees psycopg: it is `Unavailable`, or `Misconfigured` where a retry will not help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from uuid import uuid4

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from scribe import HOUR, Scribe, auto
from sealing import Deployment, a_deployment
from sealwork.adapters.postgres.clock import DatabaseClock
from sealwork.adapters.postgres.database import Database, Role
from sealwork.adapters.postgres.migrate import migrate, set_origin
from sealwork.adapters.postgres.recorder import PostgresRecorder
from sealwork.adapters.postgres.work_store import PostgresWorkStore
from sealwork.application.ports.event_log import Item, Question
from sealwork.application.ports.work_store import SettleAs, Settlement
from sealwork.domain.errors import Misconfigured, SealworkError, Unavailable
from sealwork.domain.work.work_row import ClaimedWork
from servers import Server

STREAM = "process/p-1"
NOTHING_THERE = "host=/nonexistent dbname=sealwork user=sealwork"


def _item_and_work() -> tuple[Item, ClaimedWork]:
    scribe = Scribe(Deployment.in_memory())
    item = scribe.item(STREAM, auto())
    scribe.append(item)
    return item, scribe.claim()[0]


ITEM, WORK = _item_and_work()


def reading(database: Database) -> Sequence[tuple[str, Callable[[], object]]]:
    """Every method that reads, by its name."""
    log, store = PostgresRecorder(database, Role.READER), PostgresWorkStore(database, Role.READER)
    return [
        ("select_events", lambda: log.select_events(f"acme:{STREAM}")),
        ("head", lambda: log.head(Question(tenant="acme", stream=STREAM))),
        ("streams", lambda: list(log.streams(None))),
        ("document", lambda: log.document("acme", "0" * 64)),
        ("of_process", lambda: store.of_process("acme", STREAM)),
        ("now", DatabaseClock(database).now),
    ]


def writing(database: Database) -> Sequence[tuple[str, Callable[[], object]]]:
    """Every method that writes, by its name."""
    log, store = PostgresRecorder(database, Role.ENGINE), PostgresWorkStore(database, Role.WORKER)
    token, settlement = uuid4(), Settlement(work=WORK, end=SettleAs.FAIL)
    return [
        ("append", lambda: log.append([(ITEM,)])),
        ("claim", lambda: store.claim(["acme"], limit=1, token=token, lease=HOUR)),
        ("settle", lambda: store.settle(token, [settlement])),
        ("renew", lambda: store.renew(token, [WORK], lease=HOUR)),
        ("next_due", lambda: store.next_due(["acme"])),
    ]


def owning(database: Database) -> Sequence[tuple[str, Callable[[], object]]]:
    """Every method that works as whoever the DSN names."""
    return [
        ("move", lambda: DatabaseClock(database).move(timedelta(0))),
        ("migrate", lambda: migrate(database)),
        ("set_origin", lambda: set_origin(database, "test.example/log")),
    ]


def answers(calls: Sequence[tuple[str, Callable[[], object]]]) -> dict[str, type[SealworkError] | None]:
    """What became of each call; an error that is not ours ends the test."""
    answered: dict[str, type[SealworkError] | None] = {}
    for name, call in calls:
        try:
            call()
            answered[name] = None
        except SealworkError as error:
            assert str(error), name
            answered[name] = type(error)
    return answered


def every(error: type[SealworkError] | None, *calls: Sequence[tuple[str, object]]) -> dict[str, object]:
    """The answers, if all are this one."""
    return {name: error for several in calls for name, _ in several}


@pytest.mark.parametrize(
    ("dsn", "error"),
    [
        (NOTHING_THERE, Unavailable),
        ("host=127.0.0.1 port=1 dbname=sealwork", Unavailable),
        ("not a connection string", Misconfigured),
        ("host=/nonexistent unknown_option=1", Misconfigured),
        ("postgresql://[", Misconfigured),
        ("host=/nonexistent port=many", Misconfigured),
    ],
)
def test_every_method_says_that_nobody_is_there(dsn: str, error: type[SealworkError]) -> None:
    with Database(dsn) as database:
        calls = [*reading(database), *writing(database), *owning(database)]

        assert answers(calls) == every(error, calls)


@pytest.mark.parametrize("wrong", [{"dbname": "nowhere"}, {"user": "nobody_at_all"}], ids=str)
def test_a_database_or_user_that_does_not_exist_is_a_setting_to_correct(
    conninfo: str, wrong: dict[str, str]
) -> None:
    with Database(make_conninfo(conninfo, **wrong)) as database:
        calls = [*reading(database), *writing(database), *owning(database)]

        assert answers(calls) == every(Misconfigured, calls)


def test_without_the_schema_every_method_says_what_to_run(server: Server) -> None:
    with server.database("template1") as conninfo, Database(conninfo) as database:
        calls = [*reading(database), *writing(database), *owning(database)[:1]]

        assert answers(calls) == every(Misconfigured, calls)
        with pytest.raises(Misconfigured, match="run `sealwork db migrate`"):
            DatabaseClock(database).now()


def test_with_an_older_schema_every_method_says_what_to_run(database: Database) -> None:
    with database.owner() as owner:
        owner.execute("DROP FUNCTION sealwork.read_head, sealwork.append_events")
        owner.execute("ALTER TABLE sealwork.documents RENAME body TO text")

    answered = answers([*reading(database), *writing(database)[:1]])

    assert {name for name, error in answered.items() if error is Misconfigured} == {"head", "document", "append"}


def test_a_user_without_the_roles_lacks_a_right(server: Server, conninfo: str) -> None:
    user = "sealwork_guest"
    with psycopg.connect(conninfo, autocommit=True) as superuser:
        superuser.execute(f"CREATE ROLE {user} LOGIN".encode())
        try:
            with Database(make_conninfo(conninfo, user=user)) as database:
                calls = [*reading(database), *writing(database), *owning(database)]
                assert answers(calls) == every(Misconfigured, calls)
        finally:
            superuser.execute(f"DROP ROLE {user}".encode())


def test_a_reader_who_writes_and_a_worker_who_appends_lack_a_right(database: Database) -> None:
    reader, worker = PostgresWorkStore(database, Role.READER), PostgresRecorder(database, Role.WORKER)

    with pytest.raises(Misconfigured, match="lacks a right"):
        reader.claim(["acme"], limit=1, token=uuid4(), lease=HOUR)
    with pytest.raises(Misconfigured, match="lacks a right"):
        worker.append([(ITEM,)])


def test_a_server_that_only_reads_is_unavailable_for_writing(database: Database, conninfo: str) -> None:
    Scribe(Deployment.on_postgres(database)).write(STREAM, auto())
    _set(database, "default_transaction_read_only = on")

    with Database(conninfo) as later:
        assert answers(reading(later)) == every(None, reading(later))
        assert answers(writing(later)[:2]) == {"append": Unavailable, "claim": Unavailable}


def test_a_lock_that_is_held_too_long_is_unavailable(database: Database) -> None:
    _set(database, "lock_timeout = '10ms'")
    scribe = Scribe(Deployment.on_postgres(database))
    event = scribe.write(STREAM)

    with database.owner() as holder, holder.transaction():
        holder.execute("SELECT 1 FROM sealwork.heads FOR UPDATE")
        with pytest.raises(Unavailable, match="lock timeout"):
            scribe.write(STREAM)

    assert scribe.events(STREAM) == [event]


def test_an_isolation_that_would_not_see_what_locks_waited_for_is_refused(database: Database) -> None:
    _set(database, "default_transaction_isolation = 'repeatable read'")

    with pytest.raises(Misconfigured, match="READ COMMITTED"):
        PostgresRecorder(database, Role.ENGINE).append([(ITEM,)])


def test_an_ended_session_is_told_once_and_then_replaced(database: Database) -> None:
    deployment = a_deployment(database)
    head = Question(tenant="acme", stream=STREAM)
    with database.owner() as owner:
        owner.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )

    with pytest.raises(Unavailable):
        deployment.log.head(head)

    assert deployment.log.head(head).seq == 0
    assert deployment.verify().intact


def _set(database: Database, setting: str) -> None:
    """Make a setting the default of the database's next sessions."""
    with database.owner() as owner:
        (name,) = owner.execute("SELECT current_database()").fetchone() or ("",)
        owner.execute(f"ALTER DATABASE {name} SET {setting}".encode())
