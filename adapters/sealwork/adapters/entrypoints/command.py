"""The command `sealwork`: errors become one line and an exit code, never a traceback."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from secrets import token_hex
from types import FrameType

from sealwork.adapters.bundle.reader import open_bundle
from sealwork.adapters.bundle.writer import new_archive
from sealwork.adapters.cli.app import app
from sealwork.adapters.cli.desk import Desk, Entrances, Place
from sealwork.adapters.cli.exit_codes import ExitCode, exit_code_of_error
from sealwork.adapters.cli.output import complain
from sealwork.adapters.entrypoints.demo import run_demo
from sealwork.adapters.entrypoints.doctor import changed_schema, examined
from sealwork.adapters.entrypoints.home import ROOT, Home, trust_in
from sealwork.adapters.entrypoints.init import initialise
from sealwork.adapters.entrypoints.keyring import HomeKeys
from sealwork.adapters.entrypoints.opening import opened, opened_database, opened_or_new_database
from sealwork.adapters.entrypoints.rehearsal import memory_stage
from sealwork.adapters.entrypoints.settings import Settings, read_settings
from sealwork.adapters.postgres.migrate import migrate
from sealwork.adapters.signing import Ed25519Verifier
from sealwork.application.proof.bundle import BadBundle
from sealwork.application.proof.verify_bundle import BundleReport, Pin, VerifyBundle
from sealwork.application.upkeep.diagnosis import Diagnosis, Difference
from sealwork.domain.errors import Misconfigured, SealworkError
from sealwork.domain.json_value import JsonObject


def main() -> None:
    """Run one command and leave with its exit code. Usage is explained, and ends, inside `app`."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that lacks a letter still gets the line
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, _leave)  # as an exception, so that the server is stopped on the way out
    entrances = Entrances(
        open=_open,
        keyring=_keyring,
        initialise=_initialise,
        migrate=_migrate,
        examine=_examine,
        check_schema=_check_schema,
        demo=_demo,
        stage=memory_stage,
        new_archive=new_archive,
        check_bundle=check_bundle,
    )
    try:
        app(obj=entrances)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except SealworkError as error:
        code = exit_code_of_error(error)
        complain(f"{code.name.lower()}: {error}")
        sys.exit(code)
    except Exception as error:
        if os.environ.get("SEALWORK_DEBUG"):
            raise
        complain(f"this is a defect in Sealwork ({type(error).__name__}): set SEALWORK_DEBUG=1 to see where")
        sys.exit(ExitCode.DEFECT)


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


def _settings(place: Place) -> Settings:
    return read_settings(home=place.home, tenant=place.tenant)


@contextmanager
def _open(place: Place) -> Iterator[Desk]:
    with opened(_settings(place)) as application:
        yield application


def _keyring(place: Place) -> HomeKeys:
    settings = _settings(place)
    return HomeKeys(Home(settings.home), tenant=settings.tenant)


def _initialise(place: Place, origin: str | None) -> JsonObject:
    settings = _settings(place)
    home = Home(settings.home)
    pinned = home.pinned()
    wanted = origin or (pinned.origin if pinned else f"local.sealwork/{token_hex(4)}")
    begins = pinned is None or home.holds(ROOT)  # nobody begins the log that somebody else has pinned
    with (opened_or_new_database if begins else opened_database)(settings, home) as database:
        done: JsonObject = initialise(database, home, origin=wanted, tenant=settings.tenant).model_dump()
    return done


def _migrate(place: Place) -> list[str]:
    settings = _settings(place)
    with opened_database(settings, Home(settings.home)) as database:
        return [migration.name for migration in migrate(database)]


def _examine(place: Place) -> Sequence[Diagnosis]:
    settings = _settings(place)
    home = Home(settings.home)
    home.trust()
    with opened_database(settings, home) as database:
        return examined(database, home, settings.tenant)


def _check_schema(place: Place) -> Sequence[Difference]:
    settings = _settings(place)
    home = Home(settings.home)
    home.trust()
    with opened_database(settings, home) as database:
        return changed_schema(database)


def check_bundle(path: Path, trust: Path | None) -> BundleReport | BadBundle:
    """See `CheckBundle`.

    Raises:
        Misconfigured: the bundle or the trust file cannot be read.
        Unavailable: there is no room to unpack the bundle.
    """
    pinned = trust_in(trust) if trust else None
    if trust and pinned is None:
        raise Misconfigured(f"there is no trust file {trust}")
    with open_bundle(path) as bundle:
        if isinstance(bundle, BadBundle):
            return bundle
        return VerifyBundle(Ed25519Verifier())(bundle, Pin(pinned.origin, pinned.root) if pinned else None)


def _demo(place: Place) -> None:
    run_demo(_settings(place))
