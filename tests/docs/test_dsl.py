"""docs/reference/dsl.md: every example on the page runs, and every word of the language is on it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache

import pytest
from pydantic import BaseModel

from acts import an_act
from builders import MARIA
from docs.documents import ROOT, code_words, reference
from process_runs import a_begun_run, a_run
from sealwork.domain.expressions import names
from sealwork.domain.expressions.effort import MAX_LOOP_CHARACTERS, MAX_LOOP_ENTRIES
from sealwork.domain.expressions.guards import (
    Facts,
    Guard,
    compile_guard,
)
from sealwork.domain.expressions.scopes import guard_scope, template_scope
from sealwork.domain.expressions.spelling import MAX_CHARACTERS
from sealwork.domain.expressions.templates import Template, compile_template
from sealwork.domain.expressions.verdicts import Failed, Passed, Undecided
from sealwork.domain.instants import timestamp_of
from sealwork.domain.issues import MAX_ISSUES
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import MAX_DEPTH, MAX_DOCUMENT_BYTES, MAX_RECORD_BYTES
from sealwork.domain.ledger.effects import Schedule as Scheduled
from sealwork.domain.ledger.effects import with_hash
from sealwork.domain.processes.process import decide
from sealwork.domain.refusals import Refused
from sealwork.domain.work.work_row import MAX_CASCADE_DEPTH, MAX_FAMILY
from sealwork.domain.workflows import json_schema
from sealwork.domain.workflows.definition import issues_of
from sealwork.domain.workflows.json_schema import JsonSchema, compile_schema
from sealwork.domain.workflows.workflow import Action, Auto, Mutate, Schedule, Spawn, State, Workflow

PAGE = reference("dsl")
STATES = ("draft", "requested")
ACTION: JsonObject = {"role": "clerk", "from": "draft", "to": "requested"}
AROUND: JsonObject = {
    "start": {"type": "create", "role": "clerk", "to": "draft"},
    "request": ACTION,
    "remind": {"role": "AUTOMATION", "from": ["draft", "requested"]},
}
VERDICTS = {Passed: "passes", Failed: "fails", Undecided: "undecided"}
_FENCED = re.compile(r"^```json (\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"\b(?:WF|EXPR|TPL|SCHEMA)_[A-Z_]+\b")


def blocks(kind: str) -> list[str]:
    """The fenced examples of one kind, in their order."""
    return [text for word, text in _FENCED.findall(PAGE) if word == kind]


def an_object(text: str) -> JsonObject:
    value = json.loads(text)
    assert isinstance(value, dict)
    return value


def rows(*heading: str) -> list[tuple[str, ...]]:
    """The cells of every row below a heading, without backquotes."""
    begin = f"| {' | '.join(heading)} |\n|{'---|' * len(heading)}\n"
    tables = [table.partition("\n\n")[0] for table in PAGE.split(begin)[1:]]
    assert tables, heading
    lines = [line for table in tables for line in table.splitlines()]
    return [tuple(cell.strip().strip("`") for cell in line.strip("|").split(" | ")) for line in lines]


@cache
def facts() -> Facts:
    known = an_object(blocks("facts")[0])
    data, input_, roles = known["data"], known["input"], known["roles"]
    assert isinstance(data, dict) and isinstance(input_, dict) and isinstance(roles, list)
    return Facts(
        state=str(known["state"]),
        data=data,
        input=input_,
        roles=frozenset(map(str, roles)),
        at=timestamp_of(str(known["at"])),
        process_id=str(known["process"]),
        action="approve",
        actor=MARIA.actor,
    )


def in_a_small_workflow(actions: Mapping[str, JsonValue]) -> JsonObject:
    return {"path": "a", "actions": {**AROUND, **actions}}


def codes_of(document: JsonObject, level: str = "error") -> list[str]:
    return [issue.code for issue in issues_of(document)[1] if issue.level == level]


# Examples


def test_every_example_is_of_a_kind_that_is_run() -> None:
    kinds = re.findall(r"^```(.+)$", PAGE, re.MULTILINE)

    assert {*kinds} == {"json workflow", "json actions", "json facts", "json schema"}
    assert len(kinds) == len(_FENCED.findall(PAGE))


@pytest.mark.parametrize("text", blocks("workflow"))
def test_a_whole_workflow_is_accepted(text: str) -> None:
    assert issues_of(an_object(text))[1] == ()


@pytest.mark.parametrize("text", blocks("actions"))
def test_a_fragment_is_accepted_in_a_small_workflow(text: str) -> None:
    assert issues_of(in_a_small_workflow(an_object(text)))[1] == ()


@pytest.mark.parametrize("text", blocks("schema"))
def test_a_schema_is_accepted(text: str) -> None:
    assert isinstance(compile_schema(json.loads(text)), JsonSchema)


def test_the_first_example_runs_from_request_to_order() -> None:
    run = a_run(an_object(blocks("workflow")[0]))
    run.takes("start", role="employee", input_={"amount": 20})
    queued = [type(effect).__name__ for effect in run.takes("request", role="employee")]
    run.machine_takes("remind")
    run.machine_takes("approve_small")
    run.machine_takes("order")

    assert queued == ["Schedule", "Auto"]
    assert run.stands == ("ordered", {"amount": 20, "requested_by": MARIA.actor, "reminders": 1})


@pytest.mark.parametrize(("expression", "verdict"), rows("expression", "comes to"))
def test_an_expression_comes_to_what_is_printed(expression: str, verdict: str) -> None:
    guard = compile_guard(expression, guard_scope(STATES, an_object(blocks("schema")[0]), None))

    assert (VERDICTS[type(guard.verdict(facts()))] if isinstance(guard, Guard) else guard.code) == verdict


@pytest.mark.parametrize(("written", "value"), rows("written", "comes to"))
def test_a_template_comes_to_what_is_printed(written: str, value: str) -> None:
    scope = template_scope(STATES, an_object(blocks("schema")[0]), None)
    template = compile_template(json.loads(written), scope, allow_hash=True)

    if not isinstance(template, Template):
        assert [flaw.code for flaw in template] == [value]
        return
    resolved = template.resolve(facts())
    if isinstance(resolved, Undecided):
        assert value == "undecided"
        return
    assert isinstance(resolved.value, dict)
    assert with_hash(resolved.value, resolved.hash_at, "(the hash of the event)") == json.loads(value)


@pytest.mark.parametrize(("before", "mutate", "after"), rows("data before", "mutate", "data after"))
def test_what_is_written_is_what_is_printed(before: str, mutate: str, after: str) -> None:
    start: JsonObject = {"type": "create", "role": "clerk", "to": "draft", "mutate": {"$set": json.loads(before)}}
    run = a_begun_run(in_a_small_workflow({"start": start, "request": {**ACTION, "mutate": json.loads(mutate)}}))

    answer = decide(run.workflow, run.state, an_act("request", input_={"n": 2, "why": "late"}))

    if isinstance(answer, Refused):
        assert answer.code == after
    else:
        assert answer.state.data == json.loads(after)


@pytest.mark.parametrize(("timer", "first"), rows("timer", "fires first"))
def test_a_timer_fires_first_when_it_is_printed(timer: str, first: str) -> None:
    entry: JsonObject = {"id": "x", "action": "remind", "data": {}, **an_object(timer)}
    document = in_a_small_workflow({"request": {**ACTION, "schedule": [entry]}})

    if _CODE.fullmatch(first):
        assert first in codes_of(document)
        return
    effects = a_begun_run(document).takes("request")
    starts = [effect.run_at for effect in effects if isinstance(effect, Scheduled)]

    assert starts == ([] if first == "never" else [first])


# Words


@pytest.mark.parametrize("model", (Workflow, State, Action, Schedule, Spawn, Mutate, Auto))
def test_every_field_is_explained(model: type[BaseModel]) -> None:
    assert {field.alias or name for name, field in model.model_fields.items()} <= words()


def words() -> set[str]:
    """Every word in backquotes, with those that begin with a dollar."""
    return code_words(PAGE) | {*re.findall(r"`(\$\w+)`", PAGE)}


@pytest.mark.parametrize("known", (names.FUNCTIONS, json_schema.KEYWORDS, json_schema.FORMATS))
def test_every_function_keyword_and_format_is_named(known: frozenset[str]) -> None:
    assert known <= words()


def codes_in_the_source() -> set[str]:
    rooms = (ROOT / "domain/sealwork/domain").rglob("*.py")
    return {code for path in rooms for code in _CODE.findall(path.read_text())}


def test_every_code_has_one_row_with_a_remedy_and_no_row_is_left_over() -> None:
    table = rows("code", "what is wrong", "what to do")

    assert sorted(code for code, *_ in table) == sorted(codes_in_the_source())
    assert all(what and remedy for _, what, remedy in table)


@pytest.mark.parametrize(
    ("what", "limits"),
    [
        ("a workflow", [MAX_DOCUMENT_BYTES, MAX_DEPTH]),
        ("an expression", [MAX_CHARACTERS]),
        ("a list or object, if a loop can see it", [MAX_LOOP_ENTRIES]),
        ("a text, if a loop that adds can see it", [MAX_LOOP_CHARACTERS]),
        (
            "a JSON Schema",
            [
                json_schema.MAX_BYTES,
                json_schema.MAX_SUBSCHEMAS,
                json_schema.MAX_PATTERNS,
                json_schema.MAX_REFERENCES,
            ],
        ),
        ("data of a process", [MAX_RECORD_BYTES]),
        ("issues told", [MAX_ISSUES]),
        ("hops without a timer between", [MAX_CASCADE_DEPTH]),
        ("children, and children of children, of one event", [MAX_FAMILY]),
    ],
)
def test_a_limit_is_told(what: str, limits: list[int]) -> None:
    assert [[*map(int, re.findall(r"\d+", told))] for name, told in rows("what", "at most") if name == what] == [
        limits
    ]
