"""Initialising: keys, trust file, schema, and the first admissions. Each step may be repeated.

The root key signs two admissions, of the first ENGINE key and of the first ACTOR_ADMIN, and then lies offline.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from sealwork.adapters.entrypoints.compose import Application
from sealwork.adapters.entrypoints.home import ADMIN, AUTOMATION, ENGINE, ROOT, Home, Trust
from sealwork.adapters.entrypoints.opening import application
from sealwork.adapters.postgres.database import Database
from sealwork.adapters.postgres.migrate import migrate, set_origin
from sealwork.adapters.signing import SecretKey
from sealwork.application.ledger.manage_actors import Admission
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import SYSTEM
from sealwork.domain.ledger.actors import PUBLISH_WORKFLOWS, KeyClass
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.refusals import Refused


class Initialised(BaseModel):
    """What stands after `init`; `anew` says whether this call did anything."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    origin: str
    root: str
    tenant: str
    home: str
    anew: bool


def initialise(database: Database, home: Home, *, origin: str, tenant: str) -> Initialised:
    """Bring an empty folder and an empty database to the first usable state, or finish what was begun.

    Raises:
        Misconfigured: the home or the database belongs to another log.
        Unavailable: the database did not answer; run it again.
    """
    trust = _pinned(home, origin)
    applied = migrate(database)
    set_origin(database, trust.origin)
    admitted = _admit(application(database, home, tenant), home)
    return Initialised(
        origin=trust.origin,
        root=trust.root,
        tenant=tenant,
        home=str(home.folder),
        anew=bool(applied) or admitted,
    )


def _pinned(home: Home, origin: str) -> Trust:
    trust = home.pinned()
    if trust is None:
        trust = Trust(origin=origin, root=home.key_or_new(ROOT).actor)
        home.pin(trust)
    if trust.origin != origin:
        raise Misconfigured(
            f"{home.folder} belongs to the log {trust.origin}: give another --home or that --origin"
        )
    return trust


def _admit(app: Application, home: Home) -> bool:
    """Admit what is missing: the engine by root, an administrator by root, the worker by the administrator."""
    root, admin = home.key(ROOT), home.key_or_new(ADMIN)
    first = (
        (Admission(tenant=SYSTEM, key_class=KeyClass.ENGINE, label=ENGINE), home.engine_key_or_new(), root),
        (Admission(tenant=app.tenant, key_class=KeyClass.ACTOR_ADMIN, label=ADMIN), admin, root),
        (
            Admission(tenant=app.tenant, key_class=KeyClass.AUTOMATION, label=AUTOMATION),
            home.automation_key_or_new(),
            admin,
        ),
    )
    missing = [step for step in first if _missing(app, step[0].tenant, step[1])]
    for admission, key, by in missing:
        _accepted(app.manage_actors.admit(admission, key, by))
    actor = app.show_actors(app.tenant).keys[admin.actor]
    if PUBLISH_WORKFLOWS in actor.permissions:
        return bool(missing)
    _accepted(app.manage_actors.grant_permission(app.tenant, admin.actor, PUBLISH_WORKFLOWS, admin))
    return True


def _missing(app: Application, tenant: str, key: SecretKey) -> bool:
    return key.actor not in app.show_actors(tenant).keys


def _accepted(answer: Appended | Refused) -> None:
    if isinstance(answer, Refused):
        raise Misconfigured(f"the first admissions were refused ({answer.code}): {answer.detail}")
