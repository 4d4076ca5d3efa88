"""Automatic actions: which are available after an event, and what they are queued with."""

from __future__ import annotations

import pytest

from acts import PLACE, an_act, decided
from builders import MARIA
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.effects import Auto, derived_id
from sealwork.domain.processes.process import ProcessState
from sealwork.domain.workflows.compiled import CompiledWorkflow
from workflow_documents import compiled, the_workflow

DRAFT = ProcessState(state="draft", data={"n": 1})


def with_automation(submit: JsonObject | None = None, **screen: JsonValue) -> CompiledWorkflow:
    actions: JsonObject = {
        "start": {"type": "create", "role": "clerk", "to": "draft"},
        "submit": {"role": "clerk", "from": "draft", "to": "ready", **(submit or {})},
        "screen": {"role": ["AUTOMATION", "clerk"], "auto": True, "from": "ready", "to": "done", **screen},
    }
    return compiled(the_workflow({"path": "a", "actions": actions}))


def queued(workflow: CompiledWorkflow, input_: JsonObject | None = None) -> list[Auto]:
    effects = decided(workflow, DRAFT, an_act("submit", input_=input_)).effects
    return [effect for effect in effects if isinstance(effect, Auto)]


def test_true_queues_without_input() -> None:
    assert queued(with_automation()) == [Auto(work=str(derived_id(PLACE, 0)), action="screen", data={})]


@pytest.mark.parametrize(
    ("when", "is_queued"),
    [
        ("state = 'ready'", True),
        ("data.n = 2", True),
        ("data.n = 1", False),
        ("data.missing = 1", False),
        ("'AUTOMATION' in actor.roles", True),
        ("'clerk' in actor.roles", False),
        ("input.n = 7", False),
        ("event.at > timestamp('2026-01-01T00:00:00Z')", True),
    ],
)
def test_the_guard_is_asked_as_the_machine_will_be_after_the_event(when: str, is_queued: bool) -> None:
    """The state and data after the event, the machine's role, and the input it will have: not the clerk's."""
    workflow = with_automation({"mutate": {"$inc": {"n": 1}}}, when=when)

    assert bool(queued(workflow, {"n": 7})) is is_queued


@pytest.mark.parametrize(("when", "is_queued"), [("input.n > 5", True), ("input.n > 7", False)])
def test_the_guard_sees_the_input_that_it_is_queued_with(when: str, is_queued: bool) -> None:
    workflow = with_automation(auto={"data": {"n": "${input.n}"}}, when=when)

    assert bool(queued(workflow, {"n": 7})) is is_queued


def test_data_is_resolved_from_the_event_that_makes_it_available() -> None:
    data: JsonObject = {
        "reason": "state-entry",
        "source_event": "event.hash",
        "by": "event.actor",
        "n": "${data.n}",
        "because": "${event.action} in ${state}",
    }

    (effect,) = queued(with_automation({"mutate": {"$inc": {"n": 1}}}, auto={"data": data}))

    assert effect.data == {
        "reason": "state-entry",
        "source_event": None,
        "by": MARIA.actor,
        "n": 2,
        "because": "submit in ready",
    }
    assert effect.hash_at == ("/source_event",)


def test_data_that_cannot_be_made_is_a_row_that_is_born_failed() -> None:
    (effect,) = queued(with_automation(auto={"data": {"a": ["${data.missing}"]}}))

    assert (effect.data, effect.failed) == ({}, "invalid_input: data/a/0: data.missing is missing")


def test_data_that_the_action_does_not_take_is_a_row_that_is_born_failed() -> None:
    schema: JsonObject = {"properties": {"n": {"type": "integer", "minimum": 5}}}

    (effect,) = queued(with_automation(auto={"data": {"n": "${data.n}"}}, input=schema))

    assert effect.failed is not None
    assert effect.failed.startswith("invalid_input: data/n: ")


def test_nothing_is_queued_where_the_guard_does_not_pass_whatever_becomes_of_the_data() -> None:
    assert queued(with_automation(auto={"data": {"n": "${data.missing}"}}, when="data.n > 5")) == []


@pytest.mark.parametrize(
    ("written", "is_queued"), [({"by": "event.actor"}, True), ({"by": 7}, False), ({}, False)]
)
def test_an_action_that_bars_an_actor_waits_until_one_is_named(written: JsonObject, is_queued: bool) -> None:
    workflow = with_automation({"mutate": {"$set": written}}, not_actor="by")

    assert bool(queued(workflow)) is is_queued


def test_several_actions_lead_to_one_automation_without_naming_it() -> None:
    """S1-138."""
    workflow = with_automation()
    other = compiled(
        the_workflow(
            {
                "path": "a",
                "actions": {
                    "start": {"type": "create", "role": "clerk", "to": "ready"},
                    "screen": {"role": "AUTOMATION", "auto": True, "from": "ready", "to": "done"},
                },
            }
        )
    )

    begun = decided(other, None, an_act("start")).effects
    assert [effect.action for effect in begun if isinstance(effect, Auto)] == ["screen"]
    assert [effect.action for effect in queued(workflow)] == ["screen"]
