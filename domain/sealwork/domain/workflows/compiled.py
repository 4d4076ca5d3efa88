"""A compiled workflow: one version with its guards, templates and schemas ready to be asked.

Compiling is slow and can fail, so it happens when a version is checked or first needed, never while an event is
decided. What is compiled cannot be wrong in a way that only an event would show.

Source: language.md, "Guards and conditions are CEL", "Templates", "JSON Schema".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, cast

from sealwork.domain.expressions.guards import Guard, compile_guard
from sealwork.domain.expressions.scopes import Scope, guard_scope, template_scope
from sealwork.domain.expressions.spelling import Flaw
from sealwork.domain.expressions.templates import Template, compile_template
from sealwork.domain.issues import Issue, Place, bounded, error, placed_at
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.workflows.json_schema import JsonSchema, compile_schema
from sealwork.domain.workflows.workflow import Action, Auto, Mutate, Schedule, Spawn, Workflow


@dataclass(frozen=True, slots=True)
class CompiledMutate:
    """What an action writes: templates by the field that they are for."""

    set_: Mapping[str, Template]
    append: Mapping[str, Template]
    unset: tuple[str, ...]
    inc: Mapping[str, Template]


@dataclass(frozen=True, slots=True)
class CompiledTimer:
    """A timer that an action starts; `at` and `until` come to an instant of RFC 3339."""

    entry: Schedule
    data: Template
    at: Template | None
    until: Template | None


@dataclass(frozen=True, slots=True)
class CompiledChild:
    """A child process that an action begins."""

    entry: Spawn
    data: Template


@dataclass(frozen=True, slots=True)
class CompiledAction:
    """An action; timers and children in bytewise order of their ids, as a record lists them."""

    action: Action
    guard: Guard | None
    input: JsonSchema | None
    mutate: CompiledMutate
    timers: tuple[CompiledTimer, ...]
    children: tuple[CompiledChild, ...]
    auto: Template | None
    """The input that an automatic action is queued with; None for an action that is not automatic."""


class Automatic(NamedTuple):
    """An automatic action, and the input that it is queued with."""

    name: str
    action: CompiledAction
    input: Template


@dataclass(frozen=True, slots=True)
class CompiledWorkflow:
    """A workflow that can be decided by."""

    workflow: Workflow
    data: JsonSchema | None
    actions: Mapping[str, CompiledAction]
    """In the order of the document."""
    automatic: Mapping[str, tuple[Automatic, ...]]
    """By state, the automatic actions that it allows, in bytewise order of their names, as a record lists them."""


MAX_EXPRESSIONS = 5_000
"""Of one workflow, guards not counted: compiling them takes seconds."""
_WRITES_NOTHING = CompiledMutate(set_={}, append={}, unset=(), inc={})


def compile_workflow(workflow: Workflow) -> tuple[CompiledWorkflow, tuple[Issue, ...]]:
    """Return `workflow` compiled, and everything in its expressions and schemas that could not be.

    With an issue it can still be looked at, but not be decided by: what is wrong is left out of it.
    """
    number = _expressions_in(cast(JsonValue, workflow.model_dump(mode="json", by_alias=True, exclude_unset=True)))
    if number > MAX_EXPRESSIONS:
        message = f"{number} expressions: at most {MAX_EXPRESSIONS} are taken, write some of them as constants"
        return CompiledWorkflow(workflow, None, {}, {}), (error("WF_TOO_MANY", message, "actions"),)
    compiling = _Compiling(workflow)
    compiled = compiling.workflow()
    return compiled, bounded(compiling.issues)


def _expressions_in(value: JsonValue) -> int:
    match value:
        case str():
            return value.count("${")
        case list():
            return sum(map(_expressions_in, value))
        case dict():
            return sum(map(_expressions_in, value.values()))
        case _:
            return 0


def input_schema(action: Action) -> JsonObject | None:
    """Return what is known of an action's input: its schema, else the types of the data it is queued with."""
    if action.input is not None or not isinstance(action.auto, Auto):
        return action.input
    return _type_of(action.auto_data)


def _type_of(value: JsonValue) -> JsonObject:
    """Return the JSON Schema of what a template comes to, as far as the template itself says it."""
    match value:
        case bool():
            return {"type": "boolean"}
        case int():
            return {"type": "integer"}
        case float():
            return {"type": "number"}
        case str():
            return {} if value.startswith("${") and value.endswith("}") else {"type": "string"}
        case list():
            return {"type": "array"}
        case dict():
            return {"type": "object", "properties": {name: _type_of(item) for name, item in value.items()}}
        case _:
            return {}


def _by_state(actions: Mapping[str, CompiledAction]) -> dict[str, tuple[Automatic, ...]]:
    found: dict[str, tuple[Automatic, ...]] = {}
    for name, action in sorted(actions.items(), key=lambda item: item[0].encode()):
        for state in dict.fromkeys(action.action.from_states):
            if action.auto is not None:
                found[state] = (*found.get(state, ()), Automatic(name, action, action.auto))
    return found


