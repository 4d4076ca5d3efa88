"""The signed chains of the golden vectors: two registries and a process, from fixed keys, ids and instants.

Every key is derived from a public label and good for tests only.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from uuid import UUID

from sealwork.adapters.signing import SecretKey
from sealwork.domain.ids import ACTOR_REGISTRY, SYSTEM
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.actors import KeyClass, possession_bytes
from sealwork.domain.ledger.effects import (
    Auto,
    CalendarRef,
    Cancel,
    Effect,
    Place,
    RuleAction,
    Schedule,
    Spawn,
    derived_id,
)
from sealwork.domain.ledger.envelope import genesis
from sealwork.domain.ledger.intent import DefinitionRef, Intent, intent_hash, signed_intent_bytes
from sealwork.domain.ledger.record import (
    Positions,
    Record,
    StateMark,
    signed_record_bytes,
    state_bytes,
    state_hash,
)
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.work.provenance import fired_input
from sealwork.domain.work.work_row import AVAILABLE, CausedBy, WorkKind, WorkRow, WorkStatus

ORIGIN, TENANT, PROCESS = "golden.sealwork.example/log", "acme", "process/p-1"
START = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
DEFINITION = DefinitionRef(path="customer/onboarding", version=1, sha256=sha256(b"golden definition").hexdigest())
CHILD = DefinitionRef(path="customer/review", version=3, sha256=sha256(b"golden child definition").hexdigest())
CALENDAR = CalendarRef(id="cal_holidays", version=2, sha256=sha256(b"golden calendar").hexdigest())
NAMES = ("root", "engine", "admin", "robot", "maria", "ana")


def label_of(name: str) -> str:
    """Return the text whose SHA-256 is the seed of a key."""
    return f"sealwork golden vector, for tests only: {name}"


def key_of(name: str) -> SecretKey:
    """Return one of the keys."""
    return SecretKey(sha256(label_of(name).encode()).digest())


KEYS = {name: key_of(name) for name in NAMES}


class Chain:
    """One stream as it grows; minutes after `START` are its clock."""

    def __init__(self, tenant: str, stream: str, *, minute: int) -> None:
        self.tenant, self.stream, self.minute = tenant, stream, minute
        self.hash = genesis(ORIGIN, tenant, stream)
        self.events: list[SealedEvent] = []
        self.states: list[bytes] = []

    @property
    def place(self) -> Place:
        """Where the next event will stand."""
        return Place(origin=ORIGIN, tenant=self.tenant, stream=self.stream, seq=len(self.events) + 1)

    @property
    def now(self) -> datetime:
        """When the next event will be recorded."""
        return START + timedelta(minutes=self.minute + len(self.events))

    def work(self, index: int) -> str:
        """Return the id of what effect `index` of the next event makes."""
        return str(derived_id(self.place, index))

    def add(
        self,
        by: str,
        action: str,
        input_: JsonObject,
        *effects: Effect,
        actors: tuple[int, int] = (4, 1),
        state: tuple[str, JsonObject] = ("open", {}),
        depth: int = 0,
    ) -> None:
        """Append the event that `by` signs and the engine countersigns; `actors` are (tenant, system)."""
        intent = self._intent(by, action, input_)
        signature = KEYS[by].sign(signed_intent_bytes(intent))
        after = state_bytes(*state)
        record = Record(
            **self.place.model_dump(),
            prev=self.hash,
            intent=intent_hash(intent),
            intent_sig=signature.hex(),
            actor=KEYS[by].actor,
            recorded_at=instant_text(self.now),
            engine_key=KEYS["engine"].actor,
            actors=Positions(tenant=actors[0], system=actors[1]),
            rules=7,
            depth=depth,
            state=StateMark(name=state[0], sha256=state_hash(after)),
            effects=effects,
        ).to_bytes()
        self._append(intent, signature, record, after)

    def _intent(self, by: str, action: str, input_: JsonObject) -> bytes:
        seq, process = self.place.seq, self.stream.startswith("process/")
        return Intent(
            **self.place.model_dump(),
            prev=self.hash,
            id=str(UUID(int=(0x4 << 76) | (0x8 << 60) | (self.minute + seq))),
            definition=DEFINITION if process else None,
            action=action,
            key=KEYS[by].actor,
            at=instant_text(self.now - timedelta(seconds=2)),
            not_after=instant_text(self.now + timedelta(hours=1)) if seq == 2 else None,
            input=input_,
        ).to_bytes()

    def _append(self, intent: bytes, signature: bytes, record: bytes, state: bytes) -> None:
        event = SealedEvent(
            tenant=self.tenant,
            stream=self.stream,
            seq=self.place.seq,
            intent=intent,
            intent_sig=signature,
            record=record,
            record_sig=KEYS["engine"].sign(signed_record_bytes(record)),
        )
        self.events.append(event)
        self.states.append(state)
        self.hash = event.hash

    def caused_by(self, action: str, by: str) -> CausedBy:
        """Return the last event as the cause of a row."""
        at = self.now - timedelta(minutes=1)
        return CausedBy(event_hash=self.hash, action=action, actor=KEYS[by].actor, at=at)


def admission(tenant: str, name: str, key_class: KeyClass, *roles: JsonValue) -> JsonObject:
    """Return the input that admits a key, with its proof of possession."""
    key = KEYS[name]
    proof = key.sign(possession_bytes(ORIGIN, tenant, key.actor, key_class, name)).hex()
    members: JsonObject = {"key": key.actor, "class": key_class.value, "label": name, "proof": proof}
    return members | ({"roles": [*roles]} if roles else {})


def system_registry() -> Chain:
    """Return the registry of the deployment: root admits the engine, which countersigns that itself."""
    chain = Chain(SYSTEM, ACTOR_REGISTRY, minute=0)
    chain.add("root", "key.admit", admission(SYSTEM, "engine", KeyClass.ENGINE), actors=(0, 0))
    return chain


def tenant_registry() -> Chain:
    """Return the registry of the tenant: an administrator, the robot, and two people."""
    chain = Chain(TENANT, ACTOR_REGISTRY, minute=10)
    chain.add("root", "key.admit", admission(TENANT, "admin", KeyClass.ACTOR_ADMIN), actors=(0, 1))
    chain.add("admin", "key.admit", admission(TENANT, "robot", KeyClass.AUTOMATION), actors=(1, 1))
    chain.add("admin", "key.admit", admission(TENANT, "maria", KeyClass.PERSON, "intake"), actors=(2, 1))
    chain.add("admin", "key.admit", admission(TENANT, "ana", KeyClass.PERSON, "analyst"), actors=(3, 1))
    return chain


def process() -> Chain:
    """Return six events with every kind of effect. The bytes count here, not whether a workflow permits this."""
    chain = Chain(TENANT, PROCESS, minute=20)
    data: JsonObject = {"customer": "Müller & Søn \u20ac \U0001f600", "amount": 1234.5, "tags": ["a", None, True]}
    chain.add("maria", "start", data, state=("draft", data))
    screen = Auto(work=chain.work(0), action="screen", data={"cause": None}, hash_at=("/cause",))
    chain.add("maria", "submit", {}, screen, state=("ready", data))
    chain.add("robot", "screen", _fired_auto(chain, screen), *_timers(chain), state=("screening", data), depth=1)
    deadline = _fired_timer(chain)
    child = f"prc_{derived_id(chain.place, 0).hex}"
    review = Spawn(
        id="review", process=child, definition=CHILD, action="start", data={"by": None}, hash_at=("/by",)
    )
    chain.add("ana", "review", {"note": 'tab\t, newline\n, quote" and \\'}, review, state=("screening", data))
    chain.minute += 48 * 60
    chain.add("robot", "escalate", deadline, state=("escalated", data))
    chain.add("ana", "clear", {}, Cancel(id="deadline"), Cancel(id="reminder"), state=("done", {"result": 0.1}))
    return chain


def born_failed(place: Place) -> tuple[Effect, ...]:
    """Return effects whose data could not be made, as an event at `place` would list them."""
    works = [str(derived_id(place, index)) for index in range(2)]
    reason = "invalid_input: data/n: input.n is missing"
    at = instant_text(START)
    return (
        Schedule(id="deadline", work=works[0], action="escalate", data={}, run_at=at, failed=reason),
        Auto(work=works[1], action="screen", data={}, failed=reason),
    )


def _timers(chain: Chain) -> tuple[Effect, ...]:
    """Return all other kinds, in the order of a record: cancel, schedule by id, auto, rule."""
    once, every = chain.now + timedelta(hours=48), chain.now + timedelta(days=1)
    return (
        Cancel(id="old"),
        Schedule(
            id="deadline",
            work=chain.work(1),
            action="escalate",
            data={"reason": "sla"},
            run_at=instant_text(once),
        ),
        Schedule(
            id="reminder",
            work=chain.work(2),
            action="remind",
            data={"event": None},
            run_at=instant_text(every),
            every=86_400,
            until=instant_text(every + timedelta(days=30)),
            count=10,
            adjust="following",
            misfire="skip",
            calendar=CALENDAR,
            hash_at=("/event",),
        ),
        Auto(work=chain.work(3), action="clear", data={}),
        RuleAction(work=chain.work(4), rule="rul_notify", version=2, action="notify", data={"to": "ana"}),
    )


def _row(chain: Chain, kind: WorkKind, work: str, action: str, cause: CausedBy, **members: object) -> WorkRow:
    usual = {"tenant": TENANT, "stream": chain.stream, "status": WorkStatus.CLAIMED, "occurrence": 1, "missed": 0}
    named = {"kind": kind, "id": UUID(work), "action": action, "caused_by": cause}
    return WorkRow.model_validate(usual | named | members)


def _fired_auto(chain: Chain, effect: Auto) -> JsonObject:
    cause = chain.caused_by("submit", "maria")
    state: dict[str, object] = {"available_state": "ready", "reason": AVAILABLE, "run_at": cause.at, "depth": 1}
    row = _row(chain, WorkKind.AUTO_ACTION, effect.work, "screen", cause, data={"cause": chain.hash}, **state)
    return fired_input(row, KEYS["robot"].actor)


def _fired_timer(chain: Chain) -> JsonObject:
    record = chain.events[-1].read_record
    assert isinstance(record, Record)
    timer = record.effects[1]
    assert isinstance(timer, Schedule)
    cause = chain.caused_by("screen", "robot")
    due: dict[str, object] = {"schedule_id": timer.id, "run_at": timer.run_at, "depth": 0}
    row = _row(chain, WorkKind.SCHEDULED_ACTION, timer.work, "escalate", cause, data=timer.data, **due)
    return fired_input(row, KEYS["robot"].actor)
