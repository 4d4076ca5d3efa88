from __future__ import annotations

import pytest

from contracts.recurrence import RecurrenceContract
from contracts.work_listing import WorkListingContract
from contracts.work_store import WorkStoreContract
from rewriting import rewriting
from scribe import Scribe, timer
from sealing import TENANT
from sealwork.adapters.postgres.database import Database
from sealwork.domain.errors import Misconfigured


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
