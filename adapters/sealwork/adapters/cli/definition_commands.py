"""Published workflows: `def publish`, `show`, `list`, `withdraw`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NoReturn

import typer

from sealwork.adapters.cli import authoring_commands, story_commands
from sealwork.adapters.cli.exit_codes import ExitCode
from sealwork.adapters.cli.located_issues import LocatedIssue, complain_of, located, located_json, readable
from sealwork.adapters.cli.output import accepted, complain, plain, print_json, say
from sealwork.adapters.cli.process_view import receipt_json
from sealwork.adapters.cli.reading import path_and_version, read_source, real_text
from sealwork.adapters.cli.session import AsJson, session
from sealwork.application.workflows.publish_definition import Invalid
from sealwork.domain.json_value import JsonObject
from sealwork.domain.workflows.definition import WorkflowDefinition

commands = typer.Typer(help="Workflow definitions.", no_args_is_help=True)
commands.add_typer(authoring_commands.commands)
commands.add_typer(story_commands.commands)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A workflow in JSON; - is standard input.")]
As = Annotated[str, typer.Option("--as", metavar="NAME", help="Whose key signs; it needs workflow.publish.")]
One = Annotated[
    str, typer.Argument(callback=real_text, metavar="PATH", help="One workflow only.", show_default=False)
]
Version = Annotated[str, typer.Argument(callback=real_text, metavar="PATH@VERSION", help="A published version.")]
Workflow = Annotated[str, typer.Argument(callback=real_text, metavar="WORKFLOW", help="PATH, or PATH@VERSION.")]


@commands.command()
def publish(context: typer.Context, file: File, by: As = "admin", as_json: AsJson = False) -> None:
    """Publish a workflow as the next version under its path."""
    source = read_source(file)
    document = readable(source, as_json=as_json)
    with session(context).open() as desk:
        answer = desk.publish_definition(desk.tenant, document, desk.key(by))
    if isinstance(answer, Invalid):
        _refuse(located(source, answer.issues), as_json=as_json)
    published = accepted(answer, as_json=as_json)
    warnings = located(source, published.warnings)
    if as_json:
        print_json(plain(published) | {"warnings": [*map(located_json, warnings)]})
        return
    complain_of(warnings)
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
        published = desk.definitions.of(desk.tenant, path).version(ref.version)
    withdrawn = published is not None and published.withdrawn
    if as_json:
        print_json({"definition": plain(ref), "withdrawn": withdrawn, "document": document})
        return
    print_json(document)
    if withdrawn:
        complain(f"{path}@{ref.version} was withdrawn: nothing new begins with it")


@commands.command("list")
def list_definitions(context: typer.Context, path: One = "", as_json: AsJson = False) -> None:
    """List the published workflows, or the one under PATH; of each the newest version first."""
    with session(context).open() as desk:
        definitions = (
            [accepted(desk.list_definitions.under(desk.tenant, path), as_json=as_json)]
            if path
            else [*desk.list_definitions(desk.tenant)]
        )
    if as_json:
        print_json([_json(definition) for definition in definitions])
        return
    for definition in definitions:
        say(definition.path)
        for version in reversed(definition.versions):
            say(f"  @{version.ref.version:<5} sha256 {version.ref.sha256}{'  withdrawn' * version.withdrawn}")
    if not definitions:
        say("nothing is published")


@commands.command()
def withdraw(context: typer.Context, workflow: Version, by: As = "admin", as_json: AsJson = False) -> None:
    """Let nothing new begin with a version; running processes go on. This cannot be undone."""
    path, version = path_and_version(workflow)
    if version is None:
        raise typer.BadParameter(f"{path!r}: name the version too, such as {path}@1")
    with session(context).open() as desk:
        answer = desk.withdraw_definition(desk.tenant, path, version, desk.key(by))
    receipt = accepted(answer, as_json=as_json)
    if as_json:
        print_json(receipt_json(receipt))
        return
    say(f"withdrawn: {path}@{version}")
    say(f"  hash {receipt.receipt.hash}", style="dim")


def _json(definition: WorkflowDefinition) -> JsonObject:
    versions = [plain(version) for version in reversed(definition.versions)]
    return {"path": definition.path, "versions": [*versions]}


def _refuse(issues: list[LocatedIssue], *, as_json: bool) -> NoReturn:
    if as_json:
        print_json({"issues": [*map(located_json, issues)]})
    else:
        complain_of(issues)
    raise typer.Exit(ExitCode.REFUSED)
