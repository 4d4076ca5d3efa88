"""The four fragments that the source specification prints: as whole workflows accepted, and executed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from acts import NOON
from process_runs import Run, a_begun_run
from sealwork.domain.instants import instant_text
from sealwork.domain.ledger.effects import Auto, Cancel
from sealwork.domain.ledger.effects import Schedule as Scheduled
from sealwork.domain.refusals import RefusalCode
from sealwork.domain.work.work_row import WorkRow
from sealwork.domain.workflows.workflow import Action, Mutate, Schedule, Spawn, State, Workflow
from sealwork.domain.workflows.workflow import Auto as AutoData
from vectors.definition_cases import CASES

START_SCREENING, AUTO_DATA, SCHEDULE, CANCEL = 2, 3, 4, 5


def submitted(case: int) -> Run:
    run = a_begun_run(CASES[case - 1].workflow)
    run.takes("submit")
    return run


@pytest.mark.parametrize("case", [START_SCREENING, AUTO_DATA, SCHEDULE, CANCEL])
def test_a_printed_fragment_is_accepted_as_written(case: int) -> None:
    assert CASES[case - 1].issues_found() == ()


def test_auto_true_queues_an_empty_input_when_its_condition_holds() -> None:
    run = a_begun_run(CASES[START_SCREENING - 1].workflow)

    (queued,) = run.takes("submit")

    assert isinstance(queued, Auto)
    assert (queued.action, queued.data, queued.hash_at, queued.failed) == ("screen", {}, None, None)


def test_a_screening_leads_where_it_says_and_set_state_is_no_data() -> None:
    run = submitted(START_SCREENING)

    effects = run.machine_takes("screen")

    assert (run.stands, effects) == (("done", {"screening_status": "started"}), ())


def test_a_screening_that_comes_too_late_finds_another_state() -> None:
    run = submitted(START_SCREENING)
    run.machine_takes("screen")

    assert run.refused("screen", role="AUTOMATION").code is RefusalCode.WRONG_STATE


def test_auto_data_holds_a_place_for_the_hash_of_the_event_that_queues_it() -> None:
    run = a_begun_run(CASES[AUTO_DATA - 1].workflow)

    (queued,) = run.takes("submit")

    assert isinstance(queued, Auto)
    assert queued.data == {"reason": "state-entry", "source_event": None}
    assert queued.hash_at == ("/source_event",)


def test_a_timer_and_a_recurrence_begin_with_instants_for_durations() -> None:
    run = a_begun_run(CASES[SCHEDULE - 1].workflow)

    review, deadline, _ = run.takes("submit")

    assert isinstance(review, Scheduled) and isinstance(deadline, Scheduled)
    assert (review.id, review.action, review.data) == ("periodic-review", "screen", {})
    assert (review.every, review.count, review.until) == (365 * 24 * 3600, 3, None)
    assert review.run_at == instant_text(NOON + timedelta(days=365))
    assert (deadline.id, deadline.data) == ("screening-deadline", {"reason": "screening-sla"})
    assert (deadline.every, deadline.run_at) == (None, instant_text(NOON + timedelta(hours=48)))


@pytest.mark.parametrize("role", ["AUTOMATION", "clerk"])
def test_whoever_screens_ends_the_timer(role: str) -> None:
    run = submitted(CANCEL)

    assert run.takes("screen", role=role) == (Cancel(id="sla"),)


def test_the_queue_has_no_word_in_a_definition() -> None:
    """A row has its status, lease, attempts, cause; a workflow names none of them."""
    models = (Workflow, State, Action, Schedule, Spawn, Mutate, AutoData)
    language = {field.alias or name for model in models for name, field in model.model_fields.items()}

    assert language & WorkRow.model_fields.keys() == {"action", "data", "id"}
