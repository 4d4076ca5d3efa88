"""Beginning: `demo`, `init`, `db migrate`."""

from __future__ import annotations

from typing import Annotated

import typer

from sealwork.adapters.cli.output import print_json, say
from sealwork.adapters.cli.session import AsJson, session

commands = typer.Typer()
database_commands = typer.Typer(help="The database.", no_args_is_help=True)

Origin = Annotated[str | None, typer.Option(help="The identity of this log, for ever, such as example.org/log.")]


@commands.command()
def demo(context: typer.Context) -> None:
    """Watch a small onboarding workflow run, with real keys and a real database."""
    run = session(context)
    run.entrances.demo(run.place)


@commands.command()
def init(context: typer.Context, origin: Origin = None, as_json: AsJson = False) -> None:
    """Make keys, schema and first admissions; running it again finishes what was begun, or changes nothing."""
    run = session(context)
    done = run.entrances.initialise(run.place, origin)
    if as_json:
        print_json(done)
        return
    say(f"{'initialised' if done['anew'] else 'already initialised'}: {done['home']}, log {done['origin']}")
    say(f"  root key  {done['root']}")
    say(f"  keep {done['home']}/keys/root.key offline; {done['home']}/trust.json is what verifiers pin")


@database_commands.command("migrate")
def migrate(context: typer.Context, as_json: AsJson = False) -> None:
    """Bring the database to this version; forward only."""
    run = session(context)
    applied = run.entrances.migrate(run.place)
    if as_json:
        print_json({"applied": list(applied)})
    else:
        say(f"applied {len(applied)}: {', '.join(applied)}" if applied else "nothing to do")
