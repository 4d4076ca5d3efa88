from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from flows.commands import COMMAND, Place, a_place
from sealing import ONBOARDING
from sealwork.adapters.local_postgres import LocalPostgres
from sealwork.adapters.signing import new_key_file


@pytest.fixture(scope="session", autouse=True)
def _installed() -> None:
    if not COMMAND.exists():
        pytest.skip(f"the command is not installed beside {COMMAND.parent.name}/python")


@pytest.fixture(scope="session")
def workplace() -> Iterator[Place]:
    """A home with a name that is hard to type, where maria (intake) and ana (analyst) work; `c-1` is a draft.

    It also holds the keys of eva (retired), max (revoked) and nobody (never admitted), and a tenant `globex`,
    where only the administrator and the machine are known.
    """
    with a_place("my höme, 'of' work") as place:
        place.home.parent.joinpath("workflow.json").write_text(json.dumps(ONBOARDING))
        with LocalPostgres(place.home / "postgres"):
            place.does("init", "--origin", "test.example/log")
            for name, role in (("maria", "intake"), ("ana", "analyst"), ("eva", "intake"), ("max", "intake")):
                place.does("keys", "admit", name, "--role", role)
            place.does("keys", "retire", "eva")
            place.does("keys", "revoke", "max")
            new_key_file(place.home / "keys" / "nobody.key")
            place.does("def", "publish", "workflow.json")
            place.does("start", "customer/onboarding", "c-1", "--as", "maria")
            place.does("--tenant", "globex", "init")
            place.does("--tenant", "globex", "def", "publish", "workflow.json")
        yield place


@pytest.fixture(scope="module")
def served(workplace: Place) -> Iterator[str]:
    """How a superuser connects to the server of the workplace, which runs as long as tests of this module do."""
    with LocalPostgres(workplace.home / "postgres") as conninfo:
        yield conninfo
