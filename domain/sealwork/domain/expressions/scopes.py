"""What an expression may name, and what the JSON Schemas behind the names say about it.

A schema is read only as far as it is certain: what several keywords decide together counts as unknown, and an
unknown thing may be anything.

Source: language.md, "Guards and conditions are CEL" (names; unknown fields of closed objects).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from sealwork.domain.json_value import JsonObject, JsonValue

JSON_ROOTS = frozenset({"data", "input", "facts"})
"""Names under which JSON stands; the others are the engine's own, of one type each."""
MAX_REFERENCES = 16
_BESIDE_REF = frozenset({"$ref", "$defs", "$schema", "$comment", "title", "description", "default", "examples"})
_TEXT: JsonObject = {"type": "string"}


class Kind(StrEnum):
    """What a schema makes certain about a value; NUMBER is whole or decimal, as JSON has it."""

    TEXT = "text"
    TRUTH = "true or false"
    WHOLE = "a whole number"
    NUMBER = "a number"
    LIST = "a list"
    OBJECT = "an object"
    ANY = "anything"


_KINDS = {
    frozenset({"string"}): Kind.TEXT,
    frozenset({"boolean"}): Kind.TRUTH,
    frozenset({"integer"}): Kind.WHOLE,
    frozenset({"number"}): Kind.NUMBER,
    frozenset({"integer", "number"}): Kind.NUMBER,
    frozenset({"array"}): Kind.LIST,
    frozenset({"object"}): Kind.OBJECT,
}
_JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one value: a schema, and the document in which its references are looked up."""

    document: JsonValue
    schema: JsonValue

    @property
    def kind(self) -> Kind:
        """Return what the value certainly is."""
        schema = _followed(self)
        types = schema.get("type")
        if types is None:
            types = [_JSON_TYPES.get(type(value), "null") for value in _values(schema)]
        names = [types] if isinstance(types, str) else types if isinstance(types, list) else []
        return _KINDS.get(frozenset(name for name in names if isinstance(name, str)), Kind.ANY)

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the texts that the value can be; empty if it can be others, or no text."""
        values = _values(_followed(self))
        texts = tuple(value for value in values if isinstance(value, str))
        return texts if len(texts) == len(values) else ()

    @property
    def fields(self) -> tuple[str, ...]:
        """Return the fields that the schema names."""
        properties = _followed(self).get("properties")
        return tuple(properties) if isinstance(properties, dict) else ()

    def field(self, name: str) -> Known | None:
        """Return what is known of a field; None if there can be no such field."""
        schema = _followed(self)
        properties = schema.get("properties")
        if isinstance(properties, dict) and name in properties:
            return Known(self.document, properties[name])
        others = schema.get("additionalProperties")
        if "patternProperties" in schema or others is None:
            return OPEN
        return None if others is False else Known(self.document, others)

    @property
    def item(self) -> Known:
        """Return what is known of every entry of the list."""
        schema = _followed(self)
        return OPEN if "prefixItems" in schema else Known(self.document, schema.get("items"))


OPEN = Known({}, {})


def _values(schema: JsonObject) -> list[JsonValue]:
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else []


def _followed(known: Known) -> JsonObject:
    """Return the schema behind references; empty where a reference is not all of it, or leads away."""
    schema = known.schema
    for _ in range(MAX_REFERENCES):
        if not isinstance(schema, dict):
            return {}
        reference = schema.get("$ref")
        if reference is None:
            return schema
        definitions = known.document.get("$defs") if isinstance(known.document, dict) else None
        if schema.keys() - _BESIDE_REF or not isinstance(reference, str) or not isinstance(definitions, dict):
            return {}
        schema = definitions.get(reference.removeprefix("#/$defs/"))
    return {}


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that an expression may begin with, each with the JSON Schema of what stands under it."""

    roots: Mapping[str, JsonValue]

    def known(self, root: str) -> Known | None:
        """Return what is known of a root; None if nothing has this name here."""
        return Known(self.roots[root], self.roots[root]) if root in self.roots else None


def guard_scope(states: Iterable[str], data: JsonObject | None, input_: JsonObject | None) -> Scope:
    """Return what `when` may name; `data` and `input_` are JSON Schemas, None where anything may stand."""
    return _scope(states, data, input_, {"at": _TEXT})


def template_scope(states: Iterable[str], data: JsonObject | None, input_: JsonObject | None) -> Scope:
    """Return what `${…}` may name. `event.hash` is no part of it: a template takes it only standing alone."""
    return _scope(states, data, input_, {"at": _TEXT, "action": _TEXT, "actor": _TEXT})


def rule_scope(facts: JsonObject | None) -> Scope:
    """Return what the conditions and parameters of a rule may name: the facts of its business event."""
    return Scope(MappingProxyType({"facts": facts or {}}))


def _scope(states: Iterable[str], data: JsonObject | None, input_: JsonObject | None, event: JsonObject) -> Scope:
    roots: dict[str, JsonValue] = {
        "state": {"enum": [*sorted(states)]},
        "data": data or {},
        "input": input_ or {},
        "actor": _record({"roles": {"type": "array", "items": _TEXT}}),
        "event": _record(event),
        "process": _record({"id": _TEXT}),
    }
    return Scope(MappingProxyType(roots))


def _record(members: JsonObject) -> JsonObject:
    return {"type": "object", "properties": members, "additionalProperties": False}
