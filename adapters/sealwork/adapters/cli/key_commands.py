"""Keys, and what they may do: `keys new`, `prove`, `admit`, `grant`, `check`, `token`, `retire`, …"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sealwork.adapters.cli.desk import Desk
from sealwork.adapters.cli.output import accepted, plain, print_json, say
from sealwork.adapters.cli.reading import read_document, read_source
from sealwork.adapters.cli.session import AsJson, session
from sealwork.application.ledger.manage_actors import Admission, ManageActors
from sealwork.application.ports.signatures import Signer
from sealwork.domain.instants import instant_text, timestamp_of
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import ActorKey, KeyClass, Possession
from sealwork.domain.ledger.members import document_of, written_model
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.timing.durations import parse_duration

commands = typer.Typer(help="Keys, and what they may do.", no_args_is_help=True)

By = Annotated[str, typer.Option("--by", metavar="NAME", help="The ACTOR_ADMIN whose key signs this.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the key in this home, and its label.")]
Label = Annotated[str, typer.Argument(metavar="LABEL", help="The label of an admitted key, or the key itself.")]
Roles = Annotated[list[str] | None, typer.Option("--role", help="A role; may be repeated.")]
Class = Annotated[KeyClass, typer.Option("--class", help="What the key is for.")]
Since = Annotated[
    str | None,
    typer.Option(
        metavar="INSTANT",
        callback=lambda text: None if text is None else _instant(text),
        help="Since when others may hold it, such as 2026-06-18T10:00:00Z.",
    ),
]
Proof = Annotated[Path | None, typer.Option(metavar="FILE", help="What `keys prove` printed, of another's key.")]
Succeeds = Annotated[
    str | None,
    typer.Option("--succeeds", metavar="LABEL", help="The key that its holder had before: both are one person."),
]
Role = Annotated[str | None, typer.Option("--role", help="A role.")]
Permission = Annotated[str | None, typer.Option("--permission", help="A permission, such as workflow.publish.")]
Lasting = Annotated[str, typer.Option("--for", metavar="DURATION", help="How long it counts: at most 24h.")]


@commands.command()
def new(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Make a private key in this home, and print the public one; admits nothing."""
    key = session(context).keyring().new_key(name).actor
    if as_json:
        print_json({"name": name, "key": key})
    else:
        say(key)


@commands.command()
def prove(context: typer.Context, name: Name, key_class: Class = KeyClass.PERSON, as_json: AsJson = False) -> None:
    """Print, as one JSON document, the proof by which an administrator elsewhere can admit a key of this home."""
    held = session(context).keyring()
    answer = held.hold_key.prove(held.key(name), held.tenant, key_class, name)
    print_json(document_of(accepted(answer, as_json=as_json)))


@commands.command()
def admit(
    context: typer.Context,
    name: Name,
    role: Roles = None,
    key_class: Class = KeyClass.PERSON,
    proof: Proof = None,
    succeeds: Succeeds = None,
    by: By = "admin",
    as_json: AsJson = False,
) -> None:
    """Admit a key of this home, a new one if NAME has none yet; or, with --proof, one that somebody else holds."""
    possession = _possession(proof, as_json=as_json) if proof else None
    with session(context).open() as desk:
        signer = desk.key(by)
        before = accepted(desk.show_actors.named(desk.tenant, succeeds), as_json=as_json) if succeeds else None
        admission = Admission(
            tenant=desk.tenant,
            key_class=key_class,
            label=name,
            roles=tuple(role or ()),
            succeeds=before.key if before else None,
        )
        if possession is not None:
            key, answer = possession.key, desk.manage_actors.admit_proven(admission, possession, signer)
        else:
            key, answer = _admit_own(desk, admission, signer)
    _print_change(answer, f"admitted {name} as {key_class}: {key}", as_json=as_json)


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
        _print_actor(actor)


@commands.command()
def grant(
    context: typer.Context,
    label: Label,
    role: Role = None,
    permission: Permission = None,
    by: By = "admin",
    as_json: AsJson = False,
) -> None:
    """Let a key act in one more role, or do one more administrative thing."""
    right = _one_right(role, permission)
    change = ManageActors.grant_permission if role is None else ManageActors.grant_role
    change_right = partial(_of_right, change, right)
    _change(context, label, by, change_right, f"granted {right} to {label}", as_json=as_json)


