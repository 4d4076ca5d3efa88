"""A process that runs from act to act as the engine would decide it; nothing is signed, nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acts import AUTOMATION, an_act, decided, refused
from builders import MARIA
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.effects import Effect
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.processes.process import ProcessState
from sealwork.domain.refusals import Refused
from sealwork.domain.workflows.compiled import CompiledWorkflow, compile_workflow
from sealwork.domain.workflows.definition import issues_of


@dataclass
class Run:
    """One process; it stands where its last act led."""

    workflow: CompiledWorkflow
    versions: Mapping[str, DefinitionRef]
    state: ProcessState | None = None

    def takes(
        self, action: str, *, role: str = "clerk", input_: JsonObject | None = None, by: str = MARIA.actor
    ) -> tuple[Effect, ...]:
        """Take an action that is permitted, and return its effects."""
        act = an_act(action, role, input_=input_, actor=by)
        decision = decided(self.workflow, self.state, act, self.versions)
        self.state = decision.state
        return decision.effects

    def machine_takes(self, action: str, **input_: JsonValue) -> tuple[Effect, ...]:
        return self.takes(action, role=AUTOMATION, input_=input_)

    def refused(
        self, action: str, *, role: str = "clerk", input_: JsonObject | None = None, by: str = MARIA.actor
    ) -> Refused:
        """Try an action that is refused; the process does not move."""
        act = an_act(action, role, input_=input_, actor=by)
        return refused(self.workflow, self.state, act, self.versions)

    @property
    def stands(self) -> tuple[str, JsonObject]:
        """The state, and the data."""
        assert self.state is not None
        return self.state.state, self.state.data


def a_run(document: JsonObject, versions: Mapping[str, DefinitionRef] | None = None) -> Run:
    """A process of a workflow that may be published, not begun yet."""
    workflow, issues = issues_of(document)
    assert workflow is not None and not [issue for issue in issues if issue.level == "error"], issues
    return Run(compile_workflow(workflow)[0], versions or {})


def a_begun_run(document: JsonObject) -> Run:
    """A process that was begun with `start`."""
    run = a_run(document)
    run.takes("start")
    return run
