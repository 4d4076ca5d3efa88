"""Verifying a stored log: what it takes beside its signatures alone, with two processes, and how much memory.

What is compared takes turns, and the median of three rounds counts; memory is that of a new process each.
"""

from __future__ import annotations

import multiprocessing
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from multiprocessing.queues import Queue
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TypeAlias

from nacl.signing import VerifyKey

from benchmarks.appends import INPUT, ROUNDS, WORKFLOW
from benchmarks.bench_engine import ORIGIN, TENANT, root_key
from benchmarks.ratios import Ratio, Shares
from benchmarks.server import log_in, new_database, own_server
from benchmarks.signed_copies import fill
from benchmarks.stopwatch import Stopwatch, TimedVerifier
from sealwork.adapters.entrypoints.verify_together import VerifyTogether
from sealwork.adapters.postgres.database import Database
from sealwork.adapters.signing import Ed25519Verifier
from sealwork.application.ledger.actor_registries import folded
from sealwork.application.ports.chains import StreamHead
from sealwork.application.ports.evidence import Evidence
from sealwork.application.ports.signatures import SignatureVerifier
from sealwork.application.proof.verify import Report, Verify
from sealwork.domain.ids import ACTOR_REGISTRY, PROCESS, SYSTEM, public_key_of, stream_kind
from sealwork.domain.ledger.intent import Intent, signed_intent_bytes
from sealwork.domain.ledger.record import Record, signed_record_bytes
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.proof.chain import Trust, check_event, first_link, link_of

VERIFIED = 100_000
"""Events of the largest log."""
_RATED, _SMALL, _SHARED = 4_000, 10_000, 40_000
"""Events of the logs for the rates, for the lesser memory, and for two processes."""

Signed: TypeAlias = tuple[VerifyKey, bytes, bytes]


def rows(verified: int) -> tuple[list[Ratio], list[Shares]]:
    """Return the rows, and where the time of one event goes."""
    small, rated, shared = (min(size, verified) for size in (_SMALL, _RATED, _SHARED))
    with own_server() as server:
        with Database(_filled(server, "rated", rated)) as database:
            rates, shares = _rates(database)
        with Database(_filled(server, "shared", shared)) as database:
            together = _together(database, shared)
        less, more = _memory(_filled(server, "small", small)), _memory(_filled(server, "large", verified))
    memory = Ratio(
        f"memory to verify {small:,} events",
        less,
        f"to verify {verified:,} events",
        more,
        at_least=1 / 1.2,
        unit=" MB",
    )
    return [*rates, together, memory], shares


def _filled(server: str, name: str, events: int) -> str:
    own = new_database(server, name)
    fill(own, events, WORKFLOW, "note", INPUT)
    return own


def _rates(database: Database) -> tuple[list[Ratio], list[Shares]]:
    """Return signatures per second: linked to their chains, and of a whole verification, beside them alone."""
    with log_in(database).as_of_now() as evidence:
        links = _Links(evidence)
        signed = links.signatures()
        verifier, events = Ed25519Verifier(), len(signed) // 2
        runs: Sequence[Callable[[], object]] = (
            partial(_verified, signed),
            partial(links.check, verifier),
            partial(_whole, database),
        )
        rounds = [[_seconds(run) for run in runs] for _ in range(ROUNDS)]
        alone, linked, whole = (median(taken) for taken in zip(*rounds, strict=True))
        watch = Stopwatch()
        timed = _seconds(lambda: links.check(TimedVerifier(verifier, watch), watch))
    peer, rate = "these signatures alone, one process", len(signed) / alone
    shares = [
        Shares.of("an event, links and both signatures", timed, watch.seconds, events),
        Shares.of("an event, verified whole", whole, {"links and both signatures": linked}, events),
    ]
    return [
        Ratio("signatures verified, with all links", len(signed) / linked, peer, rate, at_least=0.85),
        Ratio("signatures verified, everything decided again", len(signed) / whole, peer, rate),
    ], shares


