"""Beginning, and looking after it: `demo`, `init`, `db migrate`, `db check`, `doctor`."""

from __future__ import annotations

from typing import Annotated

import typer

from sealwork.adapters.cli.exit_codes import ExitCode
from sealwork.adapters.cli.output import plain, print_json, say
from sealwork.adapters.cli.session import AsJson, session
from sealwork.application.upkeep.diagnosis import Level

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


@database_commands.command("check")
def check(context: typer.Context, as_json: AsJson = False) -> None:
    """Compare the schema with what the migrations make, and tell each difference."""
    run = session(context)
    found = run.entrances.check_schema(run.place)
    if as_json:
        print_json({"differences": [*map(plain, found)]})
    elif not found:
        say("the schema is as the migrations make it")
    else:
        for each in found:
            say(f"{each.object}\n  expected: {each.expected or 'nothing'}\n  found:    {each.found or 'nothing'}")
    if found:
        raise typer.Exit(ExitCode.REFUSED)


@commands.command()
def doctor(context: typer.Context, as_json: AsJson = False) -> None:
    """Look this deployment over: database, rights, notices, clocks, keys, work; tell what to mend."""
    run = session(context)
    lines = run.entrances.examine(run.place)
    well = all(line.level is not Level.BAD for line in lines)
    if as_json:
        print_json({"well": well, "checks": [*map(plain, lines)]})
    else:
        for line in lines:
            say(f"{line.level:<4} {line.check}: {line.what}")
            if line.advice is not None:
                say(f"       {line.advice}")
    if not well:
        raise typer.Exit(ExitCode.REFUSED)
