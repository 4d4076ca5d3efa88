"""A grammar of the DSL for laws: whole definitions that use every field, and the acts that may come to them.

A sensible definition is nearly always accepted; a silly one holds a few things that nobody should write.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from hypothesis import strategies as st

import dsl_words as words
from builders import ANA, MARIA, ORIGIN, ROBOT, TENANT
from json_values import TEXTS, json_objects, json_values
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.effects import Place
from sealwork.domain.processes.act import Act
from sealwork.domain.workflows.workflow import Workflow
from surviving import INSTANTS, JSON, NOON

Value = TypeVar("Value")
Draw = st.DrawFn

_CHANCES = {"when": 4, "input": 5, "mutate": 2, "schedule": 2, "spawn": 4, "cancel": 2}
"""In how many actions each field stands once."""
STATES = ("s0", "s1", "s2", "s3")
FIELDS = ("n", "list", "who", "due", "text", "done", "deep.inner.a", "deep.other", "b")
ROLES = ("clerk", "boss", "AUTOMATION")
CHILDREN = ("billing/invoice@2", "a@1")
NAMES = ("go", "note", "tick", "robot", "echo", "end")


@dataclass(frozen=True)
class Sketch:
    """What the parts of a definition have to know of the whole."""

    odd: bool
    """Whether something that nobody should write may stand here and there."""
    timed: tuple[str, ...]
    """The actions that a timer may take."""


def definitions(*, odd: bool) -> st.SearchStrategy[JsonObject]:
    """Whole definitions, sensible or silly."""
    return _definitions(odd)


@st.composite
def _definitions(draw: Draw, odd: bool) -> JsonObject:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True))
    roles = {name: draw(_roles()) for name in names}
    sketch = Sketch(odd, tuple(name for name in names if "AUTOMATION" in roles[name]))
    states = STATES[: draw(st.integers(2, 4))]
    actions: JsonObject = {"start": _create(draw, sketch, states[0])}
    if draw(st.integers(0, 4)) == 4:
        actions["restart"] = _create(draw, sketch, draw(st.sampled_from(states)))
    for index, name in enumerate(names):
        actions[name] = _step(draw, sketch, states, index, roles[name])
    document: JsonObject = {"path": "a/workflow", "actions": actions}
    document |= _some(draw, {"title": "A workflow", "version": draw(st.integers(1, 3)), "roles": [*ROLES]})
    if draw(st.integers(0, 2)) == 0:
        document["data"] = _pick(draw, sketch, words.SCHEMAS, words.ODD_SCHEMAS)
    if draw(st.booleans()):
        document["states"] = _states(draw, sketch, actions)
    return document


def _create(draw: Draw, sketch: Sketch, to: str) -> JsonObject:
    rest = _rest(draw, sketch)
    if draw(st.integers(0, 3)):
        rest.pop("when", None)  # or few processes would ever begin
    return {"type": "create", "role": "clerk", "to": to, **rest}


def _step(draw: Draw, sketch: Sketch, states: Sequence[str], index: int, roles: list[str]) -> JsonObject:
    """An action of a process that has begun: most lead on, so that much is reached."""
    at = min(index, len(states) - 1)
    from_ = sorted({states[max(0, at - 1)], *draw(st.lists(st.sampled_from(states[: at + 1]), max_size=2))})
    action: JsonObject = {"role": [*roles], "from": [*from_]}
    if len(from_) == 1 and draw(st.booleans()):
        action["from"] = from_[0]
    if draw(st.integers(0, 3)):
        action["to"] = states[at]
    action |= _some(draw, {"title": "A step", "description": "What it does"})
    action |= _rest(draw, sketch)
    if "AUTOMATION" in roles and draw(st.booleans()):
        action |= _automatic(draw, sketch, leads_on=str(action.get("to", "")) > max(from_))
    if draw(st.integers(0, 5)) == 5:
        action["not_actor"] = draw(st.sampled_from(["who", "deep.other", "n"]))
    return action


def _automatic(draw: Draw, sketch: Sketch, *, leads_on: bool) -> JsonObject:
    """Without a guard that reads what is written, an automatic action that leads nowhere would go on for ever."""
    word = draw(st.sampled_from(["data", "data", "input"]))
    auto = draw(st.sampled_from(["true", "data"])) == "data"
    form: JsonObject = {"auto": {word: _queued(draw, sketch)} if auto else True}
    if leads_on and draw(st.booleans()):
        return form
    guard = draw(st.sampled_from(["data.n < 3", "not (has(data.n)) or data.n < 9"]))
    return {**form, "when": guard, "mutate": {"$inc": {"n": 1}}}


def _rest(draw: Draw, sketch: Sketch) -> JsonObject:
    """The fields that every action may have, each now and then."""
    action: JsonObject = {}
    chance = {name for name, one_in in _CHANCES.items() if draw(st.integers(1, one_in)) == one_in}
    if "when" in chance:
        action["when"] = _pick(draw, sketch, words.WHENS, words.ODD_WHENS)
    if "input" in chance:
        action["input"] = _pick(draw, sketch, words.SCHEMAS, words.ODD_SCHEMAS)
    if "mutate" in chance:
        action["mutate"] = _mutate(draw, sketch)
    if "schedule" in chance and sketch.timed:
        ids = draw(st.lists(st.sampled_from(["t1", "t-2", "t_2", "z"]), min_size=1, max_size=3, unique=True))
        action["schedule"] = [_timer(draw, sketch, id_) for id_ in ids]
    if "spawn" in chance:
        ids = draw(st.lists(st.sampled_from(["c1", "c-2", "c_2"]), min_size=1, max_size=2, unique=True))
        action["spawn"] = [_child(draw, sketch, id_) for id_ in ids]
    if "cancel" in chance and "schedule" in action:
        action["cancel"] = [draw(st.sampled_from([timer["id"] for timer in _objects(action["schedule"])]))]
    return action


def _objects(value: JsonValue) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _mutate(draw: Draw, sketch: Sketch) -> JsonObject:
    """Every field once; mostly by the operator that suits what usually stands there."""
    operators: dict[str, JsonObject] = {"$set": {}, "$append": {}, "$inc": {}}
    unset: list[JsonValue] = []
    for field in draw(st.lists(st.sampled_from(FIELDS), min_size=1, max_size=5, unique=True)):
        usual = {"n": "$inc", "list": "$append"}.get(field, "$set")
        operator = draw(st.sampled_from([usual, usual, usual, "$set", "$append", "$inc", "$unset"]))
        if operator == "$unset":
            unset.append(field)
        elif operator == "$inc":
            operators["$inc"][field] = draw(st.sampled_from(words.AMOUNTS))
        else:
            operators[operator][field] = _usual(draw, sketch, field)
    written: JsonObject = {name: fields for name, fields in operators.items() if fields}
    return {**written, "$unset": unset} if unset else written


def _usual(draw: Draw, sketch: Sketch, field: str) -> JsonValue:
    usual: dict[str, JsonValue] = {
        "who": "event.actor",
        "due": "${event.at}",
        "n": 1,
        "list": [1, 2],
        "text": "1",
    }
    return usual[field] if field in usual and draw(st.booleans()) else _written(draw, sketch)


def _written(draw: Draw, sketch: Sketch) -> JsonValue:
    if draw(st.booleans()):
        return draw(json_values().filter(lambda value: "${" not in repr(value)))
    return _pick(draw, sketch, words.VALUES, words.ODD_VALUES)


def _queued(draw: Draw, sketch: Sketch) -> JsonObject:
    """The data of a row or of a child: the hash of the event may stand in it."""
    names = draw(st.lists(st.sampled_from(["n", "b", "x", "when", "a~/b"]), max_size=3, unique=True))
    values = (*words.VALUES, *words.HASHES, *words.HASHES)
    return {name: _pick(draw, sketch, values, words.ODD_VALUES) for name in names}


def _timer(draw: Draw, sketch: Sketch, id_: str) -> JsonObject:
    action = draw(st.sampled_from(sketch.timed))
    timer: JsonObject = {"id": id_, "action": action, "data": _queued(draw, sketch)}
    match draw(st.sampled_from(["in", "every", "at"])):
        case "in":
            timer["in"] = _pick(draw, sketch, words.DURATIONS, words.ODD_DURATIONS)
        case "every":
            timer["every"] = _pick(draw, sketch, words.DURATIONS, words.ODD_DURATIONS)
            until = _at(draw, sketch)
            timer |= _some(draw, {"until": until, "count": draw(st.sampled_from([1, 12, 10_000]))})
        case _:
            timer["at"] = _at(draw, sketch)
    return timer | _some(draw, {"misfire": draw(st.sampled_from(["fire_once", "skip"])), "adjust": "none"})


def _at(draw: Draw, sketch: Sketch) -> JsonValue:
    return _pick(draw, sketch, words.ATS, words.ODD_ATS) if draw(st.booleans()) else words.ATS[0]


def _child(draw: Draw, sketch: Sketch, id_: str) -> JsonObject:
    workflow = _pick(draw, sketch, CHILDREN, ("a", "a@0"))
    return {"workflow": workflow, "action": "start", "id": id_, "data": _queued(draw, sketch)}


def _states(draw: Draw, sketch: Sketch, actions: JsonObject) -> JsonObject:
    """Every state that is named, those that nothing leaves sometimes terminal."""
    steps = [action for action in actions.values() if isinstance(action, dict)]
    left = {str(state) for step in steps for state in _listed(step.get("from"))}
    named = left | {str(step["to"]) for step in steps if "to" in step}
    states: JsonObject = {}
    for name in sorted(named):
        ends = name not in left and draw(st.booleans())
        states[name] = {"terminal": True} if ends else _some(draw, {"description": "a state"})
    return {**states, "s9": {}} if sketch.odd and draw(st.integers(0, 9)) == 9 else states


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _roles() -> st.SearchStrategy[list[str]]:
    return st.sampled_from([["clerk"], ["AUTOMATION"], ["clerk", "AUTOMATION"], ["boss", "AUTOMATION"], ["boss"]])


def _some(draw: Draw, members: JsonObject) -> JsonObject:
    kept = draw(st.lists(st.sampled_from([*members]), max_size=len(members), unique=True))
    return {name: members[name] for name in kept}


def _pick(draw: Draw, sketch: Sketch, good: Sequence[Value], odd: Sequence[Value]) -> Value:
    if sketch.odd and draw(st.integers(0, 11)) == 11:
        return draw(st.sampled_from(odd))
    return draw(st.sampled_from(good))


# What comes to them


def instants() -> st.SearchStrategy[datetime]:
    """Every instant that a record can have, ordinary ones among them."""
    ordinary = st.timedeltas(timedelta(0), timedelta(days=400)).map(lambda later: NOON + later)
    whole_time = st.datetimes(
        datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999_999), timezones=st.just(UTC)
    )
    return ordinary | ordinary | st.sampled_from(INSTANTS) | whole_time


def inputs() -> st.SearchStrategy[JsonObject]:
    """Every input that intake lets through, those that definitions ask for among them."""
    usual: st.SearchStrategy[JsonObject] = st.fixed_dictionaries(
        {},
        optional={
            "n": st.sampled_from([0, 1, 2, 2.5, "1", None]),
            "b": st.booleans(),
            "x": json_values(),
            "when": st.sampled_from(["2026-07-01T10:00:00Z", "9999-12-31T23:59:59Z", "soon", 5]),
        },
    )
    return usual | usual | st.sampled_from(JSON) | json_objects()


def data() -> st.SearchStrategy[JsonObject]:
    """Every data that a state may have, such as definitions write among them."""
    usual: st.SearchStrategy[JsonObject] = st.fixed_dictionaries(
        {},
        optional={
            "n": st.sampled_from([0, 1, 2, 2.5, "1", None, 2**53 - 1]),
            "list": st.lists(json_values(), max_size=3),
            "who": st.sampled_from([MARIA.actor, ANA.actor, "maria", None, 1]),
            "due": st.sampled_from(["2026-07-01T10:00:00Z", "0001-01-01T00:00:00Z", "", None]),
            "text": TEXTS,
            "deep": json_values(),
            "done": st.booleans(),
        },
    )
    return usual | usual | st.sampled_from(JSON) | json_objects()


@st.composite
def acts(draw: Draw, workflow: Workflow, state: str | None, seq: int = 3) -> Act:
    """Any act; most are such as `workflow` lets somebody take in `state`."""
    known = [*workflow.actions]
    apt = [name for name, each in workflow.actions.items() if (state in each.from_states or state is None)]
    begins = [name for name in known if workflow.actions[name].kind == "create"]
    free = (begins if state is None else apt) or known
    name = draw(st.sampled_from(free if draw(st.integers(0, 9)) else [*known, "nothing", ""]))
    able = workflow.actions[name].roles if name in workflow.actions else ()
    roles = able if draw(st.integers(0, 9)) else draw(st.sampled_from([ROLES, ("clerk",), ()]))
    return Act(
        action=name,
        actor=draw(st.sampled_from([MARIA.actor, ANA.actor, ROBOT.actor])),
        roles=frozenset(roles),
        input=draw(inputs()),
        place=Place(origin=ORIGIN, tenant=TENANT, stream="process/p-1", seq=seq),
        recorded_at=draw(instants()),
    )


def at_seq(act: Act, seq: int) -> Act:
    """The act at another place of its chain."""
    return replace(act, place=act.place.model_copy(update={"seq": seq}))