@commands.command()
def withdraw(
    context: typer.Context,
    label: Label,
    role: Role = None,
    permission: Permission = None,
    by: By = "admin",
    as_json: AsJson = False,
) -> None:
    """Take a role or a permission away from a key."""
    right = _one_right(role, permission)
    change = ManageActors.withdraw_permission if role is None else ManageActors.withdraw_role
    _change(
        context, label, by, partial(_of_right, change, right), f"withdrew {right} from {label}", as_json=as_json
    )


@commands.command()
def check(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Check a key of this home: admitted, valid, what it may do, and that its signature verifies."""
    with session(context).open() as desk:
        actor = desk.check_own_key.actor(desk.tenant, desk.key(name))
    if as_json:
        print_json(_json(actor))
    else:
        _print_actor(actor)


@commands.command()
def token(context: typer.Context, name: Name, lasting: Lasting = "15m", as_json: AsJson = False) -> None:
    """Print a token that shows, for a short while, that its bearer holds a key: for reading over HTTP."""
    wanted = _lasting(lasting)
    held = session(context).keyring()
    answer = accepted(held.hold_key.token(held.key(name), held.tenant, lasting=wanted), as_json=as_json)
    if as_json:
        print_json({"token": answer})
    else:
        say(answer)


@commands.command()
def retire(context: typer.Context, label: Label, by: By = "admin", as_json: AsJson = False) -> None:
    """End a key; what it signed stands."""
    _change(context, label, by, ManageActors.retire, f"retired {label}", as_json=as_json)


@commands.command()
def revoke(
    context: typer.Context,
    label: Label,
    compromised_since: Since = None,
    by: By = "admin",
    as_json: AsJson = False,
) -> None:
    """End a key that others may hold."""
    revocation = partial(ManageActors.revoke, compromised_since=compromised_since)
    _change(context, label, by, revocation, f"revoked {label}", as_json=as_json)


def _admit_own(desk: Desk, admission: Admission, by: Signer) -> tuple[str, Appended | Refused]:
    """Admit a key of this home. One that was made for it goes when it is refused; while nobody knows, it stays."""
    actors, is_new = desk.manage_actors, not desk.holds(admission.label)
    own = desk.new_key(admission.label) if is_new else desk.key(admission.label)
    answer = actors.admit(admission, own, by)
    if is_new and isinstance(answer, Refused) and own.actor not in desk.show_actors(desk.tenant).keys:
        desk.discard_key(admission.label)
    return own.actor, answer


def _change(
    context: typer.Context,
    label: str,
    by: str,
    change: Callable[[ManageActors, str, str, Signer], Appended | Refused],
    done: str,
    *,
    as_json: bool,
) -> None:
    """Let `change` (actors, tenant, key, signer) do what it does to the key of this label, and tell."""
    with session(context).open() as desk:
        key = accepted(desk.show_actors.named(desk.tenant, label), as_json=as_json).key
        answer = change(desk.manage_actors, desk.tenant, key, desk.key(by))
    _print_change(answer, done, as_json=as_json)


def _of_right(
    change: Callable[[ManageActors, str, str, str, Signer], Appended | Refused],
    right: str,
    actors: ManageActors,
    tenant: str,
    key: str,
    by: Signer,
) -> Appended | Refused:
    return change(actors, tenant, key, right, by)


def _lasting(text: str) -> timedelta:
    try:
        return parse_duration(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def _instant(text: str) -> str:
    try:
        return instant_text(timestamp_of(text))
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is {error}") from error


def _possession(path: Path, *, as_json: bool) -> Possession:
    document = accepted(read_document(read_source(path)), as_json=as_json)
    return accepted(written_model(Possession, document, code=RefusalCode.INVALID_INPUT), as_json=as_json)


def _one_right(role: str | None, permission: str | None) -> str:
    match role, permission:
        case (str(right), None) | (None, str(right)):
            return right
        case _:
            raise typer.BadParameter("write one --role or one --permission")


def _print_actor(actor: ActorKey) -> None:
    rights = ", ".join(sorted(actor.roles | actor.permissions)) or "-"
    before = f"  succeeds {actor.succeeds}" if actor.succeeds else ""
    say(f"{actor.label:<16} {actor.key_class:<12} {_standing(actor):<8} {actor.key}  {rights}{before}")


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
