"""Names: of a deployment's log, of tenants, streams, keys and hashes.

Source: events.md, "Intent"; the limits keep every name inside an index entry and a notification.
"""

from __future__ import annotations

import re
from typing import Annotated
from uuid import UUID

from pydantic import StringConstraints

ACTOR_REGISTRY = "actors/registry"
"""The stream of a tenant's actors; one in every tenant."""

PROCESS = "process"
"""The kind of the streams that hold processes."""

RULE_SET = "rules/set"
"""The stream whose position says which rule versions are in force; one in every tenant."""

SYSTEM = "system"
"""The tenant of the deployment itself: its registry holds the ENGINE, LOG and WITNESS keys."""

_PROCESS_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}", re.ASCII)
_CHILD_PREFIX = "prc_"

Origin = Annotated[str, StringConstraints(pattern=r"^[a-z0-9.-]+(/[a-z0-9._-]+)*$", max_length=200)]
Tenant = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")]
StreamName = Annotated[str, StringConstraints(pattern=r"^[a-z]+/[A-Za-z0-9][A-Za-z0-9._:/-]*$", max_length=200)]
WorkflowPath = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]*(/[a-z0-9][a-z0-9_-]*)*$", max_length=150)
]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256, hex, lower case."""
SignatureText = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{128}$")]
ActorId = Annotated[str, StringConstraints(pattern=r"^ed25519:[0-9a-f]{64}$")]
"""A public key; it IS the actor, names are labels (S1-116)."""
UuidText = Annotated[
    str, StringConstraints(pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
]


def actor_id(public_key: bytes) -> str:
    """Return the actor that `public_key`, 32 bytes, is."""
    return f"ed25519:{public_key.hex()}"


def public_key_of(actor: str) -> bytes:
    """Return the 32 bytes of the key that `actor` is."""
    return bytes.fromhex(actor.removeprefix("ed25519:"))


def process_stream(process_id: str) -> str:
    """Return the stream of one process."""
    return f"{PROCESS}/{process_id}"


def workflow_stream(path: str) -> str:
    """Return the stream of one workflow definition."""
    return f"workflow/{path}"


def stream_kind(stream: str) -> str:
    """Return what `stream` holds: `process`, `workflow`, `actors`, …"""
    return stream.partition("/")[0]


def stream_key(stream: str) -> str:
    """Return what follows the kind: the process id, the workflow path, …"""
    return stream.partition("/")[2]


def child_process_id(derived: UUID) -> str:
    """Return the id of the process that an effect with this derived id begins."""
    return f"{_CHILD_PREFIX}{derived.hex}"


def is_process_id(text: str) -> bool:
    """Return whether a caller may name a process so; ids of children are derived and reserved."""
    return _PROCESS_ID.fullmatch(text) is not None and not text.startswith(_CHILD_PREFIX)
