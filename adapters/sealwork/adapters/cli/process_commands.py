"""Processes: `start`, `act`, `show`, `timeline`, `why`."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import typer

from sealwork.adapters.cli.output import accepted, plain, print_json
from sealwork.adapters.cli.process_view import (
    print_ladder,
    print_process,
    print_receipt,
    print_timeline,
    receipt_json,
)
from sealwork.adapters.cli.reading import event_or_work, path_and_version, read_input, real_text
from sealwork.adapters.cli.session import AsJson, session
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.refusals import Refused

commands = typer.Typer()

ProcessId = Annotated[str, typer.Argument(callback=real_text, metavar="PROCESS", help="The id of a process.")]
Workflow = Annotated[str, typer.Argument(callback=real_text, metavar="WORKFLOW", help="PATH, or PATH@VERSION.")]
ActionName = Annotated[
    str, typer.Argument(callback=real_text, metavar="ACTION", help="An action of the process's workflow.")
]
CreateAction = Annotated[str, typer.Option("--action", help="The action of type create that begins it.")]
As = Annotated[str, typer.Option("--as", metavar="NAME", help="Whose key signs: a name in the home's keys.")]
Asked = Annotated[
    str,
    typer.Argument(
        callback=real_text,
        metavar="EVENT",
        help="Its number, or the id of a work row.",
        show_default="the last event",
    ),
]
Input = Annotated[str, typer.Option("--input", metavar="JSON", help="An object; @FILE, or - for standard input.")]


@commands.command()
def start(
    context: typer.Context,
    workflow: Workflow,
    process: ProcessId,
    by: As,
    action: CreateAction = "start",
    input_: Input = "{}",
    as_json: AsJson = False,
) -> None:
    """Begin a process."""
    path, version = path_and_version(workflow)
    given = accepted(read_input(input_), as_json=as_json)
    with session(context).open() as desk:
        ref = accepted(desk.definitions.find(desk.tenant, path, version), as_json=as_json)
        answer = desk.start_process(desk.tenant, process, ref, desk.key(by), action=action, input_=given)
    _print(answer, as_json=as_json)


@commands.command()
def act(
    context: typer.Context,
    process: ProcessId,
    action: ActionName,
    by: As,
    input_: Input = "{}",
    as_json: AsJson = False,
) -> None:
    """Act on a process."""
    given = accepted(read_input(input_), as_json=as_json)
    with session(context).open() as desk:
        answer = desk.submit_action(desk.tenant, process, action, desk.key(by), input_=given)
    _print(answer, as_json=as_json)


@commands.command()
def show(context: typer.Context, process: ProcessId, as_json: AsJson = False) -> None:
    """Show where a process stands, and what waits for it."""
    with session(context).open() as desk:
        view = accepted(desk.show_process(desk.tenant, process), as_json=as_json)
    if as_json:
        print_json(plain(view))
    else:
        print_process(view)


@commands.command()
def timeline(context: typer.Context, process: ProcessId, as_json: AsJson = False) -> None:
    """Show every event of a process: who, what, when, and why the machine acted."""
    with session(context).open() as desk:
        entries = accepted(desk.show_process.timeline(desk.tenant, process), as_json=as_json)
    if as_json:
        print_json([plain(entry) for entry in entries])
    else:
        print_timeline(entries)


@commands.command()
def why(context: typer.Context, process: ProcessId, asked: Asked = "", as_json: AsJson = False) -> None:
    """Show what led to an event or a work row, back to the first act that nothing caused."""
    wanted = event_or_work(asked)
    with session(context).open() as desk:
        answer = (
            desk.explain.work(desk.tenant, process, wanted)
            if isinstance(wanted, UUID)
            else desk.explain.event(desk.tenant, process, wanted)
        )
    ladder = accepted(answer, as_json=as_json)
    if as_json:
        print_json(plain(ladder))
    else:
        print_ladder(ladder)


def _print(answer: Appended | Refused, *, as_json: bool) -> None:
    appended = accepted(answer, as_json=as_json)
    if as_json:
        print_json(receipt_json(appended))
    else:
        print_receipt(appended)
