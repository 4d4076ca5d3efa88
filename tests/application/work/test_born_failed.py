"""Work that could never be done: its event stands, and a row says why it will not be tried (ADR 0014).

Source: language.md, "Templates"; X-24.
"""

from __future__ import annotations

from open_box import OpenBox, an_empty_box
from sealing import TENANT
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.effects import Auto, Schedule
from sealwork.domain.ledger.record import Record
from sealwork.domain.work.work_row import WorkStatus

NUMBER: JsonObject = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}


def a_box(**actions: JsonValue) -> OpenBox:
    """Maria may `note` a number n in c-1 as often as she likes; `actions` are added."""
    box = an_empty_box()
    box.bootstrap()
    box.admit("maria", KeyClass.PERSON, "intake")
    box.published(
        {
            "path": "case",
            "states": {"open": {}, "done": {"terminal": True}},
            "actions": {
                "start": {"type": "create", "role": "intake", "to": "open"},
                "note": {"role": "intake", "from": "open", "mutate": {"$set": {"n": "${input.n}"}}},
                "tell": {"role": "AUTOMATION", "from": "open", "input": NUMBER},
                "stop": {"role": "intake", "from": "open", "to": "done"},
                **actions,
            },
        }
    )
    box.begin("c-1", path="case")
    return box


def noting(**timer: JsonValue) -> JsonObject:
    """`note`, which also starts a timer to `tell`."""
    waits: JsonObject = {"id": "t", "action": "tell", "in": "1h", "data": {"n": "${input.n}"}, **timer}
    return {"role": "intake", "from": "open", "mutate": {"$set": {"n": "${input.n}"}}, "schedule": [waits]}


def by_itself(data: JsonObject) -> JsonObject:
    """`tell`, which follows by itself."""
    return {"role": "AUTOMATION", "from": "open", "to": "done", "input": NUMBER, "auto": {"data": data}}


def last(box: OpenBox) -> Record:
    """What was countersigned last."""
    record = box.events("process/c-1")[-1].read_record
    assert isinstance(record, Record)
    return record


def test_an_automatic_action_whose_data_cannot_be_resolved_is_born_failed() -> None:
    box = a_box(tell=by_itself({"n": "${data.n}"}))

    (row,) = box.rows("c-1")

    assert (row.status, row.data) == (WorkStatus.FAILED, {})
    assert str(row.last_error).startswith("invalid_input: data/n: ")
    assert [effect.failed for effect in last(box).effects if isinstance(effect, Auto)] == [row.last_error]
    assert (box.fire_due(), len(box.events("process/c-1"))) == ([], 1)
    assert box.verify().intact


def test_an_automatic_action_that_does_not_take_its_data_is_born_failed_until_it_does() -> None:
    box = a_box(tell=by_itself({"n": "${data.n}"}))
    box.take("c-1", "note", "maria", {"n": "many"})
    box.take("c-1", "note", "maria", {"n": 3})

    statuses = [row.status for row in box.rows("c-1")]

    assert sorted(statuses) == [WorkStatus.FAILED, WorkStatus.FAILED, WorkStatus.PENDING]


def test_a_timer_that_could_never_fire_replaces_the_one_that_waits() -> None:
    box = a_box(note=noting())
    box.take("c-1", "note", "maria", {"n": 1})

    box.take("c-1", "note", "maria", {"n": "many"})

    by_status = {row.status: row for row in box.rows("c-1")}
    assert set(by_status) == {WorkStatus.CANCELLED, WorkStatus.FAILED}
    assert str(by_status[WorkStatus.FAILED].last_error).startswith("invalid_input: data/n: ")
    assert [effect.failed is None for effect in last(box).effects if isinstance(effect, Schedule)] == [False]
    assert box.store.next_due([TENANT]) is None
