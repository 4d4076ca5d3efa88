"""The actor registry of a tenant: which key is whom, since which position, and what it may do.

Validity is by position in this stream, never by a claimed time. Source: events.md, "Keys"; X-28, X-54.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from enum import StrEnum
from operator import itemgetter
from typing import Annotated, Literal, TypeAlias, assert_never

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from sealwork.domain.ids import SYSTEM, ActorId, Origin, SignatureText, Tenant
from sealwork.domain.instants import InstantText
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.canonical import canonical
from sealwork.domain.ledger.envelope import MediaType, pae
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.members import document_of, written_model
from sealwork.domain.refusals import RefusalCode, Refused, refused

AUTOMATION_ROLE = "AUTOMATION"
PUBLISH_WORKFLOWS = "workflow.publish"

Label = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._@-]{0,62}$")]
Role = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,62}$")]
Permission = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$", max_length=64)]


class KeyClass(StrEnum):
    """What a key is for. One key, one class: a key that signs automation never signs for a person."""

    PERSON = "PERSON"
    SERVICE = "SERVICE"
    AUTOMATION = "AUTOMATION"
    INTEGRATION = "INTEGRATION"
    ACTOR_ADMIN = "ACTOR_ADMIN"
    ENGINE = "ENGINE"
    LOG = "LOG"
    WITNESS = "WITNESS"


_OF_THE_DEPLOYMENT = frozenset({KeyClass.ENGINE, KeyClass.LOG, KeyClass.WITNESS})
_ANYWHERE = frozenset({KeyClass.ACTOR_ADMIN})
_WITH_ROLES = frozenset({KeyClass.PERSON, KeyClass.SERVICE, KeyClass.INTEGRATION, KeyClass.ACTOR_ADMIN})


class ActorKey(BaseModel):
    """One key as its registry knows it. Positions are sequence numbers of the registry stream."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    key_class: KeyClass
    label: str
    roles: frozenset[str] = frozenset()
    permissions: frozenset[str] = frozenset()
    admitted_at: int
    retired_at: int | None = None
    revoked_at: int | None = None
    compromised_since: str | None = None
    succeeds: str | None = None
    """The key that the same holder had before."""
    succeeded_by: str | None = None

    def valid_at(self, position: int) -> bool:
        """Return whether this key might sign when its registry had `position` events."""
        retired = self.retired_at is not None and position >= self.retired_at
        revoked = self.revoked_at is not None and position >= self.revoked_at
        return self.admitted_at <= position and not retired and not revoked


