"""The largest workflow that can be published, and an act that uses all of it.

Two hundred actions; one of them writes two hundred fields and starts fifty timers, and leaves a state in which one
hundred and ninety-nine automatic actions ask their guards.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.effects import Place
from sealwork.domain.processes.act import Act
from sealwork.domain.processes.process import ProcessState
from sealwork.domain.workflows.compiled import CompiledWorkflow, compile_workflow
from sealwork.domain.workflows.workflow import Workflow, read_workflow

PATH = "bench/largest"
ROLE = "clerk"
ACT = "review"
AUTOMATIC = 199
"""Of the 200 actions all but the one that creates; `review` is one of them."""
TIMERS = 50
WRITTEN = 200
FIELDS = 100
INPUT: JsonObject = {"amount": 120, "reason": "quarterly review", "reviewed_by": "ana", "urgent": False}
AT = datetime(2026, 6, 18, 10, 0, tzinfo=UTC)

_INPUT_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "amount": {"type": "integer", "minimum": 0},
        "reason": {"type": "string", "maxLength": 200},
        "reviewed_by": {"type": "string", "pattern": "^[a-z]+$"},
        "urgent": {"type": "boolean"},
    },
    "required": ["reason"],
    "additionalProperties": False,
}


def process_data(fields: int = FIELDS) -> JsonObject:
    """Return the data of a process: numbers, texts, instants, switches and lists in turn."""
    return {f"field_{number:03d}": _value(number) for number in range(fields)}


def guard_source(number: int, *, holds: bool = True) -> str:
    """Return a guard of the usual length over `process_data`; `number` tells one from another."""
    amount, name, state = number % 10 * 5, number % 10 * 5 + 1, "open" if holds else "closed"
    conditions = (f"data.field_{amount:03d} >= {number % 7}", f"data.field_{name:03d} != 'closed {number}'")
    return f"{' and '.join(conditions)} and (state = '{state}' or 'AUDITOR' in actor.roles)"


def largest_document(automatic: int = AUTOMATIC, *, holding: int = AUTOMATIC) -> JsonObject:
    """Return the document with so many automatic actions, of which `holding` find their guards true."""
    others: JsonObject = {
        f"follow_{number:03d}": _automatic(number, holds=number < holding - 1) for number in range(automatic - 1)
    }
    return {
        "path": PATH,
        "states": {"open": {}, "closed": {"terminal": True}},
        "data": {
            "type": "object",
            "properties": {f"field_{number:03d}": _schema(number) for number in range(WRITTEN)},
            "additionalProperties": False,
        },
        "actions": {"start": _start(), ACT: _review(), **others},
    }


def compiled(document: JsonObject) -> CompiledWorkflow:
    """Return the workflow of a document that is without an error."""
    workflow, issues = compile_workflow(_read(document))
    assert not issues, issues
    return workflow


def an_act() -> Act:
    """Return the act that uses all of the workflow."""
    return Act(
        action=ACT,
        actor="ab" * 32,
        roles=frozenset({ROLE}),
        input=INPUT,
        place=Place(origin="bench.example/log", tenant="acme", stream="process/largest-1", seq=7),
        recorded_at=AT,
    )


def a_state(fields: int = FIELDS) -> ProcessState:
    """Return the state in which the act finds its process."""
    return ProcessState(state="open", data=process_data(fields))


def _read(document: JsonObject) -> Workflow:
    workflow, issues = read_workflow(document)
    assert workflow is not None, issues
    return workflow


def _start() -> JsonObject:
    return {"type": "create", "role": ROLE, "to": "open", "mutate": {"$set": process_data()}}


def _review() -> JsonObject:
    return {
        "role": [ROLE, "AUTOMATION"],
        "auto": {"data": {"reason": "again"}},
        "from": "open",
        "when": guard_source(AUTOMATIC),
        "input": _INPUT_SCHEMA,
        "mutate": {"$set": {f"field_{number:03d}": _written(number) for number in range(WRITTEN)}},
        "schedule": [_timer(number) for number in range(TIMERS)],
    }


def _automatic(number: int, *, holds: bool) -> JsonObject:
    """Every second one takes no input; the others take what the data says, and the hash of the event."""
    data: JsonObject = {"reason": "event.hash", "amount": "${data.field_000}"}
    return {
        "role": "AUTOMATION",
        "auto": True if number % 2 else {"data": data},
        "from": "open",
        "to": "closed",
        "when": guard_source(number, holds=holds),
        **({} if number % 2 else {"input": _INPUT_SCHEMA}),
    }


def _timer(number: int) -> JsonObject:
    data: JsonObject = {"reason": "Overdue: ${data.field_001}", "amount": "${data.field_005}"}
    return {"id": f"reminder-{number:02d}", "action": "follow_000", "in": f"{number + 1}h", "data": data}


def _value(number: int) -> JsonValue:
    kinds: tuple[JsonValue, ...] = (
        1_000 + number,
        f"a text of the usual length, number {number}",
        "2026-06-18T10:00:00.000000Z",
        number % 2 == 0,
        ["one", "two", {"nested": number}],
    )
    return kinds[number % 5]


def _schema(number: int) -> JsonObject:
    kinds: tuple[JsonObject, ...] = (
        {"type": "integer"},
        {"type": "string", "maxLength": 500},
        {"type": "string", "format": "date-time"},
        {"type": "boolean"},
        {"type": "array", "maxItems": 50},
    )
    return kinds[number % 5]


def _written(number: int) -> JsonValue:
    """Return a template for a field: computed from itself or the input where the kind allows it."""
    known = f"data.field_{number % FIELDS:03d}"
    kinds: tuple[JsonValue, ...] = (
        f"${{{known} + input.amount}}",
        f"${{input.reason}}, by ${{input.reviewed_by}}, number {number}",
        "event.at",
        f"${{!{known}}}",
        f"${{{known}}}",
    )
    return kinds[number % 5]
