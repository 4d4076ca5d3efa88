from __future__ import annotations

import re

import pytest

from vectors.definition_cases import CASES, Case


def test_every_case_stands_here_once() -> None:
    assert [case.case for case in CASES] == list(range(1, 43))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_definition_is_judged_as_the_design_says(case: Case) -> None:
    issues = case.issues_found()

    assert ("reject" if any(issue.level == "error" for issue in issues) else "accept") == case.verdict
    assert case.codes <= {issue.code for issue in issues}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_everything_is_said_about_a_definition_and_nothing_else(case: Case) -> None:
    said = [(issue.level, issue.code, issue.pointer) for issue in case.issues_found()]

    assert said == case.issues


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (8, "did you mean 'input'?"),
        (12, "did you mean 'screen'?"),
        (14, "write exactly one of in, every, at; here are in and every"),
        (20, "one of m, h, d, w, y, such as 48h"),
        (22, "write at most 100y"),
        (23, "such as 2026-06-18T10:00:00Z"),
        (27, "drop it, or schedule it"),
        (31, "let an action lead there, or take it out"),
        (32, "did you mean 'ready'?"),
        (33, "take it out"),
        (36, "did you mean 'when'?"),
        (37, "did you mean 'ready'?"),
        (38, "`from` allows ready, so state = 'draft' can never be true"),
        (39, "only 'done', as in `to`"),
        (40, "write it once"),
        (41, "did you mean 'clark'?"),
        (42, "write ${event.hsah} for the value or ${'event.hsah'} for the text"),
    ],
)
def test_what_is_said_tells_what_to_write(number: int, message: str) -> None:
    assert message in CASES[number - 1].issues_found()[0].message


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_message_goes_on_to_what_to_do(case: Case) -> None:
    for issue in case.issues_found():
        assert re.search(r": |; |, or |^write ", issue.message), issue.message
        assert len(issue.message) < 200
