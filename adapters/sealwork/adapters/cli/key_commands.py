"""Keys, and what they may do: `keys admit`, `list`, `retire`, `revoke`."""

from __future__ import annotations

from typing import Annotated

import typer

from sealwork.adapters.cli.output import accepted, plain, print_json, say
from sealwork.adapters.cli.session import AsJson, session
from sealwork.application.ledger.manage_actors import Admission
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import ActorKey, KeyClass
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.refusals import Refused

commands = typer.Typer(help="Keys, and what they may do.", no_args_is_help=True)

By = Annotated[str, typer.Option("--by", metavar="NAME", help="The ACTOR_ADMIN whose key signs this.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The label of the key, and its name in this home.")]
Roles = Annotated[list[str] | None, typer.Option("--role", help="A role; may be repeated.")]
Class = Annotated[KeyClass, typer.Option("--class", help="What the key is for.")]
Since = Annotated[str | None, typer.Option(help="Since when others may hold it: YYYY-MM-DDTHH:MM:SS.ffffffZ.")]


@commands.command()
def admit(
    context: typer.Context,
    name: Name,
    role: Roles = None,
    key_class: Class = KeyClass.PERSON,
    by: By = "admin",
    as_json: AsJson = False,
) -> None:
    """Admit a key of this home; a new one is made if NAME has none yet."""
    with session(context).open() as desk:
        signer, key = desk.key(by), desk.key_or_new(name)
        admission = Admission(tenant=desk.tenant, key_class=key_class, label=name, roles=tuple(role or ()))
        answer = desk.manage_actors.admit(admission, key, signer)
    _print_change(answer, f"admitted {name} as {key_class}: {key.actor}", as_json=as_json)


@commands.command("list")
def list_keys(context: typer.Context, as_json: AsJson = False) -> None:
    """List the keys of the tenant, in the order of their admission."""
    with session(context).open() as desk:
        registry = desk.show_actors(desk.tenant)
    actors = sorted(registry.keys.values(), key=lambda actor: actor.admitted_at)
    if as_json:
        print_json([_json(actor) for actor in actors])
        return
    for actor in actors:
        rights = ", ".join(sorted(actor.roles | actor.permissions)) or "-"
        say(f"{actor.label:<16} {actor.key_class:<12} {_standing(actor):<8} {actor.key}  {rights}")


@commands.command()
def retire(context: typer.Context, name: Name, by: By = "admin", as_json: AsJson = False) -> None:
    """End a key; what it signed stands."""
    with session(context).open() as desk:
        key = accepted(desk.show_actors.named(desk.tenant, name), as_json=as_json).key
        answer = desk.manage_actors.retire(desk.tenant, key, desk.key(by))
    _print_change(answer, f"retired {name}", as_json=as_json)


@commands.command()
def revoke(
    context: typer.Context,
    name: Name,
    compromised_since: Since = None,
    by: By = "admin",
    as_json: AsJson = False,
) -> None:
    """End a key that others may hold."""
    with session(context).open() as desk:
        key = accepted(desk.show_actors.named(desk.tenant, name), as_json=as_json).key
        answer = desk.manage_actors.revoke(desk.tenant, key, desk.key(by), compromised_since=compromised_since)
    _print_change(answer, f"revoked {name}", as_json=as_json)


def _print_change(answer: Appended | Refused, done: str, *, as_json: bool) -> None:
    receipt = accepted(answer, as_json=as_json).receipt
    if as_json:
        print_json({"done": done, "seq": receipt.seq, "hash": receipt.hash})
    else:
        say(done)


def _standing(actor: ActorKey) -> str:
    if actor.revoked_at is not None:
        return "revoked"
    return "retired" if actor.retired_at is not None else "valid"


def _json(actor: ActorKey) -> JsonObject:
    return plain(actor) | {"roles": [*sorted(actor.roles)], "permissions": [*sorted(actor.permissions)]}
