"""Firing durable work: claim, sign, submit, settle. The worker decides nothing (S1-001).

Source: worker.md, "The loop" and "Outcomes".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TypeAlias
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from sealwork.application.ports.clock import Clock
from sealwork.application.ports.event_log import EventLog, Question
from sealwork.application.ports.event_submitter import EventSubmitter
from sealwork.application.ports.signatures import Signer
from sealwork.application.ports.work_store import SettleAs, Settlement, WorkStore
from sealwork.domain.errors import Misconfigured
from sealwork.domain.instants import instant_text
from sealwork.domain.ledger.intent import Intent, signed_intent_bytes
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.work.misfire import GRACE, too_late
from sealwork.domain.work.outcomes import Outcome, Unanswered, WorkerCode, outcome_of
from sealwork.domain.work.provenance import fired_input
from sealwork.domain.work.work_row import ClaimedWork

LEASE = timedelta(seconds=60)
RETRY_AFTER = timedelta(seconds=5)
MAX_SIGNATURES = 8
"""How often one row is signed again at once while the head keeps moving."""
BATCH = 50
_UNTOUCHED = frozenset({Outcome.DROP, Outcome.STOP})


Answer: TypeAlias = Appended | Refused | Unanswered


class Fired(BaseModel):
    """One attempt: the row, the engine's answer or why there is none, and what the row became."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    work: ClaimedWork
    answer: Answer
    became: str


class FireWork:
    """Fire what is due, with the worker's own key."""

    def __init__(
        self,
        store: WorkStore,
        log: EventLog,
        submitter: EventSubmitter,
        signer: Signer,
        clock: Clock,
        *,
        new_id: Callable[[], UUID],
        origin: str,
    ) -> None:
        self._store = store
        self._log = log
        self._submitter = submitter
        self._signer = signer
        self._clock = clock
        self._new_id = new_id
        self._origin = origin

    def __call__(self, tenants: Sequence[str]) -> Sequence[Fired]:
        """Fire rounds of due rows until nothing is due, in the order of firing.

        Raises:
            Misconfigured: the engine does not take this key; the rows are given back.
            Unavailable: rows in hand stay claimed until their lease runs out, then anyone may take them over.
        """
        fired: list[Fired] = []
        while batch := self._round(tenants):
            fired.extend(batch)
        return fired

    def _round(self, tenants: Sequence[str]) -> Sequence[Fired]:
        token = self._new_id()
        works = self._store.claim(tenants, limit=BATCH, token=token, lease=LEASE)
        answers = [_misfired(work) or self._attempt(work) for work in works]
        ends = [(work, answer, _end(answer)) for work, answer in zip(works, answers, strict=True)]
        settlements = [_settlement(work, answer, end) for work, answer, end in ends if end not in _UNTOUCHED]
        results = iter(self._store.settle(token, settlements)) if settlements else iter(())
        self._stop_if_unknown(answers)
        return [
            Fired(work=work, answer=answer, became="lost" if end in _UNTOUCHED else next(results))
            for work, answer, end in ends
        ]

    def _attempt(self, work: ClaimedWork) -> Appended | Refused:
        """Sign over the head and submit; where the head moved meanwhile, again over the new one."""
        answer = self._submit(work, work.seq, work.hash)
        for _ in range(MAX_SIGNATURES):
            if _end(answer) is not Outcome.RESIGN:
                break
            head = self._log.head(Question(tenant=work.row.tenant, stream=work.row.stream))
            answer = self._submit(work, head.seq, head.hash)
        return answer

    def _submit(self, work: ClaimedWork, seq: int, prev: str) -> Appended | Refused:
        try:
            body = self._compose(work, seq, prev)
        except ValueError as error:
            detail = f"the row cannot be signed: {str(error).partition(chr(10))[0]}"
            return refused(RefusalCode.NOT_CANONICAL, detail)
        signature = self._signer.sign(signed_intent_bytes(body))
        (answer,) = self._submitter.submit([Submission(intent=body, signature=signature, lease=work.lease_token)])
        return answer

    def _compose(self, work: ClaimedWork, seq: int, prev: str) -> bytes:
        return Intent(
            origin=self._origin,
            tenant=work.row.tenant,
            stream=work.row.stream,
            seq=seq + 1,
            prev=prev,
            id=str(self._new_id()),
            definition=work.definition,
            action=work.row.action,
            key=self._signer.actor,
            at=instant_text(self._clock.now()),
            input=fired_input(work.row, self._signer.actor),
        ).to_bytes()

    def _stop_if_unknown(self, answers: Sequence[Answer]) -> None:
        for answer in answers:
            if isinstance(answer, Refused) and _end(answer) in (Outcome.PARK, Outcome.STOP):
                raise Misconfigured(f"the engine does not take the automation key: {answer.detail}")


def _misfired(work: ClaimedWork) -> Unanswered | None:
    planned, first_claimed = work.row.run_at, work.first_claimed_at
    if not too_late(work.misfire, planned, first_claimed):
        return None
    late = f"due at {instant_text(planned)}, first claimed at {instant_text(first_claimed)}"
    return Unanswered(code=WorkerCode.MISFIRE, detail=f"{late}: more than {GRACE.seconds} s late")


def _end(answer: Answer) -> Outcome:
    return Outcome.ACCEPT if isinstance(answer, Appended) else outcome_of(answer.code)


def _settlement(work: ClaimedWork, answer: Answer, end: Outcome) -> Settlement:
    error = None if isinstance(answer, Appended) else f"{answer.code}: {answer.detail}"
    match end:
        case Outcome.ACCEPT:
            return Settlement(work=work, end=SettleAs.COMPLETE)
        case Outcome.SKIP:
            return Settlement(work=work, end=SettleAs.SKIP, error=error)
        case Outcome.FAIL:
            return Settlement(work=work, end=SettleAs.FAIL, error=error)
        case Outcome.RESIGN | Outcome.RETRY:
            return Settlement(work=work, end=SettleAs.RETRY, wait=RETRY_AFTER, error=error)
        case Outcome.PARK:
            return Settlement(work=work, end=SettleAs.RELEASE, wait=RETRY_AFTER)
        case Outcome.DROP | Outcome.STOP:
            raise AssertionError("these rows are left untouched")
