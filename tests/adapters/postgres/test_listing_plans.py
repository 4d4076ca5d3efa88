"""How much a listing reads: about as many rows as are wanted, however many have ended."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any

import pytest

from contracts.work_listing import IN_ORDER, all_kinds, told
from scribe import Scribe
from sealing import TENANT
from sealwork.adapters.postgres.database import Connection, Database, Inside, Role
from sealwork.adapters.postgres.work_store import PostgresWorkStore
from sealwork.domain.work.listing import ListedWork
from sealwork.domain.work.work_row import WorkStatus

LIVE = {WorkStatus.ACTIVE, WorkStatus.PENDING, WorkStatus.CLAIMED}
ENDED = 1000
"""Rows of each table that have ended, beside the few of `all_kinds`."""
FEW = 40
"""What reading a handful of rows may touch: in each table and rank up to the limit, and each row once more."""
_ALIKE = (("scheduled_actions", "exhausted", "run_at"), ("automation_queue", "skipped", "queued_at"))


@pytest.fixture
def connection(scribe: Scribe, emptied: Database) -> Iterator[Connection]:
    """A reader's connection that tells its plans, to a database where thousands of rows have ended."""
    all_kinds(scribe)
    with emptied.owner() as connection:
        for table, status, planned in _ALIKE:
            _multiply(connection, table, status, planned)
        connection.execute("LOAD 'auto_explain'")
        connection.execute("SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on")
        connection.execute("SET auto_explain.log_format = json; SET client_min_messages = log")
        connection.execute("SET ROLE sealwork_reader")
        yield connection


@pytest.mark.parametrize("statuses", [LIVE, {WorkStatus.FAILED}, LIVE | {WorkStatus.FAILED}], ids=len)
def test_what_has_ended_is_not_read_where_it_is_not_asked_for(
    connection: Connection, statuses: set[WorkStatus]
) -> None:
    listed, touched = read(connection, statuses)

    assert told(listed) == [row for row in IN_ORDER if row[1] in statuses]
    assert touched <= FEW


def test_of_what_has_ended_no_more_is_read_than_is_wanted(connection: Connection) -> None:
    listed, touched = read(connection, set(WorkStatus), limit=7)

    assert told(listed) == IN_ORDER[:7]
    assert touched <= FEW


def test_a_later_page_does_not_read_the_earlier_ones(connection: Connection) -> None:
    first, _ = read(connection, set(WorkStatus), limit=900)

    _, touched = read(connection, set(WorkStatus), limit=5, after=first[-1])

    assert touched <= FEW


def test_of_one_process_only_its_own_rows_are_read(connection: Connection) -> None:
    listed, touched = read(connection, set(WorkStatus), stream="process/cancels")

    assert told(listed) == [("cancels", WorkStatus.CANCELLED)]
    assert touched <= FEW


def read(
    connection: Connection,
    statuses: Collection[WorkStatus],
    *,
    stream: str | None = None,
    limit: int = 9,
    after: ListedWork | None = None,
) -> tuple[list[ListedWork], int]:
    """A page, and how many rows of tables were touched for it."""
    plans: list[str] = []

    def keep(notice: Any) -> None:
        plans.append(notice.message_primary)

    connection.add_notice_handler(keep)
    store = PostgresWorkStore(Inside(connection), Role.READER)
    listed = store.listing(TENANT, statuses, stream=stream, limit=limit, after=after)
    connection.remove_notice_handler(keep)
    (plan,) = plans
    return list(listed), _touched(json.loads(plan.partition("plan:")[2])["Plan"])


def _touched(step: dict[str, Any]) -> int:
    """How many rows of tables a step of a plan and those below it have given or thrown away."""
    rows = step["Actual Rows"] + step.get("Rows Removed by Filter", 0) if "Relation Name" in step else 0
    own: int = round(rows * step["Actual Loops"])
    return own + sum(map(_touched, step.get("Plans", ())))


def _multiply(connection: Connection, table: str, status: str, planned: str) -> None:
    """Copy a row that has ended, each time under another id and action, and planned a minute earlier."""
    columns = connection.execute(
        """
        SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
        WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
        """,
        (f"sealwork.{table}",),
    ).fetchone()
    assert columns is not None
    connection.execute(
        f"""
        INSERT INTO sealwork.{table} ({columns[0]}) SELECT {columns[0]} FROM (
          SELECT (jsonb_populate_record(ended, jsonb_build_object(
            'id', gen_random_uuid(), 'action', 'a' || n, 'fired_event_hash', NULL, 'fired_at', NULL,
            'status', '{status}', '{planned}', ended.{planned} - n * interval '1 min'))).*
          FROM sealwork.{table} AS ended, generate_series(1, {ENDED}) AS n
          WHERE id = (SELECT id FROM sealwork.{table} WHERE due IS NULL AND status <> 'cancelled' LIMIT 1)
        ) AS copies
        """.encode()
    )
    connection.execute(f"ANALYZE sealwork.{table}".encode())
