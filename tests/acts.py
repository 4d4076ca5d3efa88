"""Acts for tests of what a workflow decides: usually maria's, at noon, as the third event of a process."""

from __future__ import annotations

from datetime import UTC, datetime

from builders import MARIA
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.effects import Place
from sealwork.domain.processes.act import Act
from sealwork.domain.processes.consequences import NO_VERSIONS, Versions
from sealwork.domain.processes.process import Decision, ProcessState, decide
from sealwork.domain.refusals import Refused
from sealwork.domain.workflows.compiled import CompiledWorkflow

AUTOMATION = "AUTOMATION"
NOON = datetime(2026, 6, 18, 12, tzinfo=UTC)
PLACE = Place(origin="test.example/log", tenant="acme", stream="process/p-1", seq=3)


def an_act(
    action: str,
    *roles: str,
    input_: JsonObject | None = None,
    actor: str = MARIA.actor,
    at: datetime = NOON,
    others: frozenset[str] = frozenset(),
) -> Act:
    return Act(
        action=action,
        actor=actor,
        roles=frozenset(roles or ("clerk",)),
        input=input_ or {},
        place=PLACE,
        recorded_at=at,
        others=others,
    )


def decided(
    workflow: CompiledWorkflow, current: ProcessState | None, act: Act, versions: Versions = NO_VERSIONS
) -> Decision:
    decision = decide(workflow, current, act, versions)
    assert isinstance(decision, Decision), decision
    return decision


def refused(
    workflow: CompiledWorkflow, current: ProcessState | None, act: Act, versions: Versions = NO_VERSIONS
) -> Refused:
    refusal = decide(workflow, current, act, versions)
    assert isinstance(refusal, Refused), refusal
    return refusal
