"""Golden histories: whole workflows with acts, and what each act made of its process. They replay for ever.

A file under `histories/` is written by hand up to `acts`; what is decided is filled in by `regenerate.py`. Of a
refusal only the code and the pointer are kept, for its words may get better. Run as a script this prints a hash of
all that is decided here and now; a number as its argument shuffles the names in every object first.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import cast

from sealwork.domain.instants import instant_of
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import canonical, parse_canonical
from sealwork.domain.ledger.effects import Place
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.ledger.members import document_of
from sealwork.domain.processes.act import Act
from sealwork.domain.processes.process import Decision, ProcessState, decide, decide_child, parse_state
from sealwork.domain.refusals import Refused
from sealwork.domain.workflows.compiled import CompiledWorkflow, compile_workflow
from sealwork.domain.workflows.workflow import read_workflow

HISTORIES = Path(__file__).resolve().parent / "histories"
_LIMIT = 1 << 20


def stored() -> dict[str, JsonObject]:
    """Every history by the name of its file."""
    return {
        path.name: cast(JsonObject, json.loads(path.read_bytes())) for path in sorted(HISTORIES.glob("*.json"))
    }


def files() -> dict[str, bytes]:
    """Every history as its file is written, decided again."""
    return {name: written(replayed(history)) for name, history in stored().items()}


def written(history: JsonObject) -> bytes:
    """The bytes of a file."""
    return (json.dumps(history, indent=2) + "\n").encode()


def replayed(history: JsonObject, chance: Random | None = None) -> JsonObject:
    """Return `history` with what is decided today; with `chance`, from objects whose names are shuffled."""
    return {**history, "acts": [{**_asked(act), **answer} for act, answer in _answers(history, chance)]}


def fingerprint(seed: int | None = None) -> str:
    """A hash over all that is decided here and now."""
    chances = {name: None if seed is None else Random(f"{seed}/{name}") for name in stored()}
    answers = [[answer for _, answer in _answers(each, chances[name])] for name, each in stored().items()]
    return sha256(json.dumps(answers, sort_keys=True).encode()).hexdigest()


def _asked(act: JsonObject) -> JsonObject:
    return {name: value for name, value in act.items() if name not in ("decided", "refused")}


def _answers(history: JsonObject, chance: Random | None) -> Iterator[tuple[JsonObject, JsonObject]]:
    documents = _objects(history["workflows"])
    workflows = {ref_of(document): _compiled(document, chance) for document in documents}
    versions = {ref_of(document): _version(document) for document in documents}
    bodies: dict[str, bytes] = {}
    for written_act in _objects(history["acts"]):
        act = _act(written_act, chance)
        workflow = workflows[str(written_act["workflow"])]
        if written_act.get("child"):
            answer = decide_child(workflow, act, versions)
        else:
            answer = decide(workflow, _state(bodies.get(act.place.stream), chance), act, versions)
        if isinstance(answer, Decision):
            bodies[act.place.stream] = answer.state.to_bytes()
        yield written_act, _answer(answer)


def _answer(answer: Decision | Refused) -> JsonObject:
    if isinstance(answer, Refused):
        return {"refused": {"code": answer.code.value, "pointer": answer.pointer}}
    effects: list[JsonValue] = [document_of(effect) for effect in answer.effects]
    return {"decided": {"state": answer.state.to_bytes().decode(), "effects": canonical(effects).decode()}}


def ref_of(document: JsonObject) -> str:
    """The name under which a workflow of a history is known."""
    return f"{document['path']}@{document['version']}"


def _version(document: JsonObject) -> DefinitionRef:
    digest = sha256(canonical(document)).hexdigest()
    return DefinitionRef(path=str(document["path"]), version=int(str(document["version"])), sha256=digest)


def _compiled(document: JsonObject, chance: Random | None) -> CompiledWorkflow:
    workflow, issues = read_workflow(_read(document, chance))
    assert workflow is not None, issues
    compiled, flaws = compile_workflow(workflow)
    assert not flaws, flaws
    return compiled


def _state(body: bytes | None, chance: Random | None) -> ProcessState | None:
    if body is None:
        return None
    state = parse_state(body)
    assert isinstance(state, ProcessState), state
    return state.model_copy(update={"data": _read(state.data, chance)})


def _act(written_act: JsonObject, chance: Random | None) -> Act:
    input_ = _read(written_act["input"], chance)
    roles = written_act["roles"]
    assert isinstance(input_, dict) and isinstance(roles, list)
    return Act(
        action=str(written_act["action"]),
        actor=str(written_act["actor"]),
        roles=frozenset(map(str, roles)),
        input=input_,
        place=Place.model_validate(written_act["place"]),
        recorded_at=instant_of(str(written_act["recorded_at"])),
    )


def _read(value: JsonValue, chance: Random | None) -> JsonValue:
    """As the engine reads it: from canonical bytes; whatever order the names come in must not matter."""
    read = parse_canonical(canonical(value), limit=_LIMIT)
    assert not isinstance(read, Refused), read
    return _shuffled(read, chance) if chance else read


def _shuffled(value: JsonValue, chance: Random) -> JsonValue:
    if isinstance(value, dict):
        names = chance.sample([*value], len(value))
        return {name: _shuffled(value[name], chance) for name in names}
    return [_shuffled(item, chance) for item in value] if isinstance(value, list) else value


def _objects(value: JsonValue) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


if __name__ == "__main__":
    print(fingerprint(int(sys.argv[1]) if len(sys.argv) > 1 else None))
