"""What every `WorkStore` promises to those who look. Fixtures: `deployment`, empty, and its `scribe`."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

import pytest

from scribe import HOUR, Scribe, auto, rule, timer
from sealing import START, TENANT, Deployment
from sealwork.application.ports.work_store import SettleAs
from sealwork.domain.ids import stream_key
from sealwork.domain.ledger.effects import Cancel, Effect
from sealwork.domain.work.listing import ListedWork
from sealwork.domain.work.work_row import WorkKind, WorkStatus

ALL = frozenset(WorkStatus)
ENDED = {WorkStatus.CANCELLED, WorkStatus.COMPLETED, WorkStatus.SKIPPED, WorkStatus.EXHAUSTED, WorkStatus.FAILED}
IN_ORDER = [
    ("fails-late", WorkStatus.FAILED),
    ("fails-early", WorkStatus.FAILED),
    ("waits", WorkStatus.PENDING),
    ("retries", WorkStatus.CLAIMED),
    ("later", WorkStatus.ACTIVE),
    ("cancels", WorkStatus.CANCELLED),
    ("fires", WorkStatus.COMPLETED),
    ("skips", WorkStatus.SKIPPED),
    ("fires-once", WorkStatus.EXHAUSTED),
]
"""Failed and ended rows by when they were planned, the newest first; live ones by when they are due."""


def ends(scribe: Scribe, process_id: str, effect: Effect, end: SettleAs) -> None:
    """A row is written, claimed and settled; to complete it, it is fired."""
    scribe.write(f"process/{process_id}", effect)
    (work,) = scribe.claim()
    if end is SettleAs.COMPLETE:
        scribe.fire(work)
    scribe.settle(work, end, error=None if end is SettleAs.COMPLETE else "guard: no", wait=3 * HOUR)


def all_kinds(scribe: Scribe) -> None:
    """A row of every kind and status, written in an order that is not that of a listing."""
    scribe.write("process/later", timer("t", 9 * HOUR))
    ends(scribe, "fires-once", timer("t", -5 * HOUR), SettleAs.COMPLETE)
    ends(scribe, "retries", auto(), SettleAs.RETRY)
    scribe.write("process/cancels", timer("t", 2 * HOUR))
    scribe.write("process/cancels", Cancel(id="t"))
    ends(scribe, "fails-early", timer("t", -4 * HOUR), SettleAs.FAIL)
    ends(scribe, "fires", auto(), SettleAs.COMPLETE)
    ends(scribe, "skips", timer("t", -3 * HOUR), SettleAs.SKIP)
    ends(scribe, "fails-late", rule(), SettleAs.FAIL)
    scribe.write("process/waits", auto())


def listing(
    scribe: Scribe, statuses: Collection[WorkStatus] = ALL, process_id: str | None = None, limit: int = 50
) -> list[ListedWork]:
    """The first page."""
    stream = process_id and f"process/{process_id}"
    return list(scribe.store.listing(scribe.tenant, statuses, stream=stream, limit=limit))


def told(listed: Collection[ListedWork]) -> list[tuple[str, WorkStatus]]:
    return [(stream_key(work.row.stream), work.row.status) for work in listed]


def paged(scribe: Scribe, size: int) -> list[ListedWork]:
    """All rows, read in pages of `size`."""
    listed: list[ListedWork] = []
    while page := scribe.store.listing(scribe.tenant, ALL, limit=size, after=listed[-1] if listed else None):
        assert len(page) <= size
        assert not {work.row.id for work in page} & {work.row.id for work in listed}
        listed.extend(page)
    return listed


class WorkListingContract:
    """Listing and finding."""

    def test_what_failed_comes_first_then_what_waits_then_what_has_ended(self, scribe: Scribe) -> None:
        all_kinds(scribe)

        assert told(listing(scribe)) == IN_ORDER

    def test_a_live_row_is_listed_with_when_it_is_due(self, scribe: Scribe) -> None:
        all_kinds(scribe)

        due = {stream_key(work.row.stream): work.due for work in listing(scribe)}

        assert due["later"] == START + 9 * HOUR
        assert [_hours(due[name]) for name in ("waits", "retries")] == [0, 3]
        assert {due[name] for name, status in IN_ORDER if status in ENDED} == {None}

    def test_a_listed_row_is_the_row_of_its_process(self, scribe: Scribe) -> None:
        all_kinds(scribe)

        listed = listing(scribe)

        assert {work.row.kind for work in listed} == {*WorkKind}
        assert [[work.row] for work in listed] == [list(scribe.rows(work.row.stream)) for work in listed]

    @pytest.mark.parametrize("status", WorkStatus)
    def test_only_the_statuses_that_are_asked_for_are_listed(self, scribe: Scribe, status: WorkStatus) -> None:
        all_kinds(scribe)

        assert told(listing(scribe, {status})) == [row for row in IN_ORDER if row[1] is status]

    def test_no_status_is_no_row(self, scribe: Scribe) -> None:
        all_kinds(scribe)

        assert listing(scribe, ()) == []

    @pytest.mark.parametrize("row", IN_ORDER, ids=lambda row: str(row[0]))
    def test_only_the_process_that_is_asked_for_is_listed(
        self, scribe: Scribe, row: tuple[str, WorkStatus]
    ) -> None:
        all_kinds(scribe)

        assert told(listing(scribe, process_id=row[0])) == [row]
        assert listing(scribe, process_id=row[0], statuses=ALL - {row[1]}) == []

    def test_a_listing_is_no_longer_than_asked(self, scribe: Scribe) -> None:
        all_kinds(scribe)

        assert [told(listing(scribe, limit=limit)) for limit in (1, 4, 9)] == [
            IN_ORDER[:1],
            IN_ORDER[:4],
            IN_ORDER,
        ]

    @pytest.mark.parametrize("size", [1, 2, 3, 9])
    def test_pages_are_the_listing_in_pieces(self, scribe: Scribe, size: int) -> None:
        all_kinds(scribe)

        assert paged(scribe, size) == listing(scribe)

    def test_pages_part_rows_of_one_instant(self, scribe: Scribe) -> None:
        """One event makes them all, so only their ids differ."""
        many = [auto(f"a{number}") for number in range(3)]
        failed = [auto(f"f{number}", failed="no data") for number in range(3)]
        timers = [timer(f"t{number}", 2 * HOUR) for number in range(3)]
        scribe.write("process/many", *many, *failed, *timers)
        scribe.write("process/many", *(Cancel(id=f"t{number}") for number in range(3)))

        pages = paged(scribe, 2)

        assert pages == listing(scribe)
        assert len({work.row.id for work in pages}) == 9

    def test_a_page_goes_on_although_its_last_row_has_moved(self, scribe: Scribe) -> None:
        all_kinds(scribe)
        first = listing(scribe, limit=3)
        (work,) = scribe.claim()
        scribe.settle(work, SettleAs.SKIP)

        rest = scribe.store.listing(TENANT, ALL, limit=2, after=first[-1])

        assert told(rest) == IN_ORDER[3:5]

    def test_another_tenant_sees_nothing(self, scribe: Scribe, deployment: Deployment) -> None:
        all_kinds(scribe)
        (first, *_) = listing(scribe)

        other = Scribe(deployment, "globex")

        assert listing(other) == []
        assert other.store.find(other.tenant, first.row.id) is None

    def test_a_row_is_found_by_its_id(self, scribe: Scribe) -> None:
        all_kinds(scribe)
        listed = listing(scribe)

        found = [scribe.store.find(TENANT, work.row.id) for work in listed]

        assert found == listed
        assert scribe.store.find(TENANT, UUID(int=7)) is None


def _hours(instant: datetime | None) -> int:
    """In whole hours from the start: the clock may run on a little."""
    assert instant is not None
    return (instant - START) // HOUR
