"""A deployment in a box: real keys, real signatures, every use case, over adapters in memory or in PostgreSQL.

`a_deployment()` is ready to work with; `Deployment.in_memory()` has nothing in it yet.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Self
from uuid import UUID, uuid4

from sealwork.adapters.clocks import SteppingClock
from sealwork.adapters.event_log.recorded_log import RecordedEventLog
from sealwork.adapters.memory.recorder import MemoryRecorder
from sealwork.adapters.memory.system_log import MemorySystemLog
from sealwork.adapters.memory.tables import Tables
from sealwork.adapters.memory.work_store import MemoryWorkStore
from sealwork.adapters.postgres.clock import DatabaseClock
from sealwork.adapters.postgres.database import Database, Role
from sealwork.adapters.postgres.recorder import PostgresRecorder
from sealwork.adapters.postgres.system_log import PostgresSystemLog
from sealwork.adapters.postgres.work_store import PostgresWorkStore
from sealwork.adapters.signing import Ed25519Verifier, SecretKey
from sealwork.adapters.submitting import InProcess
from sealwork.application.ledger.actor_registries import ActorRegistries
from sealwork.application.ledger.decide_actors import DecideActors
from sealwork.application.ledger.manage_actors import Admission, ManageActors
from sealwork.application.ledger.process_event import ProcessEvent
from sealwork.application.ledger.show_actors import ShowActors
from sealwork.application.ledger.sign_and_submit import SignAndSubmit
from sealwork.application.ports.clock import Clock
from sealwork.application.ports.event_log import EventLog, Question
from sealwork.application.ports.event_submitter import EventSubmitter
from sealwork.application.ports.signatures import Signer
from sealwork.application.ports.system_log import SystemLog
from sealwork.application.ports.work_store import WorkStore
from sealwork.application.proof.explain import Explain
from sealwork.application.proof.show_process import ShowProcess
from sealwork.application.proof.verify import Verify
from sealwork.application.work.fire_work import USUAL, Fired, FireWork
from sealwork.application.work.list_attempts import ListAttempts
from sealwork.application.work.list_work import ListWork
from sealwork.application.workflows.decide_child import DecideChild
from sealwork.application.workflows.decide_definition import DecideDefinition
from sealwork.application.workflows.decide_process import DecideProcess
from sealwork.application.workflows.definitions import Definitions
from sealwork.application.workflows.list_definitions import ListDefinitions
from sealwork.application.workflows.publish_definition import PublishDefinition, Published
from sealwork.application.workflows.submit_action import StartProcess, SubmitAction
from sealwork.application.workflows.withdraw_definition import WithdrawDefinition
from sealwork.domain.ids import SYSTEM
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import PUBLISH_WORKFLOWS, KeyClass
from sealwork.domain.ledger.intent import DefinitionRef, Intent, signed_intent_bytes
from sealwork.domain.ledger.submission import Appended, Receipt, Submission
from sealwork.domain.refusals import Refused
from sealwork.domain.work.retry import RetryPolicy

ORIGIN = "test.example/log"
TENANT = "acme"
START = datetime(2026, 6, 18, 10, 0, tzinfo=UTC)
"""What the clock of every new deployment says. In memory it stands still, in PostgreSQL it runs on from there."""

ONBOARDING: JsonObject = {
    "path": "customer/onboarding",
    "states": {"draft": {}, "ready": {}, "screening": {}, "escalated": {}, "done": {"terminal": True}},
    "actions": {
        "start": {"type": "create", "role": "intake", "to": "draft"},
        "submit": {"role": "intake", "from": "draft", "to": "ready"},
        "screen": {
            "role": ["analyst", "AUTOMATION"],
            "auto": True,
            "from": "ready",
            "to": "screening",
            "mutate": {"$set": {"screening": "started"}},
            "schedule": [{"id": "deadline", "action": "escalate", "in": "48h", "data": {"reason": "sla"}}],
        },
        "escalate": {"role": "AUTOMATION", "from": "screening", "to": "escalated"},
        "clear": {"role": "analyst", "from": ["screening", "escalated"], "to": "done", "cancel": ["deadline"]},
    },
}
"""`submit` queues `screen`, which sets a timer for `escalate` in 48 hours; `clear` cancels it."""


def key_of(name: str) -> SecretKey:
    """Return the key of `name`, the same in every run."""
    return SecretKey(seed_of(name))


def seed_of(name: str) -> bytes:
    """Return the private half of `key_of(name)`, as a test may know it."""
    return sha256(f"sealwork test key of {name}".encode()).digest()


def accepted(answer: Appended | Refused) -> Receipt:
    """Return the receipt of an event that must have been appended now."""
    assert isinstance(answer, Appended), answer
    assert not answer.duplicate
    return answer.receipt


def signed(
    intent: Intent, by: SecretKey, *, lease: UUID | None = None, document: bytes | None = None
) -> Submission:
    """Return `intent` as `by` submits it."""
    body = intent.to_bytes()
    return Submission(intent=body, signature=by.sign(signed_intent_bytes(body)), lease=lease, document=document)


class Deployment:
    """Every use case over one set of adapters, and the keys of all who act. `move_to` sets the clock."""

    def __init__(
        self,
        log: EventLog,
        store: WorkStore,
        clock: Clock,
        move_to: Callable[[datetime], object],
        *,
        origin: str = ORIGIN,
        tenant: str = TENANT,
        system_log: SystemLog,
    ) -> None:
        self.log, self.store, self.clock, self.move_to = log, store, clock, move_to
        self.stop_at = move_to
        """Set the clock, and let it stand."""
        self.origin, self.tenant = origin, tenant
        self.keys: dict[str, SecretKey] = {}
        verifier, root = Ed25519Verifier(), self.key("root").actor
        self.definitions = Definitions(log)
        self.process_event = ProcessEvent(
            log,
            verifier,
            self.key("engine"),
            registries=ActorRegistries(log, verifier, origin=origin, root=root),
            deciders={
                "actors": DecideActors(verifier, root=root),
                "workflow": DecideDefinition(self.definitions),
                "process": DecideProcess(self.definitions),
            },
            children=DecideChild(self.definitions),
            origin=origin,
            root=root,
        )
        submitter: EventSubmitter = InProcess(self.process_event)
        self.submit = SignAndSubmit(log, submitter, clock, new_id=uuid4, origin=origin)
        self.actors = ManageActors(self.submit, origin=origin)
        self.show_actors = ShowActors(log)
        self.publish = PublishDefinition(self.definitions, self.submit)
        self.withdraw = WithdrawDefinition(self.definitions, self.submit)
        self.list = ListDefinitions(log, self.definitions)
        self.start = StartProcess(self.submit)
        self.act = SubmitAction(self.submit)
        self.submitter, self.system_log = submitter, system_log
        self.fire = self.worker()
        self.verify = Verify(log, verifier, origin=origin, root=root)
        self.show = ShowProcess(log, store)
        self.explain = Explain(self.show, store)
        self.list_work = ListWork(store, self.explain)
        self.list_attempts = ListAttempts(system_log)

    @classmethod
    def in_memory(cls, origin: str = ORIGIN, tenant: str = TENANT) -> Self:
        """Return an empty deployment; its clock stands still."""
        clock = SteppingClock(START)
        return cls.over_tables(Tables(origin=origin, clock=clock), clock, tenant)

    @classmethod
    def over_tables(cls, tables: Tables, clock: SteppingClock, tenant: str = TENANT) -> Self:
        """Return a deployment over these tables, which `clock` dates."""
        log = RecordedEventLog(MemoryRecorder(tables))
        return cls(
            log,
            MemoryWorkStore(tables),
            clock,
            clock.set,
            origin=tables.origin,
            tenant=tenant,
            system_log=MemorySystemLog(tables),
        )

    @classmethod
    def on_postgres(cls, database: Database, origin: str = ORIGIN, tenant: str = TENANT) -> Self:
        """Return an empty deployment over a migrated database of this origin; its clock runs from `START`."""
        deployment = cls.joined(database, origin, tenant)
        deployment.move_to(START)
        return deployment

    @classmethod
    def joined(cls, database: Database, origin: str = ORIGIN, tenant: str = TENANT) -> Self:
        """Return the deployment that another process has begun in `database`."""

        def move_to(instant: datetime) -> None:
            with database.owner() as owner:
                owner.execute("SELECT sealwork.set_clock(%s)", (instant,))

        def stop_at(instant: datetime) -> None:
            with database.owner() as owner:
                owner.execute("SELECT sealwork.stop_clock(%s)", (instant,))

        log = RecordedEventLog(PostgresRecorder(database, Role.ENGINE))
        store = PostgresWorkStore(database, Role.WORKER)
        deployment = cls(
            log,
            store,
            DatabaseClock(database),
            move_to,
            origin=origin,
            tenant=tenant,
            system_log=PostgresSystemLog(database, Role.WORKER),
        )
        deployment.stop_at = stop_at
        return deployment

    def worker(
        self,
        *,
        store: WorkStore | None = None,
        submitter: EventSubmitter | None = None,
        signer: Signer | None = None,
        system_log: SystemLog | None = None,
        pause: Callable[[timedelta], object] = lambda _: None,
        policy: RetryPolicy = USUAL,
    ) -> FireWork:
        """Return a worker of this deployment, with what is named instead of its own."""
        return FireWork(
            store or self.store,
            self.log,
            submitter or self.submitter,
            signer or self.key("automation"),
            self.clock,
            new_id=uuid4,
            origin=self.origin,
            system_log=system_log or self.system_log,
            pause=pause,
            policy=policy,
        )

    def key(self, name: str) -> SecretKey:
        """Return somebody's key."""
        return self.keys.setdefault(name, key_of(name))

    def bootstrap(self) -> None:
        """Admit what `sealwork init` admits: engine and administrator by root, the worker by the administrator."""
        self.admit("engine", KeyClass.ENGINE, tenant=SYSTEM, by="root")
        self.admit("admin", KeyClass.ACTOR_ADMIN, by="root")
        self.admit("automation", KeyClass.AUTOMATION)
        admin = self.key("admin")
        accepted(self.actors.grant_permission(self.tenant, admin.actor, PUBLISH_WORKFLOWS, admin))

    def admit(
        self,
        name: str,
        key_class: KeyClass = KeyClass.PERSON,
        *roles: str,
        tenant: str | None = None,
        by: str = "admin",
        succeeds: str | None = None,
    ) -> Receipt:
        """Admit the key of `name`, as the next of whoever has the key of `succeeds`."""
        admission = Admission(
            tenant=tenant or self.tenant,
            key_class=key_class,
            label=name,
            roles=roles,
            succeeds=self.key(succeeds).actor if succeeds else None,
        )
        return accepted(self.actors.admit(admission, self.key(name), self.key(by)))

    def published(self, document: JsonObject) -> DefinitionRef:
        """Publish `document` by the administrator."""
        answer = self.publish(self.tenant, document, self.key("admin"))
        assert isinstance(answer, Published), answer
        return answer.ref

    def begin(self, process_id: str, by: str = "maria", *, path: str = "customer/onboarding") -> Receipt:
        """Begin a process by the newest version of a workflow."""
        workflow = self.definitions.find(self.tenant, path)
        assert isinstance(workflow, DefinitionRef), workflow
        return accepted(self.start(self.tenant, process_id, workflow, self.key(by), input_={}))

    def take(self, process_id: str, action: str, by: str, input_: JsonObject | None = None) -> Receipt:
        """Take an action that must be accepted."""
        return accepted(self.act(self.tenant, process_id, action, self.key(by), input_=input_ or {}))

    def fire_due(self) -> list[Fired]:
        """Let the worker fire all that is due in this tenant."""
        return list(self.fire([self.tenant]))

    def wait(self, by: timedelta) -> None:
        """Move the clock forward."""
        self.move_to(self.clock.now() + by)

    def intent(self, stream: str, action: str, by: str, **members: object) -> Intent:
        """Return an intent over the present head; `members` replace what it would say."""
        tenant = str(members.get("tenant", self.tenant))
        head = self.log.head(Question(tenant=tenant, stream=stream))
        usual = {
            "origin": self.origin,
            "tenant": tenant,
            "stream": stream,
            "seq": head.seq + 1,
            "prev": head.hash,
            "id": str(uuid4()),
            "action": action,
            "key": self.key(by).actor,
            "at": instant_text(self.clock.now()),
            "input": {},
        }
        return Intent.model_validate(usual | members)

    def submission(self, stream: str, action: str, by: str, **members: object) -> Submission:
        """Return `intent(…)` signed by `by`."""
        return signed(self.intent(stream, action, by, **members), self.key(by))


def a_deployment(
    database: Database | None = None, *, origin: str = ORIGIN, workflow: JsonObject = ONBOARDING
) -> Deployment:
    """Return a deployment where maria (intake) and ana (analyst) can work by `workflow`, in memory or not."""
    deployment = Deployment.on_postgres(database, origin) if database else Deployment.in_memory(origin)
    deployment.bootstrap()
    deployment.admit("maria", KeyClass.PERSON, "intake")
    deployment.admit("ana", KeyClass.PERSON, "analyst")
    deployment.published(workflow)
    return deployment
