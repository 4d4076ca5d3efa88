"""Showing the actors of a tenant."""

from __future__ import annotations

from sealwork.application.ledger.actor_registries import folded
from sealwork.application.ports.event_log import EventLog
from sealwork.domain.ids import ACTOR_REGISTRY
from sealwork.domain.ledger.actors import ActorKey, ActorRegistry
from sealwork.domain.refusals import RefusalCode, Refused, refused


class ShowActors:
    """Read a registry. Reading checks nothing: that is `verify`."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def __call__(self, tenant: str) -> ActorRegistry:
        """Return the registry as it stands now.

        Raises:
            Misconfigured: the stored registry cannot be read.
        """
        return self._log.load(tenant, ACTOR_REGISTRY, folded)

    def named(self, tenant: str, name: str) -> ActorKey | Refused:
        """Return the key that `name`, a label or a whole key, means: of several of one label the newest."""
        known = sorted(self(tenant).keys.values(), key=lambda actor: actor.admitted_at)
        meant = [actor for actor in known if name in (actor.label, actor.key)]
        if meant:
            return meant[-1]
        labels = ", ".join(actor.label for actor in known) or "none"
        return refused(RefusalCode.UNKNOWN_ACTOR, f"nobody is called {name!r} in {tenant}; there are: {labels}")
