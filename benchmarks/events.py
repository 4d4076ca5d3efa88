"""A whole event through `process_event`, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from statistics import median
from uuid import uuid4

from benchmarks.largest import ACT, AT, AUTOMATIC, INPUT, ROLE, largest_document
from benchmarks.measuring import Row, seconds_of
from sealwork.adapters.clocks import SteppingClock
from sealwork.adapters.event_log.recorded_log import RecordedEventLog
from sealwork.adapters.memory.recorder import MemoryRecorder
from sealwork.adapters.memory.tables import Tables
from sealwork.adapters.signing import Ed25519Verifier, SecretKey
from sealwork.adapters.submitting import InProcess
from sealwork.application.ledger.actor_registries import ActorRegistries
from sealwork.application.ledger.decide_actors import DecideActors
from sealwork.application.ledger.manage_actors import Admission, ManageActors
from sealwork.application.ledger.process_event import ProcessEvent
from sealwork.application.ledger.sign_and_submit import SignAndSubmit
from sealwork.application.workflows.decide_child import DecideChild
from sealwork.application.workflows.decide_definition import DecideDefinition
from sealwork.application.workflows.decide_process import DecideProcess
from sealwork.application.workflows.definitions import Definitions
from sealwork.application.workflows.publish_definition import PublishDefinition, Published
from sealwork.application.workflows.submit_action import StartProcess, SubmitAction
from sealwork.domain.ids import SYSTEM
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import PUBLISH_WORKFLOWS, KeyClass
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import Refused

ORIGIN, TENANT = "bench.example/log", "acme"
SMALL: JsonObject = {
    "path": "bench/small",
    "states": {"open": {}, "closed": {"terminal": True}},
    "actions": {
        "start": {"type": "create", "role": ROLE, "to": "open"},
        ACT: {"role": ROLE, "from": "open", "when": "input.amount > 5", "mutate": {"$inc": {"reviews": 1}}},
        "close": {"role": ROLE, "from": "open", "to": "closed"},
    },
}


def rows(times: int, automatic: int = AUTOMATIC) -> list[Row]:
    """Return the rows: a small workflow, and the largest, each with a new process."""
    engine = _Engine()
    small = engine.published(SMALL)
    largest = engine.published(largest_document(automatic))
    return [
        engine.row("process_event, a small workflow", small, times),
        engine.row("process_event, the largest workflow, all hold", largest, max(1, times // 20)),
    ]


class _Engine:
    """An engine with its log in memory, an administrator and a clerk; it notes how long each event takes."""

    def __init__(self) -> None:
        root, engine, self._admin, self._clerk = map(_key, ("root", "engine", "admin", "clerk"))
        clock = SteppingClock(AT)
        log = RecordedEventLog(MemoryRecorder(Tables(origin=ORIGIN, clock=clock)))
        verifier, definitions = Ed25519Verifier(), Definitions(log)
        self._process_event = ProcessEvent(
            log,
            verifier,
            engine,
            registries=ActorRegistries(log, verifier, origin=ORIGIN, root=root.actor),
            deciders={
                "actors": DecideActors(verifier, root=root.actor),
                "workflow": DecideDefinition(definitions),
                "process": DecideProcess(definitions),
            },
            children=DecideChild(definitions),
            origin=ORIGIN,
            root=root.actor,
        )
        self._verifier = verifier
        self._seconds: list[float] = []
        self._submit = SignAndSubmit(log, InProcess(self), clock, new_id=uuid4, origin=ORIGIN)
        self._publish = PublishDefinition(definitions, self._submit)
        self._admit(root, engine)

    def _admit(self, root: SecretKey, engine: SecretKey) -> None:
        actors = ManageActors(self._submit, origin=ORIGIN)
        for tenant, label, key, key_class, roles, by in (
            (SYSTEM, "engine", engine, KeyClass.ENGINE, (), root),
            (TENANT, "admin", self._admin, KeyClass.ACTOR_ADMIN, (), root),
            (TENANT, "clerk", self._clerk, KeyClass.PERSON, (ROLE,), self._admin),
        ):
            admission = Admission(tenant=tenant, key_class=key_class, label=label, roles=roles)
            _appended(actors.admit(admission, key, by))
        _appended(actors.grant_permission(TENANT, self._admin.actor, PUBLISH_WORKFLOWS, self._admin))

    def batch(self, submissions: Sequence[Submission]) -> Sequence[Appended | Refused]:
        """See `ProcessEvent.batch`; each time is noted."""
        answers: list[Appended | Refused] = []
        self._seconds.append(seconds_of(lambda: answers.extend(self._process_event.batch(submissions))))
        return answers

    def published(self, document: JsonObject) -> DefinitionRef:
        """Publish a document."""
        answer = self._publish(TENANT, document, self._admin)
        assert isinstance(answer, Published), answer
        return answer.ref

    def row(self, name: str, workflow: DefinitionRef, times: int) -> Row:
        """Return the row of so many acts on a new process; the peer is the cryptography that each needs."""
        process = f"measured-{workflow.sha256[:8]}"
        _appended(StartProcess(self._submit)(TENANT, process, workflow, self._clerk, input_={}))
        self._seconds.clear()
        peers = []
        for _ in range(times):
            _appended(SubmitAction(self._submit)(TENANT, process, ACT, self._clerk, input_=INPUT))
            peers.append(seconds_of(self._sign_and_verify))
        seconds = self._seconds
        return Row(name, median(seconds), min(seconds), "one signature, made and verified", median(peers))

    def _sign_and_verify(self) -> None:
        assert self._verifier.verify(self._clerk.actor, b"peer", self._clerk.sign(b"peer"))


def _key(name: str) -> SecretKey:
    return SecretKey(sha256(f"sealwork benchmark key of {name}".encode()).digest())


def _appended(answer: Appended | Refused) -> None:
    assert isinstance(answer, Appended), answer
