"""The stories on PostgreSQL: the same outcome as in memory, down to the bytes of every state and effect."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from rewriting import rewriting
from sealing import ORIGIN
from sealwork.adapters.entrypoints.rehearsal import TENANT, Props, memory_stage, stage_on
from sealwork.adapters.event_log.recorded_log import RecordedEventLog
from sealwork.adapters.postgres.clock import DatabaseClock
from sealwork.adapters.postgres.database import Database, Role
from sealwork.adapters.postgres.recorder import PostgresRecorder
from sealwork.adapters.postgres.system_log import PostgresSystemLog
from sealwork.adapters.postgres.work_store import PostgresWorkStore
from sealwork.application.stories.run_story import RunStory
from sealwork.application.stories.stage import Stage
from sealwork.application.stories.story import Story, read_story
from sealwork.domain.ledger.record import Record

STORIES = Path(__file__).resolve().parents[3].parent / "shared" / "stories"


@pytest.fixture
def stage(emptied: Database) -> Iterator[Stage]:
    """A stage over an empty database, whose clock runs again afterwards."""

    def move_to(instant: datetime) -> None:
        with emptied.owner() as owner:
            owner.execute("SELECT sealwork.stop_clock(%s)", (instant,))

    def overwrite(stream: str, seq: int, intent: bytes) -> None:
        with rewriting(emptied) as owner:
            owner.execute(
                "UPDATE sealwork.events SET intent = %s WHERE tenant_id = %s AND stream = %s AND seq = %s",
                (intent, TENANT, stream, seq),
            )

    log = RecordedEventLog(PostgresRecorder(emptied, Role.ENGINE))
    store = PostgresWorkStore(emptied, Role.WORKER)
    system_log = PostgresSystemLog(emptied, Role.WORKER)
    clock = DatabaseClock(emptied)
    yield stage_on(Props(ORIGIN, log, store, system_log, clock, move_to, overwrite))
    with emptied.owner() as owner:
        owner.execute("SELECT sealwork.set_clock(clock_timestamp())")


@pytest.mark.parametrize("name", ["s01", "s04", "s09", "s10"])
def test_a_story_holds_and_comes_to_what_it_comes_to_in_memory(stage: Stage, name: str) -> None:
    files = sorted(STORIES.glob(f"{name}-*.json"))
    if not files:
        pytest.skip("the stories are not beside this repository")
    story = read_story(json.loads(files[0].read_bytes()))
    assert isinstance(story, Story), story

    report = RunStory(stage)(story)

    assert report.holds, [step for step in report.steps if step.mismatches]
    in_memory = memory_stage()
    RunStory(in_memory)(story)
    assert made_in(stage) == made_in(in_memory)


def made_in(stage: Stage) -> list[tuple[str, int, str, str, int]]:
    """What every event of every process made, without what differs from stage to stage: keys and derived ids."""
    return [
        (stream, event.seq, record.recorded_at, record.state.name, len(record.effects))
        for stream in sorted(head.stream for head in stage.log.streams(stage.tenant))
        if stream.startswith("process/")
        for event in stage.log.load(stage.tenant, stream, list)
        if isinstance(record := event.read_record, Record)
    ]
