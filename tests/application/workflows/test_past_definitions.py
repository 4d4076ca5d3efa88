"""Definitions as events found them: what was folded for one event is not folded again for the next."""

from __future__ import annotations

from open_box import an_open_box
from sealing import ONBOARDING, TENANT
from sealwork.application.workflows.past_definitions import DefinitionHistory
from sealwork.domain.ids import workflow_stream
from sealwork.domain.ledger.record import Record

PATH = "customer/onboarding"


def test_a_version_is_folded_once_for_all_publications_after_it() -> None:
    box = an_open_box()
    for number in range(2, 6):
        box.published({**ONBOARDING, "title": f"version {number}"})
    history = DefinitionHistory(box.log)
    records = [event.read_record for event in box.log.load(TENANT, workflow_stream(PATH), list)]

    found = [history.as_found_by(record).of(TENANT, PATH) for record in records if isinstance(record, Record)]

    assert [len(definition.versions) for definition in found] == list(range(len(records)))
    assert all(
        ours is theirs
        for earlier, later in zip(found, found[1:], strict=False)
        for ours, theirs in zip(earlier.versions, later.versions, strict=False)
    )


def test_an_earlier_event_may_be_asked_about_after_a_later_one() -> None:
    box = an_open_box()
    for number in (2, 3):
        box.published({**ONBOARDING, "title": f"version {number}"})
    history = DefinitionHistory(box.log)
    first, *_, last = [event.read_record for event in box.log.load(TENANT, workflow_stream(PATH), list)]
    assert isinstance(first, Record) and isinstance(last, Record)

    after, before = (history.as_found_by(record).of(TENANT, PATH) for record in (last, first))

    assert len(after.versions) > 0 == len(before.versions)
