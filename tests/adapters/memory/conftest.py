from __future__ import annotations

import pytest

from sealing import ORIGIN, START, Deployment
from sealwork.adapters.clocks import SteppingClock
from sealwork.adapters.event_log.recorder import SealedRecorder
from sealwork.adapters.memory.recorder import MemoryRecorder
from sealwork.adapters.memory.system_log import MemorySystemLog
from sealwork.adapters.memory.tables import Tables
from sealwork.application.ports.system_log import SystemLog


@pytest.fixture
def clock() -> SteppingClock:
    """The clock of the tables; it stands still."""
    return SteppingClock(START)


@pytest.fixture
def tables(clock: SteppingClock) -> Tables:
    """Empty tables."""
    return Tables(origin=ORIGIN, clock=clock)


@pytest.fixture
def deployment(tables: Tables, clock: SteppingClock) -> Deployment:
    """An empty deployment in memory."""
    return Deployment.over_tables(tables, clock)


@pytest.fixture
def system_log(tables: Tables) -> SystemLog:
    """The log of `deployment`, to write."""
    return MemorySystemLog(tables)


@pytest.fixture
def readable_log(tables: Tables) -> SystemLog:
    """The same log, to read."""
    return MemorySystemLog(tables)


@pytest.fixture
def recorder(tables: Tables) -> SealedRecorder:
    """What records for `deployment`."""
    return MemoryRecorder(tables)
