"""Whether the domain survives a definition: it says what is wrong with it, or decides whatever comes by it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from types import FrameType
from typing import TypeVar

from builders import ANA, MARIA, ORIGIN, TENANT
from decision_laws import lawful_answer
from mangling import mangled
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.effects import Place
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.processes.act import Act
from sealwork.domain.processes.process import ProcessState
from sealwork.domain.refusals import Refused
from sealwork.domain.workflows.compiled import CompiledWorkflow, compile_workflow
from sealwork.domain.workflows.definition import issues_of
from sealwork.domain.workflows.workflow import Workflow

Value = TypeVar("Value")

MAX_STEPS = 1_000_000
"""Calls of Python functions that one definition may take to be judged."""
MAX_ACTS = 12
NOON = datetime(2026, 6, 18, 12, tzinfo=UTC)
INSTANTS = (
    NOON,
    NOON + timedelta(days=90),
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
)


def _nested(depth: int) -> JsonValue:
    value: JsonValue = 1
    for _ in range(depth):
        value = {"a": value}
    return value


_USUAL: JsonObject = {
    "a": 1,
    "b": "text",
    "n": 5,
    "m": 2,
    "amount": 100.5,
    "country": "SE",
    "plan": "gold",
    "priority": "high",
    "note": "called",
    "reason": "late",
    "due": "2026-07-01T10:00:00+02:00",
    "list": [1, "a", None, [2]],
    "text": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
    "ready": True,
    "customer": {"name": "Ada", "tier": None},
}
JSON: tuple[JsonObject, ...] = (
    {},
    _USUAL,
    {**_USUAL, "n": 2**53 - 1, "a": -0.5, "list": {}, "due": "soon"},
    {name: {"a": _USUAL} for name in _USUAL},
    dict.fromkeys(_USUAL),
    {name: _nested(27) for name in _USUAL},
    {"text": "x" * 60_000, "list": [0] * 1_001},
    {"e\u0301/~": "\U0001f600", "": "", "\u2028": ["${data.n}", "event.hash"]},
)


@dataclass(slots=True)
class Tally:
    """What came of many definitions."""

    issues: Counter[str] = field(default_factory=Counter)
    """Definitions by code of an issue that they have, warnings among them."""
    answers: Counter[str] = field(default_factory=Counter)
    """Acts by what was answered: `decided`, or the code of the refusal."""
    accepted: int = 0
    refused: int = 0
    most_steps: int = 0


def survive(count: int, seed: int, documents: Sequence[JsonObject], report: Callable[[int], None]) -> Tally:
    """Mangle `count` definitions and judge each by its own seed; `report` is told the number of each.

    Raises:
        AssertionError: a law does not hold, or a definition takes too long; the message has it whole.
    """
    tally = Tally()
    for number in range(count):
        random = Random(f"{seed}/{number}")
        document = mangled(documents, random)
        try:
            judge(document, random, tally)
        except Exception as error:
            raise AssertionError(f"definition {number} of seed {seed}: {document!r}") from error
        report(number)
    return tally


def judge(document: JsonValue, random: Random, tally: Tally) -> None:
    """Ask for the issues of `document`; if there is no error among them, act by it."""
    with counted_steps() as steps:
        workflow, issues = issues_of(document)
    tally.most_steps = max(tally.most_steps, steps[0])
    assert steps[0] <= MAX_STEPS, steps
    tally.issues.update({issue.code for issue in issues})
    assert all(issue.code and issue.message for issue in issues)
    if workflow is None or any(issue.level == "error" for issue in issues):
        assert issues
        tally.refused += 1
        return
    tally.accepted += 1
    compiled, flaws = compile_workflow(workflow)
    assert not flaws
    act_by(compiled, random, tally)


def act_by(workflow: CompiledWorkflow, random: Random, tally: Tally) -> None:
    """Take every action where it may be taken, and then a walk of those that come."""
    for name, action in workflow.actions.items():
        for state in action.action.from_states or (None,):
            data = random.choice(JSON)
            before = None if state is None else ProcessState(state=state, data=data)
            _answer(workflow, before, an_act(workflow.workflow, name, random), tally)
    current: ProcessState | None = None
    for seq in range(1, MAX_ACTS):
        free = [name for name, each in workflow.actions.items() if _may_come(each.action.from_states, current)]
        name = random.choice(free or [*workflow.actions])
        current = _answer(workflow, current, an_act(workflow.workflow, name, random, seq), tally)


def _may_come(states: tuple[str, ...], current: ProcessState | None) -> bool:
    return not states if current is None else current.state in states


def _answer(
    workflow: CompiledWorkflow, current: ProcessState | None, act: Act, tally: Tally
) -> ProcessState | None:
    answer = lawful_answer(workflow, current, act, versions_for(workflow.workflow))
    tally.answers[answer.code if isinstance(answer, Refused) else "decided"] += 1
    return current if isinstance(answer, Refused) else answer.state


def an_act(workflow: Workflow, name: str, random: Random, seq: int = 3) -> Act:
    """An act of somebody who may, with some input at some time."""
    return Act(
        action=name,
        actor=random.choice([MARIA.actor, ANA.actor]),
        roles=frozenset(workflow.actions[name].roles),
        input=random.choice(JSON),
        place=Place(origin=ORIGIN, tenant=TENANT, stream="process/p-1", seq=seq),
        recorded_at=random.choice(INSTANTS),
    )


def versions_for(workflow: Workflow) -> dict[str, DefinitionRef]:
    """Every version that a workflow spawns, as if it were published."""
    named = {child.workflow for action in workflow.actions.values() for child in action.spawn}
    parts = {name: name.rpartition("@") for name in named}
    return {
        name: DefinitionRef(path=path, version=int(version), sha256="0" * 64)
        for name, (path, _, version) in parts.items()
    }


@contextmanager
def counted_steps() -> Iterator[list[int]]:
    """Count the calls of Python functions made inside; it does not nest."""
    steps = [0]

    def count(frame: FrameType, event: str, argument: object) -> None:
        steps[0] += event == "call"

    sys.setprofile(count)
    try:
        yield steps
    finally:
        sys.setprofile(None)
