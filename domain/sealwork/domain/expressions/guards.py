"""Guards: conditions in CEL, compiled once, decided the same everywhere and for ever.

The only module that knows the CEL library. Its errors come back as values: none of them is ever taken for truth.
What it leaves to chance or to the machine (the order of objects, zones, huge lists, text that C cuts off) is
closed before it is asked.

Source: language.md, "Guards and conditions are CEL".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import cast

from cel_expr_python import cel as library

from sealwork.domain.expressions.effort import Effort, effort_of
from sealwork.domain.expressions.names import Read, never_equal, reads_of
from sealwork.domain.expressions.programs import (
    DECIMAL,
    STAND_INS,
    WHOLE,
    ProgramText,
    program_text,
    typed_texts,
)
from sealwork.domain.expressions.readable import Readable, read_back
from sealwork.domain.expressions.scopes import JSON_ROOTS, Kind, Scope
from sealwork.domain.expressions.spelling import Flaw, Spelling, spell
from sealwork.domain.expressions.unloading import unloaded
from sealwork.domain.expressions.verdicts import Answer, Failed, Passed, Undecided, Verdict
from sealwork.domain.expressions.wording import (
    Complaint,
    complaints,
    kind_in_words,
    misread,
    mixing_advice,
    reason,
)
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import flaw_in
from sealwork.domain.refusals import Refused

_OBJECT = library.Type.Map(library.Type.STRING, library.Type.DYN)
_STAND_IN_TYPES = {
    WHOLE: library.Type.INT,
    DECIMAL: library.Type.DOUBLE,
    STAND_INS[Kind.TEXT]: library.Type.STRING,
    STAND_INS[Kind.TRUTH]: library.Type.BOOL,
    STAND_INS[Kind.LIST]: library.Type.LIST,
    STAND_INS[Kind.OBJECT]: _OBJECT,
}
_ENVIRONMENT = library.NewEnv(
    variables={
        "state": library.Type.STRING,
        "data": _OBJECT,
        "input": _OBJECT,
        "facts": _OBJECT,
        "actor.roles": library.Type.List(library.Type.STRING),
        "event.at": library.Type.TIMESTAMP,
        "event.action": library.Type.STRING,
        "event.actor": library.Type.STRING,
        "process.id": library.Type.STRING,
        **_STAND_IN_TYPES,
    }
)
_NOTHING = _ENVIRONMENT.Activation(data={})
_MISSING = re.compile(r'^NOT_FOUND: .* : "(.*)"$')
_READERS = frozenset({"bool", "double", "duration", "int", "timestamp"})


@dataclass(frozen=True, slots=True)
class _Sight:
    values: Mapping[str, JsonValue]
    sizes: Mapping[str, Readable]
    activation: library.Activation


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What one event is decided by. Read once, shared by every expression of the event.

    Raises:
        ValueError: `at` is not timezone-aware.
    """

    state: str
    data: JsonObject
    input: JsonObject
    roles: frozenset[str]
    at: datetime
    """`recorded_at` of the event, timezone-aware."""
    process_id: str
    action: str = ""
    actor: str = ""
    declared: JsonObject = field(default_factory=dict)
    """`facts`: those of a business event, for rules."""
    data_read: Readable | Refused | None = field(default=None, repr=False, compare=False)
    """`data` as it reads, where that is known already."""

    def __post_init__(self) -> None:
        if self.at.utcoffset() is None:
            raise ValueError("`at` has no offset: a machine would read its own zone into it")

    def seen_with(self, input_: JsonObject, roles: frozenset[str]) -> Facts:
        """Return what the same event is to one who acts with another input and other roles."""
        return replace(self, input=input_, roles=roles, data_read=self._data)

    def left_as(self, state: str, data: Readable) -> Facts:
        """Return what the same event is in the state, and with the data, that it leaves."""
        return replace(self, state=state, data=cast(JsonObject, data.value), data_read=data)

    @cached_property
    def sight(self) -> _Sight | Undecided:
        """Return these facts as the library takes them, or why they are not JSON that can be signed."""
        sizes: dict[str, Readable] = {}
        read = (("data", self._data), ("input", read_back(self.input)), ("facts", read_back(self.declared)))
        for name, readable in read:
            if isinstance(readable, Refused):
                return Undecided(f"{name}{readable.pointer}: {readable.detail}")
            sizes[name] = readable
        texts = {
            "state": self.state,
            "event.action": self.action,
            "event.actor": self.actor,
            "process.id": self.process_id,
        }
        roles = sorted(self.roles)
        flawed = flaw_in([*texts.values(), *roles])
        if flawed:
            return Undecided(flawed.detail)
        values: dict[str, JsonValue] = {name: readable.value for name, readable in sizes.items()}
        names = {**texts, "actor.roles": roles, "event.at": self.at.astimezone(UTC)}
        return _Sight(values, sizes, _ENVIRONMENT.Activation(data={**values, **names}))

    @cached_property
    def _data(self) -> Readable | Refused:
        return self.data_read or read_back(self.data)


