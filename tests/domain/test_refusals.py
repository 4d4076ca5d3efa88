from __future__ import annotations

import pytest
from pydantic import ValidationError

from sealwork.domain.refusals import RefusalCode, Refused, refused


def test_a_refusal_says_what_where_and_why() -> None:
    refusal = refused(RefusalCode.GUARD, "the amount is too high", "/input/amount")

    assert refusal == Refused(code=RefusalCode.GUARD, detail="the amount is too high", pointer="/input/amount")


def test_a_refusal_of_the_whole_document_points_nowhere() -> None:
    assert refused(RefusalCode.TOO_LARGE, "too large").pointer is None


def test_a_refusal_cannot_be_changed() -> None:
    refusal = refused(RefusalCode.GUARD, "no")

    with pytest.raises(ValidationError):
        refusal.__setattr__("detail", "yes")


@pytest.mark.parametrize("code", RefusalCode)
def test_the_text_of_a_code_is_its_name_in_small_letters(code: RefusalCode) -> None:
    assert code.value == code.name.lower()


def test_there_are_exactly_the_codes_of_the_specification() -> None:
    # domain.md, "process_event"
    specified = """
        not_canonical too_large wrong_origin wrong_tenant bad_signature id_conflict unknown_actor key_retired
        key_revoked expired_intent expired_token stale_head reserved_input not_claimed no_process no_action
        definition_mismatch definition_withdrawn wrong_role wrong_state invalid_input guard same_actor
        invalid_result cascade_limit
        chain_broken permission rule_limit conflict in_use
    """

    assert {code.value for code in RefusalCode} == set(specified.split())
