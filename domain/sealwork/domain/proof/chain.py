"""Checking one chain, event by event: links, actor signatures, engine signatures.

Each check looks at the stored bytes only. `Verify` is the signature rule, handed in, so that a verifier and the
engine cannot differ.

Source: events.md, "Verification"; ledger cases 19, 22, 24.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict

from sealwork.domain.ids import ACTOR_REGISTRY, SYSTEM, process_stream
from sealwork.domain.instants import instant_of
from sealwork.domain.ledger.actors import ActorKey, ActorRegistry, KeyClass
from sealwork.domain.ledger.effects import Spawn
from sealwork.domain.ledger.envelope import genesis
from sealwork.domain.ledger.intent import Intent, intent_hash, signed_intent_bytes
from sealwork.domain.ledger.record import Cause, Positions, Record, signed_record_bytes
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.proof.findings import Finding, FindingCode

Verify: TypeAlias = Callable[[str, bytes, bytes], bool]
"""(actor, message, signature) → whether the actor signed the message."""


DECISION_TIME = timedelta(minutes=1)
"""How long an engine may take from reading the clock to appending: so far two events may seem out of order."""


class Trust(BaseModel):
    """What the verifier believes before it reads: the log's identity, the root key, and the two registries.

    The registries are folded from their own chains, which are checked like every other.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    origin: str
    root: str
    tenant_actors: ActorRegistry
    system_actors: ActorRegistry
    tenant_moves: tuple[str, ...] = ()
    """When each event of the tenant's registry was recorded, in order."""
    system_moves: tuple[str, ...] = ()


class Link(NamedTuple):
    """What the next event must follow."""

    seq: int
    hash: str
    recorded_at: str = ""
    actors: Positions = Positions(tenant=0, system=0)
    rules: int = 0


def first_link(origin: str, tenant: str, stream: str) -> Link:
    """Return what the first event of a stream must follow."""
    return Link(seq=0, hash=genesis(origin, tenant, stream))


def link_of(event: SealedEvent) -> Link:
    """Return what the event after `event` must follow."""
    record = event.read_record
    if not isinstance(record, Record):
        return Link(seq=event.seq, hash=event.hash)
    return Link(
        seq=event.seq,
        hash=event.hash,
        recorded_at=record.recorded_at,
        actors=record.actors,
        rules=record.rules,
    )


def check_event(event: SealedEvent, after: Link, trust: Trust, verify: Verify) -> Iterator[Finding]:
    """Return everything that is wrong with `event`, which stands after `after`."""
    record, intent = event.read_record, event.read_intent
    if not isinstance(record, Record):
        yield _finding(event, FindingCode.RECORD_UNREADABLE, f"{record.pointer or ''} {record.detail}".strip())
        return
    yield from _place(event, record, after, trust)
    yield from _context(event, record, after, trust)
    yield from _engine(event, record, trust, verify)
    if isinstance(intent, Intent):
        yield from _intent(event, record, intent)
        yield from _actor(event, record, intent, trust, verify)
    elif intent is not None:
        yield _finding(event, FindingCode.INTENT_UNREADABLE, intent.detail)
    elif record.cause is None:
        yield _finding(event, FindingCode.INTENT_UNREADABLE, "an event without an intent needs a cause")
    elif record.intent is not None or record.intent_sig is not None:
        yield _finding(event, FindingCode.INTENT_UNREADABLE, "the intent that the record names is not there")
    else:
        yield from _birth(event, record, record.cause, trust)


def check_cause(event: SealedEvent, cause: SealedEvent | None) -> Iterator[Finding]:
    """Return what is wrong with an event that has no intent; `cause` is what stands where it names its cause."""
    record = event.read_record
    if not isinstance(record, Record) or record.cause is None:
        return
    made_by = cause.read_record if cause else None
    if cause is None or cause.hash != record.cause.hash or not isinstance(made_by, Record):
        detail = f"its cause, event {record.cause.seq} of {record.cause.stream}, is not there"
        yield _finding(event, FindingCode.CAUSE_DIFFERS, detail)
        return
    spawned = [e for e in made_by.effects if isinstance(e, Spawn) and process_stream(e.process) == event.stream]
    told = (record.definition, record.action, record.depth, record.seq, *_judged(record))
    made = [(e.definition, e.action, made_by.depth + 1, 1, *_judged(made_by)) for e in spawned]
    if told not in made:
        yield _finding(event, FindingCode.CAUSE_DIFFERS, "its cause did not begin this process so")


def _judged(record: Record) -> tuple[object, ...]:
    """Return who acted, when, and by which actors and rules that was judged: one for all events of a commit."""
    return record.actor, record.recorded_at, record.actors, record.rules, record.engine_key


def _place(event: SealedEvent, record: Record, after: Link, trust: Trust) -> Iterator[Finding]:
    place = (trust.origin, event.tenant, event.stream, event.seq)
    if (record.origin, record.tenant, record.stream, record.seq) != place:
        yield _finding(event, FindingCode.WRONG_PLACE, f"the record belongs to {record.stream} {record.seq}")
    if event.seq != after.seq + 1:
        yield _finding(event, FindingCode.EVENTS_MISSING, f"event {after.seq + 1} is not there")
    elif record.prev != after.hash:
        yield _finding(event, FindingCode.LINK_BROKEN, "does not name the hash of the event before it")
    if record.recorded_at < after.recorded_at:
        yield _finding(event, FindingCode.TIME_BACKWARDS, f"recorded before {after.recorded_at}")


