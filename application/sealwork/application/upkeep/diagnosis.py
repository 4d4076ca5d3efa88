"""What an examination finds: of a deployment, line by line; of a schema, object by object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Level(StrEnum):
    """How a thing stands: as it should; weaker than it could be; to be mended."""

    OK = "ok"
    WARN = "warn"
    BAD = "bad"


class Diagnosis(BaseModel):
    """One line of an examination; `advice` says what to do unless all is well."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    level: Level
    check: str
    what: str
    advice: str | None = None


class Difference(BaseModel):
    """An object of the database that is not as the migrations make it; None where it is missing on one side."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    object: str
    expected: str | None
    found: str | None


def differences(expected: Mapping[str, str], found: Mapping[str, str]) -> Sequence[Difference]:
    """Return what differs between two catalogs, by name."""
    names = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
    return [Difference(object=name, expected=expected.get(name), found=found.get(name)) for name in names]
