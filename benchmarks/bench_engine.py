"""An engine over any log, with an administrator and a clerk, whose keys are the same in every run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from uuid import uuid4

from benchmarks.largest import ROLE
from sealwork.adapters.signing import Ed25519Verifier, SecretKey
from sealwork.adapters.submitting import InProcess
from sealwork.application.ledger.actor_registries import ActorRegistries
from sealwork.application.ledger.decide_actors import DecideActors
from sealwork.application.ledger.hearing import Decider
from sealwork.application.ledger.manage_actors import Admission, ManageActors
from sealwork.application.ledger.process_event import ProcessEvent
from sealwork.application.ledger.sign_and_submit import SignAndSubmit
from sealwork.application.ports.clock import Clock
from sealwork.application.ports.event_log import EventLog, Question
from sealwork.application.ports.signatures import SignatureVerifier, Signer
from sealwork.application.workflows.decide_child import DecideChild
from sealwork.application.workflows.decide_definition import DecideDefinition
from sealwork.application.workflows.decide_process import DecideProcess
from sealwork.application.workflows.definitions import Definitions
from sealwork.application.workflows.publish_definition import PublishDefinition, Published
from sealwork.application.workflows.submit_action import StartProcess
from sealwork.domain.ids import SYSTEM, process_stream
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import PUBLISH_WORKFLOWS, KeyClass
from sealwork.domain.ledger.intent import DefinitionRef, Intent, signed_intent_bytes
from sealwork.domain.ledger.submission import Appended, Receipt, Submission
from sealwork.domain.refusals import Refused

ORIGIN, TENANT = "bench.example/log", "acme"


class BenchEngine:
    """`process_event` and those who use it; `clerk` acts in every process."""

    def __init__(
        self,
        log: EventLog,
        clock: Clock,
        *,
        verifier: SignatureVerifier | None = None,
        engine: Signer | None = None,
        timed: Callable[[Decider], Decider] = lambda decider: decider,
    ) -> None:
        self._root, own, self._admin, self.clerk = map(_key, ("root", "engine", "admin", "clerk"))
        self._own, self._log, self._clock = own, log, clock
        self.verifier = verifier or Ed25519Verifier()
        definitions, root = Definitions(log), self._root.actor
        self.process_event = ProcessEvent(
            log,
            self.verifier,
            engine or own,
            registries=ActorRegistries(log, self.verifier, origin=ORIGIN, root=root),
            deciders={
                "actors": DecideActors(self.verifier, root=root),
                "workflow": DecideDefinition(definitions),
                "process": timed(DecideProcess(definitions)),
            },
            children=DecideChild(definitions),
            origin=ORIGIN,
            root=root,
        )
        self.submit = SignAndSubmit(log, InProcess(self), clock, new_id=uuid4, origin=ORIGIN)
        self._publish = PublishDefinition(definitions, self.submit)

    def batch(self, submissions: Sequence[Submission]) -> Sequence[Appended | Refused]:
        """See `ProcessEvent.batch`."""
        return self.process_event.batch(submissions)

    def admit(self) -> None:
        """Admit everybody into an empty log."""
        actors = ManageActors(self.submit, origin=ORIGIN)
        for tenant, label, key, key_class, roles, by in (
            (SYSTEM, "engine", self._own, KeyClass.ENGINE, (), self._root),
            (TENANT, "admin", self._admin, KeyClass.ACTOR_ADMIN, (), self._root),
            (TENANT, "clerk", self.clerk, KeyClass.PERSON, (ROLE,), self._admin),
        ):
            admission = Admission(tenant=tenant, key_class=key_class, label=label, roles=roles)
            appended(actors.admit(admission, key, by))
        appended(actors.grant_permission(TENANT, self._admin.actor, PUBLISH_WORKFLOWS, self._admin))

    def published(self, document: JsonObject) -> DefinitionRef:
        """Publish a document."""
        answer = self._publish(TENANT, document, self._admin)
        assert isinstance(answer, Published), answer
        return answer.ref

    def begun(self, workflow: DefinitionRef, process: str) -> Receipt:
        """Begin a process."""
        return appended(StartProcess(self.submit)(TENANT, process, workflow, self.clerk, input_={}))

    def signed(
        self, workflow: DefinitionRef, process: str, action: str, input_: JsonObject, over: Receipt | None = None
    ) -> Submission:
        """Return an act of the clerk over the present head, or over the event that `over` is the receipt of."""
        head = over or self._log.head(Question(tenant=TENANT, stream=process_stream(process)))
        body = Intent(
            origin=ORIGIN,
            tenant=TENANT,
            stream=process_stream(process),
            seq=head.seq + 1,
            prev=head.hash,
            id=str(uuid4()),
            definition=workflow,
            action=action,
            key=self.clerk.actor,
            at=instant_text(self._clock.now()),
            input=input_,
        ).to_bytes()
        return Submission(intent=body, signature=self.clerk.sign(signed_intent_bytes(body)))


def engine_key() -> SecretKey:
    """Return the key that countersigns."""
    return _key("engine")


def root_key() -> SecretKey:
    """Return the key that is pinned."""
    return _key("root")


def appended(answer: Appended | Refused) -> Receipt:
    """Return the receipt of what must have been appended."""
    assert isinstance(answer, Appended), answer
    return answer.receipt


def _key(name: str) -> SecretKey:
    return SecretKey(sha256(f"sealwork benchmark key of {name}".encode()).digest())
