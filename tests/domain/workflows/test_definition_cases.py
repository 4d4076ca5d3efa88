"""The definitions that the design names, each with what is said about it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict

from sealwork.domain.json_value import JsonObject
from sealwork.domain.workflows.definition import issues_of
from sealwork.domain.workflows.issues import Issue
from workflow_documents import START

WITHOUT_START = 34


class Case(BaseModel):
    """One definition, and what is said about it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    case: int
    title: str
    verdict: Literal["accept", "reject"]
    codes: set[str]
    issues: list[tuple[str, str, str]]
    differs: str = ""
    document: JsonObject

    def issues_found(self) -> tuple[Issue, ...]:
        actions = self.document["actions"]
        assert isinstance(actions, dict)
        start: JsonObject = {} if self.case == WITHOUT_START else {"start": START}
        return issues_of({"path": "a", **self.document, "actions": {**start, **actions}})[1]

    def __str__(self) -> str:
        return f"{self.case}: {self.title}"


class Cases(BaseModel):
    """The file beside this one."""

    about: str
    cases: list[Case]


CASES = Cases.model_validate_json(Path(__file__).with_name("definition_cases.json").read_bytes()).cases


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
        (20, "one of m, h, d, w, y (bd and bh with a calendar), such as 48h"),
        (22, "write at most 100y"),
        (23, "such as 2026-06-18T10:00:00Z"),
        (32, "did you mean 'ready'?"),
        (36, "did you mean 'when'?"),
        (37, "did you mean 'ready'?"),
        (38, "`from` allows ready, so state == 'draft' can never be true"),
        (41, "did you mean 'clark'?"),
        (42, "write ${event.hsah} for the value or ${'event.hsah'} for the text"),
    ],
)
def test_what_is_said_tells_what_to_write(number: int, message: str) -> None:
    assert message in CASES[number - 1].issues_found()[0].message
