"""Checks of what is written against the schema of the data: fields that cannot be, values of another kind.

A schema is read only as far as it is certain; what can be something else is left to the event.

Source: language.md, "Workflow DSL v2" (mutate, not_actor).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sealwork.domain.expressions.guards import rule_facts
from sealwork.domain.expressions.scopes import Kind, Known
from sealwork.domain.expressions.templates import Template
from sealwork.domain.expressions.verdicts import Undecided
from sealwork.domain.issues import Issue, Place, did_you_mean, error, listed
from sealwork.domain.json_value import JsonObject
from sealwork.domain.workflows.compiled import CompiledAction, CompiledWorkflow
from sealwork.domain.workflows.json_schema import JsonSchema, compile_schema
from sealwork.domain.workflows.words import placed

_TAKES = {
    "not_actor": (frozenset({Kind.TEXT}), "the key of an actor is text"),
    "$append": (frozenset({Kind.LIST}), "$append needs a list"),
    "$inc": (frozenset({Kind.WHOLE, Kind.NUMBER}), "$inc adds numbers"),
}
_COMES_TO = {
    "BOOL": frozenset({Kind.TRUTH}),
    "INT": frozenset({Kind.WHOLE, Kind.NUMBER}),
    "DOUBLE": frozenset({Kind.WHOLE, Kind.NUMBER}),
    "STRING": frozenset({Kind.TEXT}),
    "TIMESTAMP": frozenset({Kind.TEXT}),
    "DURATION": frozenset({Kind.TEXT}),
    "LIST": frozenset({Kind.LIST}),
    "MAP": frozenset({Kind.OBJECT}),
}
"""The kinds of JSON that a value of an expression can be."""
_INSTANTS = frozenset({"STRING", "TIMESTAMP", "DYN", ""})


class _Use(NamedTuple):
    """A field that an action names, where, and in which way."""

    field: str
    place: Place
    word: str
    template: Template | None = None


def data_issues(compiled: CompiledWorkflow) -> Iterator[Issue]:
    """Return what is written or asked for although the schema of the data has none such, or not of this kind."""
    raw = compiled.data.raw if compiled.data else {}
    for name, action in compiled.actions.items():
        place: Place = ("actions", name)
        if action.action.not_actor is not None and action.action.kind == "create":
            message = "before a process begins its data holds no key: drop `not_actor`"
            yield error("WF_NOT_ACTOR_CREATE", message, *place, "not_actor")
        for use in _uses(action):
            if use.field.partition(".")[0] != "state":
                yield from _use_issues(raw, use, (*place, *use.place))
        yield from _instant_issues(action, place)


def _uses(action: CompiledAction) -> Iterator[_Use]:
    written, compiled = action.action.mutate, action.mutate
    if action.action.not_actor is not None:
        yield _Use(action.action.not_actor, ("not_actor",), "not_actor")
    if written is not None:
        for word, fields, templates in (
            ("$set", written.set_, compiled.set_),
            ("$append", written.append, compiled.append),
            ("$inc", written.inc, compiled.inc),
        ):
            yield from (_Use(f, ("mutate", word, f), word, templates.get(f)) for f in fields)
        yield from (_Use(f, ("mutate", *at), "$unset") for f, at in placed(written.unset, "$unset"))


def _use_issues(raw: JsonObject, use: _Use, place: Place) -> Iterator[Issue]:
    known = _known(raw, use.field)
    if isinstance(known, str):
        yield error("WF_UNKNOWN_DATA", f"the schema of the data has no {use.field!r}{known}", *place)
        return
    kinds, need = _TAKES.get(use.word, (frozenset(), ""))
    if kinds and known.kind not in (*kinds, Kind.ANY):
        yield error("WF_DATA_MISMATCH", f"{need}, and the schema says {known.kind}: correct one", *place)
    elif use.template is not None and use.word in ("$set", "$append"):
        yield from _value_issues(raw, known if use.word == "$set" else known.item, use.template, place)


def _known(raw: JsonObject, field: str) -> Known | str:
    """Return what the schema says of a field, or the end of a message where it allows no such field."""
    known = Known(raw, raw)
    for step in field.split("."):
        inner = known.field(step)
        if inner is None:
            if field.startswith("data.") and not isinstance(_known(raw, field.removeprefix("data.")), str):
                return f": write {field.removeprefix('data.')!r}, the data is meant anyway"
            return did_you_mean(step, known.fields) or f"; it has {listed(known.fields) or 'no fields'}"
        known = inner
    return known


def _value_issues(raw: JsonObject, known: Known, template: Template, place: Place) -> Iterator[Issue]:
    if template.is_constant:
        yield from _constant_issues(raw, known, template, place)
        return
    kinds = _COMES_TO.get(template.result)
    if kinds is not None and known.kind not in (*kinds, Kind.ANY):
        told = " or ".join(sorted(kinds))
        message = f"this comes to {told}, and the schema of the data says {known.kind}: correct one"
        yield error("WF_DATA_MISMATCH", message, *place)


def _constant_issues(raw: JsonObject, known: Known, template: Template, place: Place) -> Iterator[Issue]:
    resolved = template.resolve(rule_facts({}))
    schema = _schema(raw, known)
    if isinstance(resolved, Undecided) or schema is None:
        return
    violation = schema.first_violation(resolved.value)
    if violation:
        message = f"the schema of the data does not allow this: {violation.message}"
        issue = error("WF_DATA_MISMATCH", message, *place)
        yield issue.model_copy(update={"pointer": issue.pointer + violation.pointer})


def _schema(raw: JsonObject, known: Known) -> JsonSchema | None:
    """Return the part of the schema that says what stands in a field, as one of its own."""
    if not isinstance(known.schema, dict) or not known.schema:
        return None
    shared: JsonObject = {"$defs": raw["$defs"]} if "$defs" in raw else {}
    schema = compile_schema({**known.schema, **shared})
    return schema if isinstance(schema, JsonSchema) else None


def _instant_issues(action: CompiledAction, place: Place) -> Iterator[Issue]:
    in_order = {entry.id: index for index, entry in enumerate(action.action.schedule)}
    for timer in action.timers:
        for word, template in (("at", timer.at), ("until", timer.until)):
            if template is not None and template.result not in _INSTANTS:
                message = "this comes to no instant: write text such as 2026-06-18T10:00:00Z, or a timestamp"
                yield error("WF_BAD_TIMESTAMP", message, *place, "schedule", in_order[timer.entry.id], word)
