"""The definitions that the design names, each with what is said about it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from sealwork.domain.issues import Issue
from sealwork.domain.json_value import JsonObject
from sealwork.domain.workflows.definition import issues_of
from workflow_documents import START

_FILE = Path(__file__).parent / "verdict_tables" / "definition_cases.json"
_WITHOUT_START = 34


class Case(BaseModel):
    """One definition, and what is said about it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    case: int
    title: str
    verdict: Literal["accept", "reject"]
    codes: set[str]
    """Those that the design names."""
    issues: list[tuple[str, str, str]]
    """Level, code and pointer of everything that is said, in order."""
    differs: str = ""
    """Why that is not what the design prints."""
    document: JsonObject

    @property
    def workflow(self) -> JsonObject:
        """The whole workflow: with a path and, except for the case that lacks it, a start."""
        actions = self.document["actions"]
        assert isinstance(actions, dict)
        start: JsonObject = {} if self.case == _WITHOUT_START else {"start": START}
        return {"path": "a", **self.document, "actions": {**start, **actions}}

    def issues_found(self) -> tuple[Issue, ...]:
        return issues_of(self.workflow)[1]

    def __str__(self) -> str:
        return f"{self.case}: {self.title}"


class _Cases(BaseModel):
    about: str
    cases: list[Case]


CASES = _Cases.model_validate_json(_FILE.read_bytes()).cases
