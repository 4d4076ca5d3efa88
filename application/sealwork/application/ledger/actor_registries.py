"""The actor registries: rebuilt from their chains, which are checked like all others, and kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import takewhile
from typing import NamedTuple

from sealwork.application.ports.event_log import EventLog
from sealwork.application.ports.signatures import SignatureVerifier
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import ACTOR_REGISTRY, SYSTEM
from sealwork.domain.ledger.actors import ActorRegistry, Admit, command_of, evolve
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.record import Positions
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.proof.chain import Link, Trust, check_event, first_link, link_of
from sealwork.domain.refusals import RefusalCode, Refused, refused


class _Checked(NamedTuple):
    registry: ActorRegistry
    link: Link


class ActorRegistries:
    """Who may sign, per tenant and position. Believing an edited admission, an engine would seal for anybody."""

    def __init__(self, log: EventLog, verifier: SignatureVerifier, *, origin: str, root: str) -> None:
        self._log = log
        self._verifier = verifier
        self._origin = origin
        self._root = root
        self._newest: dict[str, _Checked] = {}

    def at(self, tenant: str, positions: Positions) -> ActorRegistry | Refused:
        """Return the registry of `tenant` at these positions, or `chain_broken` if its chain was changed.

        Raises:
            Unavailable: the log did not answer.
        """
        system = self._at(SYSTEM, positions.system, None)
        if isinstance(system, Refused) or tenant == SYSTEM:
            return system
        return self._at(tenant, positions.tenant, system)

    def _at(self, tenant: str, position: int, system: ActorRegistry | None) -> ActorRegistry | Refused:
        newest = self._newest.get(tenant)
        if newest is None or newest.registry.seq != position:
            checked = self._check(tenant, position, system)
            if isinstance(checked, Refused):
                return checked
            newest = self._newest[tenant] = checked
        return newest.registry

    def _check(self, tenant: str, position: int, system: ActorRegistry | None) -> _Checked | Refused:
        """Fold the chain; check the links and signatures of the events that were not seen before."""
        events = self._log.load(
            tenant, ACTOR_REGISTRY, lambda events: tuple(takewhile(lambda event: event.seq <= position, events))
        )
        try:
            registry = folded(events)
        except Misconfigured as error:
            return refused(RefusalCode.CHAIN_BROKEN, str(error), "/tenant")
        trust = Trust(
            origin=self._origin, root=self._root, tenant_actors=registry, system_actors=system or registry
        )
        link = self._seen(tenant, events)
        for event in events[link.seq :]:
            for finding in check_event(event, link, trust, self._verifier.verify):
                detail = f"event {finding.seq} of {tenant}'s actor registry: {finding.detail}"
                return refused(RefusalCode.CHAIN_BROKEN, f"{detail}: run `sealwork verify`", "/tenant")
            link = link_of(event)
        return _Checked(registry, link)

    def _seen(self, tenant: str, events: tuple[SealedEvent, ...]) -> Link:
        """Return how far this very chain was checked before."""
        newest = self._newest.get(tenant)
        known = newest is not None and 0 < newest.link.seq <= len(events)
        if newest is not None and known and events[newest.link.seq - 1].hash == newest.link.hash:
            return newest.link
        return first_link(self._origin, tenant, ACTOR_REGISTRY)


def folded(events: Iterable[SealedEvent]) -> ActorRegistry:
    """Return the registry after `events`.

    Raises:
        Misconfigured: an event is no command to a registry.
    """
    return reduce(lambda _, newest: newest, registries(events), ActorRegistry())


def registries(events: Iterable[SealedEvent]) -> Iterator[ActorRegistry]:
    """Give the registry after each of `events`.

    Raises:
        Misconfigured: an event is no command to a registry.
    """
    registry = ActorRegistry()
    for event in events:
        intent = event.read_intent
        command = command_of(intent) if isinstance(intent, Intent) else None
        if not isinstance(intent, Intent) or command is None or isinstance(command, Refused):
            raise _unreadable(event, "cannot be read")
        if not isinstance(command, Admit) and command.key not in registry.keys:
            raise _unreadable(event, "is about a key that was never admitted")
        if isinstance(command, Admit) and command.succeeds not in {None, command.key, *registry.keys}:
            raise _unreadable(event, "succeeds a key that was never admitted")
        registry = evolve(registry.model_copy(update={"seq": event.seq - 1}), intent.action, command)
        yield registry


def _unreadable(event: SealedEvent, why: str) -> Misconfigured:
    return Misconfigured(f"event {event.seq} of {event.tenant}'s actor registry {why}: run `sealwork verify`")