def rule_facts(facts: JsonObject) -> Facts:
    """Return what the conditions of a rule are decided by."""
    nothing: JsonObject = {}
    at = datetime(1970, 1, 1, tzinfo=UTC)
    roles: frozenset[str] = frozenset()
    return Facts(state="", data=nothing, input=nothing, roles=roles, at=at, process_id="", declared=facts)


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression."""

    source: str
    cel: str
    """What an auditor evaluates; loops go through lists only."""
    reads: tuple[str, ...]
    """Dotted names, sorted; one that ends at an object or a list stands for everything in it."""
    fingerprint: str
    result: str
    """The kind of its value, as far as it is certain: `BOOL`, `STRING`, `LIST`, …, `DYN`."""
    _program: library.Expression = field(repr=False)
    _roots: frozenset[str] = field(repr=False)
    _paths: tuple[tuple[str, ...], ...] = field(repr=False)
    _sized: tuple[str, ...] = field(repr=False)
    """The roots whose size counts for its effort."""
    _effort: Effort | None = field(repr=False)
    """None where no size of values is too much."""

    @property
    def reads_input(self) -> bool:
        """Return whether another input can change the value."""
        return "input" in self._roots

    def evaluate(self, facts: Facts) -> Answer | Undecided:
        """Return the value as JSON: instants as 27 characters, durations as `172800s`."""
        found = self.value(facts)
        return found if isinstance(found, Undecided) else unloaded(*found)

    def value(self, facts: Facts) -> tuple[library.Value, str] | Undecided:
        """Return the value as the library has it, and the name of its type; never one of its errors."""
        sight = facts.sight
        if isinstance(sight, Undecided):
            return sight
        if self._effort is not None and (too_much := self._too_much(sight, self._effort)):
            return Undecided(too_much)
        try:
            value = self._program.eval(activation=sight.activation)
        except RuntimeError as error:
            return Undecided(reason(str(error)))
        kind = value.type().name()
        if kind == "ERROR":
            said = str(value.plain_value())
            return Undecided(self._lacks(said, sight) or reason(said))
        return value, kind

    def _lacks(self, said: str, sight: _Sight) -> str:
        """Return in the author's words which of the values that are read is not there; empty if it is not that."""
        key = _MISSING.search(said)
        wanted = key[1] if key else ""
        if not key and "SELECT" not in said:
            return ""
        for shown, name in filter(None, (_gap(path, sight.values) for path in self._paths)):
            if name == wanted:
                return f"{shown} is missing" if key else f"{shown} is no object"
        return f"{wanted} is missing" if key else ""

    def _too_much(self, sight: _Sight, effort: Effort) -> str | None:
        return effort.too_much((root, sight.sizes[root]) for root in self._sized)


def _gap(path: tuple[str, ...], values: Mapping[str, JsonValue]) -> tuple[str, str] | None:
    """Return where `path` ends early: the first name that is not there, or the value that can have no names."""
    value = values.get(path[0])
    for index, name in enumerate(path[1:], start=1):
        if not isinstance(value, dict):
            return ".".join(path[:index]), ""
        if name not in value:
            return ".".join(path[: index + 1]), name
        value = value[name]
    return None


@dataclass(frozen=True, slots=True)
class Guard:
    """A compiled condition."""

    expression: Expression

    @property
    def source(self) -> str:
        """Return the condition as its author wrote it."""
        return self.expression.source

    @property
    def cel(self) -> str:
        """Return the condition as CEL."""
        return self.expression.cel

    @property
    def reads(self) -> tuple[str, ...]:
        """Return the dotted names that the condition reads, sorted."""
        return self.expression.reads

    @property
    def fingerprint(self) -> str:
        """Return the SHA-256 of the token spelling, hex."""
        return self.expression.fingerprint

    def verdict(self, facts: Facts) -> Verdict:
        """Return whether the condition holds for `facts`: only what passed may be acted on."""
        found = self.expression.value(facts)
        if isinstance(found, Undecided):
            return found
        value, kind = found
        if kind != "BOOL":
            return Undecided(f"a guard must be true or false, this came to {kind_in_words(kind)}")
        return Passed() if value.plain_value() is True else Failed()


def compile_guard(source: str, scope: Scope) -> Guard | Flaw:
    """Return the condition, or the first reason why it can never be decided as its author means it."""
    expression = compile_expression(source, scope)
    if isinstance(expression, Flaw):
        return expression
    if expression.result not in ("BOOL", "DYN"):
        kind = kind_in_words(expression.result)
        return Flaw("EXPR_NOT_BOOLEAN", f"a guard must be true or false, this is {kind}")
    return Guard(expression)


