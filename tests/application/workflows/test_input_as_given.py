"""What an action takes is what it was given: schemas, guards and templates do not see why a worker acts.

Source: S1-044, S1-112; ADR 0014.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from families import data_of
from open_box import OpenBox, an_empty_box
from sealing import TENANT
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.refusals import RefusalCode, Refused

CLOSED: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "required": ["why"],
    "properties": {"why": {"type": "string"}},
}
WHY: JsonObject = {"why": "it was time"}


def a_box(by: str, data: JsonObject, **remind: JsonValue) -> OpenBox:
    """Maria has begun c-1, and the machine will be told to `remind` with `data`, by a timer or at once."""
    timer: JsonObject = {"id": "t", "action": "remind", "in": "1h", "data": data}
    box = an_empty_box()
    box.bootstrap()
    box.admit("maria", KeyClass.PERSON, "intake")
    box.published(
        {
            "path": "case",
            "states": {"open": {}, "told": {"terminal": True}},
            "actions": {
                "start": {
                    "type": "create",
                    "role": "intake",
                    "to": "open",
                    "schedule": [timer] if by == "timer" else [],
                },
                "remind": {
                    "role": ["AUTOMATION", "intake"],
                    "from": "open",
                    "to": "told",
                    "auto": False if by == "timer" else {"data": data},
                    "mutate": {"$set": {"given": "${input}"}},
                    **remind,
                },
            },
        }
    )
    box.begin("c-1", path="case")
    box.wait(timedelta(hours=2))
    return box


def test_null_and_absent_are_told_apart_from_the_input_to_the_data() -> None:
    # ledger case 17
    box, given = a_box("timer", WHY), []
    inputs: dict[str, JsonObject] = {"c-2": {"why": None}, "c-3": {}}
    for process, input_ in inputs.items():
        box.begin(process, path="case")
        box.take(process, "remind", "maria", input_)
        given.append(data_of(box, process)["given"])

    assert given == [{"why": None}, {}]
    assert [b'"input":{"why":null}' in (box.events(f"process/{c}")[1].intent or b"") for c in ("c-2", "c-3")] == [
        True,
        False,
    ]
    assert box.verify().intact


EITHER = pytest.mark.parametrize("by", ["timer", "auto"])


@EITHER
def test_a_closed_schema_lets_through_what_the_machine_fires(by: str) -> None:
    box = a_box(by, WHY, input=CLOSED)

    (fired,) = box.fire_due()

    assert fired.became in ("completed", "exhausted")
    assert data_of(box, "c-1") == {"given": WHY}


@EITHER
def test_a_closed_schema_stays_closed_to_people(by: str) -> None:
    box = a_box(by, WHY, input=CLOSED)

    more: list[JsonObject] = [{"more": 1}, {"meta": {}}, {"meta": {"automation": {}}}]

    answers = [box.act(TENANT, "c-1", "remind", box.key("maria"), input_={**WHY, **members}) for members in more]

    codes = [answer.code for answer in answers if isinstance(answer, Refused)]
    assert codes == [RefusalCode.INVALID_INPUT, RefusalCode.INVALID_INPUT, RefusalCode.RESERVED_INPUT]


@EITHER
@pytest.mark.parametrize(
    ("data", "when"),
    [
        ({"n": 1}, "input.n == 1 and not (has(input.meta))"),
        ({"meta": {"n": 1}}, "input.meta.n == 1 and not (has(input.meta.automation))"),
        ({"meta": {"n": 1}}, "size(input.meta) == 1"),
        ({"meta": {}}, "not (has(input.meta))"),
        ({}, "size(input) == 0"),
        ({"of": "process.id"}, "input.of == process.id and size(input) == 1"),
    ],
)
def test_a_guard_sees_the_same_when_it_is_queued_and_when_it_is_fired(
    by: str, data: JsonObject, when: str
) -> None:
    box = a_box(by, data, when=when)

    became = [fired.became for fired in box.fire_due()]

    assert became == ["exhausted" if by == "timer" else "completed"]


@EITHER
def test_what_is_signed_still_says_why(by: str) -> None:
    box = a_box(by, {"meta": {"n": 1}})
    box.fire_due()

    intent = box.events("process/c-1")[-1].read_intent

    assert isinstance(intent, Intent)
    meta = intent.input["meta"]
    assert isinstance(meta, dict)
    assert set(meta) == {"n", "automation"}
    assert data_of(box, "c-1") == {"given": {"meta": {"n": 1}}}
