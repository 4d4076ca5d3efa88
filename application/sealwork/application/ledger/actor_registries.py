"""The actor registries, rebuilt from their chains and kept as long as they do not move."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from sealwork.application.ports.event_log import EventLog
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import ACTOR_REGISTRY
from sealwork.domain.ledger.actors import ActorRegistry, command_of, evolve
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.refusals import Refused


class ActorRegistries:
    """Who may sign, per tenant and position."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._newest: dict[str, ActorRegistry] = {}

    def at(self, tenant: str, position: int) -> ActorRegistry:
        """Return the registry of `tenant` after its first `position` events.

        Raises:
            Misconfigured: the stored registry cannot be read.
            Unavailable: the log did not answer.
        """
        newest = self._newest.get(tenant)
        if newest is not None and newest.seq == position:
            return newest
        registry = self._log.load(
            tenant, ACTOR_REGISTRY, lambda events: folded(takewhile(lambda event: event.seq <= position, events))
        )
        self._newest[tenant] = registry
        return registry


def folded(events: Iterable[SealedEvent]) -> ActorRegistry:
    """Return the registry after `events`.

    Raises:
        Misconfigured: an event is no command to a registry.
    """
    registry = ActorRegistry()
    for event in events:
        intent = event.read_intent
        command = command_of(intent) if isinstance(intent, Intent) else None
        if not isinstance(intent, Intent) or command is None or isinstance(command, Refused):
            raise Misconfigured(
                f"event {event.seq} of {event.tenant}'s actor registry cannot be read: run `sealwork verify`"
            )
        registry = evolve(registry, intent.action, command)
    return registry
