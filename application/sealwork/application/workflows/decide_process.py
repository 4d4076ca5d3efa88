"""Deciding what an action makes of a process."""

from __future__ import annotations

from sealwork.application.ledger.hearing import Hearing, Ruling
from sealwork.application.ports.event_log import Snapshot
from sealwork.application.workflows.definitions import Definitions
from sealwork.domain.ids import is_process_id, stream_key
from sealwork.domain.ledger.intent import DefinitionRef, Intent, parse_intent, without_provenance
from sealwork.domain.ledger.record import Record, parse_record
from sealwork.domain.processes.act import Act
from sealwork.domain.processes.process import ProcessState, action_of, decide, parse_state
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.work.provenance import check_provenance, depth_of
from sealwork.domain.workflows.compiled import CompiledWorkflow


class DecideProcess:
    """The rules of `process/…` streams: those of the workflow version that the process pins."""

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions

    def __call__(self, hearing: Hearing) -> Ruling | Refused:
        """See `Decider`. Definition, action, provenance; then what the workflow says."""
        intent, work = hearing.intent, hearing.snapshot.work
        workflow = self._begun(hearing) if hearing.snapshot.seq else self._beginning(hearing)
        if isinstance(workflow, Refused):
            return workflow
        action = action_of(workflow, intent.action)
        if isinstance(action, Refused):
            return action
        lease = hearing.submission.lease
        refusal = check_provenance(intent, hearing.actor, work, lease_token=str(lease) if lease else None)
        if refusal:
            return refusal
        current = self._state(hearing)
        if isinstance(current, Refused):
            return current
        act = Act(
            action=intent.action,
            actor=intent.key,
            roles=hearing.actor.roles,
            input=without_provenance(intent.input),
            place=hearing.place,
            recorded_at=hearing.recorded_at,
            others=hearing.registry.line(intent.key) - {intent.key},
        )
        decision = decide(workflow, current, act, self._definitions.children(intent.tenant, workflow, act.action))
        if isinstance(decision, Refused):
            return decision
        return Ruling(
            state_name=decision.state.state,
            state=decision.state.to_bytes(),
            effects=decision.effects,
            depth=depth_of(work),
        )

    def _begun(self, hearing: Hearing) -> CompiledWorkflow | Refused:
        """A running process keeps the version that it began with (X-15)."""
        pinned = pinned_definition(hearing.snapshot)
        if pinned is None or hearing.intent.definition != pinned:
            runs = f"{pinned.path}@{pinned.version}" if pinned else "an unreadable version"
            return refused(RefusalCode.DEFINITION_MISMATCH, f"this process runs {runs}", "/definition")
        return self._workflow(hearing.intent.tenant, pinned)

    def _beginning(self, hearing: Hearing) -> CompiledWorkflow | Refused:
        intent = hearing.intent
        if not is_process_id(stream_key(intent.stream)):
            return unfit_process_id()
        ref = intent.definition
        if ref is None:
            detail = "name the workflow version that the process begins with"
            return refused(RefusalCode.DEFINITION_MISMATCH, detail, "/definition")
        published = self._definitions.of(intent.tenant, ref.path).version(ref.version)
        if published is None or published.ref != ref:
            detail = f"{ref.path}@{ref.version} with this hash was never published here"
            return refused(RefusalCode.DEFINITION_MISMATCH, detail, "/definition")
        workflow = self._workflow(intent.tenant, ref)
        if isinstance(workflow, CompiledWorkflow) and not _begins(workflow, intent.action):
            detail = f"no such process, and {intent.action} does not begin one"
            return refused(RefusalCode.NO_PROCESS, detail, "/stream")
        if published.withdrawn:
            detail = f"{ref.path}@{ref.version} was withdrawn: nothing new begins with it"
            return refused(RefusalCode.DEFINITION_WITHDRAWN, detail, "/definition")
        return workflow

    def _workflow(self, tenant: str, ref: DefinitionRef) -> CompiledWorkflow | Refused:
        workflow = self._definitions.workflow(tenant, ref.sha256)
        if workflow is None:
            detail = f"the document of {ref.path}@{ref.version} is not stored: run `sealwork verify`"
            return refused(RefusalCode.CHAIN_BROKEN, detail, "/definition")
        return workflow

    def _state(self, hearing: Hearing) -> ProcessState | None | Refused:
        state = hearing.snapshot.state
        return None if state is None else parse_state(state)


def pinned_definition(head: Snapshot) -> DefinitionRef | None:
    """Return the definition that a process runs: each of its intents repeats it, a child's first record has it."""
    if head.head_intent is not None:
        intent = parse_intent(head.head_intent)
        return intent.definition if isinstance(intent, Intent) else None
    record = parse_record(head.head_record) if head.head_record is not None else None
    return record.definition if isinstance(record, Record) else None


def unfit_process_id() -> Refused:
    """Return the refusal of a name that no caller may give to a process."""
    detail = "a process id is 1 to 128 of A-Z a-z 0-9 . _ : -, and does not begin with prc_"
    return refused(RefusalCode.INVALID_INPUT, detail, "/stream")


def _begins(workflow: CompiledWorkflow, action: str) -> bool:
    return action in workflow.actions and workflow.actions[action].action.kind == "create"