def compile_expression(source: str, scope: Scope) -> Expression | Flaw:
    """Return the expression, or the first thing that is wrong with it: spelling, names, constants, types."""
    spelling = spell(source)
    if isinstance(spelling, Flaw):
        return spelling
    reads = reads_of(spelling, scope)
    if isinstance(reads, Flaw):
        return reads
    flaw = never_equal(spelling, reads) or _constant_flaw(spelling)
    if flaw:
        return flaw
    effort = effort_of(spelling)
    if isinstance(effort, Flaw):
        return effort
    program = _compiled(program_text(spelling, {}))
    if not isinstance(program, library.Expression):
        return _flaw(program[0], spelling, reads)
    result = _typed_result(spelling, reads) or program.return_type()
    if isinstance(result, Flaw):
        return result
    return _planned(program) or _expression(spelling, reads, program, result, effort)


def _expression(
    spelling: Spelling,
    reads: tuple[Read, ...],
    program: library.Expression,
    result: library.Type,
    effort: Effort,
) -> Expression:
    paths = {read.path[: -1 if read.is_tested else None] for read in reads if not read.is_variable}
    names = {".".join(read.path) for read in reads if not read.is_variable}
    roots = frozenset(path[0] for path in paths) & JSON_ROOTS
    return Expression(
        source=spelling.source,
        cel=spelling.cel,
        reads=tuple(sorted(names)),
        fingerprint=spelling.fingerprint,
        result=_name(result),
        _program=program,
        _roots=roots,
        _paths=tuple(sorted(paths)),
        _sized=tuple(sorted(roots)),
        _effort=effort if effort.is_bounded else None,
    )


def _compiled(text: ProgramText) -> library.Expression | list[Complaint]:
    try:
        return _ENVIRONMENT.compile(text.text)
    except RuntimeError as error:
        return list(complaints(str(error), text))


def _planned(program: library.Expression) -> Flaw | None:
    """Let the library plan the program, which it does at the first evaluation: here, and not inside an event."""
    try:
        program.eval(activation=_NOTHING)
    except RuntimeError as error:
        return Flaw("EXPR_VALUE", f"this can never have a value: {reason(str(error))}")
    return None


def _typed_result(spelling: Spelling, reads: tuple[Read, ...]) -> library.Type | Flaw | None:
    """Return the kind of the result where schemas make it certain, or where kinds meet that do not go together.

    What is wrong with numbers is wrong whether they are all whole or all decimal; mixing is wrong in any mixture.
    """
    outcomes = [_compiled(text) for text in typed_texts(spelling, reads)]
    found = [[] if isinstance(outcome, library.Expression) else outcome for outcome in outcomes]
    wrong = [complaint for several in found for complaint in several if complaint.mixes_numbers]
    columns = [{complaint.column for complaint in several} for several in found[:2]]
    for complaint in found[0] if found else ():
        if not complaint.is_harmless and all(complaint.column in each for each in columns):
            wrong.append(complaint)
    if wrong:
        return _flaw(min(wrong, key=lambda complaint: complaint.column), spelling, reads)
    types = [outcome.return_type() for outcome in outcomes[:2] if isinstance(outcome, library.Expression)]
    is_number = {_name(kind) for kind in types} == {"INT", "DOUBLE"}
    return types[-1] if is_number or (types and types[0] == types[-1]) else None


def _constant_flaw(spelling: Spelling) -> Flaw | None:
    """Return the first constant text that a function can never read, or a pattern that is no constant.

    A pattern is compiled each time that it is asked, so it must be known, and its size with it.
    """
    for index, token in enumerate(spelling.tokens):
        if spelling.sign(index) == "matches" and spelling.sign(index + 1) == "(":
            pattern = spelling.tokens[spelling.partners[index + 1] - 1]
            if pattern.kind != "text" or spelling.sign(spelling.partners[index + 1] - 2) not in ("(", ","):
                message = "a pattern stands there as text, such as matches('^[a-z]+$')"
                return Flaw("EXPR_VALUE", message, pattern.column)
        if token.kind != "text" or spelling.sign(index - 1) != "(" or spelling.sign(index + 1) != ")":
            continue
        name = spelling.sign(index - 2)
        is_pattern = name == "matches" and spelling.is_member(index - 2)
        call = f"{name}({token.spelling})"
        if (is_pattern or name in _READERS) and not _has_value(f"''.{call}" if is_pattern else call):
            return Flaw("EXPR_VALUE", misread(name, token.literal or token.spelling), token.column)
    return None


def _has_value(text: str) -> bool:
    try:
        return _ENVIRONMENT.compile(text).eval(activation=_NOTHING).type() != library.Type.ERROR
    except RuntimeError:
        # Not even spelled right: compiling the whole expression says how.
        return True


def _flaw(complaint: Complaint, spelling: Spelling, reads: tuple[Read, ...]) -> Flaw:
    mixes = complaint.mixes_numbers
    message = mixing_advice(spelling, reads, complaint) if mixes else complaint.message
    return Flaw(complaint.code, message, complaint.column)


def _name(kind: library.Type) -> str:
    return kind.name().partition("<")[0]
