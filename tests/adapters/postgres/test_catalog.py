"""`db check`: whatever somebody with every right changes in the schema is told, each by its name."""

from __future__ import annotations

import pytest

from sealwork.adapters.postgres.catalog import catalog
from sealwork.adapters.postgres.database import Database
from sealwork.application.upkeep.diagnosis import differences
from sealwork.domain.errors import Misconfigured
from servers import VERSIONS, Server, Servers


def test_a_migrated_database_is_as_the_migrations_make_it(server: Server, servers: Servers) -> None:
    newest = servers.of_version(VERSIONS[0])
    with server.database() as here, newest.database() as there, Database(here) as one, Database(there) as other:
        found, expected = catalog(one), catalog(other)

    assert differences(expected, found) == []
    assert len(found) > 200


CHANGES = {
    "DROP TRIGGER append_only ON sealwork.events": ("trigger events.append_only", "gone"),
    "ALTER TABLE sealwork.events DISABLE TRIGGER append_only": ("trigger events.append_only", "changed"),
    "ALTER TABLE sealwork.events ENABLE TRIGGER append_only": ("trigger events.append_only", "changed"),
    "CREATE TRIGGER t BEFORE INSERT ON sealwork.events FOR EACH ROW EXECUTE FUNCTION sealwork.refuse_change()": (
        "trigger events.t",
        "new",
    ),
    "CREATE OR REPLACE FUNCTION sealwork.refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
    "'BEGIN RETURN NEW; END'": ("function refuse_change()", "changed"),
    "ALTER FUNCTION sealwork.append_events SECURITY INVOKER": ("function append_events(", "changed"),
    "ALTER FUNCTION sealwork.append_events RESET search_path": ("function append_events(", "changed"),
    "CREATE FUNCTION sealwork.f() RETURNS int LANGUAGE sql AS 'SELECT 1'": ("function f()", "new"),
    "DROP FUNCTION sealwork.stop_clock": ("function stop_clock(", "gone"),
    "GRANT INSERT ON sealwork.events TO sealwork_worker": (
        "right of sealwork_worker on relation events",
        "new",
    ),
    "GRANT DELETE ON sealwork.events TO sealwork_engine": (
        "right of sealwork_engine on relation events",
        "changed",
    ),
    "GRANT UPDATE (doc) ON sealwork.events TO PUBLIC": ("right of PUBLIC on column events.doc", "new"),
    "REVOKE EXECUTE ON FUNCTION sealwork.claim_work FROM sealwork_worker": (
        "right of sealwork_worker on function claim_work(",
        "gone",
    ),
    "GRANT CREATE ON SCHEMA sealwork TO sealwork_engine": (
        "right of sealwork_engine on schema sealwork",
        "changed",
    ),
    "ALTER TABLE sealwork.events ADD COLUMN more text": ("column events.more", "new"),
    "ALTER TABLE sealwork.heads ALTER COLUMN hash DROP NOT NULL": ("column heads.hash", "changed"),
    "ALTER TABLE sealwork.settings DROP CONSTRAINT only_demo_and_test_origins_move_the_clock": (
        "constraint settings.only_demo_and_test_origins_move_the_clock",
        "gone",
    ),
    "DROP INDEX sealwork.automation_queue_due": ("index automation_queue_due", "gone"),
    "CREATE TABLE sealwork.more (id int)": ("relation more", "new"),
    "ALTER TABLE sealwork.events OWNER TO CURRENT_USER": ("relation events", "changed"),
    "CREATE RULE nothing AS ON INSERT TO sealwork.system_log DO INSTEAD NOTHING": (
        "rule system_log.nothing",
        "new",
    ),
    "ALTER TABLE sealwork.events ENABLE ROW LEVEL SECURITY": ("relation events", "changed"),
    "CREATE OR REPLACE VIEW sealwork.stored_events AS SELECT * FROM sealwork.stored_events WHERE false": (
        "relation stored_events",
        "changed",
    ),
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change[:60])
def test_every_change_is_told_by_its_name(change: str, database: Database) -> None:
    expected = catalog(database)
    with database.owner() as owner:
        owner.execute(change.encode())

    told = differences(expected, catalog(database))

    name, kind = CHANGES[change]
    (difference,) = (each for each in told if each.object.startswith(name))
    is_now = (difference.expected is not None, difference.found is not None)
    assert is_now == {"gone": (True, False), "changed": (True, True), "new": (False, True)}[kind]


def test_a_database_without_the_schema_is_told_so(server: Server) -> None:
    with (
        server.database("template1") as conninfo,
        Database(conninfo) as database,
        pytest.raises(Misconfigured, match="no Sealwork schema: run `sealwork db migrate`"),
    ):
        catalog(database)
