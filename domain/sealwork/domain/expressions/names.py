"""The names in an expression: each of them must be known, and what they are compared with must be possible.

Names are found among the tokens, before CEL sees them: only so can a message say what the author meant, and
only so is the vocabulary ours. A variable of a loop hides nothing: it may not be called like anything else.

Source: language.md, "Guards and conditions are CEL".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from sealwork.domain.expressions.scopes import OPEN, Known, Scope
from sealwork.domain.expressions.spelling import Flaw, Spelling, Token
from sealwork.domain.issues import did_you_mean, listed, quoted

LOOPS = frozenset({"all", "exists", "exists_one", "map", "filter"})
"""Macros that go through a list."""
_TIME_PARTS = frozenset(
    {
        "getDate",
        "getDayOfMonth",
        "getDayOfWeek",
        "getDayOfYear",
        "getFullYear",
        "getHours",
        "getMilliseconds",
        "getMinutes",
        "getMonth",
        "getSeconds",
    }
)
FUNCTIONS = frozenset(
    {"bool", "contains", "double", "duration", "dyn", "endsWith", "has", "int", "matches", "size", "startsWith"}
    | {"string", "timestamp", "type"}
    | LOOPS
    | _TIME_PARTS
)
_TYPES = frozenset({"bool", "double", "int", "list", "map", "null_type", "string"})
_CONSTANTS = frozenset({"true", "false", "null", "in"})
_RECORDS = frozenset({"actor", "event", "process"})
"""Roots that are no value themselves: only their fields are."""
_PRIVATE = "__"
_END = Token("sign", "", 0)
_OFFSET = re.compile(r"[+-](0[0-9]|1[0-4]):[0-5][0-9]", re.ASCII)
_BEFORE_COMPARISON = frozenset({"(", "[", "{", "&&", "||", "!", "?", ":", ","})
_AFTER_COMPARISON = frozenset({")", "]", "}", "&&", "||", "?", ":", ","})


class Read(NamedTuple):
    """One place where an expression reads a value: tokens `first` up to `end`."""

    path: tuple[str, ...]
    """The names up to the first index of a list."""
    shown: str
    first: int
    end: int
    known: Known
    is_tested: bool
    """Stands inside `has(…)`, which asks whether it is there."""
    is_variable: bool
    """Begins with the variable of a loop."""


class _Variable(NamedTuple):
    first: int
    end: int
    known: Known


@dataclass(slots=True)
class _Reading:
    spelling: Spelling
    scope: Scope
    reads: list[Read] = field(default_factory=list)
    variables: dict[str, _Variable] = field(default_factory=dict)

    def step(self, index: int) -> int | Flaw:
        """Take in the token at `index` and return where the next one begins."""
        if self.spelling.tokens[index].kind != "name":
            return index + 1
        if self.spelling.is_member(index):
            return self._member(index)
        return self._name(index)

    def _member(self, index: int) -> int | Flaw:
        name = self.spelling.tokens[index].spelling
        if name in _CONSTANTS:
            message = f"{name} is a word of the language: write ['{name}'] without the dot before it"
            return Flaw("EXPR_SYNTAX", message, self.spelling.tokens[index].column)
        if self.spelling.sign(index + 1) != "(":
            return index + 1
        if name in LOOPS:
            return self._loop(index)
        return self._call(index, name) or index + 1

    def _name(self, index: int) -> int | Flaw:
        name, column = self.spelling.tokens[index].spelling, self.spelling.tokens[index].column
        if name in _CONSTANTS:
            return index + 1
        if self.spelling.sign(index + 1) == "(":
            return self._call(index, name) or index + 1
        variable = self.variables.get(name)
        inside = variable is not None and variable.first <= index < variable.end
        known = variable.known if variable and inside else self.scope.known(name)
        if known is not None:
            return self._read(index, name, known, is_variable=inside)
        if name in _TYPES:
            return index + 1
        hint = did_you_mean(name, {*self.scope.roots, "and", "or", "not"})
        advice = hint or f"; known: {listed(self.scope.roots)}"
        return _unknown(f"{quoted(name)} is no name here{advice}", column)

    def _call(self, index: int, name: str) -> Flaw | None:
        parenthesis = self.spelling.tokens[index + 1]
        if name not in FUNCTIONS:
            hint = did_you_mean(name, FUNCTIONS)
            return _unknown(f"{quoted(name)} is no function here{hint}", parenthesis.column)
        zone = self.spelling.tokens[index + 2] if name in _TIME_PARTS else None
        if zone is None or zone.spelling == ")" or _is_offset(zone.literal):
            return None
        advice = f"write {name}() for UTC, or an offset such as {name}('+02:00')"
        return Flaw("EXPR_TIME_ZONE", f"what a zone means changes from machine to machine: {advice}", zone.column)

    def _loop(self, index: int) -> int | Flaw:
        """`list.exists(variable, …`: the variable is known inside these parentheses."""
        variable = self.spelling.tokens[index + 2]
        if variable.kind != "name" or self.spelling.sign(index + 3) != ",":
            name = self.spelling.tokens[index].spelling
            advice = f"write {name}(x, …), where x is a name of your own"
            return Flaw("EXPR_SYNTAX", f"{name} goes through a list: {advice}", variable.column)
        taken = {*self.scope.roots, *FUNCTIONS, *_TYPES, *_CONSTANTS}
        open_ = self.variables.get(variable.spelling)
        if variable.spelling in taken or variable.spelling.startswith(_PRIVATE) or (open_ and open_.end > index):
            message = f"{quoted(variable.spelling)} means something else here: choose another name"
            return Flaw("EXPR_SYNTAX", message, variable.column)
        gone_through = next((read.known for read in self.reads if read.end == index - 1), OPEN)
        end = self.spelling.partners[index + 1]
        self.variables[variable.spelling] = _Variable(index + 2, end, gone_through.item)
        return index + 3

    def _read(self, index: int, name: str, known: Known, *, is_variable: bool) -> int | Flaw:
        column = self.spelling.tokens[index].column
        path, shown, end, listing = [name], name, index + 1, False
        is_record = name in _RECORDS and not is_variable
        for step, written, after in self._steps(index + 1):
            if is_record and (len(path) == 2 or not written.startswith(".")):
                break
            inner = known.item if step is None else known.field(step)
            shown, end, listing = shown + written, after, listing or step is None
            if inner is None:
                hint = did_you_mean(step or "", known.fields) or f"; known: {listed(known.fields) or 'none'}"
                return _unknown(f"{shown}: no field {quoted(step or '')}{hint}", column)
            known = inner
            if step is not None and not listing:
                path.append(step)
        is_tested = self.spelling.sign(index - 1) == "(" and self.spelling.sign(index - 2) == "has"
        if is_record and (len(path) == 1 or is_tested):
            return self._record_flaw(path, column)
        self.reads.append(Read(tuple(path), shown, index, end, known, is_tested, is_variable))
        return end

    def _record_flaw(self, path: list[str], column: int) -> Flaw:
        if len(path) > 1:
            return Flaw("EXPR_TYPE", f"{'.'.join(path)} is always there: leave has(…) out", column)
        known = self.scope.known(path[0]) or OPEN
        fields = " or ".join(f"{path[0]}.{name}" for name in known.fields)
        return _unknown(f"{path[0]} is no value itself: write {fields}", column)

    def _steps(self, at: int) -> Iterator[tuple[str | None, str, int]]:
        """Return the fields (and indices, as None) that follow, each as written and with the token after it."""
        spelling = self.spelling
        while True:
            inner = spelling.tokens[at + 1] if at + 1 < len(spelling.tokens) else _END
            if spelling.sign(at) == "." and _is_field(inner) and spelling.sign(at + 2) != "(":
                at += 2
                yield inner.spelling, f".{inner.spelling}", at
            elif spelling.sign(at) == "[" and _is_index(inner) and spelling.sign(at + 2) == "]":
                at += 3
                yield inner.literal, f"[{inner.spelling}]", at
            else:
                return


def reads_of(spelling: Spelling, scope: Scope) -> tuple[Read, ...] | Flaw:
    """Return every value that the expression reads, in its order, or the first name that means nothing."""
    reading = _Reading(spelling, scope)
    index = 0
    while index < len(spelling.tokens):
        after = reading.step(index)
        if isinstance(after, Flaw):
            return after
        index = after
    return tuple(reading.reads)


def never_equal(spelling: Spelling, reads: tuple[Read, ...]) -> Flaw | None:
    """Return the first literal that a value is compared with although it can never be that."""
    for read in reads:
        texts = read.known.texts
        for index in _compared(spelling, read) if texts else ():
            token = spelling.tokens[index]
            if token.literal is not None and token.literal not in texts:
                subject = "a state" if read.path == ("state",) else f"a value of {read.shown}"
                hint = did_you_mean(token.literal, texts) or f"; it can be {listed(texts)}"
                message = f"{quoted(token.literal)} is not {subject}{hint}"
                return Flaw("EXPR_NEVER_EQUAL", message, token.column)
    return None


def _compared(spelling: Spelling, read: Read) -> Iterator[int]:
    """Return the tokens that are all of what `read` is compared with, by `==`, `!=` or `in […]`."""
    before, after = spelling.sign(read.first - 1), spelling.sign(read.end)
    begins = _begins(spelling, read.first - 1)
    if after in ("==", "!=") and begins and _ends(spelling, read.end + 2):
        yield read.end + 1
    if before in ("==", "!=") and _ends(spelling, read.end) and _begins(spelling, read.first - 3):
        yield read.first - 2
    if after == "in" and begins and spelling.sign(read.end + 1) == "[":
        last = spelling.partners[read.end + 1]
        inside = range(read.end + 2, last)
        if all(spelling.sign(at) == "," for at in inside[1::2]) and _ends(spelling, last + 1):
            yield from inside[::2]


def _ends(spelling: Spelling, index: int) -> bool:
    return index >= len(spelling.tokens) or spelling.sign(index) in _AFTER_COMPARISON


def _begins(spelling: Spelling, index: int) -> bool:
    return index < 0 or spelling.sign(index) in _BEFORE_COMPARISON


def _is_field(token: Token) -> bool:
    return token.kind == "name" and token.spelling not in _CONSTANTS


def _is_index(token: Token) -> bool:
    """Return whether a bracket holds a constant: the place in a list, or a field whose name has no escapes."""
    return token.kind == "number" or token.literal is not None


def _is_offset(text: str | None) -> bool:
    return text is not None and _OFFSET.fullmatch(text) is not None


def _unknown(message: str, column: int) -> Flaw:
    return Flaw("EXPR_UNKNOWN_NAME", message, column)
