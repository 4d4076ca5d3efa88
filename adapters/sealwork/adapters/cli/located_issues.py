"""What is wrong with a workflow, each thing at its place in the file that its author wrote."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import typer

from sealwork.adapters.cli.exit_codes import exit_code_of
from sealwork.adapters.cli.output import accepted, complain, plain
from sealwork.adapters.cli.reading import read_document
from sealwork.adapters.cli.source_places import SourcePlace, find, inside_text, places_in
from sealwork.adapters.cli.source_text import Source
from sealwork.domain.issues import Issue
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.workflows.definition import issues_of

_MAX_POINTER = 200
_ABOUT_THE_NAME = frozenset({"WF_UNKNOWN_FIELD"})
"""Issues for which not the value is wrong, but that it has this name."""


class LocatedIssue(NamedTuple):
    """An issue, and the offset of the character in `source` that it is about."""

    issue: Issue
    source: Source
    offset: int


def issues_in(source: Source) -> list[LocatedIssue]:
    """Return everything that is wrong with the workflow in a file, from its top to its end."""
    document = read_document(source)
    if isinstance(document, Refused):
        return [located_flaw(source, document)]
    return located(source, issues_of(document)[1])


def located(source: Source, issues: Iterable[Issue]) -> list[LocatedIssue]:
    """Return `issues` of the document that `source` holds, from its top to its end."""
    found = list(issues)
    if not found:
        return []
    offset_in = partial(_offset, source.text, places_in(source.text))
    return sorted((LocatedIssue(issue, source, offset_in(issue)) for issue in found), key=lambda each: each.offset)


def located_flaw(source: Source, flaw: Refused) -> LocatedIssue:
    """Return why `read_document` refused a file, as an issue."""
    if flaw.pointer is not None:
        offset = find(places_in(source.text), flaw.pointer).place.value
    else:
        offset = 0 if flaw.code is RefusalCode.TOO_LARGE else _broken_at(source)
    line, column = source.position(offset)
    message = flaw.detail.removeprefix(f"line {line}, column {column}: ")
    return LocatedIssue(Issue(code=flaw.code, pointer=flaw.pointer or "", message=message), source, offset)


def told(issue: LocatedIssue) -> Iterator[str]:
    """Return the lines that tell an issue as compilers do: place and message, the source line, a caret."""
    line, column = issue.source.position(issue.offset)
    what, pointer = issue.issue, issue.issue.pointer
    shown = pointer if len(pointer) <= _MAX_POINTER else f"{pointer[: _MAX_POINTER - 1]}…"
    at = f" at {shown}" if shown else ""
    head = f"{issue.source.name}:{line}:{column}: {what.level} {what.code}{at}: {what.message}"
    yield head.replace("\n", "\\n")
    shown_line, caret = issue.source.excerpt(issue.offset)
    if shown_line:
        yield from (f"  {shown_line}", f"  {caret}")


def located_json(issue: LocatedIssue) -> JsonObject:
    """Return an issue with line and column in its file."""
    line, column = issue.source.position(issue.offset)
    return plain(issue.issue) | {"line": line, "column": column}


def complain_of(issues: Iterable[LocatedIssue]) -> None:
    """Print issues as trouble."""
    for issue in issues:
        for line in told(issue):
            complain(line)


def readable(source: Source, *, as_json: bool) -> JsonValue:
    """Return the JSON in a file; if it cannot be read the command says where, and leaves."""
    document = read_document(source)
    if isinstance(document, Refused) and not as_json:
        complain_of([located_flaw(source, document)])
        raise typer.Exit(exit_code_of(document.code))
    return accepted(document, as_json=as_json)


def errors_among(issues: Iterable[LocatedIssue]) -> int:
    """Return how many of `issues` stop a publication."""
    return sum(each.issue.level == "error" for each in issues)


def _offset(text: str, root: SourcePlace, issue: Issue) -> int:
    place, is_exact = find(root, issue.pointer)
    if is_exact and issue.column is not None and text[place.value] == '"':
        return inside_text(text, place.value, issue.column)
    named = is_exact and issue.code in _ABOUT_THE_NAME and place.name is not None
    return place.name if named and place.name is not None else place.value


def _broken_at(source: Source) -> int:
    """Where a text stops to be JSON; its begin, where Python cannot say."""
    try:
        with suppress(RecursionError):
            json.loads(source.body.decode(), parse_int=str)
    except UnicodeDecodeError as error:
        return len(source.body[: error.start].decode())
    except json.JSONDecodeError as error:
        return error.pos
    return 0
