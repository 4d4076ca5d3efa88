"""Beginning a process, and acting on it."""

from __future__ import annotations

from sealwork.application.ledger.sign_and_submit import SignAndSubmit, Wish
from sealwork.application.ports.signatures import Signer
from sealwork.application.workflows.decide_process import pinned_definition, unfit_process_id
from sealwork.domain.ids import is_process_id, process_stream
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.refusals import RefusalCode, Refused, refused


class StartProcess:
    """Begin a process by a create action of a published workflow version."""

    def __init__(self, submit: SignAndSubmit) -> None:
        self._submit = submit

    def __call__(
        self,
        tenant: str,
        process_id: str,
        workflow: DefinitionRef,
        signer: Signer,
        *,
        action: str = "start",
        input_: JsonObject,
    ) -> Appended | Refused:
        """Return the receipt of the first event of `process_id`, or why it did not begin."""
        if not is_process_id(process_id):
            return unfit_process_id()
        wish = Wish(
            tenant=tenant,
            stream=process_stream(process_id),
            action=action,
            input=input_,
            definition=workflow,
        )
        return self._submit(wish, signer)


class SubmitAction:
    """Act on a running process, by the workflow version that it pins."""

    def __init__(self, submit: SignAndSubmit) -> None:
        self._submit = submit

    def __call__(
        self, tenant: str, process_id: str, action: str, signer: Signer, *, input_: JsonObject
    ) -> Appended | Refused:
        """Return the receipt of the event, or the first rule that refused it."""
        stream = process_stream(process_id)
        head = self._submit.head(tenant, stream)
        if head.seq == 0:
            return refused(RefusalCode.NO_PROCESS, f"there is no process {process_id!r} in {tenant}", "/stream")
        wish = Wish(
            tenant=tenant,
            stream=stream,
            action=action,
            input=input_,
            definition=pinned_definition(head),
        )
        return self._submit(wish, signer, over=head)
