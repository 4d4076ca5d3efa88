"""A process that runs from act to act as the engine would decide it; nothing is signed, nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from builders import MARIA, ORIGIN, PROCESS, TENANT
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.actors import AUTOMATION_ROLE
from sealwork.domain.ledger.effects import Effect, Place
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.workflows.act import Act
from sealwork.domain.workflows.compiled import CompiledWorkflow, compile_workflow
from sealwork.domain.workflows.definition import issues_of
from sealwork.domain.workflows.process import Decision, ProcessState, decide

NOON = datetime(2026, 6, 18, 12, tzinfo=UTC)


@dataclass
class Run:
    """One process; it stands where its last act led."""

    workflow: CompiledWorkflow
    versions: Mapping[str, DefinitionRef]
    state: ProcessState | None = None
    seq: int = 0

    def tried(
        self,
        action: str,
        *,
        role: str = "clerk",
        input_: JsonObject | None = None,
        at: datetime = NOON,
        by: str = MARIA.actor,
    ) -> Decision | Refused:
        """What the process answers; it does not move."""
        place = Place(origin=ORIGIN, tenant=TENANT, stream=PROCESS, seq=self.seq + 1)
        roles = frozenset({role})
        act = Act(action=action, actor=by, roles=roles, input=input_ or {}, place=place, recorded_at=at)
        return decide(self.workflow, self.state, act, self.versions)

    def takes(
        self,
        action: str,
        *,
        role: str = "clerk",
        input_: JsonObject | None = None,
        at: datetime = NOON,
        by: str = MARIA.actor,
    ) -> tuple[Effect, ...]:
        """Take an action that is permitted, and return its effects."""
        decision = self.tried(action, role=role, input_=input_, at=at, by=by)
        assert isinstance(decision, Decision), decision
        self.state, self.seq = decision.state, self.seq + 1
        return decision.effects

    def machine_takes(self, action: str, **input_: JsonValue) -> tuple[Effect, ...]:
        return self.takes(action, role=AUTOMATION_ROLE, input_=input_)

    def refused(
        self, action: str, *, role: str = "clerk", input_: JsonObject | None = None, by: str = MARIA.actor
    ) -> Refused:
        answer = self.tried(action, role=role, input_=input_, by=by)
        assert isinstance(answer, Refused), answer
        return answer

    def why_not(self, action: str, **input_: JsonValue) -> RefusalCode:
        return self.refused(action, input_=input_).code

    @property
    def stands(self) -> tuple[str, JsonObject]:
        assert self.state is not None
        return self.state.state, self.state.data


def a_run(document: JsonObject, versions: Mapping[str, DefinitionRef] | None = None) -> Run:
    """A process of a workflow that may be published, not begun yet."""
    workflow, issues = issues_of(document)
    assert workflow is not None and not [issue for issue in issues if issue.level == "error"], issues
    return Run(compile_workflow(workflow)[0], versions or {})


def a_begun_run(document: JsonObject, **input_: JsonValue) -> Run:
    """A process that was begun with `start`."""
    run = a_run(document)
    run.takes("start", input_=input_)
    return run
