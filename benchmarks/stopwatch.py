"""Ports that note how long they take, for the question where the time of an event goes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from time import perf_counter

from sealwork.adapters.event_log.recorded_log import RecordedEventLog
from sealwork.application.ledger.hearing import Decider, Hearing, Ruling
from sealwork.application.ports.chains import Folded, StreamHead
from sealwork.application.ports.event_log import Commit, Question, Snapshot, Verdict
from sealwork.application.ports.evidence import Evidence
from sealwork.application.ports.signatures import SignatureVerifier, Signer
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.refusals import Refused


class Stopwatch:
    """Seconds by what they were spent on."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def clear(self) -> None:
        """Forget what was noted."""
        self.seconds.clear()

    @contextmanager
    def noting(self, what: str) -> Iterator[None]:
        """Note how long the block takes."""
        begun = perf_counter()
        yield
        self.seconds[what] += perf_counter() - begun


class TimedLog:
    """An event log that notes the two calls of every event."""

    def __init__(self, log: RecordedEventLog, watch: Stopwatch) -> None:
        self._log, self._watch = log, watch

    def head(self, question: Question) -> Snapshot:
        """See `EventLog.head`."""
        return self._log.head(question)

    def heads(self, questions: Sequence[Question]) -> Sequence[Snapshot]:
        """See `EventLog.heads`."""
        with self._watch.noting("reading"):
            return self._log.heads(questions)

    def append(self, commits: Sequence[Commit]) -> Sequence[Verdict]:
        """See `EventLog.append`."""
        with self._watch.noting("appending"):
            return self._log.append(commits)

    def load(self, tenant: str, stream: str, fold: Callable[[Iterable[SealedEvent]], Folded]) -> Folded:
        """See `Chains.load`."""
        return self._log.load(tenant, stream, fold)

    def streams(self, tenant: str | None = None) -> Iterator[StreamHead]:
        """See `Chains.streams`."""
        return self._log.streams(tenant)

    def document(self, tenant: str, sha256: str) -> bytes | None:
        """See `Chains.document`."""
        return self._log.document(tenant, sha256)

    def as_of_now(self) -> AbstractContextManager[Evidence]:
        """See `EventLog.as_of_now`."""
        return self._log.as_of_now()


class TimedDecider:
    """A decider that notes its time."""

    def __init__(self, decider: Decider, watch: Stopwatch) -> None:
        self._decider, self._watch = decider, watch

    def __call__(self, hearing: Hearing) -> Ruling | Refused:
        """See `Decider`."""
        with self._watch.noting("deciding"):
            return self._decider(hearing)


class TimedVerifier:
    """A verifier that notes its time."""

    def __init__(self, verifier: SignatureVerifier, watch: Stopwatch) -> None:
        self._verifier, self._watch = verifier, watch

    def verify(self, actor: str, message: bytes, signature: bytes) -> bool:
        """See `SignatureVerifier.verify`."""
        with self._watch.noting("cryptography"):
            return self._verifier.verify(actor, message, signature)

    def admissible(self, actor: str) -> bool:
        """See `SignatureVerifier.admissible`."""
        return self._verifier.admissible(actor)


class TimedSigner:
    """A signer that notes its time."""

    def __init__(self, signer: Signer, watch: Stopwatch) -> None:
        self._signer, self._watch = signer, watch

    @property
    def actor(self) -> str:
        """See `Signer.actor`."""
        return self._signer.actor

    def sign(self, message: bytes) -> bytes:
        """See `Signer.sign`."""
        with self._watch.noting("cryptography"):
            return self._signer.sign(message)
