"""What a writer of workflows needs before anything is published: `def lint`, `diff`, `schema`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, assert_never

import typer

from sealwork.adapters.cli.exit_codes import ExitCode
from sealwork.adapters.cli.located_issues import (
    LocatedIssue,
    errors_among,
    issues_in,
    located_json,
    readable,
    told,
)
from sealwork.adapters.cli.output import accepted, plain, print_json, say
from sealwork.adapters.cli.reading import is_file, published_name, read_sources
from sealwork.adapters.cli.session import AsJson, session
from sealwork.domain.json_value import JsonValue
from sealwork.domain.workflows.differences import Added, Changed, Difference, Removed, differences
from sealwork.domain.workflows.language_schema import language_schema

commands = typer.Typer()

MAX_DIFFERENCES = 500
"""How many are listed: whoever sees these knows that it is another workflow."""
_SHOWN = 60
_SIDE = "A file, - for standard input, or a published PATH or PATH@VERSION."

Files = Annotated[list[Path], typer.Argument(metavar="FILE", help="Workflows in JSON; - is standard input.")]

Old = Annotated[str, typer.Argument(metavar="A", help=_SIDE)]
New = Annotated[str, typer.Argument(metavar="B", help=_SIDE)]


@commands.command()
def lint(files: Files, as_json: AsJson = False) -> None:
    """Print everything that is wrong with workflows, and where; needs no home and no database."""
    sources = read_sources(files)
    checked = [(source.name, issues_in(source)) for source in sources]
    issues = [issue for _, found in checked for issue in found]
    if as_json:
        print_json({"files": [{"file": name, "issues": [*map(located_json, found)]} for name, found in checked]})
    else:
        for issue in issues:
            for line in told(issue):
                say(line)
        say(_summary(len(sources), issues))
    raise typer.Exit(ExitCode.REFUSED if errors_among(issues) else ExitCode.OK)


@commands.command()
def diff(context: typer.Context, old: Old, new: New, as_json: AsJson = False) -> None:
    """Print where two workflows differ; leaves with 1 if they do. Files need no home and no database."""
    one, other = _documents(context, (old, new), as_json=as_json)
    found = [*islice(differences(one, other), MAX_DIFFERENCES + 1)]
    listed, more = found[:MAX_DIFFERENCES], len(found) > MAX_DIFFERENCES
    if as_json:
        print_json({"differences": [*map(plain, listed)], "more": more})
    else:
        for difference in listed:
            say(_told(difference).replace("\n", "\\n"))
        if more:
            say(f"only the first {MAX_DIFFERENCES} differences are listed")
        if not found:
            say("no differences")
    raise typer.Exit(ExitCode.REFUSED if found else ExitCode.OK)


@commands.command()
def schema(as_json: AsJson = False) -> None:
    """Print the JSON Schema of workflows, for editors; it is one document with --json or without."""
    print_json(language_schema())


def _documents(context: typer.Context, names: Sequence[str], *, as_json: bool) -> list[JsonValue]:
    """What files and published versions say, in order; a home is opened only if one of them is published."""
    files = [name for name in names if is_file(name)]
    sources = dict(zip(files, read_sources([Path(name) for name in files]), strict=True))
    published = {name: published_name(name) for name in names if name not in sources}
    documents = {name: readable(source, as_json=as_json) for name, source in sources.items()}
    if published:
        with session(context).open() as desk:
            for name, (path, version) in published.items():
                ref = accepted(desk.definitions.find(desk.tenant, path, version), as_json=as_json)
                documents[name] = accepted(desk.definitions.stored(desk.tenant, ref), as_json=as_json)
    return [documents[name] for name in names]


def _told(difference: Difference) -> str:
    place = difference.pointer or "the whole document"
    match difference:
        case Added():
            return f"+ {place}: {_shortly(difference.new)}"
        case Removed():
            return f"- {place}: {_shortly(difference.old)}"
        case Changed():
            return f"~ {place}: {_shortly(difference.old)} -> {_shortly(difference.new)}"
        case _:
            assert_never(difference)


def _shortly(value: JsonValue) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _summary(files: int, issues: Sequence[LocatedIssue]) -> str:
    errors = errors_among(issues)
    counted = [_counted(errors, "error"), _counted(len(issues) - errors, "warning")]
    found = ", ".join(each for each in counted if not each.startswith("0 ")) or "nothing wrong"
    return f"{_counted(files, 'file')} checked: {found}"


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
