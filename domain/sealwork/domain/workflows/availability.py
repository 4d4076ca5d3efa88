"""Which automatic actions are available in a state.

No action names the automation that follows it; the automatic action holds its own condition (S1-016).
"""

from __future__ import annotations

from collections.abc import Iterator

from sealwork.domain.json_value import JsonObject
from sealwork.domain.workflows.workflow import Workflow


def available(workflow: Workflow, state: str) -> Iterator[tuple[str, JsonObject]]:
    """Return the automatic actions that may fire in `state`, with their data, in bytewise order of name."""
    for name, action in sorted(workflow.actions.items(), key=lambda item: item[0].encode()):
        if action.is_automatic and state in action.from_states:
            yield name, action.auto_data
