from __future__ import annotations

from typing import cast

import pytest

from sealwork.domain.refusals import RefusalCode
from sealwork.domain.work.outcomes import Outcome, WorkerCode, outcome_of

# worker.md, "Outcomes": the rows that are refusals of the engine
SPECIFIED = {
    Outcome.SKIP: "wrong_role wrong_state guard invalid_input invalid_result same_actor definition_withdrawn",
    Outcome.DROP: "not_claimed",
    Outcome.RESIGN: "stale_head expired_intent",
    Outcome.FAIL: """
        no_process no_action too_large id_conflict reserved_input not_canonical wrong_origin wrong_tenant
        definition_mismatch cascade_limit permission expired_token rule_limit conflict in_use chain_broken
    """,
    Outcome.PARK: "unknown_actor key_retired key_revoked",
    Outcome.STOP: "bad_signature",
}
EXPECTED = {RefusalCode(code): outcome for outcome, codes in SPECIFIED.items() for code in codes.split()}


@pytest.mark.parametrize("code", RefusalCode)
def test_every_refusal_has_the_outcome_of_the_specification(code: RefusalCode) -> None:
    assert outcome_of(code) is EXPECTED[code]


def test_every_refusal_stands_in_the_table_once() -> None:
    listed = [code for codes in SPECIFIED.values() for code in codes.split()]

    assert sorted(listed) == sorted(RefusalCode)


def test_no_refusal_is_an_acceptance_and_none_is_tried_for_ever() -> None:
    assert {outcome_of(code) for code in RefusalCode} == set(Outcome) - {Outcome.ACCEPT, Outcome.RETRY}


def test_what_the_worker_says_itself_has_an_outcome_too() -> None:
    assert {code: outcome_of(code) for code in WorkerCode} == {
        WorkerCode.MISFIRE: Outcome.SKIP,
        WorkerCode.WORKERS_ENDED: Outcome.FAIL,
        WorkerCode.UNAVAILABLE: Outcome.RETRY,
    }


def test_a_code_of_the_worker_is_no_code_of_the_engine() -> None:
    assert {code.value for code in WorkerCode}.isdisjoint(code.value for code in RefusalCode)


def test_a_code_that_nobody_knows_has_no_outcome() -> None:
    with pytest.raises(AssertionError):
        outcome_of(cast(RefusalCode, "out_of_luck"))


@pytest.mark.parametrize("outcome", Outcome)
def test_the_text_of_an_outcome_is_its_name_in_small_letters(outcome: Outcome) -> None:
    assert outcome.value == outcome.name.lower()