class _Compiling:
    """Compiles part by part, and notes what is wrong with each."""

    def __init__(self, workflow: Workflow) -> None:
        self._workflow = workflow
        self.issues: list[Issue] = []

    def workflow(self) -> CompiledWorkflow:
        data = self._schema(self._workflow.data, ("data",))
        actions = {name: self._action(name, action, data) for name, action in self._workflow.actions.items()}
        return CompiledWorkflow(
            workflow=self._workflow,
            data=data,
            actions=MappingProxyType(actions),
            automatic=MappingProxyType(_by_state(actions)),
        )

    def _action(self, name: str, action: Action, data: JsonSchema | None) -> CompiledAction:
        place: Place = ("actions", name)
        known = data.raw if data else None
        schema = self._schema(action.input, (*place, "input"))
        states = self._workflow.state_names | ({""} if action.kind == "create" else frozenset())
        input_ = schema.raw if schema else input_schema(action) if action.input is None else None
        scope = template_scope(states, known, input_)
        return CompiledAction(
            action=action,
            guard=self._guard(action, guard_scope(states, known, input_), (*place, "when")),
            input=schema,
            mutate=self._mutate(action.mutate, scope, (*place, "mutate")),
            timers=self._timers(action, scope, (*place, "schedule")),
            children=self._children(action, scope, (*place, "spawn")),
            auto=self._auto(action, template_scope(states, known, None), (*place, "auto")),
        )

    def _schema(self, document: JsonObject | None, place: Place) -> JsonSchema | None:
        if document is None:
            return None
        schema = compile_schema(document)
        types = document.get("type", "object")
        if isinstance(schema, JsonSchema) and "object" not in (types if isinstance(types, list) else [types]):
            self.issues.append(
                error("SCHEMA_NEVER", "this is always an object: write type object", *place, "type")
            )
        if isinstance(schema, JsonSchema):
            return schema
        self.issues.extend(placed_at(issue, *place) for issue in schema)
        return None

    def _guard(self, action: Action, scope: Scope, place: Place) -> Guard | None:
        if action.when is None:
            return None
        guard = compile_guard(action.when, scope)
        if isinstance(guard, Guard):
            return guard
        self._flaw(guard, place)
        return None

    def _mutate(self, mutate: Mutate | None, scope: Scope, place: Place) -> CompiledMutate:
        if mutate is None:
            return _WRITES_NOTHING
        return CompiledMutate(
            set_=self._fields(mutate.set_, scope, (*place, "$set")),
            append=self._fields(mutate.append, scope, (*place, "$append")),
            unset=mutate.unset,
            inc=self._fields(mutate.inc, scope, (*place, "$inc")),
        )

    def _fields(self, fields: Mapping[str, JsonValue], scope: Scope, place: Place) -> Mapping[str, Template]:
        templates = {name: self._template(value, scope, (*place, name)) for name, value in fields.items()}
        return MappingProxyType({name: template for name in sorted(templates) if (template := templates[name])})

    def _timers(self, action: Action, scope: Scope, place: Place) -> tuple[CompiledTimer, ...]:
        timers = []
        for index, entry in enumerate(action.schedule):
            at = (*place, index)
            data = self._template(entry.data, scope, (*at, "data"), allow_hash=True)
            begins = self._instant(entry.at, scope, (*at, "at"))
            ends = self._instant(entry.until, scope, (*at, "until"))
            if data:
                timers.append(CompiledTimer(entry=entry, data=data, at=begins, until=ends))
        return tuple(sorted(timers, key=lambda timer: timer.entry.id.encode()))

    def _children(self, action: Action, scope: Scope, place: Place) -> tuple[CompiledChild, ...]:
        children = []
        for index, entry in enumerate(action.spawn):
            data = self._template(entry.data, scope, (*place, index, "data"), allow_hash=True)
            if data:
                children.append(CompiledChild(entry=entry, data=data))
        return tuple(sorted(children, key=lambda child: child.entry.id.encode()))

    def _auto(self, action: Action, scope: Scope, place: Place) -> Template | None:
        if not action.is_automatic:
            return None
        word = "input" if isinstance(action.auto, Auto) and action.auto.data is None else "data"
        return self._template(action.auto_data, scope, (*place, word), allow_hash=True)

    def _instant(self, text: str | None, scope: Scope, place: Place) -> Template | None:
        return None if text is None else self._template(text, scope, place)

    def _template(
        self, value: JsonValue, scope: Scope, place: Place, *, allow_hash: bool = False
    ) -> Template | None:
        template = compile_template(value, scope, allow_hash=allow_hash)
        if isinstance(template, Template):
            return template
        for flaw in template:
            self._flaw(flaw, place)
        return None

    def _flaw(self, flaw: Flaw, place: Place) -> None:
        issue = error(flaw.code, flaw.message, *place)
        where = {"pointer": issue.pointer + flaw.pointer, "column": flaw.column}
        self.issues.append(issue.model_copy(update=where))
