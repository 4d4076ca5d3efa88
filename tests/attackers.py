"""Processes that work on one log at once, in any order, and die at any moment: for the attacks.

Each function is the whole life of one process. It ends by an error if the log answers what it must not.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from multiprocessing.connection import Connection
from random import Random
from typing import NamedTuple
from uuid import UUID, uuid4

from open_box import OpenLog
from scribe import HOUR, Scribe, auto, timer
from sealing import TENANT, Deployment
from sealwork.adapters.postgres.database import Database
from sealwork.adapters.submitting import InProcess
from sealwork.application.ports.event_log import AppendStatus
from sealwork.application.ports.event_submitter import EventSubmitter
from sealwork.application.ports.work_store import SettleAs, Settlement, WorkStore
from sealwork.application.work.fire_work import FireWork
from sealwork.domain.ledger.effects import Cancel, Effect
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import Refused
from sealwork.domain.work.listing import ListedWork
from sealwork.domain.work.outcomes import Unanswered
from sealwork.domain.work.retry import RetryPolicy
from sealwork.domain.work.work_row import ClaimedWork, WorkRow, WorkStatus

LEASE = timedelta(seconds=1)
"""Short, so that what a dead worker held is soon taken over."""
POINTS = ("claimed", "signed", "committed", "settled")
"""Where a worker dies: after its claim, before its event is submitted, after it stands, after it is settled."""


def write_on_shared_streams(conninfo: str, index: int, events: int) -> None:
    """Append `events`, each to the next of five streams, over a head that others move."""
    with Database(conninfo) as database:
        scribe = Scribe(Deployment.joined(database))
        for number in range(events):
            while (status := scribe.append(scribe.item(f"process/e-{(number + index) % 5}")).status) != "appended":
                assert status is AppendStatus.STALE, status


def work_until_killed(conninfo: str, seed: int, dies_at: str | None) -> None:
    """Be a worker that dies at the point `dies_at`, else here and there; end when nothing waits any more."""
    fate = Fate(Random(seed), dies_at)
    with Database(conninfo) as database:
        deployment = Deployment.joined(database)
        submitter = MortalSubmitter(InProcess(deployment.process_event), fate)
        fire = _worker(deployment, MortalStore(deployment.store, fate), submitter)
        while (due := deployment.store.next_due([TENANT])) is not None:
            time.sleep(max(0.0, min(0.1, (due - deployment.clock.now()).total_seconds())))
            fire([TENANT])


def fire_and_die(conninfo: str, dies_at: str | None) -> None:
    """Be a worker that fires what is due now, and dies at the point `dies_at` and nowhere else."""
    fate = Fate(Random(0), dies_at, accidents=0, losses=0)
    with Database(conninfo) as database:
        deployment = Deployment.joined(database)
        submitter = MortalSubmitter(InProcess(deployment.process_event), fate)
        _worker(deployment, MortalStore(deployment.store, fate), submitter)([TENANT])


class Report(NamedTuple):
    """What a worker got that fired one row, and then tried by the same lease all that can be tried."""

    answer: Appended | Refused | Unanswered
    became: str
    settled: dict[SettleAs, str]
    renewed: Sequence[UUID]


def fire_when_told(conninfo: str, stops_at: str, line: Connection) -> None:
    """Be a worker that waits at the point `stops_at` until it is told to go on; report how it went.

    The point `decided` is inside the engine: what is to be appended is decided over what was read before.
    """
    pause = Pause(stops_at, line)
    with Database(conninfo) as database:
        outside = Deployment.joined(database)
        log, store = OpenLog(outside.log), outside.store
        log.before_append = iter([lambda: pause.at("decided")])
        deployment = Deployment(log, store, outside.clock, outside.move_to, system_log=outside.system_log)
        submitter = MortalSubmitter(InProcess(deployment.process_event), pause)
        (fired,) = _worker(deployment, store, submitter)([TENANT])
        work = fired.work
        settled = {end: store.settle(work.lease_token, [Settlement(work=work, end=end)])[0] for end in SettleAs}
        renewed = store.renew(work.lease_token, [work], lease=HOUR)
        line.send(Report(fired.answer, fired.became, settled, renewed))


def _worker(deployment: Deployment, store: WorkStore, submitter: EventSubmitter) -> FireWork:
    policy = RetryPolicy(most_deaths=10_000)  # none of these rows is to blame
    return deployment.worker(store=store, submitter=submitter, policy=policy)


class Fate:
    """Whether this is the moment to die, without a word; by chance also where it was not foreseen."""

    def __init__(
        self, dice: Random, dies_at: str | None, *, accidents: float = 0.004, losses: float = 0.1
    ) -> None:
        self.dice, self._dies_at = dice, dies_at
        self._accidents, self._losses = accidents, losses

    def at(self, point: str) -> None:
        """Perhaps do not return."""
        if point == self._dies_at or self.dice.random() < self._accidents:
            os.kill(os.getpid(), signal.SIGKILL)

    def loses_a_settlement(self) -> bool:
        """Return whether what is settled now does not reach the database."""
        return self.dice.random() < self._losses


class Pause:
    """Telling at one point that it is reached, and waiting there to be told to go on."""

    def __init__(self, stops_at: str, line: Connection) -> None:
        self._stops_at, self._line = stops_at, line

    def at(self, point: str) -> None:
        """Return at once, but at that point."""
        if point == self._stops_at:
            self._line.send(point)
            self._line.recv()


class MortalStore:
    """A work store whose caller may die, with short leases; now and then a settlement is lost."""

    def __init__(self, store: WorkStore, fate: Fate) -> None:
        self._store, self._fate = store, fate

    def claim(self, tenants: Sequence[str], *, limit: int, token: UUID, lease: timedelta) -> Sequence[ClaimedWork]:
        """See `WorkStore.claim`."""
        some = self._fate.dice.choice([1, 10, limit])
        works = self._store.claim(tenants, limit=some, token=token, lease=min(lease, LEASE))
        if works:
            self._fate.at("claimed")
        return works

    def settle(self, token: UUID, settlements: Sequence[Settlement]) -> Sequence[str]:
        """See `WorkStore.settle`."""
        if self._fate.loses_a_settlement():
            return ["lost"] * len(settlements)
        became = self._store.settle(token, settlements)
        self._fate.at("settled")
        return became

    def renew(self, token: UUID, works: Sequence[ClaimedWork], *, lease: timedelta) -> Sequence[UUID]:
        """See `WorkStore.renew`."""
        return self._store.renew(token, works, lease=min(lease, LEASE))

    def next_due(self, tenants: Sequence[str]) -> datetime | None:
        """See `WorkStore.next_due`."""
        return self._store.next_due(tenants)

    def of_process(self, tenant: str, stream: str) -> Sequence[WorkRow]:
        """See `WorkStore.of_process`."""
        return self._store.of_process(tenant, stream)

    def listing(
        self,
        tenant: str,
        statuses: Collection[WorkStatus],
        *,
        stream: str | None = None,
        limit: int,
        after: ListedWork | None = None,
    ) -> Sequence[ListedWork]:
        """See `WorkStore.listing`."""
        return self._store.listing(tenant, statuses, stream=stream, limit=limit, after=after)

    def find(self, tenant: str, work_id: UUID) -> ListedWork | None:
        """See `WorkStore.find`."""
        return self._store.find(tenant, work_id)


class MortalSubmitter:
    """A submitter whose caller may die, or stop, before and after."""

    def __init__(self, submitter: InProcess, fate: Fate | Pause) -> None:
        self._submitter, self._fate = submitter, fate

    def submit(self, submissions: Sequence[Submission]) -> Sequence[Appended | Refused]:
        """See `EventSubmitter.submit`."""
        self._fate.at("signed")
        answers = self._submitter.submit(submissions)
        self._fate.at("committed")
        return answers


def storm(conninfo: str, seed: int, seconds: float) -> None:
    """Append batches, fire, settle and renew in any order, on thirty processes that others change too."""
    dice, mine = Random(seed), list[tuple[UUID, list[ClaimedWork]]]()
    names = [f"process/s-{number}" for number in range(30)]
    end = time.monotonic() + seconds
    with Database(conninfo) as database:
        scribe = Scribe(Deployment.joined(database))
        while time.monotonic() < end:
            what = dice.random()
            if what < 0.5:
                items = [scribe.item(stream, *_any_effects(dice)) for stream in dice.sample(names, 12)]
                statuses = {verdict.status.value for verdict in scribe.log.append([(item,) for item in items])}
                assert statuses <= {"appended", "stale"}, statuses
            elif what < 0.8 or not mine:
                token = uuid4()
                works = scribe.claim(20, token=token, lease=timedelta(milliseconds=50))
                dice.shuffle(works)
                mine.append((token, works))
                scribe.log.append([(scribe.firing(work),) for work in works])
            else:
                _settle_or_renew(scribe, dice, *mine.pop(dice.randrange(len(mine))))


def settle_the_same_rows(conninfo: str, seed: int, seconds: float, works: list[ClaimedWork]) -> None:
    """Settle and renew rows that others settle and renew, in any order, half of the time by a wrong token."""
    dice, end = Random(seed), time.monotonic() + seconds
    with Database(conninfo) as database:
        store = Deployment.joined(database).store
        while time.monotonic() < end:
            some = dice.sample(works, len(works) // 2)
            token = dice.choice([works[0].lease_token, uuid4()])
            if seed % 3:
                store.settle(token, [Settlement(work=work, end=SettleAs.RETRY, wait=HOUR) for work in some])
            else:
                store.renew(token, some, lease=HOUR)


def _any_effects(dice: Random) -> Sequence[Effect]:
    choices: list[list[Effect]] = [[Cancel(id="t")], [timer("t", -HOUR, every=3600)], [auto()], []]
    return dice.choice(choices)


def _settle_or_renew(scribe: Scribe, dice: Random, token: UUID, works: list[ClaimedWork]) -> None:
    if dice.random() < 0.3:
        scribe.store.renew(token, works, lease=timedelta(milliseconds=50))
    ends = [SettleAs.COMPLETE, SettleAs.RETRY, SettleAs.SKIP, SettleAs.RELEASE]
    scribe.store.settle(token, [Settlement(work=work, end=dice.choice(ends)) for work in works])
