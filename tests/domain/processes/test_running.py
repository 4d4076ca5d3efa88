"""A workflow executed from act to act: four eyes, and what automation is asked for, and asked again."""

from __future__ import annotations

from builders import ANA, MARIA
from process_runs import Run, a_begun_run
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.effects import Auto, Effect
from sealwork.domain.refusals import RefusalCode
from workflow_documents import SCREEN, START, SUBMIT


def begun(actions: JsonObject, **submit: JsonValue) -> Run:
    """A process of start, submit and `actions`, in draft."""
    return a_begun_run({"path": "a", "actions": {"start": START, "submit": {**SUBMIT, **submit}, **actions}})


def autos(effects: tuple[Effect, ...]) -> list[str]:
    return [effect.action for effect in effects if isinstance(effect, Auto)]


def test_who_handed_in_does_not_approve() -> None:
    approve: JsonObject = {"role": "clerk", "from": "ready", "to": "done", "not_actor": "by"}
    run = begun({"approve": approve}, mutate={"$set": {"by": "event.actor"}})
    run.takes("submit", by=MARIA.actor)

    assert run.refused("approve", by=MARIA.actor).code is RefusalCode.SAME_ACTOR
    run.takes("approve", by=ANA.actor)
    assert run.stands[0] == "done"


def test_an_automatic_action_is_asked_for_after_every_event_that_leaves_its_state() -> None:
    note: JsonObject = {"role": "clerk", "from": "ready", "mutate": {"$inc": {"n": 1}}}
    run = begun({"note": note, "screen": {**SCREEN, "when": "data.n = 2"}})

    effects = [autos(run.takes(action)) for action in ("submit", "note", "note", "note")]

    assert effects == [[], [], ["screen"], []]


def test_what_was_queued_is_asked_again_when_it_fires() -> None:
    """Each rule in turn is broken between the event that queued and the machine that fires."""
    screen: JsonObject = {
        **SCREEN,
        "input": {"required": ["why"]},
        "auto": {"data": {"why": "x"}},
        "when": "data.open",
        "not_actor": "by",
    }
    close: JsonObject = {"role": "clerk", "from": "ready", "mutate": {"$set": {"open": False}}}
    leave: JsonObject = {"role": "clerk", "from": "ready", "to": "left"}
    opened: JsonObject = {"$set": {"open": True, "by": "event.actor"}}

    def queued() -> Run:
        run = begun({"screen": screen, "close": close, "leave": leave}, mutate=opened)
        assert autos(run.takes("submit")) == ["screen"]
        return run

    def answer(run: Run, role: str = "AUTOMATION", by: str = ANA.actor, **input_: JsonValue) -> RefusalCode:
        return run.refused("screen", role=role, input_=input_, by=by).code

    assert answer(queued(), role="clerk", why="x") is RefusalCode.WRONG_ROLE
    assert answer(queued()) is RefusalCode.INVALID_INPUT
    assert answer(queued(), by=MARIA.actor, why="x") is RefusalCode.SAME_ACTOR
    closed, left = queued(), queued()
    closed.takes("close")
    left.takes("leave")
    assert answer(closed, why="x") is RefusalCode.GUARD
    assert answer(left, why="x") is RefusalCode.WRONG_STATE


def test_data_that_could_not_be_signed_any_more_refuses() -> None:
    """Each value alone could be; written so deep inside the data it is nested too deeply."""
    deep: JsonValue = "x"
    for _ in range(26):
        deep = [deep]

    refusal = begun({}, mutate={"$set": {"a.b.c.d.e.f.g.h": deep}}).refused("submit")

    assert refusal.code is RefusalCode.INVALID_RESULT
    assert refusal.detail == "nested deeper than 32"
    assert refusal.pointer is not None and refusal.pointer.startswith("/data/a/b/c/d/e/f/g/h/0")
