from __future__ import annotations

import pytest
from pydantic import ValidationError

from sealwork.domain.work.work_row import MAX_CASCADE_DEPTH, WorkKind, WorkStatus
from work_rows import a_row


def test_there_are_three_lanes_of_work() -> None:
    assert {kind.value for kind in WorkKind} == {"scheduled_action", "auto_action", "rule"}


def test_the_states_of_a_row_are_those_of_the_specification() -> None:
    # domain.md, "State machines": timers and queue rows
    states = "active pending claimed completed exhausted skipped cancelled failed"

    assert [status.value for status in WorkStatus] == states.split()


def test_a_chain_of_hops_without_delay_ends_after_25() -> None:
    assert MAX_CASCADE_DEPTH == 25


def test_a_row_begins_without_attempts_and_without_a_result() -> None:
    row = a_row()

    assert (row.attempts, row.last_error, row.fired_event_hash) == (0, None, None)


def test_a_row_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        a_row().__setattr__("status", WorkStatus.FAILED)


def test_a_row_has_no_other_columns() -> None:
    with pytest.raises(ValidationError):
        a_row(priority=1)
