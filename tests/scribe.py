"""Sealed events past every decision: real keys and signatures over whatever a test wants the log to see.

For effects that no workflow of this version makes (recurrence, rules), and for bytes that the engine never makes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256
from uuid import UUID, uuid4

from sealing import START, TENANT, Deployment
from sealwork.application.ports.event_log import AppendStatus, Item, Question, Snapshot, Verdict
from sealwork.application.ports.work_store import SettleAs, Settlement
from sealwork.domain.ids import child_process_id, process_stream
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.effects import Auto, Cancel, Effect, Place, RuleAction, Schedule, Spawn, derived_id
from sealwork.domain.ledger.envelope import genesis
from sealwork.domain.ledger.intent import DefinitionRef, Intent, intent_hash, signed_intent_bytes
from sealwork.domain.ledger.record import Record, StateMark, signed_record_bytes, state_bytes, state_hash
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.work.provenance import fired_input
from sealwork.domain.work.work_row import ClaimedWork, WorkRow

DEFINITION = DefinitionRef(path="customer/onboarding", version=1, sha256="a" * 64)
HOUR = timedelta(hours=1)
_UNNAMED = str(UUID(int=0))


def auto(
    action: str = "screen",
    data: JsonObject | None = None,
    hash_at: tuple[str, ...] | None = None,
    failed: str | None = None,
) -> Auto:
    """An automatic action became available."""
    return Auto(work=_UNNAMED, action=action, data=data or {}, hash_at=hash_at, failed=failed)


def rule(action: str = "remind", name: str = "rul_1", version: int = 2) -> RuleAction:
    """A rule raised an action."""
    return RuleAction(work=_UNNAMED, rule=name, version=version, action=action, data={})


def timer(id_: str = "t", after: timedelta = HOUR, **bounds: object) -> Schedule:
    """A timer begins, first due `after` the start of the deployment; `bounds` as in `Schedule`."""
    run_at = instant_text(START + after)
    usual: dict[str, object] = {"id": id_, "work": _UNNAMED, "action": "tick", "data": {}, "run_at": run_at}
    return Schedule.model_validate(usual | bounds)


def spawn(id_: str = "child", action: str = "open", definition: DefinitionRef = DEFINITION) -> Spawn:
    """A child process begins."""
    return Spawn(id=id_, process=_UNNAMED, definition=definition, action=action, data={})


class Scribe:
    """Writes into the chains of one tenant."""

    def __init__(self, deployment: Deployment, tenant: str = TENANT) -> None:
        self.deployment, self.tenant = deployment, tenant
        self.log, self.store = deployment.log, deployment.store
        self.actor, self.engine = deployment.key("scribe"), deployment.key("engine")

    def head(self, stream: str, intent_id: str | None = None, work: tuple[str, int] | None = None) -> Snapshot:
        """Return the head of a stream."""
        return self.log.head(Question(tenant=self.tenant, stream=stream, intent_id=intent_id, work=work))

    def item(
        self,
        stream: str,
        *effects: Effect,
        action: str = "note",
        over: Snapshot | None = None,
        id_: str | None = None,
        input_: JsonObject | None = None,
        lease: UUID | None = None,
        document: bytes | None = None,
    ) -> Item:
        """Return an event over the present head, or over `over`, with its effects named as they must be."""
        head = over or self.head(stream)
        intent = Intent(
            origin=self.deployment.origin,
            tenant=self.tenant,
            stream=stream,
            seq=head.seq + 1,
            prev=head.hash,
            id=id_ or str(uuid4()),
            definition=DEFINITION if stream.startswith("process/") else None,
            action=action,
            key=self.actor.actor,
            at=instant_text(head.now),
            input=input_ or {},
        ).to_bytes()
        place = Place(origin=self.deployment.origin, tenant=self.tenant, stream=stream, seq=head.seq + 1)
        signature, state = self.actor.sign(signed_intent_bytes(intent)), state_bytes("open", {"n": head.seq + 1})
        record = Record(
            **place.model_dump(),
            prev=head.hash,
            intent=intent_hash(intent),
            intent_sig=signature.hex(),
            actor=self.actor.actor,
            recorded_at=instant_text(head.now),
            engine_key=self.engine.actor,
            actors=head.actors,
            rules=head.rules,
            depth=0,
            state=StateMark(name="open", sha256=state_hash(state)),
            effects=tuple(_named(effect, place, index) for index, effect in enumerate(effects)),
        )
        event = self._sealed(record, intent, signature)
        return Item(event=event, state=state, lease=lease, document=document)

    def resealed(self, item: Item, **members: object) -> Item:
        """Return `item` with other members in its record, signed by the engine all the same."""
        record = item.event.read_record
        assert isinstance(record, Record)
        changed = record.model_copy(update=members)
        return item.model_copy(update={"event": self._sealed(changed, item.event.intent, item.event.intent_sig)})

    def without_intent(self, item: Item, cause: SealedEvent) -> Item:
        """Return `item` as an event that another one causes."""
        named = {"stream": cause.stream, "seq": cause.seq, "hash": cause.hash}
        record = item.event.read_record
        assert isinstance(record, Record)
        changed = Record.model_validate(record.model_dump() | {"intent": None, "intent_sig": None, "cause": named})
        return item.model_copy(update={"event": self._sealed(changed, None, None)})

    def child(self, parent: Item, *effects: Effect, index: int = 0) -> Item:
        """Return the first event of the process that effect `index` of `parent` begins."""
        event, made_by = parent.event, parent.event.read_record
        assert isinstance(made_by, Record)
        begun = made_by.effects[index]
        assert isinstance(begun, Spawn)
        stream, state = process_stream(begun.process), state_bytes("open", {"n": 1})
        place = Place(origin=made_by.origin, tenant=self.tenant, stream=stream, seq=1)
        told = {"cause": {"stream": event.stream, "seq": event.seq, "hash": event.hash}}
        own = {
            **place.model_dump(),
            "prev": genesis(place.origin, place.tenant, stream),
            "intent": None,
            "intent_sig": None,
            "definition": begun.definition,
            "action": begun.action,
            "depth": made_by.depth + 1,
            "state": StateMark(name="open", sha256=state_hash(state)),
            "effects": tuple(_named(effect, place, at) for at, effect in enumerate(effects)),
        }
        record = Record.model_validate(made_by.model_dump() | told | own)
        return Item(event=self._sealed(record, None, None), state=state)

    def write(self, stream: str, *effects: Effect, action: str = "note") -> SealedEvent:
        """Append an event over the present head."""
        item = self.item(stream, *effects, action=action)
        assert self.append(item).status is AppendStatus.APPENDED
        return item.event

    def append(self, item: Item) -> Verdict:
        """Append one event and return what became of it."""
        (verdict,) = self.log.append([(item,)])
        return verdict

    def firing(self, work: ClaimedWork, *effects: Effect, over: Snapshot | None = None) -> Item:
        """Return the event that fires a claimed row, over the present head."""
        input_ = fired_input(work.row, self.actor.actor)
        return self.item(
            work.row.stream, *effects, action=work.row.action, input_=input_, lease=work.lease_token, over=over
        )

    def fire(self, work: ClaimedWork, *effects: Effect) -> SealedEvent:
        """Append the event that fires a claimed row."""
        item = self.firing(work, *effects)
        assert self.append(item).status is AppendStatus.APPENDED
        return item.event

    def claim(self, limit: int = 50, *, token: UUID | None = None, lease: timedelta = HOUR) -> list[ClaimedWork]:
        """Claim what is due in this tenant, by default under a token of its own."""
        return list(self.store.claim([self.tenant], limit=limit, token=token or uuid4(), lease=lease))

    def settle(self, work: ClaimedWork, end: SettleAs, **details: object) -> str:
        """Settle one row under the lease by which it was claimed."""
        settlement = Settlement.model_validate({"work": work, "end": end, **details})
        (became,) = self.store.settle(work.lease_token, [settlement])
        return became

    def rows(self, stream: str) -> Sequence[WorkRow]:
        """Return the work rows of a process."""
        return self.store.of_process(self.tenant, stream)

    def events(self, stream: str) -> list[SealedEvent]:
        """Return the chain of a stream."""
        return self.log.load(self.tenant, stream, list)

    def _sealed(self, record: Record, intent: bytes | None, signature: bytes | None) -> SealedEvent:
        body = record.to_bytes()
        return SealedEvent(
            tenant=record.tenant,
            stream=record.stream,
            seq=record.seq,
            intent=intent,
            intent_sig=signature,
            record=body,
            record_sig=self.engine.sign(signed_record_bytes(body)),
        )


def document_input(document: bytes) -> JsonObject:
    """Return an input that names `document` by its hash."""
    return {"sha256": sha256(document).hexdigest()}


def _named(effect: Effect, place: Place, index: int) -> Effect:
    """Return `effect` with the id that its place gives it, unless it has one already."""
    if isinstance(effect, Spawn) and effect.process == _UNNAMED:
        return effect.model_copy(update={"process": child_process_id(derived_id(place, index))})
    if isinstance(effect, Cancel) or getattr(effect, "work", None) != _UNNAMED:
        return effect
    return effect.model_copy(update={"work": str(derived_id(place, index))})