class ActorRegistry(BaseModel):
    """All keys of one tenant after `seq` events."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seq: int = 0
    keys: dict[str, ActorKey] = {}

    def valid(self, key: str) -> ActorKey | Refused:
        """Return the actor that `key` is, if it may sign at this position."""
        actor = self.keys.get(key)
        if actor is None:
            return refused(RefusalCode.UNKNOWN_ACTOR, f"no such key is admitted here: {key}", "/key")
        if actor.revoked_at is not None:
            return refused(RefusalCode.KEY_REVOKED, f"the key of {actor.label} was revoked", "/key")
        if actor.retired_at is not None:
            return refused(RefusalCode.KEY_RETIRED, f"the key of {actor.label} was retired", "/key")
        return actor

    def line(self, key: str) -> frozenset[str]:
        """Return the line of succession of `key`, itself included: all keys of one holder that are known here.

        An edited registry may go round in circles, or lead to keys that it does not have.
        """
        line, waiting = {key}, [key]
        while waiting:
            actor = self.keys.get(waiting.pop())
            beside = {actor.succeeds, actor.succeeded_by} if actor else set()
            new = [other for other in beside if other is not None and other not in line]
            line.update(new)
            waiting.extend(new)
        return frozenset(line)


class ActorHistory:
    """What every key was at every position of its registry: what it may do is judged by position."""

    def __init__(self, registries: Iterable[ActorRegistry] = ()) -> None:
        self._past: dict[str, list[tuple[int, ActorKey]]] = {}
        self.newest = ActorRegistry()
        for registry in registries:
            for key, actor in registry.keys.items():
                if self.newest.keys.get(key) is not actor:
                    self._past.setdefault(key, []).append((registry.seq, actor))
            self.newest = registry

    def at(self, position: int, keys: Iterable[str] | None = None) -> ActorRegistry:
        """Return the registry at a position, as far as it concerns `keys` if they are named."""
        found = {key: self._key(key, position) for key in (self._past if keys is None else keys)}
        return ActorRegistry(seq=position, keys={key: actor for key, actor in found.items() if actor})

    def _key(self, key: str, position: int) -> ActorKey | None:
        past = self._past.get(key, [])
        known = bisect_right(past, position, key=itemgetter(0))
        return past[known - 1][1] if known else None


class _Command(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Admit(_Command):
    """`key.admit`: a key enters, with proof that somebody holds its private half.

    `succeeds` is the key that the same holder had before.
    """

    key: ActorId
    key_class: KeyClass = Field(alias="class")
    label: Label
    roles: tuple[Role, ...] | None = None
    succeeds: ActorId | None = None
    proof: SignatureText


class Retire(_Command):
    """`key.retire`: the key signs nothing more; what it signed stands."""

    key: ActorId


class Revoke(_Command):
    """`key.revoke`: the key signs nothing more, and what it signed since `compromised_since` is suspect."""

    key: ActorId
    compromised_since: InstantText | None = None


class ChangeRole(_Command):
    """`role.grant`, `role.revoke`."""

    key: ActorId
    role: Role


class ChangePermission(_Command):
    """`permission.grant`, `permission.revoke`."""

    key: ActorId
    permission: Permission


ActorCommand: TypeAlias = Admit | Retire | Revoke | ChangeRole | ChangePermission
ActorAction: TypeAlias = Literal[
    "key.admit",
    "key.retire",
    "key.revoke",
    "role.grant",
    "role.revoke",
    "permission.grant",
    "permission.revoke",
]

_COMMANDS: dict[str, type[ActorCommand]] = {
    "key.admit": Admit,
    "key.retire": Retire,
    "key.revoke": Revoke,
    "role.grant": ChangeRole,
    "role.revoke": ChangeRole,
    "permission.grant": ChangePermission,
    "permission.revoke": ChangePermission,
}


def command_of(intent: Intent) -> ActorCommand | Refused:
    """Return the command that an intent on a registry stream gives."""
    model = _COMMANDS.get(intent.action)
    if model is None:
        known = ", ".join(_COMMANDS)
        return refused(RefusalCode.NO_ACTION, f"a registry knows {known}", "/action")
    return written_model(model, intent.input, code=RefusalCode.INVALID_INPUT, at="/input")


class Possession(_Command):
    """What the holder of a key hands to whoever admits it; `proof` is their signature over all the rest."""

    v: Literal[1] = 1
    origin: Origin
    tenant: Tenant
    key: ActorId
    key_class: KeyClass = Field(alias="class")
    label: Label
    proof: SignatureText


def possession_bytes(origin: str, tenant: str, key: str, key_class: KeyClass, label: str) -> bytes:
    """Return what a new key signs to prove possession, bound to log, tenant, class and label."""
    statement: JsonObject = {
        "v": 1,
        "origin": origin,
        "tenant": tenant,
        "key": key,
        "class": key_class.value,
        "label": label,
    }
    return pae(MediaType.KEY_PROOF, canonical(statement))


def input_of(command: ActorCommand) -> JsonObject:
    """Return the intent's input that gives `command`."""
    return document_of(command)


def root_actor(key: str) -> ActorKey:
    """Return the pinned root key as an actor: it administers registries, admitted by the pin, and nothing else."""
    return ActorKey(key=key, key_class=KeyClass.ACTOR_ADMIN, label="root", admitted_at=0)


def decide(registry: ActorRegistry, action: str, command: ActorCommand, *, tenant: str) -> Refused | None:
    """Return None if the registry can take `command`, else why not. Proof of possession is checked before."""
    if isinstance(command, Admit):
        return _admission(registry, command, tenant)
    actor = registry.keys.get(command.key)
    if actor is None:
        return refused(RefusalCode.INVALID_INPUT, f"no such key is admitted here: {command.key}", "/input/key")
    if actor.revoked_at is not None or (actor.retired_at is not None and not isinstance(command, Revoke)):
        return refused(RefusalCode.CONFLICT, f"the key of {actor.label} has ended", "/input/key")
    match command:
        case ChangeRole():
            return _role_change(actor, action, command.role)
        case ChangePermission():
            return _membership(action, command.permission, actor.permissions, "/input/permission", actor.label)
        case Retire() | Revoke():
            return _last_engine(registry, actor)
        case _:
            assert_never(command)


def evolve(registry: ActorRegistry, action: str, command: ActorCommand) -> ActorRegistry:
    """Return the registry after `command`, which `decide` accepted."""
    seq = registry.seq + 1
    keys = {**registry.keys, command.key: _changed(registry, action, command, seq)}
    if isinstance(command, Admit) and command.succeeds is not None:
        keys[command.succeeds] = keys[command.succeeds].model_copy(update={"succeeded_by": command.key})
    return ActorRegistry(seq=seq, keys=keys)


