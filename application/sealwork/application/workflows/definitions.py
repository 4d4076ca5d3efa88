"""Workflow definitions as the engine reads them: versions from their chain, documents by content hash."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256

from sealwork.application.ports.chains import Chains
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import workflow_stream
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import MAX_DOCUMENT_BYTES, parse_canonical
from sealwork.domain.ledger.intent import DefinitionRef, Intent
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.processes.consequences import Versions
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.workflows.automation_checks import timers_of
from sealwork.domain.workflows.compiled import CompiledWorkflow, compile_workflow
from sealwork.domain.workflows.definition import (
    DefinitionCommand,
    Surroundings,
    WorkflowDefinition,
    command_of,
    evolve,
)
from sealwork.domain.workflows.workflow import read_workflow


class Definitions:
    """Published workflow definitions."""

    def __init__(self, log: Chains, workflows: dict[tuple[str, str], CompiledWorkflow] | None = None) -> None:
        self._log = log
        self._workflows = {} if workflows is None else workflows
        """By tenant and content hash, what was compiled already; may be shared, since it never changes."""
        self._timers: dict[tuple[str, str], frozenset[str]] = {}

    def of(self, tenant: str, path: str) -> WorkflowDefinition:
        """Return all versions under `path`, none if nothing was ever published there.

        Raises:
            Misconfigured: the stored stream cannot be read.
            Unavailable: the log did not answer.
        """
        return self._log.load(tenant, workflow_stream(path), lambda events: _folded(path, events))

    def find(self, tenant: str, path: str, version: int | None = None) -> DefinitionRef | Refused:
        """Return a version, the newest that was not withdrawn if `version` is None."""
        definition = self.of(tenant, path)
        if version is not None:
            found = definition.version(version)
        else:
            found = next((each for each in reversed(definition.versions) if not each.withdrawn), None)
        if found is not None:
            return found.ref
        if version is None and definition.versions:
            detail = f"every version of {path} was withdrawn: name one to see it"
            return refused(RefusalCode.DEFINITION_WITHDRAWN, detail, "/definition")
        wanted = path if version is None else f"{path}@{version}"
        return refused(RefusalCode.DEFINITION_MISMATCH, f"{wanted} was never published here", "/definition")

    def workflow(self, tenant: str, content_hash: str) -> CompiledWorkflow | None:
        """Return the workflow whose document has this hash, None if no such document is stored.

        It is compiled once, and kept: what a hash names never changes.

        Raises:
            Misconfigured: the stored document is not what its hash says.
            Unavailable: the log did not answer.
        """
        known = self._workflows.get((tenant, content_hash))
        if known is None:
            document = self.document(tenant, content_hash)
            if document is None:
                return None
            known = _compiled(document)
            if known is None:
                raise Misconfigured(f"the stored definition {content_hash} is no workflow: run `sealwork verify`")
            self._workflows[(tenant, content_hash)] = known
        return known

    def children(self, tenant: str, workflow: CompiledWorkflow, action: str) -> Versions:
        """Return the versions with which the children that `action` spawns may begin; withdrawn ones are left out.

        Raises:
            Misconfigured: a stored stream cannot be read.
            Unavailable: the log did not answer.
        """
        taken = workflow.actions.get(action)
        return self._versions(tenant, {child.entry.workflow for child in taken.children}) if taken else {}

    def _versions(self, tenant: str, names: Iterable[str]) -> dict[str, DefinitionRef]:
        found: dict[str, DefinitionRef] = {}
        for name in names:
            path, _, number = name.partition("@")
            version = self.of(tenant, path).version(int(number))
            if version is not None and not version.withdrawn:
                found[name] = version.ref
        return found

    def surroundings(self, tenant: str, document: JsonValue) -> Surroundings:
        """Return what is published that `document` may refer to: earlier versions, and those that it spawns.

        Raises:
            Misconfigured: what is stored cannot be read.
            Unavailable: the log did not answer.
        """
        workflow, _ = read_workflow(document)
        if workflow is None:
            return Surroundings(frozenset(), {})
        spawned = {child.workflow for action in workflow.actions.values() for child in action.spawn}
        refs = self._versions(tenant, spawned)
        return Surroundings(
            earlier_timers=frozenset().union(*self._timers_of(tenant, workflow.path)),
            children={
                name: self.workflow(tenant, refs[name].sha256) if name in refs else None for name in spawned
            },
        )

    def _timers_of(self, tenant: str, path: str) -> Iterator[frozenset[str]]:
        for version in self.of(tenant, path).versions:
            named = (tenant, version.ref.sha256)
            if named not in self._timers:
                workflow, _ = read_workflow(self.document(*named))
                self._timers[named] = timers_of(workflow) if workflow else frozenset()
            yield self._timers[named]

    def stored(self, tenant: str, ref: DefinitionRef) -> JsonObject | Refused:
        """Return the document of a version, or `chain_broken` if it is not stored any more."""
        document = self.document(tenant, ref.sha256)
        if document is not None:
            return document
        detail = f"the document of {ref.path}@{ref.version} is not stored: run `sealwork verify`"
        return refused(RefusalCode.CHAIN_BROKEN, detail, "/definition")

    def document(self, tenant: str, content_hash: str) -> JsonObject | None:
        """Return the document of this hash as it was published.

        Raises:
            Misconfigured: the stored document is not what its hash says.
            Unavailable: the log did not answer.
        """
        body = self._log.document(tenant, content_hash)
        if body is None:
            return None
        value = parse_canonical(body, limit=MAX_DOCUMENT_BYTES)
        if sha256(body).hexdigest() != content_hash or isinstance(value, Refused) or not isinstance(value, dict):
            raise Misconfigured(f"the stored definition {content_hash} was changed: run `sealwork verify`")
        return value


def _compiled(document: JsonObject) -> CompiledWorkflow | None:
    workflow, _ = read_workflow(document)
    compiled, issues = compile_workflow(workflow) if workflow else (None, ())
    return None if issues else compiled


def _folded(path: str, events: Iterable[SealedEvent]) -> WorkflowDefinition:
    definition = WorkflowDefinition(path=path)
    for _, command in commands(path, events):
        definition = evolve(definition, command)
    return definition


def commands(path: str, events: Iterable[SealedEvent]) -> Iterator[tuple[SealedEvent, DefinitionCommand]]:
    """Give every event of a workflow's stream with the command that it is.

    Raises:
        Misconfigured: an event is none.
    """
    for event in events:
        intent = event.read_intent
        command = command_of(intent) if isinstance(intent, Intent) else None
        if command is None or isinstance(command, Refused):
            raise Misconfigured(f"event {event.seq} of workflow {path} cannot be read: run `sealwork verify`")
        yield event, command
