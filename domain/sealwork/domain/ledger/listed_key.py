"""A key as a table of actors lists it: a projection, compared with what the chain says."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from sealwork.domain.ledger.actors import ActorKey


class ListedKey(BaseModel):
    """One key as a table of actors lists it: a key that was revoked after it had retired ended when it retired."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    key_class: str
    label: str
    roles: frozenset[str]
    permissions: frozenset[str]
    status: Literal["valid", "retired", "revoked"]
    admitted_at: int
    ended_at: int | None
    compromised_since: str | None


def listed(actor: ActorKey) -> ListedKey:
    """Return how a table lists what the chain says of a key."""
    revoked = actor.revoked_at is not None
    return ListedKey(
        key=actor.key,
        key_class=actor.key_class,
        label=actor.label,
        roles=actor.roles,
        permissions=actor.permissions,
        status="revoked" if revoked else "valid" if actor.retired_at is None else "retired",
        admitted_at=actor.admitted_at,
        ended_at=actor.revoked_at if actor.retired_at is None else actor.retired_at,
        compromised_since=actor.compromised_since,
    )
