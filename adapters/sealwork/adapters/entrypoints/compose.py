"""The composition root, part two: use cases built from ports, by plain calls that mypy checks."""

from __future__ import annotations

from functools import cached_property
from uuid import uuid4

from sealwork.adapters.clocks import sleep_for
from sealwork.adapters.entrypoints.container import Adapters
from sealwork.adapters.entrypoints.home import Trust
from sealwork.adapters.entrypoints.verify_together import VerifyTogether
from sealwork.adapters.submitting import InProcess
from sealwork.application.ledger.actor_registries import ActorRegistries
from sealwork.application.ledger.check_log import CheckLog
from sealwork.application.ledger.check_own_key import CheckOwnKey
from sealwork.application.ledger.decide_actors import DecideActors
from sealwork.application.ledger.manage_actors import ManageActors
from sealwork.application.ledger.process_event import ProcessEvent
from sealwork.application.ledger.show_actors import ShowActors
from sealwork.application.ledger.sign_and_submit import SignAndSubmit
from sealwork.application.ports.event_log import EventLog
from sealwork.application.ports.signatures import SignatureVerifier, Signer
from sealwork.application.proof.explain import Explain
from sealwork.application.proof.export_bundle import ExportBundle
from sealwork.application.proof.show_process import ShowProcess
from sealwork.application.proof.verify import Verify
from sealwork.application.work.fire_work import FireWork
from sealwork.application.work.list_attempts import ListAttempts
from sealwork.application.work.list_work import ListWork
from sealwork.application.workflows.decide_child import DecideChild
from sealwork.application.workflows.decide_definition import DecideDefinition
from sealwork.application.workflows.decide_process import DecideProcess
from sealwork.application.workflows.definitions import Definitions
from sealwork.application.workflows.list_definitions import ListDefinitions
from sealwork.application.workflows.publish_definition import PublishDefinition
from sealwork.application.workflows.submit_action import StartProcess, SubmitAction
from sealwork.application.workflows.withdraw_definition import WithdrawDefinition
from sealwork.domain.ids import SYSTEM
from sealwork.domain.ledger.actors import KeyClass


def engine_over(log: EventLog, verifier: SignatureVerifier, engine: Signer, trust: Trust) -> ProcessEvent:
    """Return the one way in, with the rules of every kind of stream."""
    definitions = Definitions(log)
    return ProcessEvent(
        log,
        verifier,
        engine,
        registries=ActorRegistries(log, verifier, origin=trust.origin, root=trust.root),
        deciders={
            "actors": DecideActors(verifier, root=trust.root),
            "workflow": DecideDefinition(definitions),
            "process": DecideProcess(definitions),
        },
        children=DecideChild(definitions),
        origin=trust.origin,
        root=trust.root,
    )


