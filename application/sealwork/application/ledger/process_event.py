"""The only way in: nothing changes in any stream except through `process_event`.

The order of the checks is binding. Nothing before the signature evaluates a rule; nothing anywhere asks who
calls: only key, role and work row decide (X-27).

Source: events.md, "Order of checks in `process_event`"; D-05.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from sealwork.application.ledger.actor_registries import ActorRegistries
from sealwork.application.ledger.begin_children import BeginChildren
from sealwork.application.ledger.hearing import ChildDecider, Decider, Hearing
from sealwork.application.ledger.seal import Seal
from sealwork.application.ports.event_log import AppendStatus, Commit, EventLog, Item, Question, Snapshot, Verdict
from sealwork.application.ports.signatures import SignatureVerifier, Signer
from sealwork.domain.errors import Misconfigured, Unavailable
from sealwork.domain.ids import ACTOR_REGISTRY, PROCESS, SYSTEM, stream_kind
from sealwork.domain.instants import instant_of
from sealwork.domain.ledger.actors import ActorKey, ActorRegistry, KeyClass, root_actor
from sealwork.domain.ledger.intent import Intent, intent_hash, parse_intent, signed_intent_bytes
from sealwork.domain.ledger.record import Record, parse_record, record_hash, state_hash
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.work.provenance import claimed_work

MAX_DECISIONS = 8
"""How often one intent is decided while actors or rules move under it."""


class _Case(NamedTuple):
    """An authentic intent, and which submission of a batch it is."""

    number: int
    submission: Submission
    intent: Intent


class ProcessEvent:
    """Check a signed intent, decide it, countersign the record, append it with its effects."""

    def __init__(
        self,
        log: EventLog,
        verifier: SignatureVerifier,
        engine: Signer,
        *,
        registries: ActorRegistries,
        deciders: Mapping[str, Decider],
        children: ChildDecider,
        origin: str,
        root: str,
    ) -> None:
        self._log = log
        self._verifier = verifier
        self._engine = engine
        self._seal = Seal(engine)
        self._begin_children = BeginChildren(children, self._seal)
        self._registries = registries
        self._deciders = deciders
        self._origin = origin
        self._root = root

    def __call__(self, submission: Submission) -> Appended | Refused:
        """Return the receipt of the event, or the first check that failed; a refusal writes nothing.

        Raises:
            Unavailable: nothing is known to be written; the same bytes may be submitted again.
            Misconfigured: the key of this engine has ended; another engine may take the same bytes.
        """
        (answer,) = self.batch([submission])
        return answer

    def batch(self, submissions: Sequence[Submission]) -> Sequence[Appended | Refused]:
        """Return what each submission would be answered if they came one after the other; none spoils another.

        What is about different processes is read in one round trip and appended in one call. A second submission
        for a process waits for the first; what may change rules or actors (any other stream) is decided alone.

        Raises:
            Unavailable: some may have been appended; the same bytes may be submitted again.
        """
        read = [self._read(submission) for submission in submissions]
        told: dict[int, Appended | Refused] = {
            number: refusal for number, refusal in enumerate(read) if isinstance(refusal, Refused)
        }
        cases = [
            _Case(number, submissions[number], intent)
            for number, intent in enumerate(read)
            if isinstance(intent, Intent)
        ]
        for together in _runs(cases):
            told |= self._settled(together)
        return [told[number] for number in range(len(submissions))]

    def _settled(self, cases: Sequence[_Case]) -> Mapping[int, Appended | Refused]:
        """Return the answers by number; an intent under which the ground moved is decided again."""
        told: dict[int, Appended | Refused] = {}
        for _ in range(MAX_DECISIONS):
            told |= self._decided([case for case in cases if case.number not in told])
            if len(told) == len(cases):
                return told
        raise Unavailable("actors or rules kept changing while this event was decided; submit it again")

    def _decided(self, cases: Sequence[_Case]) -> Mapping[int, Appended | Refused]:
        """Return the answers that there are after one decision and, for all that is permitted, one append."""
        snapshots = self._log.heads([_question(case.intent) for case in cases])
        decisions = [self._decide(case, snapshot) for case, snapshot in zip(cases, snapshots, strict=True)]
        told = {
            case.number: decision
            for case, decision in zip(cases, decisions, strict=True)
            if isinstance(decision, Appended | Refused)
        }
        commits = [decision for decision in decisions if isinstance(decision, tuple)]
        verdicts = iter(self._log.append(commits) if commits else ())
        for case, commit in zip((case for case in cases if case.number not in told), commits, strict=True):
            verdict, *_ = islice(verdicts, len(commit))
            answer = self._answer(verdict, commit[0].event)
            if answer is not None:
                told[case.number] = answer
        return told

    def _read(self, submission: Submission) -> Intent | Refused:
        """Size, canonical form, members, origin, tenant and stream, signature."""
        intent = parse_intent(submission.intent)
        if isinstance(intent, Refused):
            return intent
        if intent.origin != self._origin:
            return refused(RefusalCode.WRONG_ORIGIN, f"this log is {self._origin}", "/origin")
        if stream_kind(intent.stream) not in self._deciders:
            known = ", ".join(sorted(self._deciders))
            return refused(RefusalCode.NOT_CANONICAL, f"no such kind of stream; there are {known}", "/stream")
        if not self._verifier.verify(intent.key, signed_intent_bytes(submission.intent), submission.signature):
            return refused(RefusalCode.BAD_SIGNATURE, "the signature is not this key's over these bytes", "/key")
        return intent

    def _decide(self, case: _Case, snapshot: Snapshot) -> Appended | Refused | Commit:
        """Return what is to be appended, or the answer if nothing is."""
        submission, intent = case.submission, case.intent
        before = _same_id(submission, snapshot)
        if before is not None:
            return before
        registry = self._registry(intent, snapshot)
        if isinstance(registry, Refused):
            return registry
        actor = self._actor(intent, registry.valid(intent.key))
        if isinstance(actor, Refused):
            return actor
        fired = _fired_before(intent, actor, snapshot)
        if fired is not None:
            return fired
        hearing = self._hear(submission, intent, snapshot, registry, actor)
        if isinstance(hearing, Refused):
            return hearing
        ruling = self._deciders[stream_kind(intent.stream)](hearing)
        if isinstance(ruling, Refused):
            return ruling
        event = self._seal.event(hearing, ruling)
        if isinstance(event, Refused):
            return event
        children = self._begin_children(hearing, event, ruling)
        if isinstance(children, Refused):
            return children
        document = submission.document if ruling.keeps_document else None
        return Item(event=event, state=ruling.state, lease=submission.lease, document=document), *children

    def _registry(self, intent: Intent, snapshot: Snapshot) -> ActorRegistry | Refused:
        if snapshot.actors.tenant == 0 and intent.stream != ACTOR_REGISTRY:
            return refused(RefusalCode.WRONG_TENANT, f"this log has no tenant {intent.tenant!r}", "/tenant")
        system = self._registries.at(SYSTEM, snapshot.actors)
        if isinstance(system, Refused):
            return system
        self._may_seal(system)
        return self._registries.at(intent.tenant, snapshot.actors)

    def _may_seal(self, system: ActorRegistry) -> None:
        """A key may end while its engine runs. The first engine key is not admitted yet when it seals that."""
        engine = system.valid(self._engine.actor) if system.seq else None
        if isinstance(engine, Refused):
            raise Misconfigured(f"this engine cannot go on: {engine.detail}")

    def _hear(
        self,
        submission: Submission,
        intent: Intent,
        snapshot: Snapshot,
        registry: ActorRegistry,
        actor: ActorKey,
    ) -> Hearing | Refused:
        """`not_after`, existence, head; and the head must be what its record says."""
        head = _head_record(snapshot)
        if isinstance(head, Refused):
            return head
        recorded_at = max(snapshot.now, instant_of(head.recorded_at)) if head else snapshot.now
        if intent.expired(recorded_at):
            return refused(RefusalCode.EXPIRED_INTENT, f"not wanted after {intent.not_after}", "/not_after")
        if snapshot.seq == 0 and intent.seq != 1:
            return refused(RefusalCode.NO_PROCESS, "nothing stands here; a stream begins with seq 1", "/stream")
        if (intent.seq, intent.prev) != (snapshot.seq + 1, snapshot.hash):
            return _stale(snapshot.seq)
        return Hearing(
            submission=submission,
            intent=intent,
            snapshot=snapshot,
            registry=registry,
            actor=actor,
            recorded_at=recorded_at,
        )

    def _actor(self, intent: Intent, registered: ActorKey | Refused) -> ActorKey | Refused:
        if intent.key == self._root and intent.stream == ACTOR_REGISTRY:
            return root_actor(self._root)
        return registered

    def _answer(self, verdict: Verdict, event: SealedEvent) -> Appended | Refused | None:
        match verdict.status:
            case AppendStatus.APPENDED:
                return Appended(receipt=event.receipt, duplicate=False)
            case AppendStatus.STALE:
                return _stale(event.seq - 1)
            case AppendStatus.NOT_CLAIMED:
                return refused(RefusalCode.NOT_CLAIMED, "the row is no longer claimed under this lease")
            case AppendStatus.REFUSED:
                return refused(RefusalCode.NOT_CANONICAL, f"the database refused it: {verdict.detail}")
            case AppendStatus.DUPLICATE | AppendStatus.ID_CONFLICT | AppendStatus.CONTEXT_MOVED:
                return None


def _question(intent: Intent) -> Question:
    return Question(tenant=intent.tenant, stream=intent.stream, intent_id=intent.id, work=claimed_work(intent))


def _runs(cases: Iterable[_Case]) -> Iterator[Sequence[_Case]]:
    """Part the cases, in order, into those that cannot concern each other: of processes, each once."""
    run: dict[tuple[str, str], _Case] = {}
    for case in cases:
        place = (case.intent.tenant, case.intent.stream)
        alone = stream_kind(case.intent.stream) != PROCESS
        if run and (alone or place in run):
            yield list(run.values())
            run = {}
        run[place] = case
        if alone:
            yield [case]
            run = {}
    if run:
        yield list(run.values())


def _same_id(submission: Submission, snapshot: Snapshot) -> Appended | Refused | None:
    """The same id in this stream: its receipt if it is this very intent, else a conflict."""
    if snapshot.same_id is None:
        return None
    if snapshot.same_id.intent != submission.intent:
        return refused(RefusalCode.ID_CONFLICT, "another event of this stream has this id: take a new one", "/id")
    return Appended(receipt=snapshot.same_id.receipt, duplicate=True)


def _fired_before(intent: Intent, actor: ActorKey, snapshot: Snapshot) -> Appended | None:
    """The same (work id, occurrence): the receipt of the first fire, whatever head or state.

    Only for a valid AUTOMATION key in that stream (ADR 0013): anybody else would be told that his action stands.
    """
    fired = snapshot.fired
    if fired is None or fired.stream != intent.stream or actor.key_class is not KeyClass.AUTOMATION:
        return None
    return Appended(receipt=fired, duplicate=True)


def _head_record(snapshot: Snapshot) -> Record | None | Refused:
    if snapshot.head_record is None or snapshot.state is None:
        return None if snapshot.seq == 0 else _broken("the head names an event that is not there")
    record = parse_record(snapshot.head_record)
    if isinstance(record, Refused) or record_hash(snapshot.head_record) != snapshot.hash:
        return _broken("the last record does not hash to the head")
    intent = snapshot.head_intent
    if (None if intent is None else intent_hash(intent)) != record.intent:
        return _broken("the last intent is not the one that was countersigned")
    if state_hash(snapshot.state) != record.state.sha256:
        return _broken("the stored state is not the one that was countersigned")
    return record


def _broken(detail: str) -> Refused:
    return refused(RefusalCode.CHAIN_BROKEN, f"{detail}: run `sealwork verify`", "/stream")


def _stale(seq: int) -> Refused:
    return refused(
        RefusalCode.STALE_HEAD, f"the chain has moved on from {seq}: read the head and sign again", "/prev"
    )
