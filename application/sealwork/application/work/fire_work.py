"""Firing durable work: claim, sign, submit, settle. The worker decides nothing (S1-001).

Source: worker.md, "The loop" and "Outcomes".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import TypeAlias
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from sealwork.application.ports.clock import Clock
from sealwork.application.ports.event_log import EventLog, Question
from sealwork.application.ports.event_submitter import EventSubmitter
from sealwork.application.ports.signatures import Signer
from sealwork.application.ports.system_log import Attempt, AttemptResult, SystemLog
from sealwork.application.ports.work_store import SettleAs, Settlement, WorkStore
from sealwork.domain.errors import Misconfigured, SealworkError, Unavailable
from sealwork.domain.instants import instant_text
from sealwork.domain.ledger.intent import Intent, signed_intent_bytes
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.work.misfire import GRACE, too_late
from sealwork.domain.work.outcomes import Outcome, Unanswered, WorkerCode, outcome_of
from sealwork.domain.work.provenance import fired_input
from sealwork.domain.work.retry import RetryPolicy
from sealwork.domain.work.work_row import ClaimedWork

LEASE = timedelta(seconds=60)
RETRY_AFTER = timedelta(seconds=5)
"""How long a row that was given back keeps from being claimed."""
MAX_SIGNATURES = 8
"""How often one row is signed again at once while the head keeps moving."""
MOMENT = timedelta(milliseconds=4)
"""Before each further signature over a head that keeps moving, at most this much more than before the last."""
BATCH = 50
USUAL = RetryPolicy()
_CHANCES = 2**32
_RESULTS = {
    Outcome.ACCEPT: AttemptResult.ACCEPTED,
    Outcome.SKIP: AttemptResult.SKIPPED,
    Outcome.FAIL: AttemptResult.FAILED,
    Outcome.RESIGN: AttemptResult.TRANSIENT_ERROR,
    Outcome.RETRY: AttemptResult.TRANSIENT_ERROR,
    Outcome.PARK: AttemptResult.RELEASED,
    Outcome.STOP: AttemptResult.RELEASED,
    Outcome.DROP: AttemptResult.LOST,
}


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
        system_log: SystemLog,
        pause: Callable[[timedelta], object],
        policy: RetryPolicy = USUAL,
    ) -> None:
        self._store = store
        self._log = log
        self._submitter = submitter
        self._signer = signer
        self._clock = clock
        self._new_id = new_id
        self._origin = origin
        self._system_log = system_log
        self._pause = pause
        self._policy = policy
        self._unsettled: list[tuple[UUID, Sequence[Settlement]]] = []

    def __call__(self, tenants: Sequence[str]) -> Sequence[Fired]:
        """Fire rounds of due rows until nothing is due, in the order of firing; or until nobody answers.

        Raises:
            Misconfigured: the engine does not take this key, or cannot work; the rows are given back.
            Unavailable: rows in hand stay claimed until their lease runs out, then anyone may take them over;
                or until this worker is called again, which settles them first.
        """
        self._settle_what_is_left()
        fired: list[Fired] = []
        while batch := self._round(tenants):
            fired.extend(batch)
            if nobody_answers(batch[-1].answer):
                break
        return fired

    def _round(self, tenants: Sequence[str]) -> Sequence[Fired]:
        token = self._new_id()
        works = self._store.claim(tenants, limit=BATCH, token=token, lease=LEASE)
        chosen, others = _apart(works)
        try:
            self._give_back(token, others, timedelta(0))
            answers = self._answers(chosen)
        except SealworkError:
            self._give_back(token, chosen, RETRY_AFTER)
            raise
        tried, untried = chosen[: len(answers)], chosen[len(answers) :]
        became = self._settle_round(token, list(zip(tried, answers, strict=True)), untried)
        fired = [
            Fired(work=work, answer=answer, became=end)
            for work, answer, end in zip(tried, answers, became, strict=True)
        ]
        self._note(fired)
        self._stop_if_unknown(answers)
        return fired

    def _answers(self, works: Sequence[ClaimedWork]) -> Sequence[Answer]:
        """Return one answer per row, up to the first to which nobody answers: the rest is not tried then."""
        answers: list[Answer] = []
        for work in works:
            answers.append(_misfired(work) or self._given_up(work) or self._attempt_or_outage(work))
            if nobody_answers(answers[-1]):
                break
        return answers

    def _given_up(self, work: ClaimedWork) -> Unanswered | None:
        """Say that a row is not tried once more, which has ended too many workers."""
        deaths = work.row.deaths
        if not self._policy.gives_up(deaths):
            return None
        return Unanswered(code=WorkerCode.WORKERS_ENDED, detail=f"was being fired when {deaths} workers ended")

    def _attempt_or_outage(self, work: ClaimedWork) -> Answer:
        try:
            return self._attempt(work)
        except Unavailable as error:
            return Unanswered(code=WorkerCode.UNAVAILABLE, detail=str(error))

    def _settle_round(
        self, token: UUID, attempts: Sequence[tuple[ClaimedWork, Answer]], untried: Sequence[ClaimedWork]
    ) -> Sequence[str]:
        """Settle what was tried, give back what was not; return what became of each row that was tried."""
        ends = [(work, answer, _end(answer)) for work, answer in attempts]
        settled = [self._settlement(work, answer, end) for work, answer, end in ends if end is not Outcome.DROP]
        results = iter(self._settle(token, [*settled, *(_given_back(work, RETRY_AFTER) for work in untried)]))
        return ["lost" if end is Outcome.DROP else next(results) for _, _, end in ends]

    def _give_back(self, token: UUID, works: Sequence[ClaimedWork], wait: timedelta) -> None:
        self._settle(token, [_given_back(work, wait) for work in works])

    def _settle(self, token: UUID, settlements: Sequence[Settlement]) -> Sequence[str]:
        """Settle, or remember what could not be settled: an outage must not look like the end of this worker."""
        if not settlements:
            return ()
        try:
            return self._store.settle(token, settlements)
        except Unavailable:
            self._unsettled.append((token, settlements))
            raise

    def _settle_what_is_left(self) -> None:
        while self._unsettled:
            self._store.settle(*self._unsettled[0])  # what another has taken over is lost, which is right
            del self._unsettled[0]

    def _attempt(self, work: ClaimedWork) -> Appended | Refused:
        """Sign over the head and submit; where the head moved meanwhile, again over the new one.

        At once the first time; then others are in its way, and it waits a moment by chance, longer each time.
        """
        answer = self._submit(work, work.seq, work.hash)
        for again in range(MAX_SIGNATURES):
            if _end(answer) is not Outcome.RESIGN:
                break
            if again:
                self._pause(again * MOMENT * self._chance())
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

    def _settlement(self, work: ClaimedWork, answer: Answer, end: Outcome) -> Settlement:
        error = _why_not(answer)
        match end:
            case Outcome.ACCEPT:
                return Settlement(work=work, end=SettleAs.COMPLETE)
            case Outcome.SKIP:
                return Settlement(work=work, end=SettleAs.SKIP, error=error)
            case Outcome.FAIL:
                return Settlement(work=work, end=SettleAs.FAIL, error=error)
            case Outcome.RESIGN | Outcome.RETRY:
                wait = self._policy.wait(work.row.attempts, self._chance())
                return Settlement(work=work, end=SettleAs.RETRY, wait=wait, error=error)
            case Outcome.PARK | Outcome.STOP:
                return _given_back(work, RETRY_AFTER)
            case Outcome.DROP:
                raise AssertionError("a row that belongs to another is left alone")

    def _chance(self) -> float:
        """Return a number from 0 to 1 by chance, which the end of every new id is."""
        return self._new_id().int % _CHANCES / _CHANCES

    def _note(self, fired: Sequence[Fired]) -> None:
        """Tell the system log; without it the work goes on all the same (S1-101)."""
        with suppress(SealworkError):
            self._system_log.write([_told(attempt) for attempt in fired])

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


def _apart(works: Sequence[ClaimedWork]) -> tuple[Sequence[ClaimedWork], Sequence[ClaimedWork]]:
    """Return what is tried now and what is not: a row that has perhaps ended a worker is tried alone.

    It is not known which row of a batch it was. Were they tried together again, all would count as deadly.
    """
    for index, work in enumerate(works):
        if work.row.deaths:
            return [work], [*works[:index], *works[index + 1 :]]
    return works, ()


def _given_back(work: ClaimedWork, wait: timedelta) -> Settlement:
    return Settlement(work=work, end=SettleAs.RELEASE, wait=wait)


def nobody_answers(answer: Answer) -> bool:
    """Return whether the engine could not be reached at all."""
    return isinstance(answer, Unanswered) and answer.code is WorkerCode.UNAVAILABLE


def _end(answer: Answer) -> Outcome:
    return Outcome.ACCEPT if isinstance(answer, Appended) else outcome_of(answer.code)


def _told(fired: Fired) -> Attempt:
    row, answer = fired.work.row, fired.answer
    return Attempt(
        tenant=row.tenant,
        work_id=row.id,
        stream=row.stream,
        action=row.action,
        occurrence=row.occurrence,
        number=row.attempts,
        result=AttemptResult.LOST if fired.became == "lost" else _RESULTS[_end(answer)],
        reason=_why_not(answer),
        fired_event_hash=answer.receipt.hash if isinstance(answer, Appended) else None,
    )


def _why_not(answer: Answer) -> str | None:
    return None if isinstance(answer, Appended) else f"{answer.code}: {answer.detail}"
