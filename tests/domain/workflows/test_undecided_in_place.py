"""What happens where a template has no value: the event is refused, or it stands and its row is born failed."""

from __future__ import annotations

import pytest

from process_runs import Run, a_begun_run, a_run
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.effects import Auto, Schedule, Spawn
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.refusals import RefusalCode
from workflow_documents import SCREEN, START, SUBMIT, a_timer

MISSING = "${data.missing}"
CHILD = DefinitionRef(path="b", version=1, sha256="0" * 64)


def a_document(screen: JsonObject | None = None, **submit: JsonValue) -> JsonObject:
    actions: JsonObject = {"start": START, "submit": {**SUBMIT, **submit}, "screen": {**SCREEN, **(screen or {})}}
    return {"path": "a", "actions": actions}


def begun(screen: JsonObject | None = None, **submit: JsonValue) -> Run:
    return a_begun_run(a_document(screen, **submit))


def spawning(data: JsonObject, versions: dict[str, DefinitionRef]) -> Run:
    child: JsonObject = {"workflow": "b@1", "action": "start", "id": "c", "data": data}
    run = a_run(a_document(spawn=[child]), versions)
    run.takes("start")
    return run


@pytest.mark.parametrize(
    "mutate", [{"$set": {"m": MISSING}}, {"$append": {"m": MISSING}}, {"$inc": {"m": MISSING}}]
)
def test_an_event_that_would_write_what_is_missing_is_refused(mutate: JsonObject) -> None:
    refusal = begun(mutate=mutate).refused("submit")

    assert (refusal.code, refusal.pointer) == (RefusalCode.INVALID_INPUT, "/input")
    assert refusal.detail == "m cannot be written: data.missing is missing"


@pytest.mark.parametrize("fields", [{"at": MISSING}, {"every": "1d", "until": MISSING}])
def test_an_event_whose_timer_would_have_no_instant_is_refused(fields: JsonObject) -> None:
    refusal = begun(schedule=[a_timer(**fields)]).refused("submit")

    assert refusal.code is RefusalCode.INVALID_INPUT
    assert "the timer 'sla' cannot start" in refusal.detail and "data.missing is missing" in refusal.detail


def test_a_timer_whose_data_is_missing_is_born_failed_and_its_event_stands() -> None:
    (timer, _) = begun(schedule=[a_timer(in_="1h", data={"m": MISSING})]).takes("submit")

    assert isinstance(timer, Schedule)
    assert (timer.data, timer.failed) == ({}, "invalid_input: data/m: data.missing is missing")


def test_an_automatic_action_whose_data_is_missing_is_born_failed_and_its_event_stands() -> None:
    (queued,) = begun({"auto": {"data": {"m": MISSING}}}).takes("submit")

    assert isinstance(queued, Auto)
    assert (queued.data, queued.failed) == ({}, "invalid_input: data/m: data.missing is missing")


def test_data_that_its_action_does_not_take_is_born_failed() -> None:
    takes_text: JsonObject = {"properties": {"m": {"type": "string"}}}
    run = begun({"auto": {"data": {"m": "${1 + 1}"}}, "input": takes_text}, mutate={"$set": {"n": 1}})

    (queued,) = run.takes("submit")

    assert isinstance(queued, Auto)
    assert queued.failed == 'invalid_input: data/m: the value is not of type "string"'


def test_a_child_whose_data_is_missing_cannot_begin_and_the_event_is_refused() -> None:
    """The design prints a failed row; a child has no row that could be born failed, so nothing happens at all."""
    refusal = spawning({"m": MISSING}, {"b@1": CHILD}).refused("submit")

    assert refusal.code is RefusalCode.INVALID_INPUT
    assert refusal.detail == "the child 'c' cannot begin: invalid_input: data/m: data.missing is missing"


def test_a_child_of_a_version_that_was_withdrawn_cannot_begin_and_the_event_is_refused() -> None:
    refusal = spawning({}, {}).refused("submit")

    assert refusal.code is RefusalCode.DEFINITION_MISMATCH
    assert refusal.detail == "the child 'c' cannot begin: b@1 is not published, or withdrawn"


def test_a_child_begins_with_data_from_its_parent() -> None:
    child, _ = spawning({"case": "${process.id}", "by": "event.hash"}, {"b@1": CHILD}).takes("submit")

    assert isinstance(child, Spawn)
    assert (child.id, child.definition, child.action) == ("c", CHILD, "start")
    assert (child.data, child.hash_at) == ({"case": "p-1", "by": None}, ("/by",))


def test_what_may_be_missing_is_written_with_has() -> None:
    run = begun(mutate={"$set": {"m": "${has(data.missing) ? data.missing : null}"}})
    run.takes("submit")

    assert run.stands == ("ready", {"m": None})
