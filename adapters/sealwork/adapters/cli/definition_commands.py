"""Workflow definitions: `def publish`, `def show`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealwork.adapters.cli.output import accepted, plain, print_issues, print_json, refuse_issues, say
from sealwork.adapters.cli.reading import path_and_version, read_document, real_text
from sealwork.adapters.cli.session import AsJson, session
from sealwork.application.workflows.publish_definition import Invalid

commands = typer.Typer(help="Workflow definitions.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A workflow in JSON.")]
As = Annotated[str, typer.Option("--as", metavar="NAME", help="Whose key signs; it needs workflow.publish.")]
Workflow = Annotated[str, typer.Argument(callback=real_text, metavar="WORKFLOW", help="PATH, or PATH@VERSION.")]


@commands.command()
def publish(context: typer.Context, file: File, by: As = "admin", as_json: AsJson = False) -> None:
    """Publish a workflow as the next version under its path."""
    document = accepted(read_document(file), as_json=as_json)
    with session(context).open() as desk:
        answer = desk.publish_definition(desk.tenant, document, desk.key(by))
    if isinstance(answer, Invalid):
        refuse_issues(answer.issues, as_json=as_json)
    published = accepted(answer, as_json=as_json)
    if as_json:
        print_json(plain(published))
        return
    print_issues(published.warnings)
    ref = published.ref
    say(f"{'published' if published.anew else 'stands already'}: {ref.path}@{ref.version}")
    say(f"  sha256 {ref.sha256}", style="dim")


@commands.command()
def show(context: typer.Context, workflow: Workflow, as_json: AsJson = False) -> None:
    """Print a published version, the newest unless VERSION is given."""
    path, version = path_and_version(workflow)
    with session(context).open() as desk:
        ref = accepted(desk.definitions.find(desk.tenant, path, version), as_json=as_json)
        document = accepted(desk.definitions.stored(desk.tenant, ref), as_json=as_json)
    print_json({"definition": plain(ref), "document": document} if as_json else document)
