"""Deciding again what an engine decided: by the same rules, from the chains alone, to the same bytes.

Source: events.md, "Verification" (permission); D-05, D-10.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from uuid import UUID

from sealwork.application.ledger.decide_actors import DecideActors
from sealwork.application.ledger.hearing import Birth, Decider, Hearing, Ruling
from sealwork.application.ledger.seal import state_mark
from sealwork.application.ports.event_log import Snapshot
from sealwork.application.ports.evidence import Evidence
from sealwork.application.ports.signatures import SignatureVerifier
from sealwork.application.workflows.decide_child import DecideChild
from sealwork.application.workflows.decide_definition import DecideDefinition
from sealwork.application.workflows.decide_process import DecideProcess
from sealwork.application.workflows.past_definitions import DefinitionHistory
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import ACTOR_REGISTRY, process_stream, stream_kind
from sealwork.domain.instants import instant_of
from sealwork.domain.ledger.actors import ActorHistory, ActorKey, root_actor
from sealwork.domain.ledger.effects import Place, Spawn, with_hash
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.members import difference, document_of
from sealwork.domain.ledger.record import Record
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.ledger.submission import Submission
from sealwork.domain.proof.findings import Finding, FindingCode
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.work.work_row import WorkRow

_LEASE = UUID(int=0)
"""Leases are not in the chain: whoever fired a row is taken to have held it."""


class DecideAgain:
    """The decisions of one log, again."""

    def __init__(self, evidence: Evidence, verifier: SignatureVerifier, *, root: str) -> None:
        self._evidence = evidence
        self._verifier = verifier
        self._root = root
        self._definitions = DefinitionHistory(evidence)

    def ruling(
        self,
        event: SealedEvent,
        before: SealedEvent | None,
        state: bytes | None,
        actors: ActorHistory,
        fires: WorkRow | None,
    ) -> Ruling | Refused:
        """Return what the rules make of `event` over the event and state before it.

        `actors` are those of its tenant; `fires` is the row that it fires, as it was when it was claimed.

        Raises:
            Misconfigured: a workflow that it needs cannot be read.
            Unavailable: the evidence did not answer.
        """
        record, intent = event.read_record, event.read_intent
        assert isinstance(record, Record)
        if not isinstance(intent, Intent):
            return self._birth(record, actors)
        actor = self._actor(intent, record, actors)
        if isinstance(actor, Refused):
            return actor
        concerned = None if record.stream == ACTOR_REGISTRY else actors.newest.line(intent.key)
        hearing = Hearing(
            submission=Submission(
                intent=event.intent or b"",
                signature=event.intent_sig or b"",
                lease=_LEASE if fires else None,
                document=self._document(intent),
            ),
            intent=intent,
            snapshot=Snapshot(
                now=instant_of(record.recorded_at),
                seq=record.seq - 1,
                hash=record.prev,
                state=state,
                head_record=before.record if before else None,
                head_intent=before.intent if before else None,
                actors=record.actors,
                rules=record.rules,
                work=fires.model_copy(update={"lease_token": _LEASE}) if fires else None,
            ),
            registry=actors.at(record.actors.tenant, concerned),
            actor=actor,
            recorded_at=instant_of(record.recorded_at),
        )
        return self._decider(record)(hearing)

    def _actor(self, intent: Intent, record: Record, actors: ActorHistory) -> ActorKey | Refused:
        if intent.key == self._root and record.stream == ACTOR_REGISTRY:
            return root_actor(self._root)
        return actors.at(record.actors.tenant, (intent.key,)).valid(intent.key)

    def _document(self, intent: Intent) -> bytes | None:
        named = intent.input.get("sha256") if stream_kind(intent.stream) == "workflow" else None
        if not isinstance(named, str):
            return None
        document = self._evidence.document(intent.tenant, named)
        if document is None or sha256(document).hexdigest() != named:
            raise Misconfigured(f"the definition {named} is gone, or was changed")
        return document

    def _decider(self, record: Record) -> Decider:
        match stream_kind(record.stream):
            case "actors":
                return DecideActors(self._verifier, root=self._root)
            case "workflow":
                return DecideDefinition(self._definitions.as_found_by(record))
            case "process":
                return DecideProcess(self._definitions.as_found_by(record))
            case kind:
                return lambda hearing: refused(
                    RefusalCode.NOT_CANONICAL, f"no engine of this version knows {kind}/…"
                )

    def _birth(self, record: Record, actors: ActorHistory) -> Ruling | Refused:
        """A child begins as its parent's effect says; `check_cause` has compared the two."""
        assert record.cause is not None
        cause = self._evidence.event(record.tenant, record.cause.stream, record.cause.seq)
        made_by = cause.read_record if cause else None
        spawned = made_by.effects if isinstance(made_by, Record) else ()
        effect = next(e for e in spawned if isinstance(e, Spawn) and process_stream(e.process) == record.stream)
        birth = Birth(
            spawn=effect,
            cause=record.cause,
            place=Place(origin=record.origin, tenant=record.tenant, stream=record.stream, seq=record.seq),
            actor=self._actor_of_birth(record, actors),
            input=with_hash(effect.data, effect.hash_at or (), record.cause.hash),
            recorded_at=instant_of(record.recorded_at),
            depth=record.depth,
        )
        return DecideChild(self._definitions.as_found_by(record))(birth)

    def _actor_of_birth(self, record: Record, actors: ActorHistory) -> ActorKey:
        """What the parent's actor may do; that it was nobody then is found in the parent's chain."""
        actor = actors.at(record.actors.tenant, (record.actor,)).keys.get(record.actor)
        if actor is None:
            raise Misconfigured(f"{record.actor} was in no registry at this position")
        return actor


