"""The command `sealwork` in this process, over a deployment in memory: the same commands, no database, no home."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from typer.testing import CliRunner, Result

from open_box import OpenBox
from sealing import key_of
from sealwork.adapters.bundle.writer import new_archive
from sealwork.adapters.cli.app import app
from sealwork.adapters.cli.desk import Desk, Entrances, Place
from sealwork.adapters.entrypoints.command import check_bundle
from sealwork.adapters.entrypoints.rehearsal import memory_stage
from sealwork.adapters.entrypoints.verify_together import VerifyTogether
from sealwork.adapters.postgres.database import Database
from sealwork.adapters.signing import Ed25519Verifier, SecretKey
from sealwork.application.ledger.check_own_key import CheckOwnKey
from sealwork.application.ledger.hold_key import HoldKey
from sealwork.application.proof.export_bundle import ExportBundle
from sealwork.application.upkeep.diagnosis import Diagnosis, Difference
from sealwork.domain.errors import Misconfigured
from sealwork.domain.json_value import JsonObject, JsonValue


class OpenDesk:
    """The use cases of a deployment, as commands find them; its home holds the keys of `names`."""

    def __init__(self, box: OpenBox, tenant: str, names: set[str]) -> None:
        self._names = names
        self.tenant = tenant
        self.check_own_key = CheckOwnKey(box.log, Ed25519Verifier())
        self.hold_key = HoldKey(box.clock, origin=box.origin)
        self.manage_actors = box.actors
        self.show_actors = box.show_actors
        self.publish_definition = box.publish
        self.withdraw_definition = box.withdraw
        self.list_definitions = box.list
        self.definitions = box.definitions
        self.start_process = box.start
        self.submit_action = box.act
        self.fire_work = box.fire
        self.show_process = box.show
        self.explain = box.explain
        self.list_work = box.list_work
        self.list_attempts = box.list_attempts
        self.verify = VerifyTogether(box.verify, no_database, origin=box.origin, root=box.key("root").actor)
        self.export_bundle = ExportBundle(box.log, box.clock, origin=box.origin, root=box.key("root").actor)

    def key(self, name: str) -> SecretKey:
        """See `Desk.key`."""
        if name not in self._names:
            raise Misconfigured(f"there is no key of {name!r}")
        return key_of(name)

    def holds(self, name: str) -> bool:
        """See `Desk.holds`."""
        return name in self._names

    def new_key(self, name: str) -> SecretKey:
        """See `Keyring.new_key`."""
        if name in self._names:
            raise Misconfigured(f"{name}.key exists: a key is never overwritten")
        self._names.add(name)
        return key_of(name)

    def discard_key(self, name: str) -> None:
        """See `Desk.discard_key`."""
        self._names.remove(name)


def no_database() -> Database:
    """There is none: what needs one fails."""
    raise AssertionError("this command line works in memory")


class CommandLine:
    """A command line whose every command works on `box`. `places` keeps what its flags said."""

    def __init__(self, box: OpenBox) -> None:
        self.box = box
        self.places: list[Place] = []
        self.origins: list[str | None] = []
        self.names = {*box.keys}
        self.diagnoses: list[Diagnosis] = []
        self.differences: list[Difference] = []
        self._entrances = Entrances(
            open=self._open,
            keyring=self._desk,
            initialise=self._initialise,
            migrate=self._migrate,
            examine=self._examine,
            check_schema=self._check_schema,
            demo=self._demo,
            stage=memory_stage,
            new_archive=new_archive,
            check_bundle=check_bundle,
        )

    def __call__(self, *arguments: str, stdin: str | bytes | None = None) -> Result:
        """Run one command."""
        return CliRunner().invoke(app, arguments, input=stdin, obj=self._entrances)

    def document(self, *arguments: str, code: int = 0) -> JsonValue:
        """Return the one document that a command prints with `--json`, and nothing beside it."""
        result = self(*arguments, "--json")
        assert (result.exit_code, result.stderr) == (code, ""), (result.stdout, result.exception)
        document: JsonValue = json.loads(result.stdout)
        return document

    def refusal(self, *arguments: str, code: int = 1) -> JsonObject:
        """Return the refusal that a command prints with `--json`; nothing may have been written."""
        before = self.box.picture()
        document = self.document(*arguments, code=code)
        assert self.box.picture() == before
        assert isinstance(document, dict)
        assert document.keys() == {"refused"}
        refused = document["refused"]
        assert isinstance(refused, dict)
        return refused

    @contextmanager
    def _open(self, place: Place) -> Iterator[Desk]:
        yield self._desk(place)

    def _desk(self, place: Place) -> OpenDesk:
        self.places.append(place)
        return OpenDesk(self.box, place.tenant or self.box.tenant, self.names)

    def _initialise(self, place: Place, origin: str | None) -> JsonObject:
        self.places.append(place)
        self.origins.append(origin)
        first = len(self.origins) == 1
        return {"origin": origin or "test.example/log", "root": "ed25519:…", "home": "here", "anew": first}

    def _demo(self, place: Place) -> None:
        self.places.append(place)

    def _examine(self, place: Place) -> list[Diagnosis]:
        self.places.append(place)
        return self.diagnoses

    def _check_schema(self, place: Place) -> list[Difference]:
        self.places.append(place)
        return self.differences

    def _migrate(self, place: Place) -> list[str]:
        self.places.append(place)
        return ["0001_first.sql", "0002_second.sql"] if len(self.places) == 1 else []


def written(folder: Path, document: JsonValue, name: str = "workflow.json") -> str:
    """Return the path of a new file with `document` in it."""
    path = folder / name
    path.write_text(json.dumps(document))
    return str(path)
