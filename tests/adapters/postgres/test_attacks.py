"""The attacks of the store that need many hands: processes that race, die, stop and come back.

Source: the spike `store`, whose names they keep. They run on one version only; the contracts run on all.
"""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from random import Random

import pytest

from attackers import POINTS, settle_the_same_rows, storm, work_until_killed, write_on_shared_streams
from forked import PATIENCE_SECONDS, Start, ended
from scribe import HOUR, Scribe, auto, timer
from sealing import Deployment, a_deployment
from sealwork.adapters.postgres.database import Database
from sealwork.application.proof.show_process import ProcessView
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.record import Record
from sealwork.domain.ledger.sealed_event import SealedEvent

pytestmark = pytest.mark.parametrize("server", ["18"], indirect=True, ids=["PostgreSQL 18"])

SCREENED: JsonObject = {
    "path": "case/screened",
    "states": {"ready": {}, "done": {"terminal": True}},
    "actions": {
        "start": {"type": "create", "role": "intake", "to": "ready"},
        "screen": {"role": "AUTOMATION", "auto": True, "from": "ready", "to": "done"},
    },
}


def test_eight_processes_write_on_five_streams(start: Start, conninfo: str, scribe: Scribe) -> None:
    processes = [start(write_on_shared_streams, conninfo, index, 20) for index in range(8)]

    assert ended(processes) == Counter({0: 8})
    chains = [scribe.events(f"process/e-{number}") for number in range(5)]
    assert sum(map(len, chains)) == 160
    assert all(_is_linear(chain) for chain in chains)


def test_drain_under_kill_and_stop(start: Start, conninfo: str, database: Database) -> None:
    rows = 400
    deployment = a_deployment(database, workflow=SCREENED)
    for number in range(rows):
        deployment.begin(f"d-{number}", path="case/screened")

    siege = Siege(lambda seed, dies_at: start(work_until_killed, conninfo, seed, dies_at), Random(7))
    deadline = time.monotonic() + PATIENCE_SECONDS
    while deployment.store.next_due(["acme"]) is not None:
        assert time.monotonic() < deadline, siege.seen
        siege.go_on()
    siege.end()

    assert siege.seen["killed"] >= len(POINTS)
    assert siege.seen["stopped"] >= 1
    for number in range(rows):
        view = deployment.show("acme", f"d-{number}")
        assert isinstance(view, ProcessView)
        (row,) = view.work
        assert (view.state, view.seq, row.status, row.fired_event_hash) == ("done", 2, "completed", view.hash)
    assert deployment.verify().intact


def test_storm_without_deadlock(start: Start, conninfo: str, database: Database, scribe: Scribe) -> None:
    _see_deadlocks_soon(database)
    for number in range(50):
        scribe.write(f"process/w-{number}", auto() if number % 2 else timer("t", -HOUR))
    works = scribe.claim(50)

    same_rows = [start(settle_the_same_rows, conninfo, seed, 1.5, works) for seed in range(6)]
    assert ended(same_rows) == Counter({0: 6})
    storms = [start(storm, conninfo, seed, 4.0) for seed in range(6)]
    assert ended(storms) == Counter({0: 6})

    assert all(_is_linear(scribe.events(head.stream)) for head in scribe.log.streams())


class Siege:
    """Three workers; whoever dies is replaced. The first four die each at one of `POINTS`, later ones by chance.

    They are also shot from outside, and stopped for longer than their leases last, at most six times each.
    """

    def __init__(self, recruit: Callable[[int, str | None], BaseProcess], dice: Random) -> None:
        self.seen: Counter[str] = Counter()
        self._recruit, self._dice = recruit, dice
        self._fates, self._seeds = iter(POINTS), count()
        self._workers = [self._next() for _ in range(3)]
        self._stopped: dict[int, float] = {}

    def go_on(self) -> None:
        """Replace, wake, stop and shoot; then wait a moment, or until somebody dies."""
        self._replace_the_dead()
        for slot, until in list(self._stopped.items()):
            if time.monotonic() > until:
                self._wake(slot)
        slot, chance = self._dice.randrange(3), self._dice.random()
        if slot not in self._stopped and self.seen["stopped"] < 6 and chance < 0.2:
            _signal(self._workers[slot], signal.SIGSTOP)
            self._stopped[slot] = time.monotonic() + self._dice.uniform(1.2, 1.8)
            self.seen["stopped"] += 1
        elif slot not in self._stopped and self.seen["shot"] < 6 and chance > 0.9:
            _signal(self._workers[slot], signal.SIGKILL)
            self.seen["shot"] += 1
        wait([worker.sentinel for worker in self._workers], timeout=0.05)

    def end(self) -> None:
        """Let all who are left end by themselves."""
        for slot in list(self._stopped):
            self._wake(slot)
        assert set(ended(self._workers)) <= {0, -signal.SIGKILL}

    def _next(self) -> BaseProcess:
        return self._recruit(next(self._seeds), next(self._fates, None))

    def _replace_the_dead(self) -> None:
        for slot, worker in enumerate(self._workers):
            if not worker.is_alive():
                assert worker.exitcode in (0, -signal.SIGKILL)
                self.seen["killed"] += worker.exitcode != 0
                self._stopped.pop(slot, None)
                self._workers[slot] = self._next()

    def _wake(self, slot: int) -> None:
        _signal(self._workers[slot], signal.SIGCONT)
        del self._stopped[slot]


def _is_linear(chain: Sequence[SealedEvent]) -> bool:
    records = [event.read_record for event in chain if isinstance(event.read_record, Record)]
    links = [record.prev for record in records[1:]] == [event.hash for event in chain[:-1]]
    return links and [record.seq for record in records] == list(range(1, len(chain) + 1))


def _signal(process: BaseProcess, number: int) -> None:
    if process.is_alive() and process.pid is not None:
        os.kill(process.pid, number)


def _see_deadlocks_soon(database: Database) -> None:
    """A deadlock ends a process by an error, which is what the test sees."""
    with database.owner() as owner:
        (name,) = owner.execute("SELECT current_database()").fetchone() or ("",)
        owner.execute(f"ALTER DATABASE {name} SET deadlock_timeout = '50ms'".encode())


@pytest.fixture
def deployment(database: Database) -> Deployment:
    """An empty deployment in a database of its own."""
    return Deployment.on_postgres(database)
