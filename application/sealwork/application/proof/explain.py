"""Explaining why something happened: from any event or work row back to the first act of a person.

Source: S1-148..150 (provenance); requirements, "the causation ladder".
"""

from __future__ import annotations

from uuid import UUID

from pydantic import BaseModel, ConfigDict

from sealwork.application.ports.work_store import WorkStore
from sealwork.application.proof.show_process import ShowProcess, TimelineEntry
from sealwork.domain.ids import process_stream, stream_key
from sealwork.domain.json_value import JsonObject
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.work.work_row import WorkRow

_CAUSES = ("queued_by_event_hash", "scheduled_by_event_hash")


class Rung(BaseModel):
    """One step of the ladder: an event, in the process where it stands."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    process_id: str
    event: TimelineEntry


class Ladder(BaseModel):
    """The events that led to something, the nearest first; the last one was nobody's consequence."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    work: WorkRow | None = None
    """The row that was asked about."""
    rungs: tuple[Rung, ...]


class Explain:
    """Follow provenance back. Reading checks nothing: that is `verify`."""

    def __init__(self, show: ShowProcess, work: WorkStore) -> None:
        self._show = show
        self._work = work

    def event(self, tenant: str, process_id: str, seq: int | None = None) -> Ladder | Refused:
        """Return what led to event `seq` of a process, to its last one if `seq` is None.

        Raises:
            Misconfigured: an event cannot be read.
        """
        timeline = self._show.timeline(tenant, process_id)
        if isinstance(timeline, Refused):
            return timeline
        asked = timeline[-1] if seq is None else next((entry for entry in timeline if entry.seq == seq), None)
        if asked is None:
            detail = f"{process_id} has {len(timeline)} events, and none with the number {seq}"
            return refused(RefusalCode.NO_PROCESS, detail, "/seq")
        return self._ladder(tenant, process_id, asked.hash)

    def work(self, tenant: str, process_id: str, work_id: UUID) -> Ladder | Refused:
        """Return what led to a work row of a process.

        Raises:
            Misconfigured: an event cannot be read.
        """
        rows = self._work.of_process(tenant, process_stream(process_id))
        row = next((row for row in rows if row.id == work_id), None)
        if row is None:
            return refused(RefusalCode.NO_PROCESS, f"{process_id} has no work row {work_id}", "/work_id")
        ladder = self._ladder(tenant, process_id, row.caused_by.event_hash)
        return ladder if isinstance(ladder, Refused) else ladder.model_copy(update={"work": row})

    def _ladder(self, tenant: str, process_id: str, hash_: str) -> Ladder | Refused:
        """Go from cause to cause; each process is read once."""
        known: dict[str, dict[str, TimelineEntry]] = {}
        rungs: list[Rung] = []
        while True:
            if process_id not in known:
                timeline = self._show.timeline(tenant, process_id)
                if isinstance(timeline, Refused):
                    return timeline
                known[process_id] = {entry.hash: entry for entry in timeline}
            # Taken out: an event that would come again is a lie of whoever wrote its provenance.
            entry = known[process_id].pop(hash_, None)
            if entry is None:
                detail = f"{process_id} has no event {hash_[:12]}… before its consequence: run `sealwork verify`"
                return refused(RefusalCode.CHAIN_BROKEN, detail)
            rungs.append(Rung(process_id=process_id, event=entry))
            if entry.why is None:
                return Ladder(rungs=tuple(rungs))
            process_id, hash_ = _cause(entry.why, process_id)


def _cause(why: JsonObject, process_id: str) -> tuple[str, str]:
    """Return (process, event hash) of the cause that provenance names; a row's cause stands in its own process."""
    if why.get("kind") == "spawn":
        return stream_key(str(why.get("stream"))), str(why.get("hash"))
    return process_id, next((str(why[name]) for name in _CAUSES if name in why), "")
