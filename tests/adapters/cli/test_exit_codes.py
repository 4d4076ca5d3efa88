"""What a script learns without reading. Source: docs/reference/cli.md; ledger case 20."""

from __future__ import annotations

import pytest

from sealwork.adapters.cli.exit_codes import ExitCode, exit_code_of, exit_code_of_error
from sealwork.domain.errors import Misconfigured, SealworkError, Unavailable
from sealwork.domain.refusals import RefusalCode

EXIT_CODES = {
    "not_canonical": 1,
    "too_large": 1,
    "wrong_origin": 1,
    "wrong_tenant": 1,
    "bad_signature": 1,
    "unknown_actor": 1,
    "key_retired": 1,
    "key_revoked": 1,
    "expired_intent": 1,
    "expired_token": 1,
    "reserved_input": 1,
    "not_claimed": 1,
    "no_action": 1,
    "definition_withdrawn": 1,
    "wrong_role": 1,
    "wrong_state": 1,
    "invalid_input": 1,
    "guard": 1,
    "same_actor": 1,
    "invalid_result": 1,
    "cascade_limit": 1,
    "permission": 1,
    "rule_limit": 1,
    "no_process": 3,
    "definition_mismatch": 3,
    "stale_head": 4,
    "id_conflict": 4,
    "conflict": 4,
    "in_use": 4,
    "chain_broken": 5,
}


def test_every_refusal_has_an_exit_code() -> None:
    assert EXIT_CODES.keys() == {code.value for code in RefusalCode}


@pytest.mark.parametrize(("code", "expected"), EXIT_CODES.items())
def test_a_refusal_ends_with_its_exit_code(code: str, expected: int) -> None:
    assert exit_code_of(RefusalCode(code)) == expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [(Unavailable("gone"), 69), (Misconfigured("wrong"), 78), (SealworkError("some other"), 69)],
    ids=lambda value: type(value).__name__,
)
def test_an_error_ends_with_its_exit_code(error: SealworkError, expected: int) -> None:
    assert exit_code_of_error(error) == expected


def test_the_other_exit_codes_are_those_that_shells_and_sysexits_know() -> None:
    others = {code.name: code.value for code in ExitCode if code.value not in EXIT_CODES.values()}

    assert others == {
        "OK": 0,
        "USAGE": 2,
        "UNAVAILABLE": 69,
        "DEFECT": 70,
        "CONFIGURATION": 78,
        "INTERRUPTED": 130,
    }
