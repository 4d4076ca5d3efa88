"""The machine and its auditor: `worker --once`, `verify`."""

from __future__ import annotations

from typing import Annotated

import typer

from sealwork.adapters.cli.exit_codes import ExitCode
from sealwork.adapters.cli.output import print_json, progress
from sealwork.adapters.cli.process_view import fired_json, print_fired, print_report, report_json
from sealwork.adapters.cli.session import AsJson, session

commands = typer.Typer()

Once = Annotated[bool, typer.Option("--once", help="Fire what is due now, then end.")]

Processes = Annotated[
    int | None,
    typer.Option(min=1, max=64, help="Share the work among so many processes; a large log is shared anyway."),
]


@commands.command()
def worker(context: typer.Context, once: Once = False, as_json: AsJson = False) -> None:
    """Fire automatic and scheduled actions that are due."""
    if not once:
        raise typer.BadParameter("this version works off what is due and ends: write worker --once")
    with session(context).open() as desk:
        fired = desk.fire_work([desk.tenant])
    if as_json:
        print_json([fired_json(attempt) for attempt in fired])
    else:
        print_fired(fired)


@commands.command()
def verify(context: typer.Context, processes: Processes = None, as_json: AsJson = False) -> None:
    """Check every chain: links, signatures, whether each event was permitted, and all that stands beside them."""
    with session(context).open() as desk, progress("verifying", desk.verify.size) as heard:
        report = desk.verify(processes=processes, heard=heard)
    if as_json:
        print_json(report_json(report))
    else:
        print_report(report)
    if not report.intact:
        raise typer.Exit(ExitCode.TAMPERING)
