"""Listing work rows across pages, and what one of them says."""

from __future__ import annotations

from uuid import UUID

import pytest

from open_box import OpenBox, a_box_with_a_story, an_empty_box
from scribe import Scribe, auto
from sealing import TENANT
from sealwork.application.proof.explain import Ladder
from sealwork.application.work.list_work import PAGE, WorkListing, WorkWanted
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.work.listing import ListedWork
from sealwork.domain.work.work_row import WorkStatus


@pytest.fixture(scope="module")
def crowded() -> OpenBox:
    """A box with one pending row more than two pages hold."""
    box = an_empty_box()
    scribe = Scribe(box)
    for number in range(2 * PAGE + 1):
        scribe.write(f"process/p-{number}", auto())
    return box


def listed(box: OpenBox, **wanted: object) -> WorkListing:
    return box.list_work(TENANT, WorkWanted.model_validate({"limit": 50} | wanted))


@pytest.mark.parametrize(
    ("limit", "more"),
    [(1, True), (PAGE - 1, True), (PAGE, True), (2 * PAGE, True), (2 * PAGE + 1, False), (5 * PAGE, False)],
)
def test_a_listing_of_many_pages_misses_no_row_and_tells_whether_there_are_others(
    crowded: OpenBox, limit: int, more: bool
) -> None:
    listing = listed(crowded, limit=limit)

    assert listing.more is more
    assert len({work.row.id for work in listing.work}) == len(listing.work) == min(limit, 2 * PAGE + 1)


def test_without_a_wish_every_row_of_the_tenant_is_listed() -> None:
    box = a_box_with_a_story()

    actions = [(work.row.action, work.row.status) for work in listed(box).work]

    assert actions == [("escalate", WorkStatus.EXHAUSTED), ("screen", WorkStatus.COMPLETED)]


def test_rows_of_one_status_and_process_are_listed() -> None:
    box = a_box_with_a_story()

    assert len(listed(box, process_id="c-1", statuses={WorkStatus.COMPLETED}).work) == 1
    assert listed(box, process_id="c-1", statuses={WorkStatus.FAILED}).work == ()
    assert listed(box, process_id="c-2").work == ()


def test_a_row_is_found_and_leads_back_to_the_person() -> None:
    box = a_box_with_a_story()
    row = box.rows("c-1")[-1]

    found = box.list_work.find(TENANT, row.id)

    assert isinstance(found, ListedWork)
    assert (found.row, found.due) == (row, None)
    why = box.list_work.why(found)
    assert isinstance(why, Ladder)
    assert [rung.event.action for rung in why.rungs] == ["screen", "submit"]


def test_an_unknown_row_is_not_found() -> None:
    box = a_box_with_a_story()

    answer = box.list_work.find(TENANT, UUID(int=7))

    assert isinstance(answer, Refused)
    assert (answer.code, answer.pointer) == (RefusalCode.NO_PROCESS, "/work_id")
