"""The schema by its catalogue: what the requirements name is there, and constraints hold (S1-050..057, X-04..)."""

from __future__ import annotations

import re

import psycopg
import pytest

from scribe import Scribe, auto, timer
from sealing import Deployment
from sealwork.adapters.postgres.database import Connection, Database

IDENTITY = {"tenant_id", "id", "stream", "process_id", "workflow_path", "workflow_version", "action", "data"}
PROVENANCE = {"caused_by_event_hash", "caused_by_action", "caused_by_actor", "caused_by_at"}
ATTEMPTS = {"attempts", "deaths", "last_attempt_at", "last_attempt_result", "last_attempt_error"}
FIRED = {"fired_event_hash", "fired_at"}
LEASE = {"lease_token", "leased_until", "available_at", "due"}
COMMON = IDENTITY | PROVENANCE | ATTEMPTS | FIRED | LEASE | {"status"}
TIMER = {"schedule_id", "run_at", "every_seconds", "until", "count", "occurrence", "missed", "fire_count"}
QUEUED = {"source", "reason", "available_state", "claimed_at", "completed_at", "depth"}


@pytest.mark.parametrize(
    ("table", "wanted"),
    [("scheduled_actions", COMMON | TIMER), ("automation_queue", COMMON | QUEUED)],
    ids=["S1-050", "S1-055"],
)
def test_a_work_table_holds_what_the_requirements_name(emptied: Database, table: str, wanted: set[str]) -> None:
    with emptied.owner() as connection:
        columns = _columns(connection, table)

    assert wanted <= set(columns)


@pytest.mark.parametrize("table", ["scheduled_actions", "automation_queue"])
def test_a_work_row_names_its_cause(emptied: Database, table: str) -> None:
    with emptied.owner() as connection:
        columns = _columns(connection, table)

    assert {
        column for column in PROVENANCE | {"tenant_id", "id", "stream", "action", "data"} if columns[column]
    } == set()


def test_only_the_bytes_of_an_event_with_a_cause_may_be_absent(emptied: Database) -> None:
    with emptied.owner() as connection:
        columns = _columns(connection, "events")

    assert {column for column, may_be_null in columns.items() if may_be_null} == {
        "id", "intent", "intent_sig", "work_id", "occurrence"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("table", "columns", "predicate"),
    [
        ("events", "tenant_id, stream, seq", None),
        ("events", "tenant_id, stream, prev", None),
        ("events", "tenant_id, stream, hash", None),
        ("events", "tenant_id, stream, id", "id IS NOT NULL"),
        ("events", "tenant_id, work_id, occurrence", "work_id IS NOT NULL"),
        ("heads", "tenant_id, stream", None),
        ("documents", "tenant_id, sha256", None),
        ("actors", "tenant_id, key", None),
        ("scheduled_actions", "tenant_id, stream, schedule_id", "status active claimed"),
        ("automation_queue", "tenant_id, stream, action, source", "status pending source auto"),
        ("automation_queue", "tenant_id, stream, action, source, caused_by_event_hash", "depth"),
    ],
)
def test_what_must_be_unique_is(emptied: Database, table: str, columns: str, predicate: str | None) -> None:
    with emptied.owner() as connection:
        found = _unique(connection, table)

    assert columns in found
    for word in (predicate or "").split():
        assert word in (found[columns] or "")
    assert (found[columns] is None) == (predicate is None)


@pytest.mark.parametrize("table", ["scheduled_actions", "automation_queue"])
def test_a_foreign_key_stays_inside_one_process(emptied: Database, table: str) -> None:
    with emptied.owner() as connection:
        keys = connection.execute(
            "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f' AND conrelid = %s::regclass",
            (f"sealwork.{table}",),
        ).fetchall()

    assert keys == [
        (
            "FOREIGN KEY (tenant_id, stream, caused_by_event_hash)"
            " REFERENCES sealwork.events(tenant_id, stream, hash)",
        )
    ]


@pytest.mark.parametrize(
    ("table", "statuses"),
    [
        ("scheduled_actions", {"active", "claimed", "exhausted", "skipped", "failed", "cancelled"}),
        ("automation_queue", {"pending", "claimed", "completed", "skipped", "failed"}),
    ],
)
def test_the_statuses_are_a_closed_set(emptied: Database, table: str, statuses: set[str]) -> None:
    with emptied.owner() as connection:
        checks = connection.execute(
            "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'c' AND conrelid = %s::regclass",
            (f"sealwork.{table}",),
        ).fetchall()

    (closed,) = (check for (check,) in checks if check.startswith("CHECK ((status = ANY"))
    assert set(re.findall(r"'(\w+)'::text", closed)) == statuses


