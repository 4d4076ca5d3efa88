"""What a writer of workflows needs before anything is published: `def lint`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sealwork.adapters.cli.exit_codes import ExitCode
from sealwork.adapters.cli.located_issues import LocatedIssue, errors_among, issues_in, located_json, told
from sealwork.adapters.cli.output import print_json, say
from sealwork.adapters.cli.reading import read_sources
from sealwork.adapters.cli.session import AsJson

commands = typer.Typer()

Files = Annotated[list[Path], typer.Argument(metavar="FILE…", help="Workflows in JSON; - is standard input.")]


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


def _summary(files: int, issues: Sequence[LocatedIssue]) -> str:
    errors = errors_among(issues)
    counted = [_counted(errors, "error"), _counted(len(issues) - errors, "warning")]
    found = ", ".join(each for each in counted if not each.startswith("0 ")) or "nothing wrong"
    return f"{_counted(files, 'file')} checked: {found}"


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
