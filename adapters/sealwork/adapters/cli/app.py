"""The command `sealwork`: all command groups under one name."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from sealwork.adapters.cli import (
    definition_commands,
    key_commands,
    process_commands,
    proof_commands,
    setup_commands,
    work_commands,
)
from sealwork.adapters.cli.desk import Entrances, Place
from sealwork.adapters.cli.output import say
from sealwork.adapters.cli.session import Session

app = typer.Typer(
    name="sealwork",
    help="Workflow automation in which every action is a signed event in a hash chain.",
    epilog="Exit codes: 0 ok, 1 refused, 2 usage, 3 not found, 4 conflict, 5 tampering found, "
    "69 unavailable, 78 configuration.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(setup_commands.commands)
app.add_typer(definition_commands.commands, name="def")
app.add_typer(process_commands.commands)
app.add_typer(proof_commands.commands)
app.add_typer(work_commands.commands, name="work")
app.add_typer(key_commands.commands, name="keys")
app.add_typer(setup_commands.database_commands, name="db")

Home = Annotated[Path | None, typer.Option(help="Folder of keys and data [SEALWORK_HOME, .sealwork].")]
Tenant = Annotated[str | None, typer.Option(help="Whose processes [SEALWORK_TENANT, main].")]


def _print_version(asked: bool) -> None:
    if asked:
        say(f"sealwork {version('sealwork')}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version, and leave.")
]


@app.callback()
def _place(
    context: typer.Context, home: Home = None, tenant: Tenant = None, asked_version: Version = False
) -> None:
    entrances = context.find_object(Entrances)
    assert entrances is not None
    context.obj = Session(entrances=entrances, place=Place(home=home, tenant=tenant))
