"""Publishing a workflow definition."""

from __future__ import annotations

from hashlib import sha256

from pydantic import BaseModel, ConfigDict

from sealwork.application.ledger.sign_and_submit import SignAndSubmit, Wish
from sealwork.application.ports.signatures import Signer
from sealwork.application.workflows.definitions import Definitions
from sealwork.domain.ids import workflow_stream
from sealwork.domain.issues import Issue
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import MAX_DOCUMENT_BYTES, canonical, flaw_in
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.workflows.definition import WorkflowDefinition, issues_of, normalised


class Published(BaseModel):
    """The version that stands; `anew` says whether this call published it. `warnings` are worth reading."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ref: DefinitionRef
    anew: bool
    warnings: tuple[Issue, ...] = ()


class Invalid(BaseModel):
    """Everything that is wrong with a workflow, at once; nothing was submitted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    issues: tuple[Issue, ...]


class PublishDefinition:
    """Publish a workflow as the next version under its path."""

    def __init__(self, definitions: Definitions, submit: SignAndSubmit) -> None:
        self._definitions = definitions
        self._submit = submit

    def __call__(self, tenant: str, document: JsonValue, signer: Signer) -> Published | Invalid | Refused:
        """Publish `document`; what the newest version says, unless withdrawn, is not published twice."""
        flaw = flaw_in(document)
        if flaw:
            return flaw
        workflow, issues = issues_of(document, self._definitions.surroundings(tenant, document))
        if workflow is None or not isinstance(document, dict) or _errors(issues):
            return Invalid(issues=issues)
        definition = self._definitions.of(tenant, workflow.path)
        standing = self._standing(tenant, definition, document)
        if standing is not None and workflow.version in (None, standing.version):
            return Published(ref=standing, anew=False, warnings=issues)
        if standing is not None:
            detail = f"this content stands as version {standing.version}: write that, or leave version out"
            return refused(RefusalCode.CONFLICT, detail, "/version")
        version = definition.next_version
        if workflow.version not in (None, version):
            detail = f"the next version of {workflow.path} is {version}: write that, or leave version out"
            return refused(RefusalCode.CONFLICT, detail, "/version")
        body = canonical(normalised(document, version))
        if len(body) > MAX_DOCUMENT_BYTES:
            return refused(RefusalCode.TOO_LARGE, f"a definition has at most {MAX_DOCUMENT_BYTES} bytes")
        ref = DefinitionRef(path=workflow.path, version=version, sha256=sha256(body).hexdigest())
        answer = self._submit(_publication(tenant, ref, body), signer)
        return answer if isinstance(answer, Refused) else Published(ref=ref, anew=True, warnings=issues)

    def _standing(self, tenant: str, definition: WorkflowDefinition, document: JsonObject) -> DefinitionRef | None:
        """The newest version, if `document` says the same and something new may begin with it."""
        if not definition.versions or definition.versions[-1].withdrawn:
            return None
        newest = definition.versions[-1].ref
        same = canonical(normalised(document, newest.version))
        return newest if sha256(same).hexdigest() == newest.sha256 else None


def _errors(issues: tuple[Issue, ...]) -> bool:
    return any(issue.level == "error" for issue in issues)


def _publication(tenant: str, ref: DefinitionRef, body: bytes) -> Wish:
    return Wish(
        tenant=tenant,
        stream=workflow_stream(ref.path),
        action="publish",
        input={"version": ref.version, "sha256": ref.sha256},
        document=body,
    )
