"""Beginning the children that an event spawns, and their children: one commit, all or nothing.

Source: events.md, "Record" (a child's first record has no intent but a cause); X-26.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from sealwork.application.ledger.hearing import Birth, ChildDecider, Hearing, Ruling
from sealwork.application.ledger.seal import Seal
from sealwork.application.ports.event_log import Item
from sealwork.domain.ids import process_stream
from sealwork.domain.ledger.effects import Place, Spawn, with_hash
from sealwork.domain.ledger.record import Cause
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.work.work_row import MAX_CASCADE_DEPTH, MAX_FAMILY


class BeginChildren:
    """Decide and seal the first event of every child."""

    def __init__(self, decide: ChildDecider, seal: Seal) -> None:
        self._decide = decide
        self._seal = seal

    def __call__(self, hearing: Hearing, event: SealedEvent, ruling: Ruling) -> tuple[Item, ...] | Refused:
        """Return the items that stand or fall with `event`, parents first; one refused child refuses it whole."""
        items: list[Item] = []
        waiting = deque(_births(hearing, event, ruling))
        while waiting:
            birth = waiting.popleft()
            child = self._limit(birth, len(items)) or self._decide(birth)
            if isinstance(child, Refused):
                return _of_child(birth, child)
            sealed = self._seal.child(birth, child, hearing.snapshot)
            if isinstance(sealed, Refused):
                return _of_child(birth, sealed)
            items.append(Item(event=sealed, state=child.state))
            waiting.extend(_births(hearing, sealed, child))
        return tuple(items)

    def _limit(self, birth: Birth, born: int) -> Refused | None:
        if birth.depth > MAX_CASCADE_DEPTH:
            detail = f"more than {MAX_CASCADE_DEPTH} hops without delay"
            return refused(RefusalCode.CASCADE_LIMIT, detail)
        if born >= MAX_FAMILY:
            return refused(RefusalCode.CASCADE_LIMIT, f"one event begins at most {MAX_FAMILY} processes")
        return None


def _births(hearing: Hearing, event: SealedEvent, ruling: Ruling) -> Iterator[Birth]:
    cause = Cause(stream=event.stream, seq=event.seq, hash=event.hash)
    for effect in ruling.effects:
        if isinstance(effect, Spawn):
            yield Birth(
                spawn=effect,
                cause=cause,
                place=Place(
                    origin=hearing.intent.origin,
                    tenant=event.tenant,
                    stream=process_stream(effect.process),
                    seq=1,
                ),
                actor=hearing.actor,
                input=with_hash(effect.data, effect.hash_at or (), event.hash),
                recorded_at=hearing.recorded_at,
                depth=ruling.depth + 1,
            )


def _of_child(birth: Birth, refusal: Refused) -> Refused:
    detail = f"the child {birth.spawn.id!r} cannot begin: {refusal.detail}"
    return refusal.model_copy(update={"detail": detail, "pointer": "/action"})
