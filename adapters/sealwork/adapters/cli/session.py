"""One run of the command line: the ways in, and where they lead."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Annotated

import typer

from sealwork.adapters.cli.desk import Desk, Entrances, Keyring, Place

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of words.")]


@dataclass(frozen=True)
class Session:
    """What commands find in their context."""

    entrances: Entrances
    place: Place

    def open(self) -> AbstractContextManager[Desk]:
        """Give the desk; leaving the block closes database and server."""
        return self.entrances.open(self.place)

    def keyring(self) -> Keyring:
        """Return the keys of the home; no database is opened."""
        return self.entrances.keyring(self.place)


def session(context: typer.Context) -> Session:
    """Return the session of this run."""
    found = context.find_object(Session)
    assert found is not None
    return found
