"""A workflow definition: immutable numbered versions under a path, each pinned by the hash of its document.

Source: D-10; X-15; events.md, "Canonical JSON" (larger things are stored by content hash).
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from sealwork.domain.ids import Digest
from sealwork.domain.issues import Issue, bounded
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import MAX_DOCUMENT_BYTES, parse_canonical
from sealwork.domain.ledger.intent import DefinitionRef, Intent
from sealwork.domain.ledger.members import model_of
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.workflows.checks import check
from sealwork.domain.workflows.compiled import compile_workflow
from sealwork.domain.workflows.meaning_checks import Children, check_meaning
from sealwork.domain.workflows.sound_parts import issues_of_sound_parts
from sealwork.domain.workflows.workflow import Workflow, read_workflow


class PublishedVersion(BaseModel):
    """One version; withdrawing it stops new processes, running ones go on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ref: DefinitionRef
    withdrawn: bool = False


class WorkflowDefinition(BaseModel):
    """All versions under one path, oldest first: version n stands at index n − 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    versions: tuple[PublishedVersion, ...] = ()

    @property
    def next_version(self) -> int:
        """Return the number that the next published version gets."""
        return len(self.versions) + 1

    def version(self, number: int) -> PublishedVersion | None:
        """Return one version, None if it was never published."""
        return self.versions[number - 1] if 1 <= number <= len(self.versions) else None


class Publish(BaseModel):
    """`publish`: the document of this hash becomes the next version."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    version: Annotated[int, Field(ge=1)]
    sha256: Digest


class Withdraw(BaseModel):
    """`withdraw`: nothing new begins with this version."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    version: Annotated[int, Field(ge=1)]


DefinitionCommand: TypeAlias = Publish | Withdraw


def command_of(intent: Intent) -> DefinitionCommand | Refused:
    """Return the command that an intent on a workflow stream gives."""
    match intent.action:
        case "publish":
            return model_of(Publish, intent.input, code=RefusalCode.INVALID_INPUT, at="/input")
        case "withdraw":
            return model_of(Withdraw, intent.input, code=RefusalCode.INVALID_INPUT, at="/input")
        case _:
            return refused(RefusalCode.NO_ACTION, "a workflow definition knows publish, withdraw", "/action")


def normalised(document: JsonObject, version: int) -> JsonObject:
    """Return what is hashed and stored: the document as written, with its version, `auto.input` as `auto.data`."""
    actions = document.get("actions")
    if isinstance(actions, dict):
        document = {
            **document,
            "actions": {name: _normalised_action(action) for name, action in actions.items()},
        }
    return {**document, "version": version}


def _normalised_action(action: JsonValue) -> JsonValue:
    auto = action.get("auto") if isinstance(action, dict) else None
    if isinstance(action, dict) and isinstance(auto, dict) and "input" in auto and "data" not in auto:
        return {
            **action,
            "auto": {("data" if name == "input" else name): value for name, value in auto.items()},
        }
    return action


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is published already that a document may refer to."""

    earlier_timers: frozenset[str]
    """The ids of the timers that earlier versions start: they may still run, and may be cancelled."""
    children: Children
    """By `path@version`, every version that the document spawns."""


def issues_of(
    document: JsonValue, surroundings: Surroundings | None = None
) -> tuple[Workflow | None, tuple[Issue, ...]]:
    """Return the workflow that `document` describes and everything that is wrong with it, at once.

    Without surroundings nothing is said about children, and a timer of an earlier version counts as unknown.
    """
    workflow, issues = read_workflow(document)
    if workflow is None:
        return None, bounded((*issues, *issues_of_sound_parts(document, issues)))
    compiled, flaws = compile_workflow(workflow)
    shape = check(workflow, surroundings.earlier_timers if surroundings else frozenset())
    meaning = check_meaning(compiled, surroundings.children if surroundings else None)
    return workflow, bounded((*issues, *shape, *flaws, *meaning))


def decide(
    definition: WorkflowDefinition,
    command: DefinitionCommand,
    document: bytes | None,
    surroundings: Surroundings | None = None,
) -> Refused | None:
    """Return None if the definition can take `command`; `document` are the bytes that a publication names."""
    if isinstance(command, Publish):
        return _publication(definition, command, document, surroundings)
    version = definition.version(command.version)
    if version is None:
        detail = f"{definition.path} has no version {command.version}"
        return refused(RefusalCode.INVALID_INPUT, detail, "/input/version")
    if version.withdrawn:
        detail = f"version {command.version} was withdrawn before"
        return refused(RefusalCode.CONFLICT, detail, "/input/version")
    return None


def evolve(definition: WorkflowDefinition, command: DefinitionCommand) -> WorkflowDefinition:
    """Return the definition after `command`, which `decide` accepted."""
    match command:
        case Publish():
            ref = DefinitionRef(path=definition.path, version=command.version, sha256=command.sha256)
            versions = (*definition.versions, PublishedVersion(ref=ref))
        case Withdraw():
            versions = tuple(
                version.model_copy(update={"withdrawn": True})
                if version.ref.version == command.version
                else version
                for version in definition.versions
            )
    return definition.model_copy(update={"versions": versions})


def _publication(
    definition: WorkflowDefinition,
    command: Publish,
    document: bytes | None,
    surroundings: Surroundings | None,
) -> Refused | None:
    if command.version != definition.next_version:
        detail = f"the next version of {definition.path} is {definition.next_version}"
        return refused(RefusalCode.CONFLICT, detail, "/input/version")
    if document is None or sha256(document).hexdigest() != command.sha256:
        detail = "the document that travels beside the intent does not have this hash"
        return refused(RefusalCode.INVALID_INPUT, detail, "/input/sha256")
    value = parse_canonical(document, limit=MAX_DOCUMENT_BYTES)
    if isinstance(value, Refused):
        return value
    workflow, issues = issues_of(value, surroundings)
    errors = [issue for issue in issues if issue.level == "error"]
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        detail = f"{errors[0].code} at {errors[0].pointer or '/'}: {errors[0].message}{more}"
        return refused(RefusalCode.INVALID_INPUT, detail, "/input/sha256")
    if workflow is None or workflow.path != definition.path or workflow.version != command.version:
        detail = f"the document must say path {definition.path!r} and version {command.version}"
        return refused(RefusalCode.INVALID_INPUT, detail, "/input/sha256")
    return None
