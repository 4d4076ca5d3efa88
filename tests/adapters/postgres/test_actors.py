"""The table of actors is a projection: it must say what the chain says."""

from __future__ import annotations

from sealing import Deployment
from sealwork.adapters.postgres.database import Database
from sealwork.domain.instants import instant_of
from sealwork.domain.ledger.actors import ActorKey, KeyClass
from sealwork.domain.ledger.submission import Appended


def test_the_table_says_what_the_registries_say(deployment: Deployment, emptied: Database) -> None:
    deployment.bootstrap()
    for name in ("maria", "ana", "olle", "kim"):
        deployment.admit(name, KeyClass.PERSON, "intake", "analyst")
    actors, admin = deployment.actors, deployment.key("admin")
    maria, ana, olle, kim = (deployment.key(name).actor for name in ("maria", "ana", "olle", "kim"))
    answers = [
        actors.grant_role("acme", maria, "boss", admin),
        actors.grant_permission("acme", maria, "rule.publish", admin),
        actors.retire("acme", ana, admin),
        actors.revoke("acme", olle, admin, compromised_since="2026-01-01T00:00:00.000000Z"),
        actors.retire("acme", kim, admin),
        actors.revoke("acme", kim, admin),
    ]
    assert all(isinstance(answer, Appended) for answer in answers), answers

    for tenant in ("acme", "system"):
        registry = deployment.show_actors(tenant)

        assert _projected(emptied, tenant) == {key: _told(actor) for key, actor in registry.keys.items()}
    assert len(_projected(emptied, "acme")) == 6


def _projected(database: Database, tenant: str) -> dict[str, object]:
    with database.owner() as owner:
        rows = owner.execute(
            """
            SELECT key, class, label, roles, permissions, status, admitted_at_seq, ended_at_seq, compromised_since
            FROM sealwork.actors WHERE tenant_id = %s
            """,
            (tenant,),
        ).fetchall()
    return {key: tuple(told) for key, *told in rows}


def _told(actor: ActorKey) -> tuple[object, ...]:
    ends = [end for end in (actor.retired_at, actor.revoked_at) if end is not None]
    status = "revoked" if actor.revoked_at else "retired" if actor.retired_at else "valid"
    since = instant_of(actor.compromised_since) if actor.compromised_since else None
    names = sorted(actor.roles), sorted(actor.permissions)
    ended = min(ends, default=None)
    return actor.key_class, actor.label, *names, status, actor.admitted_at, ended, since
