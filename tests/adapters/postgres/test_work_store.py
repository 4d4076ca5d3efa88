from contracts.recurrence import RecurrenceContract
from contracts.work_listing import WorkListingContract
from contracts.work_store import WorkStoreContract


class TestWorkStore(WorkStoreContract):
    """Rows are claimed and settled as the port promises."""


class TestRecurrence(RecurrenceContract):
    """And so are those that recur."""


class TestListing(WorkListingContract):
    """And all are listed, page by page."""
