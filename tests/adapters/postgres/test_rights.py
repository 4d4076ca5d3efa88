"""Nobody writes but through the functions, and each role executes only its own (S1-058..061)."""

from __future__ import annotations

import re

import psycopg
import pytest

from sealing import a_deployment
from sealwork.adapters.postgres.database import Connection, Database

ROLES = ("sealwork_engine", "sealwork_worker", "sealwork_intake", "sealwork_reader")
READ = {
    "now",
    "pae",
    "genesis_hash",
    "instant_text",
    "framed",
    "readable",
    "work_of_timer",
    "work_of_queue_row",
    "read_head",
}
EXECUTES = {
    "sealwork_engine": READ | {"append_events"},
    "sealwork_reader": READ,
    "sealwork_worker": {"now", "pae", "claim_work", "settle_work", "renew_lease", "next_due", "write_system_log"},
    "sealwork_intake": set(),
}
WORK_TABLES = {"settings", "actors", "scheduled_actions", "automation_queue"}
ALL_TABLES = WORK_TABLES | {"heads", "events", "documents", "stored_events"}
READS = {
    "sealwork_engine": ALL_TABLES,
    "sealwork_reader": ALL_TABLES | {"system_log"},
    "sealwork_worker": WORK_TABLES,
    "sealwork_intake": set(),
}
DEFINERS = {"append_events", "claim_work", "settle_work", "renew_lease", "next_due", "write_system_log"}


@pytest.mark.parametrize("role", ROLES)
def test_every_raw_write_to_every_table_is_refused(emptied: Database, role: str) -> None:
    with emptied.owner() as connection:
        tables = _tables(connection)
        assert {table for table, _ in tables} >= ALL_TABLES - {"stored_events"}
        connection.execute(f"SET ROLE {role}".encode())
        for table, column in tables:
            for statement in (
                f"INSERT INTO sealwork.{table} DEFAULT VALUES",
                f"UPDATE sealwork.{table} SET {column} = {column}",
                f"DELETE FROM sealwork.{table}",
                f"TRUNCATE sealwork.{table} CASCADE",
            ):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(statement.encode())


@pytest.mark.parametrize("role", ROLES)
def test_a_role_holds_no_right_on_a_relation_but_to_read_what_is_listed(emptied: Database, role: str) -> None:
    with emptied.owner() as connection:
        rows = connection.execute(
            """
            SELECT relname, held FROM pg_class, unnest(string_to_array(
              'SELECT INSERT UPDATE DELETE TRUNCATE REFERENCES TRIGGER', ' ')) AS held
            WHERE relnamespace = 'sealwork'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')
              AND (has_table_privilege(%(role)s, oid, held) OR held IN ('INSERT', 'UPDATE', 'REFERENCES')
                   AND has_any_column_privilege(%(role)s, oid, held))
            """,
            {"role": role},
        ).fetchall()

    assert set(rows) == {(table, "SELECT") for table in READS[role]}


@pytest.mark.parametrize("role", ROLES)
def test_a_role_executes_only_its_own_functions(emptied: Database, role: str) -> None:
    with emptied.owner() as connection:
        rows = connection.execute(
            """
            SELECT proname FROM pg_proc
            WHERE pronamespace = 'sealwork'::regnamespace AND has_function_privilege(%s, oid, 'EXECUTE')
            """,
            (role,),
        ).fetchall()

    assert {name for (name,) in rows} == EXECUTES[role]


def test_nobody_else_executes_anything(emptied: Database) -> None:
    with emptied.owner() as connection:
        rows = connection.execute(
            """
            SELECT DISTINCT grantee::regrole::text
            FROM pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner)))
            WHERE pronamespace = 'sealwork'::regnamespace AND grantee <> proowner
            """
        ).fetchall()

    assert {grantee for (grantee,) in rows} == {"sealwork_engine", "sealwork_reader", "sealwork_worker"}


