"""Exit codes: what a script learns without reading."""

from __future__ import annotations

from enum import IntEnum
from typing import assert_never

from sealwork.application.proof.bundle import BundleFlaw
from sealwork.domain.errors import Misconfigured, SealworkError
from sealwork.domain.refusals import RefusalCode


class ExitCode(IntEnum):
    """0 done; 69 and 78 are those of sysexits.h."""

    OK = 0
    REFUSED = 1
    USAGE = 2
    NOT_FOUND = 3
    CONFLICT = 4
    TAMPERING = 5
    UNAVAILABLE = 69
    DEFECT = 70
    CONFIGURATION = 78
    INTERRUPTED = 130


def exit_code_of_error(error: SealworkError) -> ExitCode:
    """Return the exit code of an error."""
    return ExitCode.CONFIGURATION if isinstance(error, Misconfigured) else ExitCode.UNAVAILABLE


def exit_code_of_bundle(flaw: BundleFlaw) -> ExitCode:
    """Return the exit code of a bundle that is not read any further."""
    match flaw:
        case BundleFlaw.NOT_A_BUNDLE:
            return ExitCode.CONFIGURATION
        case BundleFlaw.TOO_LARGE:
            return ExitCode.REFUSED
        case BundleFlaw.ALTERED | BundleFlaw.OTHER_LOG:
            return ExitCode.TAMPERING
        case _:
            assert_never(flaw)


def exit_code_of(code: RefusalCode) -> ExitCode:
    """Return the exit code of a refusal."""
    match code:
        case RefusalCode.NO_PROCESS | RefusalCode.DEFINITION_MISMATCH:
            return ExitCode.NOT_FOUND
        case RefusalCode.STALE_HEAD | RefusalCode.ID_CONFLICT | RefusalCode.CONFLICT | RefusalCode.IN_USE:
            return ExitCode.CONFLICT
        case RefusalCode.CHAIN_BROKEN:
            return ExitCode.TAMPERING
        case (
            RefusalCode.NOT_CANONICAL
            | RefusalCode.TOO_LARGE
            | RefusalCode.WRONG_ORIGIN
            | RefusalCode.WRONG_TENANT
            | RefusalCode.BAD_SIGNATURE
            | RefusalCode.UNKNOWN_ACTOR
            | RefusalCode.KEY_RETIRED
            | RefusalCode.KEY_REVOKED
            | RefusalCode.EXPIRED_INTENT
            | RefusalCode.EXPIRED_TOKEN
            | RefusalCode.RESERVED_INPUT
            | RefusalCode.NOT_CLAIMED
            | RefusalCode.NO_ACTION
            | RefusalCode.DEFINITION_WITHDRAWN
            | RefusalCode.WRONG_ROLE
            | RefusalCode.WRONG_STATE
            | RefusalCode.INVALID_INPUT
            | RefusalCode.GUARD
            | RefusalCode.SAME_ACTOR
            | RefusalCode.INVALID_RESULT
            | RefusalCode.CASCADE_LIMIT
            | RefusalCode.PERMISSION
            | RefusalCode.RULE_LIMIT
        ):
            return ExitCode.REFUSED
        case _:
            assert_never(code)
