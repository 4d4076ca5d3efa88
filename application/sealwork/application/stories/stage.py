"""The stage: a deployment of its own for one story, with everybody's keys, and time that stands still."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sealwork.application.ledger.manage_actors import ManageActors
from sealwork.application.ledger.process_event import ProcessEvent
from sealwork.application.ports.event_log import EventLog
from sealwork.application.ports.signatures import Signer
from sealwork.application.proof.show_process import ShowProcess
from sealwork.application.proof.verify import Verify
from sealwork.application.stories.faults import FaultySubmitter
from sealwork.application.work.fire_work import FireWork
from sealwork.application.workflows.definitions import Definitions
from sealwork.application.workflows.publish_definition import PublishDefinition
from sealwork.application.workflows.submit_action import StartProcess, SubmitAction


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Every use case over an empty log, with `admin` and `automation` admitted; and what only a story may do."""

    tenant: str
    origin: str
    log: EventLog
    publish_definition: PublishDefinition
    definitions: Definitions
    manage_actors: ManageActors
    start_process: StartProcess
    submit_action: SubmitAction
    process_event: ProcessEvent
    fire_work: FireWork
    show_process: ShowProcess
    verify: Verify
    faults: FaultySubmitter
    """Between the worker and the engine."""
    key: Callable[[str], Signer]
    """Somebody's key by name, the same each time; `automation` is the worker's."""
    now: Callable[[], datetime]
    move_to: Callable[[datetime], None]
    """Let it be that instant until it is moved again."""
    overwrite: Callable[[str, int, bytes], None]
    """(stream, seq, intent): put other bytes in place of a stored intent, as the owner of the store could."""
