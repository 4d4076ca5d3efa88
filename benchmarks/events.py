"""A whole event through `process_event`, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from benchmarks.bench_engine import ORIGIN, TENANT, BenchEngine, appended
from benchmarks.largest import ACT, AT, AUTOMATIC, INPUT, ROLE, largest_document
from benchmarks.measuring import Row, seconds_of
from sealwork.adapters.clocks import SteppingClock
from sealwork.adapters.event_log.recorded_log import RecordedEventLog
from sealwork.adapters.memory.recorder import MemoryRecorder
from sealwork.adapters.memory.tables import Tables
from sealwork.application.workflows.submit_action import SubmitAction
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import Refused

SMALL: JsonObject = {
    "path": "bench/small",
    "states": {"open": {}, "closed": {"terminal": True}},
    "actions": {
        "start": {"type": "create", "role": ROLE, "to": "open"},
        ACT: {"role": ROLE, "from": "open", "when": "input.amount > 5", "mutate": {"$inc": {"reviews": 1}}},
        "close": {"role": ROLE, "from": "open", "to": "closed"},
    },
}


def rows(times: int, automatic: int = AUTOMATIC) -> list[Row]:
    """Return the rows: a small workflow, and the largest, each with a new process."""
    clock = SteppingClock(AT)
    engine = _TimedEngine(RecordedEventLog(MemoryRecorder(Tables(origin=ORIGIN, clock=clock))), clock)
    engine.admit()
    small = engine.published(SMALL)
    largest = engine.published(largest_document(automatic))
    return [
        engine.row("process_event, a small workflow", small, times),
        engine.row("process_event, the largest workflow, all hold", largest, max(1, times // 20)),
    ]


class _TimedEngine(BenchEngine):
    """It notes how long each event takes."""

    def __init__(self, log: RecordedEventLog, clock: SteppingClock) -> None:
        super().__init__(log, clock)
        self._seconds: list[float] = []

    def batch(self, submissions: Sequence[Submission]) -> Sequence[Appended | Refused]:
        """See `ProcessEvent.batch`."""
        answers: list[Appended | Refused] = []
        self._seconds.append(seconds_of(lambda: answers.extend(self.process_event.batch(submissions))))
        return answers

    def row(self, name: str, workflow: DefinitionRef, times: int) -> Row:
        """Return the row of so many acts on a new process; the peer is the cryptography that each needs."""
        process = f"measured-{workflow.sha256[:8]}"
        self.begun(workflow, process)
        self._seconds.clear()
        peers = []
        for _ in range(times):
            appended(SubmitAction(self.submit)(TENANT, process, ACT, self.clerk, input_=INPUT))
            peers.append(seconds_of(self._sign_and_verify))
        seconds = self._seconds
        return Row(name, median(seconds), min(seconds), "one signature, made and verified", median(peers))

    def _sign_and_verify(self) -> None:
        assert self.verifier.verify(self.clerk.actor, b"peer", self.clerk.sign(b"peer"))