def test_a_function_of_a_later_migration_is_nobodys(database: Database) -> None:
    with database.owner() as connection:
        connection.execute("SET ROLE sealwork_owner")
        connection.execute("CREATE FUNCTION sealwork.later() RETURNS int LANGUAGE sql AS 'SELECT 1'")
        connection.execute("CREATE TABLE sealwork.later_too (id int)")
        for role in ROLES:
            connection.execute(f"RESET ROLE; SET ROLE {role}".encode())
            for statement in (b"SELECT sealwork.later()", b"SELECT * FROM sealwork.later_too"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(statement)


def test_functions_that_write_run_as_the_owner_with_a_pinned_search_path(emptied: Database) -> None:
    with emptied.owner() as connection:
        rows = connection.execute(
            """
            SELECT proname, proowner::regrole::text, proconfig FROM pg_proc
            WHERE pronamespace = 'sealwork'::regnamespace AND prosecdef
            """
        ).fetchall()

    assert {name for name, _, _ in rows} == DEFINERS
    for _, owner, settings in rows:
        assert owner == "sealwork_owner"
        assert "search_path=pg_catalog, sealwork, pg_temp" in settings


def test_no_role_logs_in_or_is_more_than_it_seems(emptied: Database) -> None:
    with emptied.owner() as connection:
        powerful = connection.execute(
            """
            SELECT rolname FROM pg_roles WHERE rolname LIKE 'sealwork%'
              AND (rolcanlogin OR rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls)
            """
        ).fetchall()
        members = connection.execute(
            """
            SELECT roleid::regrole::text FROM pg_auth_members WHERE member::regrole::text = ANY (%s)
            """,
            (list(ROLES),),
        ).fetchall()

    assert (powerful, members) == ([], [])


@pytest.mark.parametrize("role", ROLES)
def test_a_role_makes_nothing_in_the_schema(emptied: Database, role: str) -> None:
    with emptied.owner() as connection:
        connection.execute(f"SET ROLE {role}".encode())
        for statement in (
            b"CREATE TABLE sealwork.mine (id int)",
            b"CREATE OR REPLACE FUNCTION sealwork.now() RETURNS timestamptz LANGUAGE sql AS 'SELECT now()'",
            b"DROP TRIGGER append_only ON sealwork.events",
            b"ALTER TABLE sealwork.events DISABLE TRIGGER ALL",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)


@pytest.mark.parametrize("who", ["postgres", "sealwork_owner", "a session that replays replication"])
def test_nobody_changes_events_or_documents_without_disabling_a_trigger(database: Database, who: str) -> None:
    deployment = a_deployment(database)
    with database.owner() as connection:
        if who == "sealwork_owner":
            connection.execute("SET ROLE sealwork_owner")
        elif who != "postgres":
            connection.execute("SET session_replication_role = replica")
        for table, column in (("events", "recorded_at"), ("documents", "body")):
            for statement in (
                f"UPDATE sealwork.{table} SET {column} = {column}",
                f"DELETE FROM sealwork.{table}",
                f"TRUNCATE sealwork.{table} CASCADE",
                f"MERGE INTO sealwork.{table} AS t USING sealwork.settings ON true WHEN MATCHED THEN DELETE",
            ):
                with pytest.raises(psycopg.errors.RaiseException, match=f"sealwork.{table} is append-only"):
                    connection.execute(statement.encode())

    assert deployment.verify().intact


def test_no_function_takes_a_work_row_away(emptied: Database) -> None:
    """S1-162. Nobody holds DELETE or TRUNCATE on a table, so nothing else could."""
    with emptied.owner() as connection:
        sources = connection.execute(
            "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'sealwork'::regnamespace"
        ).fetchall()

    taking = {
        name: re.findall(r"(?i)\b(?:delete\s+from|truncate)\s+(?:only\s+)?([\w.]+)", body)
        for name, body in sources
    }
    assert {name: tables for name, tables in taking.items() if tables} == {
        "append_events": ["sealwork.heads"],
        "write_system_log": ["sealwork.system_log"],
    }


def test_a_worker_cannot_append_and_an_engine_cannot_claim(emptied: Database) -> None:
    with emptied.owner() as connection:
        for role, call in (
            ("sealwork_worker", "sealwork.append_events('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')"),
            ("sealwork_engine", "sealwork.claim_work('{}', 1, gen_random_uuid(), 60)"),
            ("sealwork_reader", "sealwork.settle_work(gen_random_uuid(), '{}', '{}', '{}', '{}', '{}', '{}')"),
        ):
            connection.execute(f"RESET ROLE; SET ROLE {role}".encode())
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SELECT * FROM {call}".encode())


def _tables(connection: Connection) -> list[tuple[str, str]]:
    """Every table of the schema, with its first column."""
    rows = connection.execute(
        """
        SELECT relname, attname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum = 1
        WHERE relnamespace = 'sealwork'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname
        """
    ).fetchall()
    return [(table, column) for table, column in rows]
