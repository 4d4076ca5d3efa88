"""Withdrawing a version of a workflow."""

from __future__ import annotations

from sealwork.application.ledger.sign_and_submit import SignAndSubmit, Wish
from sealwork.application.ports.signatures import Signer
from sealwork.application.workflows.definitions import Definitions
from sealwork.domain.ids import workflow_stream
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.refusals import Refused


class WithdrawDefinition:
    """Let nothing new begin with a published version; running processes go on."""

    def __init__(self, definitions: Definitions, submit: SignAndSubmit) -> None:
        self._definitions = definitions
        self._submit = submit

    def __call__(self, tenant: str, path: str, version: int, signer: Signer) -> Appended | Refused:
        """Return the receipt of the withdrawal, or why it is refused: a version is withdrawn once, for good."""
        published = self._definitions.find(tenant, path, version)
        if isinstance(published, Refused):
            return published
        wish = Wish(tenant=tenant, stream=workflow_stream(path), action="withdraw", input={"version": version})
        return self._submit(wish, signer)
