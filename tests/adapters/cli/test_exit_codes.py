"""What a script learns without reading. Source: docs/reference/cli.md; ledger case 20."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from command_line import CommandLine
from open_box import OpenBox
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


STREAM = "process/c-1"


def cuts_the_end_off(box: OpenBox) -> None:
    last = box.events(STREAM).pop()
    box.open_log.head_rows[STREAM] = {"seq": last.seq, "hash": last.hash}


VERIFIED: dict[str, tuple[Callable[[OpenBox], object], int]] = {
    "nobody touched it": (lambda box: None, 0),
    "an intent was edited": (lambda box: box.alter(STREAM, 2, intent=b"{}"), 5),
    "a record was edited": (lambda box: box.alter(STREAM, 2, record=b"{}"), 5),
    "an event was taken out": (lambda box: box.events(STREAM).pop(0), 5),
    "the end was cut off": (cuts_the_end_off, 5),
    "the state was edited": (lambda box: setattr(box.chain(STREAM), "state", b"{}"), 5),
    "a document is gone": (lambda box: box.tables.documents.clear(), 5),
    "the work is gone": (lambda box: box.tables.work.clear(), 5),
    "everything is gone": (lambda box: box.tables.chains.clear(), 5),
}
"""What happened to a log, and the exit code of `verify`. Where it cannot look: tests/flows/test_trouble.py."""


@pytest.mark.parametrize("cause", VERIFIED)
def test_verify_ends_with_one_code_whatever_was_done_to_the_log(command_line: CommandLine, cause: str) -> None:
    happens, code = VERIFIED[cause]
    command_line.box.begin("c-1")
    command_line.box.take("c-1", "submit", "maria")
    happens(command_line.box)

    assert command_line("verify").exit_code == code
    assert command_line("verify", "--json").exit_code == code


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
