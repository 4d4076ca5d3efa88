"""Events in PostgreSQL: everything that `process_event` does, beside an unsigned event of the library.

One server, one run; peer and measured take turns, and the median of three rounds counts. Submissions are signed
before: that is the client's work. Each event puts a row into the automation queue and tells the workers.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from statistics import median
from time import perf_counter
from typing import TypeAlias
from uuid import uuid4

import psycopg
from eventsourcing.persistence import StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from psycopg.conninfo import conninfo_to_dict

from benchmarks.bench_engine import TENANT, BenchEngine, appended, engine_key
from benchmarks.largest import ROLE
from benchmarks.ratios import Ratio, Shares
from benchmarks.server import empty_database, engine_in, log_in, new_database, own_server
from benchmarks.stopwatch import Stopwatch, TimedDecider, TimedLog, TimedSigner, TimedVerifier
from sealwork.adapters.event_log.mapper import framed
from sealwork.adapters.postgres.clock import DatabaseClock
from sealwork.adapters.postgres.database import Database
from sealwork.adapters.signing import Ed25519Verifier
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.ledger.submission import Submission

ROUNDS = 3
BATCH = 50
WRITERS = 4
INPUT: JsonObject = {"amount": 120, "reason": "handed in as agreed"}
WORKFLOW: JsonObject = {
    "path": "bench/intake",
    "states": {"draft": {}, "ready": {}, "done": {"terminal": True}},
    "actions": {
        "start": {"type": "create", "role": ROLE, "to": "draft"},
        "note": {"role": ROLE, "from": "draft", "mutate": {"$inc": {"notes": 1}}},
        "submit": {
            "role": ROLE,
            "from": "draft",
            "to": "ready",
            "when": "input.amount > 5",
            "mutate": {"$set": {"amount": "${input.amount}"}},
        },
        "check": {
            "role": [ROLE, "AUTOMATION"],
            "auto": {"data": {"why": "submitted"}},
            "from": "ready",
            "to": "done",
        },
    },
}

Begun: TypeAlias = tuple[float, float]
Rates: TypeAlias = tuple[list[float], list[float]]


@dataclass(frozen=True)
class Sizes:
    """How much is measured."""

    events: int = 200
    """Of each writer in each round."""
    long: int = 10_000
    """Events of the long process."""
    stored: int = 1_000_000
    """Events in the full store."""


def rows(sizes: Sizes) -> tuple[list[Ratio], Shares]:
    """Return the rows, and where the time of one event goes."""
    with own_server() as server:
        ours, theirs = new_database(server, "sealwork"), empty_database(server, "eventsourcing")
        with engine_in(ours) as engine:
            engine.admit()
            workflow = engine.published(WORKFLOW)
            size = _size_of_an_event(engine, workflow)
        PostgresApplicationRecorder(_datastore(theirs)).create_table()
        alone = _rates(sizes, 1, (ours, workflow), (theirs, size))
        four = _rates(sizes, WRITERS, (ours, workflow), (theirs, size))
        with engine_in(ours) as engine:
            batches, single = zip(
                *(_batch_rates(engine, workflow, sizes.events) for _ in range(ROUNDS)), strict=True
            )
            long = _long(engine, workflow, sizes)
            shares = _shares(ours, workflow, sizes.events)
            full = _full(engine, workflow, sizes, new_database(server, "filled"))
    peer = "an unsigned event, stock recorder of eventsourcing"
    return [
        Ratio("process_event, one writer", median(alone[0]), peer, median(alone[1]), at_least=1.0),
        Ratio(f"process_event, {WRITERS} writers", median(four[0]), peer, median(four[1]), at_least=1.5),
        Ratio(f"batches of {BATCH} processes", median(batches), "one by one", median(single), at_least=3.0),
        long,
        full,
    ], shares


def _rates(sizes: Sizes, writers: int, ours: tuple[str, DefinitionRef], theirs: tuple[str, int]) -> Rates:
    """Return events per second, of ours and of the peer, in each round."""
    own, other = [], []
    for _ in range(ROUNDS):
        own.append(_rate(_write_ours, writers, sizes.events, *ours))
        other.append(_rate(_write_theirs, writers, sizes.events, *theirs))
    return own, other


def _rate(write: Callable[..., None], writers: int, events: int, *given: object) -> float:
    """Return how many events per second so many processes write, from the first start to the last end."""
    context = multiprocessing.get_context("spawn")
    barrier, times = context.Barrier(writers), context.Queue()
    processes = [context.Process(target=write, args=(barrier, times, events, *given)) for _ in range(writers)]
    for process in processes:
        process.start()
    begun, ended = zip(*(times.get(timeout=300) for _ in processes), strict=True)
    for process in processes:
        process.join()
    seconds: float = max(ended) - min(begun)
    return writers * events / seconds


def _write_ours(
    barrier: Barrier, times: Queue[Begun], events: int, conninfo: str, workflow: DefinitionRef
) -> None:
    with engine_in(conninfo) as engine:
        submissions = _submissions(engine, workflow, events + 1)
        appended(engine.process_event(submissions.pop()))
        barrier.wait()
        begun = perf_counter()
        for submission in submissions:
            appended(engine.process_event(submission))
        times.put((begun, perf_counter()))


def _write_theirs(barrier: Barrier, times: Queue[Begun], events: int, conninfo: str, size: int) -> None:
    recorder = PostgresApplicationRecorder(_datastore(conninfo))
    stored = [
        StoredEvent(f"{TENANT}:process/{uuid4()}", 1, "bench:Submitted", b"e" * size) for _ in range(events + 1)
    ]
    recorder.insert_events([stored.pop()])
    barrier.wait()
    begun = perf_counter()
    for event in stored:
        recorder.insert_events([event])
    times.put((begun, perf_counter()))
    recorder.datastore.close()


def _batch_rates(engine: BenchEngine, workflow: DefinitionRef, events: int) -> tuple[float, float]:
    """Return events per second in batches and one by one, which take turns."""
    together = alone = 0.0
    batches = max(1, events // BATCH)
    for _ in range(batches):
        batch, others = (_submissions(engine, workflow, BATCH) for _ in range(2))
        begun = perf_counter()
        for answer in engine.process_event.batch(batch):
            appended(answer)
        between = perf_counter()
        for submission in others:
            appended(engine.process_event(submission))
        together, alone = together + between - begun, alone + perf_counter() - between
    return batches * BATCH / together, batches * BATCH / alone


def _long(engine: BenchEngine, workflow: DefinitionRef, sizes: Sizes) -> Ratio:
    """Notes on a process with many events, and on one with few, take turns."""
    old, new = _Notes(engine, workflow), _Notes(engine, workflow)
    for _ in range(sizes.long):
        old.take()
    return _in_turn(f"an event after {sizes.long:,} of its process", old, "after none", new, sizes.events)


def _full(engine: BenchEngine, workflow: DefinitionRef, sizes: Sizes, filled: str) -> Ratio:
    """Notes in a database full of other events, and in the one of this run, take turns."""
    with engine_in(filled) as other:
        other.admit()
        other.published(WORKFLOW)
        _fill(filled, sizes.stored)
        crowded, quiet = _Notes(other, workflow), _Notes(engine, workflow)
        return _in_turn(f"an event among {sizes.stored:,} stored", crowded, "among few", quiet, sizes.events)


def _in_turn(name: str, one: _Notes, peer: str, other: _Notes, times: int) -> Ratio:
    rounds = [[(one.take(), other.take()) for _ in range(times)] for _ in range(ROUNDS)]
    own, others = zip(*(map(median, zip(*each, strict=True)) for each in rounds), strict=True)
    return Ratio(name, 1 / median(own), peer, 1 / median(others), at_least=1 / 1.2)


class _Notes:
    """The process that one act after the other is taken on; its data stay as small as they are."""

    def __init__(self, engine: BenchEngine, workflow: DefinitionRef) -> None:
        self._engine, self._workflow, self._name = engine, workflow, str(uuid4())
        self._last = engine.begun(workflow, self._name)

    def take(self) -> float:
        """Take one more, and return the seconds that the engine needs for it."""
        submission = self._engine.signed(self._workflow, self._name, "note", INPUT, self._last)
        begun = perf_counter()
        answer = self._engine.process_event(submission)
        seconds = perf_counter() - begun
        self._last = appended(answer)
        return seconds


def _shares(conninfo: str, workflow: DefinitionRef, events: int) -> Shares:
    """Time the ports of one engine while it writes."""
    watch = Stopwatch()
    with Database(conninfo) as database:
        log = TimedLog(log_in(database), watch)
        engine = BenchEngine(
            log,
            DatabaseClock(database),
            verifier=TimedVerifier(Ed25519Verifier(), watch),
            engine=TimedSigner(engine_key(), watch),
            timed=lambda decider: TimedDecider(decider, watch),
        )
        submissions = _submissions(engine, workflow, events + 1)
        appended(engine.process_event(submissions.pop()))
        watch.clear()
        begun = perf_counter()
        for submission in submissions:
            appended(engine.process_event(submission))
        return Shares.of("one event, one writer", perf_counter() - begun, watch.seconds, events)


def _submissions(engine: BenchEngine, workflow: DefinitionRef, events: int) -> list[Submission]:
    """Return acts on as many new processes."""
    names = [str(uuid4()) for _ in range(events)]
    return [engine.signed(workflow, name, "submit", INPUT, engine.begun(workflow, name)) for name in names]


def _size_of_an_event(engine: BenchEngine, workflow: DefinitionRef) -> int:
    (submission,) = _submissions(engine, workflow, 1)
    receipt = appended(engine.process_event(submission))
    return len(framed(submission.intent, submission.signature, receipt.record, receipt.record_sig))


def _datastore(conninfo: str) -> PostgresDatastore:
    place = conninfo_to_dict(conninfo)
    name, host, port, user, password = (
        str(place.get(of) or "") for of in ("dbname", "host", "port", "user", "password")
    )
    return PostgresDatastore(name, host, port or 5432, user, password, originator_id_type="text")


_STREAM_EVENTS = 10


def _fill(conninfo: str, events: int) -> None:
    """Store events of usual size that nobody reads: their bytes are no JSON, their hashes are chained by name."""
    streams = -(-events // _STREAM_EVENTS)
    with psycopg.connect(conninfo, autocommit=True) as owner:
        owner.execute(
            """INSERT INTO sealwork.heads (tenant_id, stream, seq, hash, state)
               SELECT %s, 'process/filled-' || p, %s, sha256(convert_to(p || ' ' || %s, 'UTF8')), '{}'
               FROM generate_series(1, %s) AS p""",
            (TENANT, _STREAM_EVENTS, _STREAM_EVENTS, streams),
        )
        owner.execute(
            """INSERT INTO sealwork.events (
                 tenant_id, stream, seq, id, prev, hash, intent, intent_sig, record, record_sig, recorded_at, doc)
               SELECT %s, 'process/filled-' || p, s, gen_random_uuid(),
                 sha256(convert_to(p || ' ' || s - 1, 'UTF8')), sha256(convert_to(p || ' ' || s, 'UTF8')),
                 convert_to(repeat('i', 500), 'UTF8'), decode(repeat('ab', 64), 'hex'),
                 convert_to(repeat('r', 900), 'UTF8'), decode(repeat('ab', 64), 'hex'), now(),
                 '{"action": "note", "state": "draft"}'
               FROM generate_series(1, %s) AS p, generate_series(1, %s) AS s""",
            (TENANT, streams, _STREAM_EVENTS),
        )
        owner.execute("VACUUM ANALYZE sealwork.events")
