"""Printing: in words, trouble on stderr; with `--json` one document on standard output, trouble too."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import typer
from pydantic import BaseModel
from rich.console import Console
from rich.progress import Progress
from rich.text import Text

from sealwork.adapters.cli.exit_codes import exit_code_of
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.refusals import Refused

Answer = TypeVar("Answer")
_out = Console(highlight=False, soft_wrap=True)
_err = Console(stderr=True, highlight=False, soft_wrap=True)


def say(text: str = "", *, style: str = "") -> None:
    """Print one line; control characters of what users wrote cannot reach the terminal."""
    _out.print(Text(harmless(text), style=style))


def complain(text: str) -> None:
    """Print one line of trouble."""
    _err.print(Text(harmless(text)))


def harmless(text: str) -> str:
    """Return `text` with control characters written out."""
    return "".join(
        character if character.isprintable() or character == "\n" else repr(character)[1:-1] for character in text
    )


def print_json(document: JsonValue) -> None:
    """Print one document in UTF-8, as the only thing on standard output; control characters stay escaped in it."""
    text = json.dumps(document, ensure_ascii=False, indent=2)
    typer.echo("".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text).encode())


def plain(model: BaseModel) -> JsonObject:
    """Return a model as JSON; bytes as base64."""
    plain_: JsonObject = model.model_dump(mode="json")
    return plain_


def accepted(answer: Answer | Refused, *, as_json: bool) -> Answer:
    """Return what was not refused; a refusal is printed, and the command leaves with its exit code."""
    if not isinstance(answer, Refused):
        return answer
    if as_json:
        print_json({"refused": plain(answer)})
    else:
        where = f" at {answer.pointer or '/'}" if answer.pointer is not None else ""
        complain(f"refused: {answer.code}{where}\n  {answer.detail}")
    raise typer.Exit(exit_code_of(answer.code))


@contextmanager
def progress(what: str, size: Callable[[], int]) -> Iterator[Callable[[int], object]]:
    """Give what is to be told how much more was done; where a person watches, it moves a bar on stderr."""
    if not _err.is_terminal:
        yield lambda more: None
        return
    with Progress(console=_err, transient=True) as bars:
        bar = bars.add_task(what, total=size())
        yield lambda more: bars.advance(bar, more)
