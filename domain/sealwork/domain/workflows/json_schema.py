"""JSON Schemas: of the data of a process, and of the input of an action.

The only module that knows the JSON Schema library. Draft 2020-12 in a closed profile: nothing is fetched, nothing
refers to itself, every keyword and format is one that is checked, and every pattern runs in linear time. A whole
number is one without a fraction: 1.0 is an integer.

Source: language.md, "JSON Schema".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import jsonschema_rs as library

from sealwork.domain.issues import Issue, Place, bounded, did_you_mean, error, listed, quoted
from sealwork.domain.json_value import JsonObject, JsonValue, pointer
from sealwork.domain.ledger.canonical import canonical, flaw_in

MAX_BYTES = 65_536
MAX_SUBSCHEMAS = 2_000
"""Counted with every reference written out, and each value of an `enum`: what one value can cost."""
MAX_REFERENCES = 32
"""One behind the other."""
MAX_PATTERNS = 100
MAX_PATTERN_BYTES = 1 << 18
"""Of a compiled pattern."""
MAX_MESSAGE = 300

DRAFT = "https://json-schema.org/draft/2020-12/schema"
FORMATS = frozenset({"date", "date-time", "email", "uri", "uuid"})

_ONE = frozenset({"additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"})
"""Keywords that hold a schema."""
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_MAPS = frozenset({"$defs", "dependentSchemas", "patternProperties", "properties"})
_PLAIN = frozenset(
    {"const", "dependentRequired", "enum", "exclusiveMaximum", "exclusiveMinimum", "format", "maxContains"}
    | {"maxItems", "maxLength", "maxProperties", "maximum", "minContains", "minItems", "minLength"}
    | {"minProperties", "minimum", "multipleOf", "pattern", "required", "type", "uniqueItems"}
    | {"$comment", "$ref", "$schema", "default", "deprecated", "description", "examples", "readOnly", "title"}
    | {"writeOnly"}
)
KEYWORDS = _ONE | _LISTS | _MAPS | _PLAIN

_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
_REFERENCE = re.compile(r"#/\$defs/([A-Za-z0-9._-]+)", re.ASCII)
_VALUE = "the value"


class _Extent(NamedTuple):
    """How much a schema is with its references written out."""

    schemas: int
    references: int


_ENDLESS = _Extent(0, MAX_REFERENCES)


@dataclass(frozen=True, slots=True)
class Violation:
    """Where a value is not what its schema says, and how. The value itself is not repeated."""

    pointer: str
    message: str


@dataclass(frozen=True, slots=True)
class JsonSchema:
    """A compiled schema."""

    raw: JsonObject
    """The document, names in order."""
    _validator: library.Draft202012Validator = field(repr=False)

    def first_violation(self, value: JsonValue) -> Violation | None:
        """Return the first thing in `value` that the schema does not allow; None if it is valid."""
        try:
            if not self._validator.is_valid(value):
                # The library goes through a value in its order: only in this one is the first always the same.
                # It stops there; asked for errors one by one, it would make all of them first, however many.
                self._validator.validate(_in_order(value))
        except library.ValidationError as wrong:
            return _violation(wrong)
        except (ValueError, RecursionError):
            flaw = flaw_in(value)
            return Violation((flaw and flaw.pointer) or "", flaw.detail if flaw else "is not JSON")
        return None


def compile_schema(document: JsonValue) -> JsonSchema | tuple[Issue, ...]:
    """Return the schema that `document` is, or everything that is wrong with it."""
    flaw = flaw_in(document)
    if flaw:
        return (Issue(code="SCHEMA_BAD_JSON", pointer=flaw.pointer or "", message=flaw.detail),)
    if not isinstance(document, dict):
        return (error("SCHEMA_BAD_VALUE", "a JSON Schema is an object: write {} where anything may stand"),)
    size = len(canonical(document))
    if size > MAX_BYTES:
        return (error("SCHEMA_TOO_LARGE", f"{size} bytes: at most {MAX_BYTES} are taken"),)
    issues = bounded(_Profile(document).issues())
    return issues or _compiled(document)


def _compiled(document: JsonObject) -> JsonSchema | tuple[Issue, ...]:
    ordered = {name: _in_order(member) for name, member in sorted(document.items())}
    try:
        validator = library.Draft202012Validator(
            ordered,
            validate_formats=True,
            ignore_unknown_formats=False,
            offline=True,
            mask=_VALUE,
            pattern_options=library.RegexOptions(size_limit=MAX_PATTERN_BYTES),
            email_options=library.EmailOptions(allow_display_text=False),
        )
    except library.ValidationError as wrong:
        return (_issue(wrong),)
    return JsonSchema(ordered, validator)


def _issue(wrong: library.ValidationError) -> Issue:
    place = wrong.instance_path
    if wrong.kind.name == "format":
        advice = "write it without look-around and back references, and repeat less"
        return error("SCHEMA_PATTERN", f"this is no pattern that runs in linear time: {advice}", *place)
    if wrong.kind.name == "anyOf":
        # The draft itself offers a choice in one place only.
        return error("SCHEMA_BAD_VALUE", f"this is no type: write {listed(_TYPES)}, or a list of several", *place)
    return error("SCHEMA_BAD_VALUE", _said(wrong), *place)


def _violation(wrong: library.ValidationError) -> Violation:
    return Violation(pointer(*wrong.instance_path), _said(wrong))


def _said(wrong: library.ValidationError) -> str:
    message = wrong.message
    return message if len(message) <= MAX_MESSAGE else f"{message[: MAX_MESSAGE - 1]}…"


def _in_order(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {name: _in_order(member) for name, member in sorted(value.items())}
    return [_in_order(item) for item in value] if isinstance(value, list) else value


class _Profile:
    """What a document may contain, beyond what the draft says. Shapes are left to the library."""

    def __init__(self, document: JsonObject) -> None:
        definitions = document.get("$defs")
        self._document = document
        self._definitions = definitions if isinstance(definitions, dict) else {}
        self._extents: dict[str, _Extent] = {}
        self._patterns = 0

    def issues(self) -> Iterator[Issue]:
        """Return everything that the profile forbids."""
        yield from self._schema(self._document, ())
        if self._patterns > MAX_PATTERNS:
            yield error("SCHEMA_PATTERN", f"{self._patterns} patterns: at most {MAX_PATTERNS} are taken")
        for name in sorted(self._definitions):
            if self._extent_of(name, ()).references > MAX_REFERENCES:
                message = f"{quoted(name)} leads back to itself, or through more than {MAX_REFERENCES} references"
                yield error("SCHEMA_REFERENCE", f"{message}: a schema has to end", "$defs", name)
                return
        if self._extent(self._document, ()).schemas > MAX_SUBSCHEMAS:
            message = f"with its references written out it has more than {MAX_SUBSCHEMAS} schemas"
            yield error("SCHEMA_TOO_LARGE", message)

    def _schema(self, schema: JsonValue, place: Place) -> Iterator[Issue]:
        for keyword, value in schema.items() if isinstance(schema, dict) else ():
            yield from self._keyword(keyword, value, (*place, keyword))
        yield from _never(schema, place)
        for inner, steps in _subschemas(schema):
            yield from self._schema(inner, (*place, *steps))

    def _keyword(self, keyword: str, value: JsonValue, place: Place) -> Iterator[Issue]:
        match keyword:
            case "$ref":
                yield from self._reference(value, place)
            case "$schema" | "$defs" if len(place) > 1:
                yield error("SCHEMA_KEYWORD", f"{keyword} stands at the root of the schema only", *place)
            case "$schema" if value != DRAFT:
                yield error("SCHEMA_KEYWORD", f"write {DRAFT}, or leave it out", *place)
            case "format" if not isinstance(value, str) or value not in FORMATS:
                named = did_you_mean(value, FORMATS) if isinstance(value, str) else ""
                advice = named or f": write one of {listed(FORMATS)}, or a pattern"
                yield error("SCHEMA_FORMAT", f"{quoted(str(value))} is no format that is checked{advice}", *place)
            case "pattern":
                self._patterns += 1
            case "patternProperties":
                self._patterns += len(value) if isinstance(value, dict) else 0
            case _ if keyword not in KEYWORDS:
                advice = did_you_mean(keyword, KEYWORDS) or "; leave it out"
                yield error("SCHEMA_KEYWORD", f"{quoted(keyword)} is no keyword here{advice}", *place)

    def _reference(self, value: JsonValue, place: Place) -> Iterator[Issue]:
        match = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            message = "a reference leads to a definition of the same schema: write #/$defs/… with a plain name"
            yield error("SCHEMA_REFERENCE", message, *place)
        elif match[1] not in self._definitions:
            hint = did_you_mean(match[1], self._definitions)
            yield error("SCHEMA_REFERENCE", f"$defs has no {quoted(match[1])}{hint}", *place)

    def _extent_of(self, name: str, open_: tuple[str, ...]) -> _Extent:
        if name in open_ or len(open_) > MAX_REFERENCES:
            return _ENDLESS
        if name not in self._extents:
            inner = self._extent(self._definitions.get(name), (*open_, name))
            self._extents[name] = inner._replace(references=inner.references + 1)
        return self._extents[name]

    def _extent(self, schema: JsonValue, open_: tuple[str, ...]) -> _Extent:
        parts = [self._extent(inner, open_) for inner, steps in _subschemas(schema) if steps[0] != "$defs"]
        match = _REFERENCE.fullmatch(str(schema.get("$ref"))) if isinstance(schema, dict) else None
        if match:
            parts.append(self._extent_of(match[1], open_))
        values = schema.get("enum") if isinstance(schema, dict) else None
        size = 1 + sum(part.schemas for part in parts) + (len(values) if isinstance(values, list) else 0)
        return _Extent(size, max((part.references for part in parts), default=0))


def _never(schema: JsonValue, place: Place) -> Iterator[Issue]:
    """Return what makes a schema one that nothing can ever satisfy, where that is easily seen."""
    if not isinstance(schema, dict):
        return
    properties, required = schema.get("properties"), schema.get("required")
    closed = schema.get("additionalProperties") is False and "patternProperties" not in schema
    known = properties if isinstance(properties, dict) else {}
    for index, name in enumerate(required if closed and isinstance(required, list) else ()):
        if isinstance(name, str) and name not in known:
            hint = did_you_mean(name, known) or ": add it to properties"
            yield error(
                "SCHEMA_NEVER", f"{quoted(name)} is required, and no property{hint}", *place, "required", index
            )
    for least, most in (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")):
        low, high = schema.get(least), schema.get(most)
        if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
            yield error("SCHEMA_NEVER", f"{least} is more than {most}: nothing lies between", *place, least)


def _subschemas(schema: JsonValue) -> Iterator[tuple[JsonValue, Place]]:
    """Return the schemas directly inside `schema`, each with the steps to it."""
    for keyword, value in schema.items() if isinstance(schema, dict) else ():
        if keyword in _ONE:
            yield value, (keyword,)
        elif keyword in _LISTS and isinstance(value, list):
            yield from ((inner, (keyword, index)) for index, inner in enumerate(value))
        elif keyword in _MAPS and isinstance(value, dict):
            yield from ((inner, (keyword, name)) for name, inner in value.items())