def _changed(registry: ActorRegistry, action: str, command: ActorCommand, seq: int) -> ActorKey:
    if isinstance(command, Admit):
        automation = command.key_class is KeyClass.AUTOMATION
        roles = frozenset({AUTOMATION_ROLE} if automation else command.roles or ())
        return ActorKey(
            key=command.key,
            key_class=command.key_class,
            label=command.label,
            roles=roles,
            admitted_at=seq,
            succeeds=command.succeeds,
        )
    actor = registry.keys[command.key]
    grants = action.endswith(".grant")
    match command:
        case Retire():
            return actor.model_copy(update={"retired_at": seq})
        case Revoke():
            ended = {"revoked_at": seq, "compromised_since": command.compromised_since}
            return actor.model_copy(update=ended)
        case ChangeRole():
            roles = actor.roles | {command.role} if grants else actor.roles - {command.role}
            return actor.model_copy(update={"roles": roles})
        case ChangePermission():
            held = actor.permissions
            held = held | {command.permission} if grants else held - {command.permission}
            return actor.model_copy(update={"permissions": held})
        case _:
            assert_never(command)


def _admission(registry: ActorRegistry, command: Admit, tenant: str) -> Refused | None:
    at_home = (
        command.key_class in _OF_THE_DEPLOYMENT
        if tenant == SYSTEM
        else (command.key_class not in _OF_THE_DEPLOYMENT)
    )
    if not at_home and command.key_class not in _ANYWHERE:
        where = "in every tenant but" if tenant == SYSTEM else "only in"
        return refused(
            RefusalCode.INVALID_INPUT, f"{command.key_class} keys live {where} {SYSTEM!r}", "/input/class"
        )
    if command.key in registry.keys:
        known = registry.keys[command.key].label
        return refused(
            RefusalCode.CONFLICT, f"this key was admitted before, as {known}: once is enough", "/input/key"
        )
    if any(actor.label == command.label and _stands(actor) for actor in registry.keys.values()):
        return refused(RefusalCode.CONFLICT, f"a valid key is labelled {command.label!r} already", "/input/label")
    if command.roles and command.key_class not in _WITH_ROLES:
        return refused(
            RefusalCode.INVALID_INPUT, f"a key of class {command.key_class} has fixed roles", "/input/roles"
        )
    if command.roles and AUTOMATION_ROLE in command.roles:
        return _automation_is_a_class("/input/roles")
    return _succession(registry, command)


def _succession(registry: ActorRegistry, command: Admit) -> Refused | None:
    """A line of succession does not fork, and stays within one class: it is one person, or one machine."""
    if command.succeeds is None:
        return None
    before = registry.keys.get(command.succeeds)
    if before is None:
        detail = f"no such key is admitted here, so none can succeed it: {command.succeeds}"
        return refused(RefusalCode.INVALID_INPUT, detail, "/input/succeeds")
    if before.key_class is not command.key_class:
        detail = f"{before.label} has a key of class {before.key_class}, which one of the same class succeeds"
        return refused(RefusalCode.INVALID_INPUT, detail, "/input/succeeds")
    if before.succeeded_by is not None:
        successor = registry.keys[before.succeeded_by].label
        detail = f"the key of {before.label} was succeeded by that of {successor}: succeed the last of the line"
        return refused(RefusalCode.CONFLICT, detail, "/input/succeeds")
    return None


def _stands(actor: ActorKey) -> bool:
    return actor.retired_at is None and actor.revoked_at is None


def _last_engine(registry: ActorRegistry, actor: ActorKey) -> Refused | None:
    """Without an engine nothing could be countersigned any more, not even the admission of another one."""
    engines = [key for key in registry.keys.values() if key.key_class is KeyClass.ENGINE and _stands(key)]
    if engines != [actor]:
        return None
    detail = f"{actor.label} is the last valid ENGINE key: admit its successor first"
    return refused(RefusalCode.CONFLICT, detail, "/input/key")


def _role_change(actor: ActorKey, action: str, role: str) -> Refused | None:
    if actor.key_class not in _WITH_ROLES:
        return refused(
            RefusalCode.INVALID_INPUT, f"a key of class {actor.key_class} has fixed roles", "/input/key"
        )
    if role == AUTOMATION_ROLE:
        return _automation_is_a_class("/input/role")
    return _membership(action, role, actor.roles, "/input/role", actor.label)


def _membership(action: str, name: str, held: frozenset[str], at: str, label: str) -> Refused | None:
    grants = action.endswith(".grant")
    if grants == (name in held):
        has = "has" if grants else "does not have"
        return refused(RefusalCode.CONFLICT, f"{label} {has} {name!r}" + (" already" if grants else ""), at)
    return None


def _automation_is_a_class(at: str) -> Refused:
    return refused(
        RefusalCode.INVALID_INPUT, f"{AUTOMATION_ROLE} belongs to keys of that class; it is not granted", at
    )
