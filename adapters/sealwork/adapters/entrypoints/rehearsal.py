"""Rehearsals: a stage for one story, with new keys for everybody, in memory or over an empty database."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple
from uuid import uuid4

from sealwork.adapters.clocks import SteppingClock
from sealwork.adapters.entrypoints.compose import engine_over
from sealwork.adapters.entrypoints.home import ADMIN, AUTOMATION, ENGINE, ROOT, Trust
from sealwork.adapters.event_log.recorded_log import RecordedEventLog
from sealwork.adapters.memory.recorder import MemoryRecorder
from sealwork.adapters.memory.system_log import MemorySystemLog
from sealwork.adapters.memory.tables import Tables
from sealwork.adapters.memory.work_store import MemoryWorkStore
from sealwork.adapters.signing import Ed25519Verifier, new_secret_key
from sealwork.adapters.submitting import InProcess
from sealwork.application.ledger.manage_actors import Admission, ManageActors
from sealwork.application.ledger.sign_and_submit import SignAndSubmit
from sealwork.application.ports.clock import Clock
from sealwork.application.ports.event_log import EventLog
from sealwork.application.ports.system_log import SystemLog
from sealwork.application.ports.work_store import WorkStore
from sealwork.application.proof.show_process import ShowProcess
from sealwork.application.proof.verify import Verify
from sealwork.application.stories.faults import FaultySubmitter
from sealwork.application.stories.stage import Stage
from sealwork.application.work.fire_work import FireWork
from sealwork.application.workflows.definitions import Definitions
from sealwork.application.workflows.publish_definition import PublishDefinition
from sealwork.application.workflows.submit_action import StartProcess, SubmitAction
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import SYSTEM
from sealwork.domain.ledger.actors import PUBLISH_WORKFLOWS, KeyClass
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.refusals import Refused

ORIGIN = "test.story/log"
TENANT = "story"


class Props(NamedTuple):
    """What a stage stands on: a store that is empty, and ways to do what only its owner can."""

    origin: str
    log: EventLog
    store: WorkStore
    system_log: SystemLog
    clock: Clock
    move_to: Callable[[datetime], None]
    overwrite: Callable[[str, int, bytes], None]


def memory_stage() -> Stage:
    """Return a stage in memory."""
    clock = SteppingClock(datetime(2000, 1, 1, tzinfo=UTC))
    tables = Tables(origin=ORIGIN, clock=clock)

    def overwrite(stream: str, seq: int, intent: bytes) -> None:
        events = tables.chains[TENANT, stream].events
        events[seq - 1] = events[seq - 1].model_copy(update={"intent": intent})

    log = RecordedEventLog(MemoryRecorder(tables))
    store, system_log = MemoryWorkStore(tables), MemorySystemLog(tables)
    return stage_on(Props(ORIGIN, log, store, system_log, clock, clock.set, overwrite))


def stage_on(props: Props) -> Stage:
    """Return a stage on `props`, with the first actors admitted."""
    key = cache(lambda name: new_secret_key())
    trust = Trust(origin=props.origin, root=key(ROOT).actor)
    verifier = Ed25519Verifier()
    process_event = engine_over(props.log, verifier, key(ENGINE), trust)
    faults = FaultySubmitter(InProcess(process_event))
    submit = SignAndSubmit(props.log, InProcess(process_event), props.clock, new_id=uuid4, origin=props.origin)
    definitions = Definitions(props.log)
    stage = Stage(
        tenant=TENANT,
        origin=props.origin,
        log=props.log,
        publish_definition=PublishDefinition(definitions, submit),
        definitions=definitions,
        manage_actors=ManageActors(submit, origin=props.origin),
        start_process=StartProcess(submit),
        submit_action=SubmitAction(submit),
        process_event=process_event,
        fire_work=FireWork(
            props.store,
            props.log,
            faults,
            key(AUTOMATION),
            props.clock,
            new_id=uuid4,
            origin=props.origin,
            system_log=props.system_log,
            pause=lambda _: None,
        ),
        show_process=ShowProcess(props.log, props.store),
        verify=Verify(props.log, verifier, origin=props.origin, root=trust.root),
        faults=faults,
        key=key,
        now=props.clock.now,
        move_to=props.move_to,
        overwrite=props.overwrite,
    )
    _admit_first(stage)
    return stage


def _admit_first(stage: Stage) -> None:
    """Admit what `init` admits."""
    first = (
        (SYSTEM, KeyClass.ENGINE, ENGINE, ROOT),
        (TENANT, KeyClass.ACTOR_ADMIN, ADMIN, ROOT),
        (TENANT, KeyClass.AUTOMATION, AUTOMATION, ADMIN),
    )
    for tenant, key_class, label, by in first:
        who = Admission(tenant=tenant, key_class=key_class, label=label)
        _accepted(stage.manage_actors.admit(who, stage.key(label), stage.key(by)))
    admin = stage.key(ADMIN)
    _accepted(stage.manage_actors.grant_permission(TENANT, admin.actor, PUBLISH_WORKFLOWS, admin))


def _accepted(answer: Appended | Refused) -> None:
    if isinstance(answer, Refused):
        raise Misconfigured(f"the stage cannot be set ({answer.code}): {answer.detail}")
