from __future__ import annotations

import pytest
from psycopg.conninfo import conninfo_to_dict

from contracts.recurrence import RecurrenceContract
from contracts.work_listing import WorkListingContract
from contracts.work_store import WorkStoreContract
from rewriting import rewriting
from scribe import Scribe, timer
from sealing import TENANT
from sealwork.adapters.postgres.database import Database, Role
from sealwork.adapters.postgres.work_store import PostgresWorkStore
from sealwork.domain.errors import Misconfigured
from sealwork.domain.instants import instant_text


class TestWorkStore(WorkStoreContract):
    """Rows are claimed and settled as the port promises."""


class TestRecurrence(RecurrenceContract):
    """And so are those that recur."""


class TestListing(WorkListingContract):
    """And all are listed, page by page."""


@pytest.mark.parametrize("value", ["data = '[1]'", "run_at = 'infinity'", "run_at = '4000-01-01 BC'"])
def test_a_row_that_was_changed_to_what_no_engine_writes_is_told(
    emptied: Database, scribe: Scribe, value: str
) -> None:
    scribe.write("process/p-1", timer())
    with rewriting(emptied) as owner:
        owner.execute(f"UPDATE sealwork.scheduled_actions SET {value}".encode())

    with pytest.raises(Misconfigured, match=r"was changed, data: .*sealwork verify|cannot be read"):
        scribe.store.of_process(TENANT, "process/p-1")


@pytest.mark.parametrize(
    ("zone", "run_at"),
    [("America/New_York", "0001-01-01T00:00:00.000000Z"), ("Asia/Tokyo", "9999-12-31T23:59:59.000000Z")],
)
def test_the_first_and_last_days_are_read_whatever_zone_the_server_has(
    emptied: Database, scribe: Scribe, zone: str, run_at: str
) -> None:
    scribe.write("process/p-1", timer(run_at=run_at))
    name = conninfo_to_dict(emptied.conninfo)["dbname"]
    with emptied.owner() as owner:
        owner.execute(f"ALTER DATABASE {name} SET TimeZone = '{zone}'".encode())
    try:
        with Database(emptied.conninfo) as elsewhere:
            (row,) = PostgresWorkStore(elsewhere, Role.WORKER).of_process(TENANT, "process/p-1")
    finally:
        with emptied.owner() as owner:
            owner.execute(f"ALTER DATABASE {name} RESET TimeZone".encode())

    assert instant_text(row.run_at) == run_at
