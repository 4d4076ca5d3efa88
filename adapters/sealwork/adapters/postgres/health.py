"""How a database serves a log: what works, what is weaker than it could be, and what is to be mended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, timedelta
from secrets import token_hex
from typing import Any

import psycopg

from sealwork.adapters.postgres.database import Connection, Database, Role
from sealwork.adapters.postgres.migrate import migrations
from sealwork.application.ports.clock import Clock
from sealwork.application.upkeep.diagnosis import Diagnosis, Level

OLDEST_VERSION = 15
SKEW = timedelta(seconds=5)
PATIENCE = timedelta(minutes=5)
_NOTICE_SECONDS = 5.0
_GUARDED = ("documents", "events", "system_log")


def examine(database: Database, *, origin: str, clock: Clock) -> Iterator[Diagnosis]:
    """Give one line for each thing, as the login of the DSN sees it; nothing is written.

    Raises:
        Unavailable: the server did not answer.
        Misconfigured: the login may not even connect.
    """
    with database.owner() as connection:
        yield _version(connection)
        yield _clock(connection, clock)
        yield _durability(connection)
        yield notices(connection)
        schema = _schema(connection)
        yield schema
        if schema.level is Level.BAD:
            return
        yield _triggers(connection)
        yield _rights(connection)
        if not _reads(connection):
            return
        yield _origin(connection, origin)
        yield from _work(connection)


def _version(connection: Connection) -> Diagnosis:
    version = connection.info.server_version // 10_000
    if version < OLDEST_VERSION:
        return _bad("version", f"PostgreSQL {version}", f"use PostgreSQL {OLDEST_VERSION} or newer")
    return _ok("version", f"PostgreSQL {version}")


def _clock(connection: Connection, clock: Clock) -> Diagnosis:
    before = clock.now()
    theirs = _value(connection, "SELECT clock_timestamp()").astimezone(UTC)
    after = clock.now()
    skew = max(before - theirs, theirs - after, timedelta(0))
    what = f"this machine and the database differ by {skew.total_seconds():.1f} s"
    if skew > SKEW:
        return _warn("clock", what, "let both follow one time server: tokens and `not_after` are judged by theirs")
    return _ok("clock", what)


def _durability(connection: Connection) -> Diagnosis:
    names = ("fsync", "full_page_writes", "synchronous_commit")
    values = {name: str(_value(connection, f"SHOW {name}")) for name in names}
    what = ", ".join(f"{name} = {value}" for name, value in values.items())
    if "off" in values.values():
        return _bad("durability", what, "set what is off to on: a crash could lose events whose receipt was given")
    return _ok("durability", what)


def notices(connection: Connection) -> Diagnosis:
    """Tell whether one who listens through `connection` hears: a transaction-pooling pooler breaks that."""
    channel = f"sealwork_doctor_{token_hex(8)}"
    advice = "connect to PostgreSQL itself, or by a pooler in session mode: workers would only look now and then"
    sessions = {_value(connection, "SELECT pg_backend_pid()") for _ in range(4)}
    if len(sessions) > 1:
        return _bad("notices", "each transaction may meet another session: a transaction-pooling pooler", advice)
    try:
        connection.execute(f"LISTEN {channel}".encode())
        connection.execute(f"NOTIFY {channel}".encode())
        heard = [*connection.notifies(timeout=_NOTICE_SECONDS, stop_after=1)]
        connection.execute(f"UNLISTEN {channel}".encode())
    except psycopg.errors.Error as error:
        return _bad("notices", f"LISTEN is refused: {error}".partition("\n")[0], advice)
    return _ok("notices", "LISTEN hears NOTIFY") if heard else _bad("notices", "LISTEN hears no NOTIFY", advice)


def _schema(connection: Connection) -> Diagnosis:
    table = _value(
        connection,
        """
        SELECT (SELECT pg_class.oid FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                WHERE nspname = 'sealwork' AND relname = 'migrations')
        """,
    )
    if table is None:
        return _bad("schema", "there is none", "run `sealwork init`, or `sealwork db migrate`")
    if not _value(connection, f"SELECT has_table_privilege({table}, 'SELECT')"):
        return _warn("schema", "this login may not read its version", "run doctor as the login that migrates")
    rows = connection.execute("SELECT name, sha256 FROM sealwork.migrations ORDER BY number").fetchall()
    applied: dict[str, str] = {name: checksum for name, checksum in rows}
    known = {migration.name: migration.checksum for migration in migrations()}
    newer = [name for name in applied if name not in known]
    if newer:
        return _bad("schema", f"the database is newer: it knows {newer[-1]}", "use a newer Sealwork")
    changed = [name for name, checksum in applied.items() if checksum != known[name]]
    if changed:
        return _bad("schema", f"{changed[0]} was changed after it was applied", "use the Sealwork that applied it")
    pending = [name for name in known if name not in applied]
    if pending:
        return _bad("schema", f"{len(pending)} migrations are missing", "run `sealwork db migrate`")
    return _ok("schema", f"{[*applied][-1].partition('_')[0]}: nothing is missing")


def _triggers(connection: Connection) -> Diagnosis:
    rows = connection.execute(
        """
        SELECT relname::text, bool_and(tgenabled = 'A') FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE relnamespace = 'sealwork'::regnamespace AND NOT tgisinternal GROUP BY relname
        """
    ).fetchall()
    guarded = {table for table, always in rows if always}
    open_ = [table for table in sorted({*_GUARDED, *(table for table, _ in rows)}) if table not in guarded]
    if open_:
        advice = "someone switched them off: see `sealwork db check`, then `sealwork verify`"
        return _bad("triggers", f"not always on: those of {', '.join(open_)}", advice)
    return _ok("triggers", f"always on: those of {', '.join(sorted(guarded))}")


def _rights(connection: Connection) -> Diagnosis:
    login = _value(connection, "SELECT current_user::text")
    advice = "give engine, worker and readers logins of their own (docs/reference/database.md)"
    if _may_become(connection, "sealwork_owner"):
        return _warn("rights", f"{login} may do everything, change the log too: enough for a trial", advice)
    writes = _value(
        connection,
        """
        SELECT string_agg(relname, ', ' ORDER BY relname) FROM pg_class
        WHERE relnamespace = 'sealwork'::regnamespace AND relkind = 'r' AND relname <> 'migrations'
          AND has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
        """,
    )
    if writes:
        return _bad(
            "rights", f"{login} may write {writes} past the functions", "REVOKE it: see `sealwork db check`"
        )
    roles = [role for role in Role if _may_become(connection, role)]
    what = f"{login} has the roles {', '.join(roles) or 'of nobody'}"
    if not roles:
        return _bad("rights", what, f"GRANT {', '.join(Role)}: what its process needs, to {login}")
    if {Role.ENGINE, Role.WORKER} <= {*roles}:
        return _warn("rights", f"{what}: one login both claims and appends, which is weaker", advice)
    return _ok("rights", what)


def _may_become(connection: Connection, role: str) -> bool:
    return bool(_value(connection, f"SELECT pg_has_role('{role}', 'MEMBER')"))


def _reads(connection: Connection) -> bool:
    """Take the first role that may read settings and work; what is read then is the same for each."""
    for role in Role:
        if _may_become(connection, role):
            with suppress(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SET ROLE {role}".encode())
                return True
    return False


def _origin(connection: Connection, origin: str) -> Diagnosis:
    found = _value(connection, "SELECT (SELECT origin FROM sealwork.settings)")
    if found is None:
        return _bad("origin", "the database has none yet", "run `sealwork init`")
    if found != origin:
        advice = "set SEALWORK_HOME, or SEALWORK_DSN, to the other: nothing can be written here"
        return _bad("origin", f"the database holds the log {found}, but {origin} is pinned", advice)
    return _ok("origin", f"{origin}, as pinned")


def _work(connection: Connection) -> Iterator[Diagnosis]:
    age = _value(
        connection,
        """
        SELECT sealwork.now() - min(due) FROM (
          SELECT min(due) AS due FROM sealwork.scheduled_actions
          UNION ALL SELECT min(due) FROM sealwork.automation_queue
        ) AS of_both
        """,
    )
    if age is not None and age > PATIENCE:
        minutes = f"{age // timedelta(minutes=1)} min"
        yield _warn(
            "due work", f"the oldest has waited for {minutes}", "is a worker running? see `sealwork work list`"
        )
    else:
        yield _ok("due work", "none has waited for long")
    failed = _value(
        connection,
        """
        SELECT (SELECT count(*) FROM sealwork.scheduled_actions WHERE status = 'failed')
             + (SELECT count(*) FROM sealwork.automation_queue WHERE status = 'failed')
        """,
    )
    if failed:
        yield _warn("failed work", f"{failed} rows", "see `sealwork work list --status failed`")
    else:
        yield _ok("failed work", "none")


def _value(connection: Connection, statement: str) -> Any:
    row = connection.execute(statement.encode()).fetchone()
    assert row is not None
    return row[0]


def _ok(check: str, what: str) -> Diagnosis:
    return Diagnosis(level=Level.OK, check=check, what=what)


def _warn(check: str, what: str, advice: str) -> Diagnosis:
    return Diagnosis(level=Level.WARN, check=check, what=what, advice=advice)


def _bad(check: str, what: str, advice: str) -> Diagnosis:
    return Diagnosis(level=Level.BAD, check=check, what=what, advice=advice)