class Application:
    """Every use case, built when it is first asked for: a reader needs no engine key, an engine no worker's."""

    def __init__(self, adapters: Adapters, *, tenant: str) -> None:
        self._adapters = adapters
        self._trust = adapters.home().trust()
        self.tenant = tenant

    def key(self, name: str) -> Signer:
        """Return the key of somebody who acts from this home.

        Raises:
            Misconfigured: there is no such key.
        """
        return self._adapters.home().key(name)

    def holds(self, name: str) -> bool:
        """See `Home.holds`."""
        return self._adapters.home().holds(name)

    def key_or_new(self, name: str) -> Signer:
        """Return the key of somebody, a new one where there was none."""
        return self._adapters.home().key_or_new(name)

    def new_key(self, name: str) -> Signer:
        """See `Home.new_key`."""
        return self._adapters.home().new_key(name)

    def discard_key(self, name: str) -> None:
        """See `Home.discard_key`."""
        self._adapters.home().discard_key(name)

    @cached_property
    def process_event(self) -> ProcessEvent:
        """Return the engine; it does not start over another log, nor with a key that is no valid ENGINE key.

        Raises:
            Misconfigured: the log is not the pinned one; or the engine key is missing or not admitted.
        """
        log, verifier = self._adapters.engine_log(), self._adapters.verifier()
        engine = self._adapters.engine_key()
        if CheckLog(log)(self._trust.origin):
            CheckOwnKey(log, verifier)(SYSTEM, KeyClass.ENGINE, engine)
        return engine_over(log, verifier, engine, self._trust)

    @cached_property
    def check_own_key(self) -> CheckOwnKey:
        """Return the use case of those who ask whether their key is in order."""
        return CheckOwnKey(self._adapters.reader_log(), self._adapters.verifier())

    @cached_property
    def manage_actors(self) -> ManageActors:
        """Return the use case of actors and their keys."""
        return ManageActors(self.sign_and_submit, origin=self._trust.origin)

    @cached_property
    def show_actors(self) -> ShowActors:
        """Return the actors, to read."""
        return ShowActors(self._adapters.reader_log())

    @cached_property
    def publish_definition(self) -> PublishDefinition:
        """Return the use case of workflow versions."""
        return PublishDefinition(self.definitions, self.sign_and_submit)

    @cached_property
    def withdraw_definition(self) -> WithdrawDefinition:
        """Return the use case that ends workflow versions."""
        return WithdrawDefinition(self.definitions, self.sign_and_submit)

    @cached_property
    def list_definitions(self) -> ListDefinitions:
        """Return what is published, to read."""
        return ListDefinitions(self._adapters.reader_log(), self.definitions)

    @cached_property
    def start_process(self) -> StartProcess:
        """Return the use case that begins processes."""
        return StartProcess(self.sign_and_submit)

    @cached_property
    def submit_action(self) -> SubmitAction:
        """Return the use case by which people act."""
        return SubmitAction(self.sign_and_submit)

    @cached_property
    def fire_work(self) -> FireWork:
        """Return the worker; it does not start with a key that is no valid AUTOMATION key.

        Raises:
            Misconfigured: the automation key is missing or not admitted; no row was touched.
        """
        log, signer = self._adapters.reader_log(), self._adapters.automation_key()
        self.check_own_key(self.tenant, KeyClass.AUTOMATION, signer)
        return FireWork(
            self._adapters.worker_store(),
            log,
            InProcess(self.process_event),
            signer,
            self._adapters.clock(),
            new_id=uuid4,
            origin=self._trust.origin,
            system_log=self._adapters.worker_system_log(),
            pause=sleep_for,
        )

    @cached_property
    def definitions(self) -> Definitions:
        """Return the published workflows, to read."""
        return Definitions(self._adapters.reader_log())

    @cached_property
    def show_process(self) -> ShowProcess:
        """Return the use case of those who look."""
        return ShowProcess(self._adapters.reader_log(), self._adapters.reader_store())

    @cached_property
    def explain(self) -> Explain:
        """Return the use case of those who ask why."""
        return Explain(self.show_process, self._adapters.reader_store())

    @cached_property
    def list_work(self) -> ListWork:
        """Return the use case of those who look after the machine."""
        return ListWork(self._adapters.reader_store(), self.explain)

    @cached_property
    def list_attempts(self) -> ListAttempts:
        """Return the use case of those who ask what the worker tried."""
        return ListAttempts(self._adapters.reader_system_log())

    @cached_property
    def verify(self) -> VerifyTogether:
        """Return the use case of auditors."""
        origin, root = self._trust.origin, self._trust.root
        alone = Verify(self._adapters.reader_log(), self._adapters.verifier(), origin=origin, root=root)
        return VerifyTogether(alone, self._adapters.database, origin=origin, root=root)

    @cached_property
    def export_bundle(self) -> ExportBundle:
        """Return the use case of those who hand evidence on."""
        log, trust = self._adapters.reader_log(), self._trust
        return ExportBundle(log, self._adapters.clock(), origin=trust.origin, root=trust.root)

    @cached_property
    def sign_and_submit(self) -> SignAndSubmit:
        """Return the client's side of every event."""
        return SignAndSubmit(
            self._adapters.reader_log(),
            InProcess(self.process_event),
            self._adapters.clock(),
            new_id=uuid4,
            origin=self._trust.origin,
        )
