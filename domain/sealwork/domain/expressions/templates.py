"""Templates: JSON in which text may stand for a value of the event that resolves it.

A text that is exactly a bare reference (`event.at`) is its value; `${…}` alone keeps the type of its value; inside
longer text it gives text; `$${` writes `${`. Everything is found when the template is compiled: what a value
contains is never read again.

Source: language.md, "Templates"; events.md, "Record" (`hash_at`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TypeAlias, assert_never

from sealwork.domain.expressions.guards import Expression, Facts, compile_expression, rule_facts
from sealwork.domain.expressions.scopes import Scope
from sealwork.domain.expressions.spelling import Flaw, end_of_expression, spell
from sealwork.domain.expressions.verdicts import Undecided
from sealwork.domain.expressions.wording import kind_in_words
from sealwork.domain.instants import instant_text
from sealwork.domain.issues import quoted
from sealwork.domain.json_value import JsonValue, pointer
from sealwork.domain.ledger.canonical import MAX_RECORD_BYTES, canonical, flaw_in
from sealwork.domain.ledger.intent import reserved_input_of

_HASH = "event.hash"
_REFERENCES = frozenset({"event.action", "event.actor", "event.at", "process.id"})
_LOOKS_LIKE_REFERENCE = re.compile(
    r"(actor|data|event|facts|input|process|state)(\.[A-Za-z_][A-Za-z0-9_]*|\[[^\]]*\])+", re.ASCII
)
DEPTH_IN_RECORD = 4
"""The record, its effects and the effect stand around the data: deeper, the record could not be read again."""
_SCALARS = frozenset({"BOOL", "DOUBLE", "DURATION", "DYN", "INT", "STRING", "TIMESTAMP"})
_JSON = _SCALARS | {"LIST", "MAP", "NULL"}
_ROOT = re.compile(r"[.\[]")
_PART = re.compile(r"\$\$\{|\$\{")


@dataclass(frozen=True, slots=True)
class _Reference:
    name: str


@dataclass(frozen=True, slots=True)
class _Text:
    parts: tuple[str | Expression, ...]


@dataclass(frozen=True, slots=True)
class _List:
    items: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Object:
    members: tuple[tuple[str, str, _Node], ...]
    """Each with its name, and as a step of a JSON pointer."""


@dataclass(frozen=True, slots=True)
class _Constant:
    value: JsonValue


_Node: TypeAlias = _Constant | _Reference | _Text | _List | _Object | Expression


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a template came to."""

    value: JsonValue
    hash_at: tuple[str, ...] = ()
    """Pointers to the nulls that stand for the hash of the event itself, in bytewise order."""
    size: int = field(default=0, compare=False)
    """Entries and characters that its expressions came to."""


@dataclass(frozen=True, slots=True)
class Template:
    """A compiled template."""

    source: JsonValue
    expressions: tuple[Expression, ...]
    """Those that it contains, in the order of the document."""
    _node: _Node = field(repr=False)
    _depth: int = field(repr=False)
    _always: Resolved | Undecided | None = field(repr=False)

    @property
    def reads(self) -> tuple[str, ...]:
        """Return the dotted names that the template reads, sorted."""
        return tuple(sorted({name for expression in self.expressions for name in expression.reads}))

    @property
    def is_constant(self) -> bool:
        """Return whether it comes to the same for every event, but for the hash of the event."""
        return self._always is not None

    @property
    def result(self) -> str:
        """Return the kind of what it comes to, as `Expression.result`, where that is certain; else empty."""
        if isinstance(self._node, Expression):
            return self._node.result
        return "STRING" if isinstance(self._node, _Text | _Reference) else ""

    def resolve(self, facts: Facts) -> Resolved | Undecided:
        """Return the template with every reference replaced, or the first place where that cannot be done."""
        return _resolved(self._node, facts, self._depth) if self._always is None else self._always


def _is_constant(node: _Node) -> bool:
    match node:
        case _Constant():
            return True
        case _Reference():
            return node.name == _HASH
        case _List():
            return all(map(_is_constant, node.items))
        case _Object():
            return all(_is_constant(item) for _, _, item in node.members)
        case _Text() | Expression():
            return False
        case _:
            assert_never(node)


