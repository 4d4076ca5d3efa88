"""How an expression is spelled: what its author may write, and the CEL that it stands for.

Nothing here knows what a name means. White space and the second spellings (`=`, `and`, `or`, `not (…)`, `''`)
are gone from the result, so that its fingerprint does not depend on them.

Source: language.md, "Guards and conditions are CEL".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal, NamedTuple, TypeAlias

MAX_CHARACTERS = 2_000

COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "in"})

_WORDS = {"and": "&&", "or": "||", "not": "!"}
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_ENDS_COMPARISON = frozenset({"&&", "||", "?", ":", ","})
_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    |(?P<text>'(?:[^'\\\x00-\x1f]|\\[^\x00-\x1f]|'')*'|"(?:[^"\\\x00-\x1f]|\\[^\x00-\x1f])*")
    |(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<sign>==|!=|<>|<=|>=|&&|\|\||[-=<>!+*/%?:.,()\[\]{}])""",
    re.VERBOSE | re.ASCII,
)
_UNFIT = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\U0010ffff]")
"""Characters that an expression cannot have anywhere: control characters and lone surrogates."""
_UNIT = re.compile(r"\\.|''")

Kind: TypeAlias = Literal["text", "number", "name", "sign"]


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why an expression or a template cannot be published, where, and what to write instead."""

    code: str
    message: str
    column: int = 1
    """Counted from 1, in what the author wrote."""
    pointer: str = ""
    """JSON pointer into a template; empty for an expression."""


class Token(NamedTuple):
    """One word of an expression, in the spelling of CEL, and the column where its author wrote it."""

    kind: Kind
    spelling: str
    column: int

    @property
    def literal(self) -> str | None:
        """Return the text that a literal without escapes stands for; None for everything else."""
        return self.spelling[1:-1] if self.kind == "text" and "\\" not in self.spelling else None


@dataclass(frozen=True, slots=True)
class Spelling:
    """An expression as its author wrote it, and its tokens."""

    source: str
    tokens: tuple[Token, ...]
    partners: Mapping[int, int] = field(repr=False)
    """For the index of each bracket, the index of the one that belongs to it."""

    @property
    def cel(self) -> str:
        """Return the CEL: what an auditor evaluates without our code."""
        return " ".join(token.spelling for token in self.tokens)

    @property
    def fingerprint(self) -> str:
        """Return what is the same for two expressions that differ in white space or second spellings only."""
        return sha256(f"cel/1\n{self.cel}".encode()).hexdigest()

    def sign(self, index: int) -> str:
        """Return the sign or the name at `index`; empty for literals, and outside the expression."""
        inside = 0 <= index < len(self.tokens) and self.tokens[index].kind in ("sign", "name")
        return self.tokens[index].spelling if inside else ""

    def is_member(self, index: int) -> bool:
        """Return whether the token at `index` is the name of a field or a method: a dot stands before it."""
        return self.sign(index - 1) == "."


def spell(source: str) -> Spelling | Flaw:
    """Return the tokens of `source`, or the first thing in it that is not spelled right."""
    if len(source) > MAX_CHARACTERS:
        return Flaw("EXPR_TOO_LONG", f"{len(source)} characters: write at most {MAX_CHARACTERS}")
    unfit = _UNFIT.search(source)
    if unfit:
        return _unexpected(unfit.group(), unfit.start() + 1)
    tokens = _tokens(source)
    if isinstance(tokens, Flaw):
        return tokens
    partners = _partners(tokens)
    if isinstance(partners, Flaw):
        return partners
    spelling = Spelling(source, tuple(tokens), partners)
    return _stray_dot(spelling) or _chain(spelling) or spelling


def end_of_expression(text: str, start: int) -> int | None:
    """Return the index of the `}` that ends the expression which begins at `start` of a template."""
    depth, at = 0, start
    while at < len(text):
        match = _TOKEN.match(text, at)
        sign = match["sign"] if match else None
        if sign == "}" and depth == 0:
            return at
        depth += (sign == "{") - (sign == "}")
        at = match.end() if match else at + 1
    return None


def _tokens(source: str) -> list[Token] | Flaw:
    tokens: list[Token] = []
    at = 0
    while at < len(source):
        match = _TOKEN.match(source, at)
        if match is None:
            return _unexpected(source[at], at + 1)
        at = match.end()
        if match["space"] is None:
            word = _word(match, tokens[-1].spelling if tokens else "", source)
            if isinstance(word, Flaw):
                return word
            tokens.append(word)
    return tokens or _syntax("nothing stands here: write an expression")


def _unexpected(character: str, column: int) -> Flaw:
    if character in "'\"":
        return _syntax(f"this text has no end: close it with {character} on the same line", column)
    if character == "&" or character == "|":
        return _syntax(f"unexpected {character!r}: write {character * 2}", column)
    return _syntax(f"unexpected {ascii(character)}", column)


def _word(match: re.Match[str], before: str, source: str) -> Token | Flaw:
    text, column = match.group(), match.start() + 1
    if match["sign"]:
        if text == "<>":
            return _syntax("write != for not equal", column)
        return Token("sign", "==" if text == "=" else text, column)
    if match["text"]:
        return Token("text", _cel_text(text), column)
    if match["number"]:
        following = source[match.end() : match.end() + 1]
        if following.isalpha() or following == "_":
            return _syntax(f"{text + following!r} is no number: write it as 48 or 2.5", column)
        return Token("number", text, column)
    if before != "." and text.lower() in _WORDS and (text.islower() or text.isupper()):
        if text.lower() == "not" and not source[match.end() :].lstrip().startswith("("):
            return _syntax("write not (…), with parentheses", column)
        return Token("sign", _WORDS[text.lower()], column)
    return Token("name", text, column)


def _cel_text(text: str) -> str:
    if text[0] == '"':
        return text
    inner = _UNIT.sub(lambda unit: r"\'" if unit.group() == "''" else unit.group(), text[1:-1])
    return f"'{inner}'"


def _partners(tokens: list[Token]) -> dict[int, int] | Flaw:
    partners: dict[int, int] = {}
    opened: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.spelling in _CLOSERS:
            opened.append(index)
        elif token.spelling in _CLOSERS.values():
            if not opened or _CLOSERS[tokens[opened[-1]].spelling] != token.spelling:
                return _syntax(f"unexpected {token.spelling!r}", token.column)
            partners[index] = opened.pop()
            partners[partners[index]] = index
    if opened:
        last = tokens[opened[-1]]
        return _syntax(f"{last.spelling!r} is never closed: write {_CLOSERS[last.spelling]!r}", last.column)
    return partners


def _stray_dot(spelling: Spelling) -> Flaw | None:
    """A dot with nothing before it would make a name that begins at the root, or a number."""
    for index, token in enumerate(spelling.tokens):
        if spelling.sign(index) == "." and not _is_operand(spelling, index - 1):
            follower = spelling.tokens[index + 1].spelling if index + 1 < len(spelling.tokens) else ""
            advice = f"0.{follower}" if follower.isdigit() else "the name without a dot before it"
            return _syntax(f"unexpected '.': write {advice}", token.column)
    return None


def _is_operand(spelling: Spelling, index: int) -> bool:
    if index < 0:
        return False
    kind, text, _ = spelling.tokens[index]
    return text in (")", "]", "}") if kind == "sign" else kind != "number" and text != "in"


def _chain(spelling: Spelling) -> Flaw | None:
    """CEL would compare the first result with the third value; nobody means that."""
    compared = [False]
    for index, token in enumerate(spelling.tokens):
        sign = spelling.sign(index)
        if sign in _CLOSERS:
            compared.append(False)
        elif sign in _CLOSERS.values():
            compared.pop()
        elif sign in _ENDS_COMPARISON:
            compared[-1] = False
        elif sign in COMPARISONS and not spelling.is_member(index):
            if compared[-1]:
                advice = "write a < b and b < c for a < b < c, or put parentheses around one of them"
                return Flaw("EXPR_TYPE", f"comparisons do not chain: {advice}", token.column)
            compared[-1] = True
    return None


def _syntax(message: str, column: int = 1) -> Flaw:
    return Flaw("EXPR_SYNTAX", message, column)
