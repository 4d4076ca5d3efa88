"""The home folder of a local trial: the trust file, and keys for one person's use.

.sealwork/
    trust.json      what a verifier pins: the log's origin and its root key
    keys/*.key      private keys, 0600, of one person who plays everybody
    postgres/       the local database, where no DSN is set
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from sealwork.adapters.signing import SecretKey, key_from_environment, key_from_file, new_key_file
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import ActorId, Origin

ROOT = "root"
ENGINE = "engine"
AUTOMATION = "automation"
ADMIN = "admin"
ENGINE_SK = "ENGINE_SK"
AUTOMATION_SK = "AUTOMATION_ACTOR_SK"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._@-]{0,62}")
"""As the labels of keys: nothing that leads out of the folder, or that no file can be called."""


class Trust(BaseModel):
    """What must be known beforehand to judge a log; it is public, and worth a copy elsewhere."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    origin: Origin
    root: ActorId


def trust_in(path: Path) -> Trust | None:
    """Return what a trust file pins, None if there is no such file.

    Raises:
        Misconfigured: it cannot be read.
    """
    try:
        return Trust.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise Misconfigured(f"the trust file {path} cannot be read: {error}") from error


class Home:
    """One home folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[str, SecretKey | None] = {}

    @property
    def postgres(self) -> Path:
        """Return where the local database lives."""
        return self.folder / "postgres"

    def trust(self) -> Trust:
        """Return what was pinned.

        Raises:
            Misconfigured: there is no trust file, or it cannot be read.
        """
        trust = self.pinned()
        if trust is None:
            raise Misconfigured(
                f"{self.folder} is no Sealwork home yet: run `sealwork init`, or copy the trust.json of a log here"
            )
        return trust

    def pinned(self) -> Trust | None:
        """Return what was pinned, None in a folder where nothing was begun.

        Raises:
            Misconfigured: the trust file cannot be read.
        """
        return trust_in(self.folder / "trust.json")

    def pin(self, trust: Trust) -> None:
        """Write the trust file, whole or not at all.

        Raises:
            Misconfigured: it cannot be written.
        """
        draft = self.folder / f".trust.json.{os.getpid()}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            draft.write_text(json.dumps(trust.model_dump(), indent=2) + "\n")
            draft.replace(self.folder / "trust.json")
        except OSError as error:
            raise Misconfigured(f"{self.folder} cannot be written: {error}") from error

    def key(self, name: str) -> SecretKey:
        """Return somebody's key.

        Raises:
            Misconfigured: there is no such key here; the message names those that are.
        """
        path = self._key_path(name)
        if not path.exists():
            known = ", ".join(sorted(file.stem for file in path.parent.glob("*.key"))) or "none"
            raise Misconfigured(f"there is no key of {name!r} in {path.parent}; there are: {known}")
        return key_from_file(path)

    def key_or_new(self, name: str) -> SecretKey:
        """Return somebody's key, a new one where there was none."""
        path = self._key_path(name)
        return key_from_file(path) if path.exists() else new_key_file(path)

    def new_key(self, name: str) -> SecretKey:
        """Make a key that nobody had before.

        Raises:
            Misconfigured: there is one of that name, or it cannot be written.
        """
        return new_key_file(self._key_path(name))

    def discard_key(self, name: str) -> None:
        """Remove a key that nobody admitted: it is gone for good.

        Raises:
            Misconfigured: it cannot be removed.
        """
        path = self._key_path(name)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise Misconfigured(f"the key file {path} is of no use, and cannot be removed: {error}") from error

    def engine_key(self) -> SecretKey:
        """Return the key in ENGINE_SK or ENGINE_SK_FILE, else the one of this home."""
        return self._from_environment(ENGINE_SK) or self.key(ENGINE)

    def engine_key_or_new(self) -> SecretKey:
        """Return the engine's key, a new one in this home where there was none."""
        return self._from_environment(ENGINE_SK) or self.key_or_new(ENGINE)

    def automation_key(self) -> SecretKey:
        """Return the key in AUTOMATION_ACTOR_SK or AUTOMATION_ACTOR_SK_FILE, else the one of this home."""
        return self._from_environment(AUTOMATION_SK) or self.key(AUTOMATION)

    def automation_key_or_new(self) -> SecretKey:
        """Return the worker's key, a new one in this home where there was none."""
        return self._from_environment(AUTOMATION_SK) or self.key_or_new(AUTOMATION)

    def holds(self, name: str) -> bool:
        """Return whether somebody's key lies here."""
        return self._key_path(name).exists()

    def holds_engine_key(self) -> bool:
        """Return whether this process would find an engine's key, good or not."""
        return self._is_given(ENGINE_SK) or self.holds(ENGINE)

    def holds_automation_key(self) -> bool:
        """Return whether this process would find a worker's key, good or not."""
        return self._is_given(AUTOMATION_SK) or self.holds(AUTOMATION)

    def take_keys_from_environment(self) -> None:
        """Read the private keys that stand in the environment itself, before a child process inherits them.

        Raises:
            Misconfigured: a variable is set and holds no key.
        """
        for name in (ENGINE_SK, AUTOMATION_SK):
            if name in os.environ:
                self._from_environment(name)

    def _is_given(self, name: str) -> bool:
        return self._read.get(name) is not None or name in os.environ or bool(os.environ.get(f"{name}_FILE"))

    def _from_environment(self, name: str) -> SecretKey | None:
        """Reading deletes the variable, so what was read is kept here."""
        if name not in self._read:
            self._read[name] = key_from_environment(name)
        return self._read[name]

    def _key_path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise Misconfigured(f"{name!r} is no name of a key: use at most 63 letters, digits and . _ @ -")
        return self.folder / "keys" / f"{name}.key"