def compile_template(value: JsonValue, scope: Scope, *, allow_hash: bool) -> Template | tuple[Flaw, ...]:
    """Return the template, or everything that is wrong with it.

    `allow_hash`: it is data of an effect, where `event.hash` may stand, and which a record has to hold.
    """
    depth = DEPTH_IN_RECORD if allow_hash else 1
    flaw = flaw_in(value, depth=depth)
    if flaw:
        return (Flaw("TPL_SYNTAX", flaw.detail, pointer=flaw.pointer or ""),)
    compiling = _Compiling(scope, allow_hash)
    node = compiling.node(value, ())
    reserved = _reserved(value)
    flaws = (*([reserved] if reserved else []), *compiling.flaws)
    if flaws:
        return flaws
    always = _resolved(node, rule_facts({}), depth) if _is_constant(node) else None
    return Template(value, tuple(compiling.expressions), node, depth, always)


def _reserved(value: JsonValue) -> Flaw | None:
    refusal = reserved_input_of(value) if isinstance(value, dict) else None
    if refusal is None:
        return None
    at = (refusal.pointer or "").removeprefix("/input")
    return Flaw("TPL_RESERVED", f"{at} is reserved for the engine: leave it out", pointer=at)


@dataclass(slots=True)
class _Compiling:
    scope: Scope
    allow_hash: bool
    flaws: list[Flaw] = field(default_factory=list)
    expressions: list[Expression] = field(default_factory=list)

    def node(self, value: JsonValue, place: tuple[str | int, ...]) -> _Node:
        match value:
            case str():
                return self._text(value, pointer(*place))
            case list():
                return _List(tuple(self.node(item, (*place, index)) for index, item in enumerate(value)))
            case dict():
                members = [(name, pointer(name), self._member(name, item, place)) for name, item in value.items()]
                # Resolved in this order, however it was written: the first reason may become part of a record.
                return _Object(tuple(sorted(members, key=lambda member: member[0])))
            case _:
                return _Constant(value)

    def _member(self, name: str, value: JsonValue, place: tuple[str | int, ...]) -> _Node:
        if "${" in name:
            message = f"the name {quoted(name)} is no template: write it as it shall stand"
            self.flaws.append(Flaw("TPL_SYNTAX", message, pointer=pointer(*place, name)))
        return self.node(value, (*place, name))

    def _text(self, text: str, at: str) -> _Node:
        if text == _HASH or self._is_hash(text):
            return self._hash(at)
        if _LOOKS_LIKE_REFERENCE.fullmatch(text):
            return self._bare(text, at)
        parts = tuple(self._parts(text, at))
        if not any(isinstance(part, Expression) for part in parts):
            return _Constant("".join(map(str, parts)))
        if len(parts) == 1 and isinstance(parts[0], Expression):
            return self._alone(parts[0], at)
        return _Text(tuple(self._inside(part, at) for part in parts))

    def _bare(self, text: str, at: str) -> _Node:
        is_known = self.scope.known(_ROOT.split(text)[0]) is not None
        if text in _REFERENCES and is_known:
            return _Reference(text)
        value = f"{self._meant(text)} for the value or " if is_known else ""
        advice = f"write {value}${{'{_cut(text)}'}} for the text"
        message = f"{quoted(text)} looks like a reference but is none: {advice}"
        self.flaws.append(Flaw("TPL_AMBIGUOUS", message, pointer=at))
        return _Constant(text)

    def _meant(self, text: str) -> str:
        """Return the reference that `text` probably is, or the expression that it would be."""
        near = get_close_matches(_cut(text), sorted({*_REFERENCES, _HASH}), 1, 0.75)
        return near[0] if near and (self.allow_hash or near[0] != _HASH) else f"${{{_cut(text)}}}"

    def _is_hash(self, text: str) -> bool:
        return text.startswith("${") and text.endswith("}") and _reads_hash(text[2:-1], alone=True)

    def _hash(self, at: str) -> _Node:
        if not self.allow_hash:
            message = (
                "an event does not know its own hash: event.hash stands in schedule, auto and spawn data only"
            )
            self.flaws.append(Flaw("TPL_HASH", message, pointer=at))
        return _Reference(_HASH)

    def _parts(self, text: str, at: str) -> Iterator[str | Expression]:
        """Return constant text and expressions in turn; what is wrong with an expression is noted."""
        done, literal = 0, ""
        while found := _PART.search(text, done):
            literal += text[done : found.start()]
            done = found.end()
            if found.group() == "$${":
                literal += "${"
                continue
            end = end_of_expression(text, done)
            if end is None:
                message = "${ without }: close it, or write $${ for the text ${"
                self.flaws.append(Flaw("TPL_SYNTAX", message, found.start() + 1, at))
                return
            expression = self._expression(text[done:end], done, at)
            if expression:
                yield from ([literal] if literal else [])
                yield expression
                literal = ""
            done = end + 1
        yield from ([literal + text[done:]] if literal or text[done:] else [])

    def _expression(self, source: str, offset: int, at: str) -> Expression | None:
        if _reads_hash(source, alone=False):
            message = "event.hash stands alone: write the text event.hash, with nothing around it"
            self.flaws.append(Flaw("TPL_HASH", message, offset + 1, at))
            return None
        expression = compile_expression(source, self.scope)
        if isinstance(expression, Flaw):
            column = expression.column + offset
            self.flaws.append(Flaw(expression.code, expression.message, column, at))
            return None
        self.expressions.append(expression)
        return expression

    def _alone(self, expression: Expression, at: str) -> Expression:
        if expression.result not in _JSON:
            message = f"{kind_in_words(expression.result)} is no JSON value"
            self.flaws.append(Flaw("TPL_TYPE", message, pointer=at))
        return expression

    def _inside(self, part: str | Expression, at: str) -> str | Expression:
        if isinstance(part, Expression) and part.result not in _SCALARS:
            message = f"{kind_in_words(part.result)} cannot be put inside text: let ${{…}} stand alone"
            self.flaws.append(Flaw("TPL_TYPE", message, pointer=at))
        return part


