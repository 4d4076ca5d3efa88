"""The input that a timer or an automatic action will be fired with: resolved when its row is made, then fixed.

What cannot be resolved, or is not what the action takes, does not stop the event that causes it: the row is made
all the same, born failed, and says why.

Source: language.md, "Templates"; S1-029, S1-042; X-24.
"""

from __future__ import annotations

from dataclasses import dataclass

from sealwork.domain.expressions.guards import Facts
from sealwork.domain.expressions.templates import Template
from sealwork.domain.expressions.verdicts import Undecided
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.canonical import MAX_RECORD_BYTES
from sealwork.domain.ledger.effects import with_hash
from sealwork.domain.ledger.intent import with_provenance, without_provenance
from sealwork.domain.refusals import RefusalCode
from sealwork.domain.workflows.json_schema import JsonSchema, Violation

UNKNOWN_HASH = f"{0:064x}"
"""Stands for the hash of the event itself while its record is being made."""


@dataclass(frozen=True, slots=True)
class QueuedInput:
    """Resolved data; null at the pointers in `hash_at`, where the hash of the event will stand."""

    data: JsonObject
    hash_at: tuple[str, ...] | None = None
    violation: Violation | None = None
    """Why it can never be fired; `data` is empty then."""
    size: int = 0
    """Entries and characters that were made for it."""

    @property
    def failed(self) -> str | None:
        """Return the reason of a row that is born failed, None for one that can be fired."""
        if self.violation is None:
            return None
        return f"{RefusalCode.INVALID_INPUT}: data{self.violation.pointer}: {self.violation.message}"

    @property
    def checked(self) -> JsonObject:
        """Return the data as schemas and guards will see it when it is fired, but with 64 zeros for the hash."""
        known = with_hash(self.data, self.hash_at or (), UNKNOWN_HASH)
        return without_provenance(with_provenance(known, {}))


def queued_input(template: Template, facts: Facts, schema: JsonSchema | None) -> QueuedInput:
    """Return what `template` comes to for an action whose input has `schema`."""
    resolved = template.resolve(facts)
    if isinstance(resolved, Undecided):
        size = MAX_RECORD_BYTES if resolved.is_too_large else 0
        return QueuedInput({}, violation=Violation(resolved.pointer, resolved.reason), size=size)
    if not isinstance(resolved.value, dict):
        return QueuedInput({}, violation=Violation("", "is no object"))
    queued = QueuedInput(resolved.value, resolved.hash_at or None, size=resolved.size)
    violation = schema.first_violation(queued.checked) if schema else None
    return QueuedInput({}, violation=violation, size=resolved.size) if violation else queued
