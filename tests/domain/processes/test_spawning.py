"""Children that an action begins: what they are told, and what refuses the event that would begin them."""

from __future__ import annotations

from process_runs import Run, a_run
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.effects import Auto, Spawn
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.refusals import RefusalCode
from workflow_documents import SCREEN, START, SUBMIT

CHILD = DefinitionRef(path="b", version=1, sha256="0" * 64)


def spawning(data: JsonObject, versions: dict[str, DefinitionRef]) -> Run:
    """A process about to take `submit`, which begins a child with `data`."""
    child: JsonObject = {"workflow": "b@1", "action": "start", "id": "c", "data": data}
    actions: JsonObject = {"start": START, "submit": {**SUBMIT, "spawn": [child]}, "screen": SCREEN}
    run = a_run({"path": "a", "actions": actions}, versions)
    run.takes("start")
    return run


def test_a_child_whose_data_is_missing_cannot_begin_and_the_event_is_refused() -> None:
    """The design prints a failed row; a child has no row that could be born failed, so nothing happens at all."""
    refusal = spawning({"m": "${data.missing}"}, {"b@1": CHILD}).refused("submit")

    assert refusal.code is RefusalCode.INVALID_INPUT
    assert refusal.detail == "the child 'c' cannot begin: invalid_input: data/m: data.missing is missing"


def test_a_child_of_a_version_that_was_withdrawn_cannot_begin_and_the_event_is_refused() -> None:
    refusal = spawning({}, {}).refused("submit")

    assert refusal.code is RefusalCode.DEFINITION_WITHDRAWN
    assert refusal.detail == "the child 'c' cannot begin: b@1 is not published, or withdrawn"


def test_a_child_begins_with_data_from_its_parent() -> None:
    child, queued = spawning({"case": "${process.id}", "by": "event.hash"}, {"b@1": CHILD}).takes("submit")

    assert isinstance(child, Spawn) and isinstance(queued, Auto)
    assert (child.id, child.definition, child.action) == ("c", CHILD, "start")
    assert (child.data, child.hash_at) == ({"case": "p-1", "by": None}, ("/by",))
