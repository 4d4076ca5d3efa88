"""What domain tests are made of: intents, records, sealed events and registries, with usual members.

Keys here are stand-ins: a "signature" is a hash over actor and message, and `verify` takes nothing else for one.
So the domain's tests need no cryptography, and still see every changed byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256, sha512

from sealwork.domain.ids import ACTOR_REGISTRY, SYSTEM, actor_id
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import ActorKey, ActorRegistry, KeyClass
from sealwork.domain.ledger.intent import Intent, intent_hash, signed_intent_bytes
from sealwork.domain.ledger.record import Record, StateMark, signed_record_bytes, state_bytes, state_hash
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.proof.chain import Link, Trust, first_link, link_of

ORIGIN = "test.example/log"
TENANT = "acme"
PROCESS = "process/p-1"
AT = "2026-06-18T10:00:00.000000Z"
AN_ID = "11111111-2222-4333-8444-555555555555"
ZEROS = "0" * 64


class StandIn:
    """A key without cryptography, the same for the same name."""

    def __init__(self, name: str) -> None:
        self.actor = actor_id(sha256(name.encode()).digest())

    def sign(self, message: bytes) -> bytes:
        return sha512(self.actor.encode() + message).digest()


ROOT, ENGINE, MARIA, ANA, ROBOT = (StandIn(name) for name in ("root", "engine", "maria", "ana", "robot"))


def verify(actor: str, message: bytes, signature: bytes) -> bool:
    """The signature rule of the stand-ins."""
    return signature == sha512(actor.encode() + message).digest()


def an_intent(**members: object) -> Intent:
    """An intent of maria over an empty process; `members` replace the usual ones, None leaves one out."""
    usual: dict[str, object] = {
        "origin": ORIGIN,
        "tenant": TENANT,
        "stream": PROCESS,
        "seq": 1,
        "prev": ZEROS,
        "id": AN_ID,
        "action": "submit",
        "key": MARIA.actor,
        "at": AT,
        "input": {},
    }
    return Intent.model_validate(usual | members)


def a_record(**members: object) -> Record:
    """A record without effects; `members` replace the usual ones, None leaves one out."""
    usual: dict[str, object] = {
        "origin": ORIGIN,
        "tenant": TENANT,
        "stream": PROCESS,
        "seq": 1,
        "prev": ZEROS,
        "intent": ZEROS,
        "intent_sig": ZEROS * 2,
        "actor": MARIA.actor,
        "recorded_at": AT,
        "engine_key": ENGINE.actor,
        "actors": {"tenant": 3, "system": 1},
        "rules": 0,
        "depth": 0,
        "state": {"name": "open", "sha256": ZEROS},
        "effects": [],
    }
    return Record.model_validate(usual | members)


def a_sealed_event(
    intent: Intent | None = None, by: StandIn = MARIA, engine: StandIn = ENGINE, **members: object
) -> SealedEvent:
    """The event that `engine` makes of an intent that `by` signs; `members` replace those of its record."""
    intent = intent or an_intent(key=by.actor)
    body = intent.to_bytes()
    signature = by.sign(signed_intent_bytes(body))
    state = state_bytes("open", {"seq": intent.seq})
    mark = StateMark(name="open", sha256=state_hash(state))
    told = {name: getattr(intent, name) for name in ("origin", "tenant", "stream", "seq", "prev")}
    made = {"intent": intent_hash(body), "intent_sig": signature.hex(), "actor": intent.key, "state": mark}
    record = a_record(**(told | made | {"engine_key": engine.actor} | members))
    return countersigned(record, engine, body, signature)


def countersigned(record: Record, engine: StandIn, intent: bytes | None, intent_sig: bytes | None) -> SealedEvent:
    """The event of these parts, with the engine's signature over the record."""
    body = record.to_bytes()
    return SealedEvent(
        tenant=record.tenant,
        stream=record.stream,
        seq=record.seq,
        intent=intent,
        intent_sig=intent_sig,
        record=body,
        record_sig=engine.sign(signed_record_bytes(body)),
    )


def changed(event: SealedEvent, **members: object) -> SealedEvent:
    """`event` with other members, as if they had been stored so."""
    return SealedEvent.model_validate({name: getattr(event, name) for name in SealedEvent.model_fields} | members)


def a_chain(
    length: int = 5, *, stream: str = PROCESS, by: Mapping[int, StandIn] | None = None, **members: object
) -> list[SealedEvent]:
    """A sound chain, a minute between its events; `by` says who signs at a position, usually maria."""
    events: list[SealedEvent] = []
    link = first_link(ORIGIN, TENANT, stream)
    for seq in range(1, length + 1):
        actor = (by or {}).get(seq, MARIA)
        id_ = f"00000000-0000-4000-8000-{seq:012d}"
        intent = an_intent(stream=stream, seq=seq, prev=link.hash, id=id_, key=actor.actor, input={"n": seq})
        told: dict[str, object] = {"recorded_at": minute(seq)} | members
        events.append(a_sealed_event(intent, actor, ENGINE, **told))
        link = link_of(events[-1])
    return events


def minute(number: int) -> str:
    """The instant `number` minutes after the usual one."""
    return f"2026-06-18T10:{number:02d}:00.000000Z"


def link_before(events: list[SealedEvent], index: int) -> Link:
    """What the event at `index` must follow."""
    return link_of(events[index - 1]) if index else first_link(ORIGIN, events[0].tenant, events[0].stream)


def an_actor(key: StandIn, key_class: KeyClass = KeyClass.PERSON, **members: object) -> ActorKey:
    """A key that entered its registry with the first event."""
    usual = {"key": key.actor, "key_class": key_class, "label": "somebody", "admitted_at": 1}
    return ActorKey.model_validate(usual | members)


def a_registry(*actors: ActorKey, seq: int = 3) -> ActorRegistry:
    """A registry that knows these keys."""
    return ActorRegistry(seq=seq, keys={actor.key: actor for actor in actors})


def a_trust(*tenant: ActorKey, system: tuple[ActorKey, ...] | None = None) -> Trust:
    """What a verifier believes: maria and ana are people of the tenant, unless `tenant` says who is known."""
    return Trust(
        origin=ORIGIN,
        root=ROOT.actor,
        tenant_actors=a_registry(*(tenant or (an_actor(MARIA), an_actor(ANA))), seq=9),
        system_actors=a_registry(*(system or (an_actor(ENGINE, KeyClass.ENGINE),)), seq=9),
    )


def a_first_admission(engine: StandIn = ENGINE, **members: object) -> SealedEvent:
    """The first event of all: the root key admits the engine key that countersigns it."""
    input_: JsonObject = {"key": engine.actor, "class": "ENGINE", "label": "engine", "proof": ZEROS * 2}
    intent = an_intent(
        tenant=SYSTEM,
        stream=ACTOR_REGISTRY,
        prev=first_link(ORIGIN, SYSTEM, ACTOR_REGISTRY).hash,
        action="key.admit",
        key=ROOT.actor,
        input=input_,
    )
    told: dict[str, object] = {"actors": {"tenant": 0, "system": 0}} | members
    return a_sealed_event(intent, ROOT, engine, **told)