class _Links:
    """The processes of a log, to check as `Verify` does, but for what was permitted and what stands beside."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._heads = [head for head in evidence.streams(TENANT) if stream_kind(head.stream) == PROCESS]
        self._trust = Trust(
            origin=ORIGIN,
            root=root_key().actor,
            tenant_actors=evidence.load(TENANT, ACTOR_REGISTRY, folded),
            system_actors=evidence.load(SYSTEM, ACTOR_REGISTRY, folded),
        )

    def check(self, verifier: SignatureVerifier, watch: Stopwatch | None = None) -> None:
        """Read every chain and check it; `watch` notes the reading."""
        for head in self._heads:
            if watch is None:
                self._evidence.load(head.tenant, head.stream, partial(self._chain, head, verifier))
            else:
                with watch.noting("reading"):
                    events = self._evidence.load(head.tenant, head.stream, list)
                self._chain(head, verifier, events)

    def signatures(self) -> list[Signed]:
        """Return all signatures, with their keys made before."""
        keys: dict[str, VerifyKey] = {}
        signed: list[Signed] = []
        for head in self._heads:
            for event in self._evidence.load(head.tenant, head.stream, list):
                for actor, message, signature in _signed(event):
                    key = keys.setdefault(actor, VerifyKey(public_key_of(actor)))
                    signed.append((key, message, signature))
        return signed

    def _chain(self, head: StreamHead, verifier: SignatureVerifier, events: Iterable[SealedEvent]) -> None:
        link = first_link(ORIGIN, head.tenant, head.stream)
        for event in events:
            wrong = list(check_event(event, link, self._trust, verifier.verify))
            assert not wrong, wrong
            link = link_of(event)


def _signed(event: SealedEvent) -> Iterator[tuple[str, bytes, bytes]]:
    intent, record = event.read_intent, event.read_record
    assert isinstance(intent, Intent) and isinstance(record, Record)
    assert event.intent is not None and event.intent_sig is not None
    yield intent.key, signed_intent_bytes(event.intent), event.intent_sig
    yield record.engine_key, signed_record_bytes(event.record), event.record_sig


def _verified(signed: Sequence[Signed]) -> None:
    for key, message, signature in signed:
        key.verify(message, signature)


def _together(database: Database, events: int) -> Ratio:
    """Two processes, with the time that they need to start, and one."""
    root = root_key().actor
    both = VerifyTogether(_verify(database), lambda: database, origin=ORIGIN, root=root)
    rounds = [
        (_seconds(lambda: _intact(both(TENANT, shares=2))), _seconds(partial(_whole, database)))
        for _ in range(ROUNDS)
    ]
    two, one = (median(taken) for taken in zip(*rounds, strict=True))
    return Ratio(f"{events:,} events verified, two processes", events / two, "one", events / one, at_least=1.7)


def _whole(database: Database) -> None:
    _intact(_verify(database)(TENANT))


def _verify(database: Database) -> Verify:
    return Verify(log_in(database), Ed25519Verifier(), origin=ORIGIN, root=root_key().actor)


def _intact(report: Report) -> None:
    assert report.intact and report.decided == report.events, report


def _memory(conninfo: str) -> float:
    """Return how many megabytes a new process has at its peak that verifies a log and does nothing else."""
    context = multiprocessing.get_context("spawn")
    told: Queue[float] = context.Queue()
    process = context.Process(target=_tell_memory, args=(told, conninfo))
    process.start()
    peak = told.get(timeout=3_600)
    process.join()
    return peak


def _tell_memory(told: Queue[float], conninfo: str) -> None:
    with Database(conninfo) as database:
        _whole(database)
    told.put(_peak())


def _peak() -> float:
    """Return what Linux says of this process; what `getrusage` says was inherited from the one that began it."""
    found = re.search(r"^VmHWM:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) / 1_024


def _seconds(run: Callable[[], object]) -> float:
    begun = perf_counter()
    run()
    return perf_counter() - begun
