"""The adapter in memory stands in for PostgreSQL in most tests: both must make the same of any story.

A story is a row of random steps, told to both. Timers and queue rows live in different processes, since which of
the two lanes of one process is served first is left open. One clock stands still and the other runs: whatever is
compared lies minutes apart, and each step is told some seconds after the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from random import Random
from uuid import UUID

import pytest

from scribe import HOUR, Scribe, auto, rule, spawn, timer
from sealing import START, Deployment
from sealwork.application.ports.work_store import SettleAs, Settlement
from sealwork.domain.instants import instant_text
from sealwork.domain.ledger.effects import Cancel, Effect
from sealwork.domain.work.work_row import ClaimedWork, WorkRow

STEPS = 60
TIMERS, QUEUES = ("process/t-1", "process/t-2"), ("process/q-1", "process/q-2")
TICK, LEASE = timedelta(seconds=5), timedelta(minutes=50)


class Twin:
    """One of the two who are told the story."""

    def __init__(self, deployment: Deployment) -> None:
        self._scribe, self._deployment = Scribe(deployment), deployment
        self._held: dict[UUID, ClaimedWork] = {}
        self._children: set[str] = set()

    def move_to(self, instant: datetime) -> None:
        """Let it be `instant`."""
        self._deployment.move_to(instant)

    def write(self, stream: str, effects: Sequence[Effect], depth: int) -> object:
        """Append an event with these effects."""
        item = self._scribe.resealed(self._scribe.item(stream, *effects), depth=depth)
        return self._scribe.append(item).status

    def begin(self, stream: str, depth: int, firstborn: bool) -> object:
        """Append an event with its child, which stands already if it is the `firstborn`: then all falls."""
        parent = self._scribe.resealed(self._scribe.item(stream, spawn(), auto("index")), depth=depth)
        child = self._scribe.child(parent, auto("send"))
        early = [self._scribe.append(child).status] if firstborn else []
        self._children.add(child.event.stream)
        return early, [verdict.status for verdict in self._scribe.log.append([(parent, child)])]

    def claim(self, limit: int, token: UUID) -> object:
        """Claim, and hold what was claimed."""
        works = self._scribe.claim(limit, token=token, lease=LEASE)
        self._held.update((work.row.id, work) for work in works)
        return sorted((str(work.row.id), work.seq, work.row.occurrence, work.row.missed) for work in works)

    def fire(self, id_: UUID) -> object:
        """Append the event that fires a row, whoever holds it by now."""
        return self._scribe.append(self._scribe.firing(self._held[id_])).status

    def settle(self, id_: UUID, end: SettleAs) -> object:
        """Settle a row, whoever holds it by now."""
        work = self._held[id_]
        settlement = Settlement(work=work, end=end, wait=timedelta(minutes=30), error=f"{end}ed")
        return list(self._scribe.store.settle(work.lease_token, [settlement]))

    def renew(self, id_: UUID) -> object:
        """Renew the lease of a row, whoever holds it by now."""
        work = self._held[id_]
        return list(self._scribe.store.renew(work.lease_token, [work], lease=LEASE))

    def held(self) -> list[UUID]:
        """Return the rows that were ever claimed."""
        return sorted(self._held)

    def state(self) -> object:
        """Return everything that can be seen, but what hangs on the running of a clock."""
        due = self._scribe.store.next_due(["acme"])
        streams = (*TIMERS, *QUEUES, *sorted(self._children))
        rows = [row for stream in streams for row in self._scribe.rows(stream)]
        heads = [(head.stream, head.seq, head.state) for head in self._scribe.log.streams()]
        return heads, due and _roughly(due), [_seen(row) for row in rows]


@pytest.mark.parametrize("seed", range(6))
def test_both_make_the_same_of_any_story(deployment: Deployment, seed: int) -> None:
    story, twins = Random(seed), (Twin(Deployment.in_memory()), Twin(deployment))
    now = START
    for number in range(STEPS):
        now += story.choice([0, 0, 0, 0, 1, 1, 3, 12]) * timedelta(minutes=20)
        for twin in twins:
            twin.move_to(now + number * TICK)
        name, step = _step(story, now, twins[0].held())

        answers = [step(twin) for twin in twins]

        assert answers[0] == answers[1], f"step {number}: {name}"
        assert twins[0].state() == twins[1].state(), f"after step {number}: {name}"


def _step(story: Random, now: datetime, held: Sequence[UUID]) -> tuple[str, Callable[[Twin], object]]:
    what = story.choice(["timer", "queue", "family", "claim", "claim", "fire", "settle", "settle", "renew"])
    if what == "timer":
        stream, effects = story.choice(TIMERS), _timers(story, now)
        return f"write {effects}", lambda twin: twin.write(stream, effects, 0)
    if what == "queue":
        stream, depth = story.choice(QUEUES), story.choice([0, 0, 3, 24, 25])
        effects = [auto("screen"), auto("index"), rule("remind"), auto("screen", failed="\tno\u2028" + "é" * 1500)]
        effect = story.choice(effects)
        return f"write {effect} at {depth}", lambda twin: twin.write(stream, [effect], depth)
    if what == "family":
        stream, depth, firstborn = story.choice(QUEUES), story.choice([0, 23, 24]), story.random() < 0.3
        return f"family of {stream} at {depth}", lambda twin: twin.begin(stream, depth, firstborn)
    if what == "claim" or not held:
        token = UUID(int=story.getrandbits(128))
        return "claim", lambda twin: twin.claim(50, token)
    id_ = story.choice(held)
    if what == "fire":
        return f"fire {id_}", lambda twin: twin.fire(id_)
    if what == "renew":
        return f"renew {id_}", lambda twin: twin.renew(id_)
    end = story.choice([*SettleAs, SettleAs.COMPLETE, SettleAs.COMPLETE])
    return f"{end} {id_}", lambda twin: twin.settle(id_, end)


def _timers(story: Random, now: datetime) -> list[Effect]:
    """Cancel or begin timers, or both; the two ids are never due at the same instant."""
    effects: list[Effect] = [Cancel(id=id_) for id_ in "ab" if story.random() < 0.3]
    for minutes, id_ in enumerate("ab", start=7):
        bounds: dict[str, object] = {}
        if story.random() < 0.7:
            bounds["every"] = story.choice([1, 2]) * 3600
            bounds |= {"count": story.choice([1, 2, 3])} if story.random() < 0.3 else {}
            until = instant_text(now + story.choice([2, 4, 6]) * HOUR)
            bounds |= {"until": until} if story.random() < 0.4 else {}
            bounds |= {"misfire": "skip"} if story.random() < 0.4 else {}
        bounds |= {"failed": "no"} if story.random() < 0.2 else {}
        if story.random() < 0.6:
            after = now - START + story.choice([-1, 0, 1, 2]) * HOUR + timedelta(minutes=minutes)
            effects.append(timer(id_, after, **bounds))
    return effects


def _seen(row: WorkRow) -> object:
    hidden = {"run_at", "caused_by", "lease_token", "fired_event_hash"}
    told = row.model_dump(exclude=hidden)
    fired, leased = row.fired_event_hash is not None, row.lease_token is not None
    return told, _roughly(row.run_at), row.caused_by.action, _roughly(row.caused_by.at), fired, leased


def _roughly(instant: datetime) -> datetime:
    return instant.replace(minute=instant.minute // 10 * 10, second=0, microsecond=0)