def _reads_hash(source: str, *, alone: bool) -> bool:
    spelling = spell(source)
    if isinstance(spelling, Flaw):
        return False
    words = [token.spelling for token in spelling.tokens]
    at = [index for index in range(len(words)) if words[index : index + 3] == ["event", ".", "hash"]]
    return bool(at) and (not alone or len(words) == 3)


def _resolved(node: _Node, facts: Facts, depth: int) -> Resolved | Undecided:
    resolving = _Resolving(facts)
    value = resolving.value(node, "")
    if resolving.undecided:
        return resolving.undecided
    if resolving.nests:
        flaw = flaw_in(value, depth=depth)
        if flaw:
            return Undecided(flaw.detail, flaw.pointer or "")
        reserved = _reserved(value)
        if reserved:
            return Undecided(reserved.message, reserved.pointer)
    hash_at = resolving.hash_at
    return Resolved(value, tuple(sorted(hash_at, key=str.encode)) if hash_at else (), resolving.size)


@dataclass(slots=True)
class _Resolving:
    facts: Facts
    undecided: Undecided | None = None
    hash_at: list[str] = field(default_factory=list)
    size: int = 0
    nests: bool = False
    """A list or an object was put in. All else was looked at when the template was compiled."""

    def value(self, node: _Node, at: str) -> JsonValue:
        """Return what `node` comes to; after the first that comes to nothing, what is returned has no meaning."""
        match node:
            case Expression():
                return self._answer(node, at)
            case _Constant():
                return node.value
            case _Reference():
                return self._reference(node.name, at)
            case _Text():
                return "".join(part if isinstance(part, str) else self._shown(part, at) for part in node.parts)
            case _List():
                items = enumerate(node.items)
                return [self.value(item, f"{at}/{index}") for index, item in items if not self.undecided]
            case _Object():
                members = node.members
                return {name: self.value(item, at + step) for name, step, item in members if not self.undecided}
            case _:
                assert_never(node)

    def _reference(self, name: str, at: str) -> JsonValue:
        match name:
            case "event.at":
                return instant_text(self.facts.at)
            case "event.action":
                return self.facts.action
            case "event.actor":
                return self.facts.actor
            case "process.id":
                return self.facts.process_id
            case _:
                self.hash_at.append(at)
                return None

    def _answer(self, expression: Expression, at: str) -> JsonValue:
        answer = expression.evaluate(self.facts)
        if isinstance(answer, Undecided):
            self.undecided = Undecided(answer.reason, at)
            return None
        self.size += _size(answer.value)
        self.nests = self.nests or isinstance(answer.value, list | dict)
        if self.size > MAX_RECORD_BYTES:
            reason = f"the whole has more than {MAX_RECORD_BYTES} entries and characters"
            self.undecided = Undecided(reason, at, is_too_large=True)
        return answer.value

    def _shown(self, expression: Expression, at: str) -> str:
        if self.undecided:
            return ""
        value = self._answer(expression, at)
        if isinstance(value, str):
            return value
        if isinstance(value, bool | int | float):
            return canonical(value).decode()
        kind = "null" if value is None else "a list" if isinstance(value, list) else "an object"
        self.undecided = self.undecided or Undecided(f"{kind} cannot be put inside text", at)
        return ""


def _cut(text: str) -> str:
    return text if len(text) <= 64 else text[:63] + "…"


def _size(value: JsonValue) -> int:
    match value:
        case str():
            return 1 + len(value)
        case list():
            return 1 + sum(map(_size, value))
        case dict():
            return 1 + sum(len(name) + _size(item) for name, item in value.items())
        case _:
            return 1
