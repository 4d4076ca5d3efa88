"""Listing what is published."""

from __future__ import annotations

from sealwork.application.ports.event_log import EventLog
from sealwork.application.workflows.definitions import Definitions
from sealwork.domain.ids import stream_key, stream_kind
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.workflows.definition import WorkflowDefinition


class ListDefinitions:
    """The published workflows of a tenant, each with all its versions, the withdrawn ones too."""

    def __init__(self, log: EventLog, definitions: Definitions) -> None:
        self._log = log
        self._definitions = definitions

    def __call__(self, tenant: str) -> tuple[WorkflowDefinition, ...]:
        """Return them by path, bytewise.

        Raises:
            Misconfigured: a stored stream cannot be read.
            Unavailable: the log did not answer.
        """
        streams = [head.stream for head in self._log.streams(tenant)]
        paths = (stream_key(stream) for stream in streams if stream_kind(stream) == "workflow")
        return tuple(self._definitions.of(tenant, path) for path in paths)

    def under(self, tenant: str, path: str) -> WorkflowDefinition | Refused:
        """Return the one under `path`, or that nothing was ever published there.

        Raises:
            Misconfigured: the stored stream cannot be read.
            Unavailable: the log did not answer.
        """
        definition = self._definitions.of(tenant, path)
        if definition.versions:
            return definition
        return refused(RefusalCode.DEFINITION_MISMATCH, f"{path} was never published here", "/definition")
