"""The machine and its auditor: `worker --once`, `verify`, `export`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sealwork.adapters.cli.exit_codes import ExitCode, exit_code_of_bundle
from sealwork.adapters.cli.output import accepted, complain, plain, print_json, progress
from sealwork.adapters.cli.process_view import (
    fired_json,
    print_bundle_report,
    print_exported,
    print_fired,
    print_report,
    report_json,
)
from sealwork.adapters.cli.reading import real_text
from sealwork.adapters.cli.session import AsJson, Session, session
from sealwork.application.proof.bundle import BadBundle
from sealwork.application.proof.verify import Report
from sealwork.domain.json_value import JsonObject

commands = typer.Typer()

Once = Annotated[bool, typer.Option("--once", help="Fire what is due now, then end.")]
Bundle = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Check this bundle instead; needs no home and no database.")
]
TrustFile = Annotated[
    Path | None, typer.Option("--trust", metavar="FILE", help="The trust.json to judge the bundle by.")
]
Processes = Annotated[
    list[str], typer.Argument(callback=lambda ids: [real_text(id_) for id_ in ids], metavar="PROCESS…")
]
SomeProcesses = Annotated[
    list[str] | None,
    typer.Argument(
        callback=lambda ids: ids and [real_text(id_) for id_ in ids],
        metavar="[PROCESS…]",
        help="Check only these, with the keys and workflows that they rest on; without any, the whole log.",
    ),
]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where the bundle is to stand.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")]

Shares = Annotated[
    int | None,
    typer.Option(
        "--shares",
        min=1,
        max=64,
        help="Share the work among so many processes of this machine; a large log is shared anyway.",
    ),
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
def verify(
    context: typer.Context,
    processes: SomeProcesses = None,
    bundle: Bundle = None,
    trust: TrustFile = None,
    shares: Shares = None,
    as_json: AsJson = False,
) -> None:
    """Check a log or a bundle: links, signatures, whether each event was permitted, and all beside them."""
    if bundle is not None:
        if processes:
            raise typer.BadParameter("a bundle is checked whole: name no process")
        report = _of_bundle(session(context), bundle, trust, as_json=as_json)
    elif trust is not None:
        raise typer.BadParameter("--trust is for a bundle: this home has a trust file of its own")
    else:
        report = _of_log(session(context), processes or [], shares, as_json=as_json)
    if not report.intact:
        raise typer.Exit(ExitCode.TAMPERING)


def _of_log(run: Session, processes: Sequence[str], shares: int | None, *, as_json: bool) -> Report:
    with run.open() as desk:
        tenant = desk.tenant if processes else None
        with progress("verifying", lambda: desk.verify.size(tenant, processes)) as heard:
            report = desk.verify(tenant, processes=processes, shares=shares, heard=heard)
    if as_json:
        print_json(report_json(report))
    else:
        print_report(report)
    return report


def _of_bundle(run: Session, path: Path, trust: Path | None, *, as_json: bool) -> Report:
    answer = run.entrances.check_bundle(path, trust)
    if isinstance(answer, BadBundle):
        if as_json:
            print_json({"refused": plain(answer)})
        else:
            complain(f"refused: {answer.code}{f' at {answer.file}' if answer.file else ''}\n  {answer.detail}")
        raise typer.Exit(exit_code_of_bundle(answer.code))
    if as_json:
        about = plain(answer.about) | {"pinned": answer.pinned}
        not_proven: JsonObject = {"not_proven": [*answer.not_proven]}
        print_json(report_json(answer.report) | not_proven | {"bundle": about})
    else:
        print_bundle_report(answer)
    return answer.report


@commands.command()
def export(
    context: typer.Context,
    processes: Processes,
    output: Output,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a bundle: processes, with everything by which others can check them without this database."""
    run = session(context)
    with run.open() as desk, run.entrances.new_archive(output, overwrite=force) as archive:
        exported = accepted(desk.export_bundle(desk.tenant, processes, archive), as_json=as_json)
    if as_json:
        print_json(plain(exported) | {"file": str(output)})
    else:
        print_exported(exported, output)
