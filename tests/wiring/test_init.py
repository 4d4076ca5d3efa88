"""Setting up over PostgreSQL: what `init` leaves behind, and what it never does."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from sealing import ORIGIN
from sealwork.adapters.entrypoints.home import ADMIN, AUTOMATION, ENGINE, ROOT, Home
from sealwork.adapters.entrypoints.init import initialise
from sealwork.adapters.entrypoints.opening import application
from sealwork.adapters.postgres.database import Database
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import SYSTEM
from sealwork.domain.ledger.actors import AUTOMATION_ROLE, KeyClass

TENANT = "acme"


@pytest.fixture
def home(tmp_path: Path, database: Database) -> Home:
    """A home and a database that were set up together."""
    home = Home(tmp_path / ".sealwork")
    initialise(database, home, origin=ORIGIN, tenant=TENANT)
    return home


def test_the_automation_actor_is_admitted_with_its_role(home: Home, database: Database) -> None:
    registry = application(database, home, TENANT).show_actors(TENANT)

    actor = registry.keys[home.automation_key().actor]

    assert (actor.key_class, actor.label, actor.roles) == (
        KeyClass.AUTOMATION,
        AUTOMATION,
        frozenset({AUTOMATION_ROLE}),
    )


def test_the_deployment_has_one_engine_and_the_root_key_is_in_no_registry(home: Home, database: Database) -> None:
    actors = application(database, home, TENANT).show_actors

    assert {key.key_class for key in actors(SYSTEM).keys.values()} == {KeyClass.ENGINE}
    assert home.key(ROOT).actor not in {*actors(SYSTEM).keys, *actors(TENANT).keys}


def test_setting_up_again_changes_nothing(home: Home, database: Database) -> None:
    before = stored_text(database)

    again = initialise(database, home, origin=ORIGIN, tenant=TENANT)

    assert not again.anew
    assert stored_text(database) == before


def test_a_home_belongs_to_one_log(home: Home, database: Database) -> None:
    with pytest.raises(Misconfigured, match="belongs to the log"):
        initialise(database, home, origin="test.another", tenant=TENANT)


def test_no_private_key_is_in_the_database(home: Home, database: Database) -> None:
    stored = stored_text(database)

    for name in (ROOT, ENGINE, ADMIN, AUTOMATION):
        text = (home.folder / "keys" / f"{name}.key").read_text().strip().rstrip("=")
        seed = base64.b64decode(f"{text}=").hex()
        spellings = {text, text.encode().hex(), seed, seed.encode().hex()}
        assert not {spelling for spelling in spellings if spelling in stored}
    assert home.key(AUTOMATION).actor in stored


def stored_text(database: Database) -> str:
    """Return every column of every row of every table, as PostgreSQL writes it: bytes in hex."""
    with database.owner() as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'sealwork'").fetchall()
        assert tables
        rows = [
            row
            for (table,) in sorted(tables)
            for row in connection.execute(f"SELECT t::text FROM sealwork.{table} AS t ORDER BY 1").fetchall()
        ]
    return "\n".join(text for (text,) in rows)