@pytest.mark.parametrize(
    ("assignment", "error"),
    [
        ("scheduled_actions SET status = 'cancelled'", psycopg.errors.CheckViolation),
        ("scheduled_actions SET fired_event_hash = 'x'", psycopg.errors.CheckViolation),
        ("scheduled_actions SET last_attempt_result = 'done'", psycopg.errors.CheckViolation),
        ("scheduled_actions SET last_attempt_error = repeat('é', 1001)", psycopg.errors.CheckViolation),
        ("scheduled_actions SET every_seconds = 0", psycopg.errors.CheckViolation),
        ("scheduled_actions SET count = 0", psycopg.errors.CheckViolation),
        ("scheduled_actions SET misfire = 'never'", psycopg.errors.CheckViolation),
        ("scheduled_actions SET caused_by_event_hash = 'x'", psycopg.errors.ForeignKeyViolation),
        ("scheduled_actions SET tenant_id = 'globex'", psycopg.errors.ForeignKeyViolation),
        ("scheduled_actions SET process_id = 'x'", psycopg.errors.GeneratedAlways),
        ("automation_queue SET status = 'done'", psycopg.errors.CheckViolation),
        ("automation_queue SET status = 'completed'", psycopg.errors.CheckViolation),
        ("automation_queue SET fired_event_hash = 'x', fired_at = now()", psycopg.errors.CheckViolation),
        ("automation_queue SET caused_by_actor = NULL", psycopg.errors.NotNullViolation),
        ("automation_queue SET stream = 'workflow/w'", psycopg.errors.CheckViolation),
        ("automation_queue SET rule_version = 1", psycopg.errors.CheckViolation),
        ("heads SET tenant_id = 'ACME'", psycopg.errors.CheckViolation),
        ("heads SET stream = 'process/'", psycopg.errors.CheckViolation),
    ],
)
def test_not_even_the_owner_writes_a_row_that_makes_no_sense(
    deployment: Deployment, emptied: Database, assignment: str, error: type[psycopg.Error]
) -> None:
    Scribe(deployment).write("process/p-1", auto(), timer())

    with emptied.owner() as connection, pytest.raises(error):
        connection.execute(f"UPDATE sealwork.{assignment}".encode())


def test_not_even_the_owner_forks_a_chain(deployment: Deployment, emptied: Database) -> None:
    # ledger case 24: a second event over the same one before it
    Scribe(deployment).write("process/p-1")
    Scribe(deployment).write("process/p-1")

    with emptied.owner() as connection, pytest.raises(psycopg.errors.UniqueViolation, match="prev"):
        connection.execute(
            """
            INSERT INTO sealwork.events
              (tenant_id, stream, seq, id, prev, hash, intent, intent_sig, record, record_sig, recorded_at, doc)
            SELECT tenant_id, stream, 3, gen_random_uuid(), prev, 'other', intent, intent_sig, record, record_sig,
                   recorded_at, doc
            FROM sealwork.events WHERE stream = 'process/p-1' AND seq = 2
            """
        )


def test_a_document_has_no_other_name_than_its_hash(emptied: Database) -> None:
    with emptied.owner() as connection, pytest.raises(psycopg.errors.CheckViolation):
        connection.execute("INSERT INTO sealwork.documents VALUES ('acme', '\\x00', 'text')")


def test_no_extension_and_no_sequence_is_needed(emptied: Database) -> None:
    with emptied.owner() as connection:
        extensions = connection.execute("SELECT extname FROM pg_extension").fetchall()
        sequences = connection.execute("SELECT relname FROM pg_class WHERE relkind = 'S'").fetchall()

    assert (extensions, sequences) == ([("plpgsql",)], [])


def test_everything_belongs_to_the_owner(emptied: Database) -> None:
    with emptied.owner() as connection:
        owners = connection.execute(
            """
            SELECT DISTINCT pg_get_userbyid(relowner) FROM pg_class
            WHERE relnamespace = 'sealwork'::regnamespace AND relname NOT LIKE 'migrations%'
            UNION SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'sealwork'
            """
        ).fetchall()

    assert owners == [("sealwork_owner",)]


def test_reading_a_head_touches_rows_by_index_only(emptied: Database) -> None:
    """A plan made while the tables are empty stays, so it must be right from the start."""
    with emptied.owner() as connection:
        connection.execute("LOAD 'auto_explain'")
        connection.execute("SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on")
        plans: list[str] = []
        connection.add_notice_handler(lambda notice: plans.append(notice.message_primary or ""))
        connection.execute("SET client_min_messages = log")
        connection.execute(
            "SELECT * FROM sealwork.read_head('acme', 'process/p', gen_random_uuid(), gen_random_uuid(), 1)"
        )

    inner = max(plans, key=len)
    assert "events" in inner and "heads" in inner and "automation_queue" in inner
    assert "Seq Scan" not in inner
    assert "Bitmap" not in inner


def _columns(connection: Connection, table: str) -> dict[str, bool]:
    """Every column of a table, and whether it may be null."""
    rows = connection.execute(
        """
        SELECT attname, NOT attnotnull FROM pg_attribute
        WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped
        """,
        (f"sealwork.{table}",),
    ).fetchall()
    return dict((column, may_be_null) for column, may_be_null in rows)


def _unique(connection: Connection, table: str) -> dict[str, str | None]:
    """The columns of every unique index of a table, and its condition."""
    rows = connection.execute(
        """
        SELECT (SELECT string_agg(attname, ', ' ORDER BY position)
                FROM unnest(indkey) WITH ORDINALITY AS key(number, position)
                JOIN pg_attribute ON attrelid = indrelid AND attnum = number),
               pg_get_expr(indpred, indrelid)
        FROM pg_index WHERE indrelid = %s::regclass AND indisunique AND indisvalid
        """,
        (f"sealwork.{table}",),
    ).fetchall()
    return dict((columns, predicate) for columns, predicate in rows)
