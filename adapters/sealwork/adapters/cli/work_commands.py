"""Work rows of the whole tenant, and what was tried: `work list`, `work show`, `work log`."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import typer

from sealwork.adapters.cli.output import accepted, plain, print_json
from sealwork.adapters.cli.reading import real_text, work_id
from sealwork.adapters.cli.session import AsJson, session
from sealwork.adapters.cli.work_view import listed_json, print_attempts, print_listing, print_why, print_work
from sealwork.application.work.list_work import WorkWanted
from sealwork.domain.work.work_row import WorkStatus

commands = typer.Typer(help="What the machine has to do: timers and automatic actions.", no_args_is_help=True)

MAX_LISTED = 10_000
Statuses = Annotated[
    list[WorkStatus] | None, typer.Option("--status", help="Only rows of this status; may be repeated.")
]
OfProcess = Annotated[
    str | None, typer.Option("--process", callback=lambda text: text and real_text(text), help="Only its rows.")
]
Limit = Annotated[int, typer.Option(min=1, max=MAX_LISTED, help="How many rows at most.")]
WorkId = Annotated[UUID, typer.Argument(parser=work_id, metavar="WORK_ID", help="The id of a work row.")]


@commands.command("list")
def list_work(
    context: typer.Context,
    status: Statuses = None,
    process: OfProcess = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List work rows: what failed, what waits by when it is due, then what has ended, the newest first."""
    statuses = frozenset(status or WorkStatus)
    with session(context).open() as desk:
        listing = desk.list_work(desk.tenant, WorkWanted(statuses=statuses, process_id=process, limit=limit))
    if as_json:
        print_json({"work": [*map(listed_json, listing.work)], "more": listing.more})
    else:
        print_listing(listing)


@commands.command()
def show(context: typer.Context, work: WorkId, as_json: AsJson = False) -> None:
    """Show all that a work row says, and what led to it."""
    with session(context).open() as desk:
        found = accepted(desk.list_work.find(desk.tenant, work), as_json=as_json)
        answer = desk.list_work.why(found)
    if as_json:
        rungs = [plain(rung) for rung in accepted(answer, as_json=True).rungs]
        print_json({"work": listed_json(found), "rungs": [*rungs]})
    else:
        print_work(found)
        print_why(accepted(answer, as_json=False))


@commands.command("log")
def list_attempts(
    context: typer.Context, process: OfProcess = None, limit: Limit = 50, as_json: AsJson = False
) -> None:
    """List what the worker tried, the newest first, and what came of it: for diagnosis; the chain is the proof."""
    with session(context).open() as desk:
        attempts = desk.list_attempts(desk.tenant, process_id=process, limit=limit)
    if as_json:
        print_json({"attempts": [*map(plain, attempts)]})
    else:
        print_attempts(attempts)