def _context(event: SealedEvent, record: Record, after: Link, trust: Trust) -> Iterator[Finding]:
    """An ended key could sign again if positions could run backwards, or beyond what its registry ever was."""
    now, before = record.actors, after.actors
    if now.tenant < before.tenant or now.system < before.system or record.rules < after.rules:
        yield _finding(event, FindingCode.CONTEXT_BACKWARDS, "judged by older actors or rules than the one before")
    if now.tenant > trust.tenant_actors.seq or now.system > trust.system_actors.seq:
        yield _finding(event, FindingCode.CONTEXT_UNKNOWN, "judged by a position that the registry never had")
    if _outdated(record, now.tenant, trust.tenant_moves) or _outdated(record, now.system, trust.system_moves):
        detail = "judged by actors that had changed long before: was the registry set back for a while?"
        yield _finding(event, FindingCode.CONTEXT_OUTDATED, detail)


def _outdated(record: Record, position: int, moves: tuple[str, ...]) -> bool:
    """Return whether the registry had moved on from `position` when the event was recorded."""
    if position >= len(moves):
        return False
    return instant_of(record.recorded_at) - instant_of(moves[position]) > DECISION_TIME


def _intent(event: SealedEvent, record: Record, intent: Intent) -> Iterator[Finding]:
    if event.intent is None or intent_hash(event.intent) != record.intent:
        yield _finding(event, FindingCode.INTENT_REPLACED, "the record was made of another intent")
    if event.intent_sig is None or event.intent_sig.hex() != record.intent_sig:
        yield _finding(event, FindingCode.INTENT_REPLACED, "the record names another signature of the actor")
    told = (intent.origin, intent.tenant, intent.stream, intent.seq, intent.prev, intent.key)
    if told != (record.origin, record.tenant, record.stream, record.seq, record.prev, record.actor):
        yield _finding(event, FindingCode.MEMBERS_DIFFER, "intent and record name different places or actors")
    if (record.cause, record.definition, record.action) != (None, None, None):
        yield _finding(event, FindingCode.MEMBERS_DIFFER, "a record with an intent tells of no cause")


def _actor(event: SealedEvent, record: Record, intent: Intent, trust: Trust, verify: Verify) -> Iterator[Finding]:
    if not verify(intent.key, signed_intent_bytes(event.intent or b""), event.intent_sig or b""):
        yield _finding(event, FindingCode.ACTOR_SIGNATURE, "the actor did not sign this intent")
    if intent.key == trust.root and event.stream == ACTOR_REGISTRY:
        return
    actor = trust.tenant_actors.keys.get(intent.key)
    if actor is None or not actor.valid_at(record.actors.tenant):
        yield _finding(event, FindingCode.ACTOR_KEY, f"{intent.key} was not valid at this position")
    else:
        yield from _suspect(event, record, actor)


def _birth(event: SealedEvent, record: Record, cause: Cause, trust: Trust) -> Iterator[Finding]:
    """Whoever acted in the cause is who acts here, at the same instant: both are suspect, or neither is."""
    actor = trust.tenant_actors.keys.get(record.actor)
    if actor is not None and is_suspect(record, actor):
        detail = f"begun by event {cause.seq} of {cause.stream}, which is suspect: {_stolen(actor)}"
        yield _finding(event, FindingCode.SUSPECT_KEY, detail)


def _engine(event: SealedEvent, record: Record, trust: Trust, verify: Verify) -> Iterator[Finding]:
    if not verify(record.engine_key, signed_record_bytes(event.record), event.record_sig):
        yield _finding(event, FindingCode.ENGINE_SIGNATURE, "the engine did not countersign this record")
    engine = trust.system_actors.keys.get(record.engine_key)
    position = record.actors.system
    if event.tenant == SYSTEM and event.stream == ACTOR_REGISTRY and event.seq == 1:
        position = 1  # the first engine key countersigns its own admission, which the root key signed
    if engine is None or engine.key_class is not KeyClass.ENGINE or not engine.valid_at(position):
        yield _finding(event, FindingCode.ENGINE_KEY, f"{record.engine_key} was no engine at this position")
    else:
        yield from _suspect(event, record, engine)


def _suspect(event: SealedEvent, record: Record, key: ActorKey) -> Iterator[Finding]:
    if is_suspect(record, key):
        yield _finding(event, FindingCode.SUSPECT_KEY, _stolen(key))


def is_suspect(record: Record, key: ActorKey) -> bool:
    """Return whether others may have held `key` when the event was recorded."""
    return key.compromised_since is not None and record.recorded_at >= key.compromised_since


def _stolen(key: ActorKey) -> str:
    return f"{key.label}'s key was revoked later, as compromised since {key.compromised_since}"


def _finding(event: SealedEvent, code: FindingCode, detail: str) -> Finding:
    return Finding(code=code, tenant=event.tenant, stream=event.stream, seq=event.seq, detail=detail)
