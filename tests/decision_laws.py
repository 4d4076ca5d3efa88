"""What holds for every answer of `decide`, whatever the workflow, the state and the act: asserted here once."""

from __future__ import annotations

import re

from builders import ENGINE, ZEROS
from sealwork.domain.ids import child_process_id
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonValue
from sealwork.domain.ledger.canonical import MAX_RECORD_BYTES
from sealwork.domain.ledger.effects import (
    Auto,
    Cancel,
    Effect,
    Place,
    RuleAction,
    Schedule,
    Spawn,
    derived_id,
    with_hash,
)
from sealwork.domain.ledger.record import Positions, Record, StateMark, parse_record, state_hash
from sealwork.domain.processes.act import Act
from sealwork.domain.processes.availability import automatic
from sealwork.domain.processes.consequences import Versions
from sealwork.domain.processes.process import Decision, ProcessState, decide, decide_child, parse_state
from sealwork.domain.refusals import Refused
from sealwork.domain.workflows.compiled import CompiledWorkflow

_POINTER = re.compile(r"(/([^/~]|~0|~1)*)*", re.DOTALL)
_KINDS = ("cancel", "schedule", "spawn", "auto")
_HASH = "f" * 64


def lawful_answer(
    workflow: CompiledWorkflow, current: ProcessState | None, act: Act, versions: Versions
) -> Decision | Refused:
    """Return what is decided, after asking for it in every way and holding it to every law."""
    answer = decide(workflow, current, act, versions)
    check_answer(answer, act)
    assert decide(workflow, current, act, versions) == answer
    check_answer(decide_child(workflow, act, versions), act)
    if current is not None:
        names = [each.action for each in automatic(workflow, act.facts(current.state, current.data))]
        assert names == sorted(names, key=str.encode)
    return answer


def check_answer(answer: Decision | Refused, act: Act) -> None:
    """Hold an answer to the laws."""
    if isinstance(answer, Refused):
        assert answer.detail
        assert answer.pointer is None or _POINTER.fullmatch(answer.pointer), answer.pointer
        return
    body = answer.state.to_bytes()
    assert parse_state(body) == answer.state, body[:2000]
    assert ordered(answer.effects)
    for index, effect in enumerate(answer.effects):
        assert made_by(effect) in (None, *names_at(act.place, index)), effect
        _check_hash(effect)
    check_record(answer, act)


def check_record(decision: Decision, act: Act) -> None:
    """Hold the record that is made of a decision to the law: what is written is read again, to the same bytes."""
    record = a_record_of(decision, act)
    body = record.to_bytes()
    if len(body) > MAX_RECORD_BYTES:
        return  # what the engine refuses as too large
    read = parse_record(body)
    assert isinstance(read, Record), (read, body[:2000])
    assert read.to_bytes() == body
    assert read.effects == decision.effects


def a_record_of(decision: Decision, act: Act) -> Record:
    """The record of a decision, as an engine would make it."""
    place = act.place
    return Record(
        origin=place.origin,
        tenant=place.tenant,
        stream=place.stream,
        seq=place.seq,
        prev=ZEROS,
        intent=ZEROS,
        intent_sig=ZEROS + ZEROS,
        actor=act.actor,
        recorded_at=instant_text(act.recorded_at),
        engine_key=ENGINE.actor,
        actors=Positions(tenant=1, system=1),
        rules=0,
        depth=0,
        state=StateMark(name=decision.state.state, sha256=state_hash(decision.state.to_bytes())),
        effects=decision.effects,
    )


def ordered(effects: tuple[Effect, ...]) -> bool:
    """Whether effects stand as events.md says: by kind, then bytewise by id or action, none of them twice."""
    keys = [(_KINDS.index(effect.kind), _name_of(effect).encode()) for effect in effects]
    return keys == sorted(set(keys))


def _name_of(effect: Effect) -> str:
    return effect.id if isinstance(effect, Cancel | Schedule | Spawn) else effect.action


def made_by(effect: Effect) -> str | None:
    """The derived id that an effect names, None for one that makes nothing."""
    match effect:
        case Cancel():
            return None
        case Schedule() | Auto() | RuleAction():
            return effect.work
        case Spawn():
            return effect.process


def names_at(place: Place, index: int) -> tuple[str, str]:
    """What the effect at `index` may name: a row, or a child."""
    derived = derived_id(place, index)
    return str(derived), child_process_id(derived)


def _check_hash(effect: Effect) -> None:
    """Where a row will receive the hash stands null, and nowhere else does the row differ from the effect."""
    if isinstance(effect, Schedule | Spawn | Auto) and effect.hash_at is not None:
        assert effect.hash_at == tuple(sorted(set(effect.hash_at), key=str.encode))
        row = with_hash(effect.data, effect.hash_at, _HASH)
        assert _count(row, _HASH) >= len(effect.hash_at)


def _count(value: JsonValue, text: str) -> int:
    match value:
        case dict():
            return sum(_count(item, text) for item in value.values())
        case list():
            return sum(_count(item, text) for item in value)
        case _:
            return int(value == text)
