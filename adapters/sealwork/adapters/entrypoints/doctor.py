"""Examining a deployment: its database, the keys of this machine, and the schema against its migrations."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sealwork.adapters.clocks import SystemClock
from sealwork.adapters.entrypoints.container import Adapters, adapters_over
from sealwork.adapters.entrypoints.home import ROOT, Home
from sealwork.adapters.local_postgres import LocalPostgres
from sealwork.adapters.postgres.catalog import catalog
from sealwork.adapters.postgres.database import Database
from sealwork.adapters.postgres.health import examine
from sealwork.adapters.postgres.migrate import migrate
from sealwork.adapters.signing import SecretKey
from sealwork.application.ledger.check_own_key import CheckOwnKey
from sealwork.application.ports.event_log import Question
from sealwork.application.upkeep.diagnosis import Diagnosis, Difference, Level, differences
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import ACTOR_REGISTRY, SYSTEM
from sealwork.domain.ledger.actors import KeyClass


def examined(database: Database, home: Home, tenant: str) -> Sequence[Diagnosis]:
    """Return one line for each thing that was looked at; nothing is written.

    Raises:
        Misconfigured: this home pins no log, or the login may not connect.
        Unavailable: the database did not answer.
    """
    found = [*examine(database, origin=home.trust().origin, clock=SystemClock())]
    if any(line.check == "schema" and line.level is Level.BAD for line in found):
        return found
    return [*found, *_keys(_checks(adapters_over(database, home)), home, tenant)]


def _checks(adapters: Adapters) -> CheckOwnKey:
    """An engine's login may not read as a reader does, and a reader's not as an engine."""
    log = adapters.reader_log()
    try:
        log.head(Question(tenant=SYSTEM, stream=ACTOR_REGISTRY))
    except Misconfigured:
        log = adapters.engine_log()
    return CheckOwnKey(log, adapters.verifier())


def _keys(check: CheckOwnKey, home: Home, tenant: str) -> Iterator[Diagnosis]:
    engine, worker = home.holds_engine_key(), home.holds_automation_key()
    yield _key(check, SYSTEM, KeyClass.ENGINE, home.engine_key if engine else None)
    yield _key(check, tenant, KeyClass.AUTOMATION, home.automation_key if worker else None)
    if engine and worker:
        what = "the keys of engine and worker lie on one machine: who takes it can make up automation and seal it"
        yield Diagnosis(
            level=Level.WARN, check="one machine", what=what, advice="run the engine elsewhere, with its key alone"
        )
    if home.holds(ROOT):
        what = "the root key lies in this home: who takes it can admit engines and administrators"
        yield Diagnosis(level=Level.WARN, check="root key", what=what, advice="keep keys/root.key offline")


def _key(
    check_own_key: CheckOwnKey, tenant: str, key_class: KeyClass, read: Callable[[], SecretKey] | None
) -> Diagnosis:
    check = f"{key_class.lower()} key"
    if read is None:
        return Diagnosis(level=Level.OK, check=check, what="none here")
    try:
        key = read()
        check_own_key(tenant, key_class, key)
    except Misconfigured as error:
        advice = "see docs/how-to/rotate-keys.md, and `sealwork keys list`"
        return Diagnosis(level=Level.BAD, check=check, what=str(error), advice=advice)
    return Diagnosis(level=Level.OK, check=check, what=f"{key.actor} is valid in {tenant}")


def changed_schema(database: Database) -> Sequence[Difference]:
    """Return where the schema differs from what the migrations make in an empty server of our own.

    Raises:
        Misconfigured: there is no schema, or no PostgreSQL of our own.
        Unavailable: the database did not answer, or our own did not start.
    """
    found = catalog(database)
    folder = Path(tempfile.mkdtemp(prefix="sealwork-"))
    folder.chmod(0o711)  # root's server runs as another user, who must pass
    server = LocalPostgres(folder / "postgres")
    try:
        with server as conninfo, Database(conninfo) as fresh:
            migrate(fresh)
            return differences(catalog(fresh), found)
    finally:
        for place in {folder, server.folder}:
            shutil.rmtree(place, ignore_errors=True)