class ChainAgain:
    """The decisions of one chain, again, in order.

    After one that cannot be followed it decides nothing more; that a workflow is gone is found in its own chain.
    """

    def __init__(self, again: DecideAgain, actors: ActorHistory) -> None:
        self._again = again
        self._actors = actors
        self._before: SealedEvent | None = None
        self._state: bytes | None = None
        self._goes_on = True
        self.decided = 0

    def check(self, event: SealedEvent, record: Record, fires: WorkRow | None) -> Iterator[Finding]:
        """Return how `event` differs from what the rules make of it; `fires` is the row that it fires."""
        if not self._goes_on:
            return
        try:
            ruling = self._again.ruling(event, self._before, self._state, self._actors, fires)
        except Misconfigured:
            self.stop()
            return
        if isinstance(ruling, Refused):
            self.stop()
            if ruling.code is not RefusalCode.CHAIN_BROKEN:
                yield _finding(event, FindingCode.NOT_PERMITTED, f"{ruling.code}: {ruling.detail}")
        elif differs := _difference(event, record, ruling):
            self.stop()
            yield _finding(event, FindingCode.DECIDED_DIFFERENTLY, f"decided again it has {differs}")
        else:
            self._before, self._state, self.decided = event, ruling.state, self.decided + 1

    def stop(self) -> None:
        """Decide nothing more: what the chain led to is not known."""
        self._goes_on = False


def _finding(event: SealedEvent, code: FindingCode, detail: str) -> Finding:
    return Finding(code=code, tenant=event.tenant, stream=event.stream, seq=event.seq, detail=detail)


def _difference(event: SealedEvent, record: Record, ruling: Ruling) -> str | None:
    """Return in what the record of an event differs from the ruling, None if its bytes are the same."""
    again = record.model_copy(
        update={"state": state_mark(ruling), "effects": ruling.effects, "depth": ruling.depth}
    )
    if again.to_bytes() == event.record:
        return None
    if again.state != record.state:
        return f"another state: {again.state.name}"
    if again.depth != record.depth:
        return f"the depth {again.depth}, not {record.depth}"
    if len(again.effects) != len(record.effects):
        return f"{len(again.effects)} effects, not {len(record.effects)}"
    pairs = enumerate(zip(again.effects, record.effects, strict=True))
    differ = [at for at, (ours, theirs) in pairs if difference(document_of(ours), document_of(theirs)) is not None]
    return f"another effect {differ[0]}, of kind {again.effects[differ[0]].kind}"
