"""What the CEL library says, in the words of an author: which operator, of what, and what to write instead.

Source: language.md, "Guards and conditions are CEL" (errors say what to write; the reason names what was missing).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sealwork.domain.expressions.names import Read
from sealwork.domain.expressions.programs import ProgramText
from sealwork.domain.expressions.scopes import Kind
from sealwork.domain.expressions.spelling import COMPARISONS, Spelling
from sealwork.domain.issues import quoted

MIXED = frozenset({"int", "double"})
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%"})
_COMPLAINT = re.compile(r"^(?:[A-Z_]+: )?ERROR: <input>:-?\d+:(-?\d+): ([^\n]*)", re.MULTILINE)
_TOO_DEEP = re.compile(r"^[^\n]*(?:recursion limit|recursion depth)", re.MULTILINE)
_QUOTED_SOURCE = re.compile(r"^ \| .*\n?", re.MULTILINE)
_OVERLOAD = re.compile(r"no matching overload for '([^']+)' applied to '(?:(.*)\.)?\((.*)\)'")
_UNDECLARED = re.compile(r"undeclared reference to '([^']*)'")
_AT_RUN_TIME = re.compile(r"No matching overloads found : ([^(]+)(?:\((.*)\))?")
_UNEXPECTED = re.compile(
    r"(?:extraneous input|mismatched input|alternative at input|recognition error at:) '(.*?)'(?: exp.*)?$"
)
_STATUS = re.compile(r"^[A-Z_]+: |\s*\[[A-Z_]+\]$")
_KINDS = {
    "int": "a whole number",
    "int64": "a whole number",
    "double": "a decimal number",
    "string": "text",
    "bool": "true or false",
    "null_type": "null",
    "null": "null",
    "dyn": "anything",
    "google.protobuf.timestamp": "an instant",
    "timestamp": "an instant",
    "google.protobuf.duration": "a duration",
    "duration": "a duration",
    "list": "a list",
    "map": "an object",
    "type": "a type",
}
_SIGNS = {
    "@in": "in",
    "_[_]": "[…]",
    "_?_:_": "? :",
    "_&&_": "and",
    "_||_": "or",
    "!_": "not",
    "-_": "-",
    "<jump_condition>": "? :",
}
_READERS = {
    "duration": "is no duration: hours, minutes, seconds only: 48h",
    "timestamp": "is no instant: write it with Z or an offset, such as 2026-06-18T10:00:00Z",
    "matches": "is no regular expression",
}


class Complaint(NamedTuple):
    """One thing that the library found wrong when compiling."""

    code: str
    column: int
    message: str
    operator: str = ""
    operands: tuple[str, ...] = ()

    @property
    def mixes_numbers(self) -> bool:
        """Return whether whole and decimal numbers meet in arithmetic."""
        return self.operator in _ARITHMETIC and set(self.operands) == MIXED

    @property
    def is_harmless(self) -> bool:
        """Return whether the library can do at run time what its checker refuses: compare numbers, choose."""
        if self.operator == "? :":
            return True
        if self.operator not in COMPARISONS or len(self.operands) != 2:
            return False
        one, other = (kind.replace("double", "int") for kind in self.operands)
        return other in (one, f"list({one})")


def complaints(said: str, text: ProgramText) -> Iterator[Complaint]:
    """Return what an error of the compiler complains about, each at its column in what the author wrote."""
    own = _QUOTED_SOURCE.sub("", said)
    if _TOO_DEEP.search(own):
        yield Complaint("EXPR_TOO_DEEP", 1, "nested too deeply: split it into several conditions")
        return
    found = _COMPLAINT.findall(own)
    for position, message in found:
        yield _complaint(_STATUS.sub("", message), text.column(int(position)))
    if not found:
        yield _other(own, 1)


def _complaint(message: str, column: int) -> Complaint:
    overload = _OVERLOAD.search(message)
    if overload:
        operator = _operator(overload[1])
        operands = (*([overload[2]] if overload[2] else []), *_split(overload[3]))
        return Complaint("EXPR_TYPE", column, _does_not_take(operator, operands), operator, operands)
    undeclared = _UNDECLARED.search(message)
    if undeclared:
        return Complaint("EXPR_UNKNOWN_NAME", column, f"{quoted(undeclared[1])} means nothing in this place")
    unexpected = _UNEXPECTED.search(message)
    if unexpected:
        word = unexpected[1]
        said = "the expression ends too early" if "<EOF>" in word else f"unexpected {quoted(word)}"
        return Complaint("EXPR_SYNTAX", column, said)
    return _other(message, column)


def _other(message: str, column: int) -> Complaint:
    code = "EXPR_TYPE" if message.startswith("expression of type") else "EXPR_SYNTAX"
    return Complaint(code, column, _STATUS.sub("", message.partition("\n")[0]))


def _operator(name: str) -> str:
    return _SIGNS.get(name) or name.strip("_@")


def _split(types: str) -> list[str]:
    """Return the types of a list of types, whose own parameters stand in parentheses."""
    parts, depth = [""], 0
    for character in types:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _does_not_take(operator: str, operands: tuple[str, ...]) -> str:
    kinds = [kind_in_words(operand) for operand in operands]
    if operator == "+" and kinds[-1] == _KINDS["list"] != kinds[0]:
        # What a loop goes through is added to an empty list.
        return f"+ does not take {kinds[0]} and a list: a loop goes through lists only"
    return f"{operator} does not take {' and '.join(kinds) or 'nothing'}{_advice(set(operands))}"


def _advice(operands: set[str]) -> str:
    if operands == MIXED or operands == {"int64", "double"}:
        return ": write 2.0 for 2, or double(…)"
    if operands & {"google.protobuf.Timestamp", "timestamp"} and "string" in operands:
        return ": write timestamp(…) around the text"
    if "null_type" in operands:
        return ": has(…) says whether a value is there"
    return ""


def mixing_advice(spelling: Spelling, reads: tuple[Read, ...], complaint: Complaint) -> str:
    """Return the message for arithmetic whose numbers are whole on one side and decimal on the other."""
    sign = complaint.operator
    indices = (at for at, token in enumerate(spelling.tokens) if token.column == complaint.column)
    at = next(indices, 0)
    left = next((_as_decimal(read) for read in reads if read.end == at), None)
    right = next((_as_decimal(read) for read in reads if read.first == at + 1), None)
    example = f"{left or _literal(spelling, at - 1)} {sign} {right or _literal(spelling, at + 1)}"
    mixed = [read.shown for read in reads if read.known.kind is Kind.NUMBER and at in (read.end, read.first - 1)]
    which = f"{' and '.join(dict.fromkeys(mixed))} may be whole or decimal, and " if mixed else ""
    if sign == "%":
        return f"{which}% takes whole numbers only: write int(…) around the decimal one"
    return f"{which}{sign} does not mix whole and decimal numbers: write {example}"


def _as_decimal(read: Read) -> str:
    return f"double({read.shown})"


def _literal(spelling: Spelling, index: int) -> str:
    inside = 0 <= index < len(spelling.tokens)
    if not inside or spelling.tokens[index].kind != "number":
        return "double(…)"
    text = spelling.tokens[index].spelling
    return f"{text}.0" if text.isdigit() else text


def kind_in_words(name: str) -> str:
    """Return what a type of the library is: `LIST<DYN>` is a list."""
    return _KINDS.get(name.partition("<")[0].partition("(")[0].lower(), name)


def misread(function: str, text: str) -> str:
    """Return why a function that reads text cannot read this one."""
    return f"{quoted(text)} {_READERS.get(function, f'cannot be read by {function}')}"


def reason(said: str) -> str:
    """Return why an evaluation came to no value."""
    text = _STATUS.sub("", said.partition("\n")[0])
    overload = _AT_RUN_TIME.search(text)
    if overload and overload[2] is None:
        return f"{_operator(overload[1])} takes true or false only"
    if overload:
        return _does_not_take(_operator(overload[1]), tuple(_split(overload[2])))
    for function, phrase in (("duration", "String to Duration"), ("timestamp", "String to Timestamp")):
        if phrase in text:
            return f"the text {_READERS[function]}"
    if "Iteration budget" in text:
        return "it goes through too many entries"
    return text
