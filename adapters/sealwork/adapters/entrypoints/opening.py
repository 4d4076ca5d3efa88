"""Opening: from settings to a composed application over a running database, and closing it again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sealwork.adapters.entrypoints.compose import Application
from sealwork.adapters.entrypoints.container import adapters_over
from sealwork.adapters.entrypoints.home import ROOT, Home
from sealwork.adapters.entrypoints.settings import Settings
from sealwork.adapters.local_postgres import LocalPostgres
from sealwork.adapters.postgres.database import Database
from sealwork.domain.errors import Misconfigured


@contextmanager
def opened_database(settings: Settings, home: Home) -> Iterator[Database]:
    """Give the database of `settings`: the one of the DSN, else the local one, which runs while it is used.

    Raises:
        Unavailable: the server does not answer, or does not start.
        Misconfigured: there is no database, or no home; the DSN, the installation or a key in the environment is
            wrong.
    """
    if settings.dsn is None and not LocalPostgres(home.postgres).has_data():
        raise _no_database(home)
    with opened_or_new_database(settings, home) as database:
        yield database


@contextmanager
def opened_or_new_database(settings: Settings, home: Home) -> Iterator[Database]:
    """Give the database of `settings`, a new and empty one where there is no local one yet.

    Raises:
        Unavailable, Misconfigured: as `opened_database`.
    """
    home.take_keys_from_environment()
    if settings.dsn is not None:
        with Database(settings.dsn) as database:
            yield database
        return
    with LocalPostgres(home.postgres) as conninfo, Database(conninfo) as database:
        yield database


@contextmanager
def opened(settings: Settings) -> Iterator[Application]:
    """Give the application over the database of `settings`.

    Raises:
        Unavailable, Misconfigured: as `opened_database`; or this home was never initialised.
    """
    home = Home(settings.home)
    home.trust()
    with opened_database(settings, home) as database:
        yield application(database, home, settings.tenant)


def application(database: Database, home: Home, tenant: str) -> Application:
    """Return the application over an open database."""
    return Application(adapters_over(database, home), tenant=tenant)


def _no_database(home: Home) -> Misconfigured:
    advice = "run `sealwork init` to its end" if home.holds(ROOT) else "set SEALWORK_DSN to the one where it lies"
    return Misconfigured(f"{home.folder} pins the log {home.trust().origin}, but has no database: {advice}")
