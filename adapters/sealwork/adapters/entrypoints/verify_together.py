"""Verifying a large log with several processes, each a part of its chains, all as of one moment."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.sharedctypes import Synchronized
from typing import NamedTuple

from sealwork.adapters.event_log.recorded_log import RecordedEvidence
from sealwork.adapters.postgres.database import Database, Role
from sealwork.adapters.postgres.recorder import PostgresRecorder
from sealwork.adapters.signing import Ed25519Verifier
from sealwork.application.ports.evidence import Evidence
from sealwork.application.proof.verify import Part, Report, Verify, merged

WORTH_A_PROCESS = 20_000
"""Events for which one more process is begun, as long as there are cores."""
_PATIENCE = 0.1
"""Seconds between two looks at how far the others have come."""

Heard = Callable[[int], object]


class _Log(NamedTuple):
    """What another process needs to read the same moment of the same log."""

    conninfo: str
    moment: str
    origin: str
    root: str


class VerifyTogether:
    """`Verify`, shared among processes where that is worth it."""

    def __init__(self, alone: Verify, database: Callable[[], Database], *, origin: str, root: str) -> None:
        self._alone = alone
        self._database = database
        self._origin = origin
        self._root = root

    def size(self, tenant: str | None = None, processes: Collection[str] = ()) -> int:
        """Return how many events there are to check.

        Raises:
            Unavailable: the log did not answer.
        """
        return self._alone.size(tenant, processes)

    def __call__(
        self,
        tenant: str | None = None,
        *,
        processes: Collection[str] = (),
        shares: int | None = None,
        heard: Heard = lambda events: None,
    ) -> Report:
        """See `Verify.__call__`. Without `shares`, as many as the size of the log is worth.

        Raises:
            Unavailable: the log did not answer.
        """
        wanted = shares or min(os.cpu_count() or 1, 1 + self.size(tenant) // WORTH_A_PROCESS)
        if wanted == 1 or processes:
            return self._alone(tenant, processes=processes, heard=heard)
        with self._database().shared_moment(Role.READER) as moment:
            log = _Log(self._database().conninfo, moment, self._origin, self._root)
            return _together(log, tenant, wanted, heard)


def _together(log: _Log, tenant: str | None, processes: int, heard: Heard) -> Report:
    spawn = get_context("spawn")
    checked = spawn.Value("q", 0)
    with ProcessPoolExecutor(processes, mp_context=spawn, initializer=_begin, initargs=(checked,)) as pool:
        parts = [pool.submit(_check, log, tenant, Part(number, processes)) for number in range(processes)]
        _listen(parts, checked, heard)
        return merged([part.result() for part in parts])


def _listen(parts: list[Future[Report]], checked: Synchronized[int], heard: Heard) -> None:
    told, going = 0, {*parts}
    while going:
        _, going = wait(going, timeout=_PATIENCE)
        now = checked.value
        heard(now - told)
        told = now


_checked: Synchronized[int] | None = None


def _begin(checked: Synchronized[int]) -> None:
    global _checked
    _checked = checked


def _tell(events: int) -> None:
    if _checked is not None:
        with _checked.get_lock():
            _checked.value += events


def _check(log: _Log, tenant: str | None, part: Part) -> Report:
    with Database(log.conninfo) as database:
        source = _OneMoment(database, log.moment)
        return Verify(source, Ed25519Verifier(), origin=log.origin, root=log.root)(tenant, part=part, heard=_tell)


class _OneMoment:
    """The evidence of a moment that another process holds open."""

    def __init__(self, database: Database, moment: str) -> None:
        self._database = database
        self._moment = moment

    @contextmanager
    def as_of_now(self) -> Iterator[Evidence]:
        """See `EventLog.as_of_now`: as of the moment that is shared."""
        with self._database.at_one_moment(Role.READER, self._moment) as inside:
            yield RecordedEvidence(PostgresRecorder(inside, Role.READER))
