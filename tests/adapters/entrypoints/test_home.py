"""The home folder: what is pinned, whose keys lie there, and which come from the environment."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest

from sealing import key_of, seed_of
from sealwork.adapters.entrypoints.home import Home, Trust
from sealwork.domain.errors import Misconfigured

TRUST = Trust(origin="test.example/log", root=key_of("root").actor)


def text_of(name: str) -> str:
    """A key as a variable or a file holds it."""
    return base64.b64encode(seed_of(name)).decode()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home in a folder that is not there yet, in an environment without keys."""
    for name in ("ENGINE_SK", "ENGINE_SK_FILE", "AUTOMATION_ACTOR_SK", "AUTOMATION_ACTOR_SK_FILE"):
        monkeypatch.delenv(name, raising=False)
    return Home(tmp_path / "home")


def test_what_was_pinned_is_trusted(home: Home) -> None:
    assert home.pinned() is None

    home.pin(TRUST)

    assert (home.pinned(), home.trust()) == (TRUST, TRUST)
    assert [file.name for file in home.folder.iterdir()] == ["trust.json"]


def test_a_folder_where_nothing_was_begun_is_no_home(home: Home) -> None:
    with pytest.raises(
        Misconfigured, match="is no Sealwork home yet: run `sealwork init`, or copy the trust.json"
    ):
        home.trust()


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"origin": "test.example/log"}', '{"origin": "Not A Name", "root": "ed25519:00"}'],
)
def test_a_trust_file_that_says_nothing_is_not_trusted(text: str, home: Home) -> None:
    home.folder.mkdir()
    (home.folder / "trust.json").write_text(text)

    with pytest.raises(Misconfigured, match="the trust file .* cannot be read"):
        home.pinned()


def test_a_home_that_cannot_be_written_is_told_so(home: Home) -> None:
    home.folder.touch()

    with pytest.raises(Misconfigured, match="cannot be written"):
        home.pin(TRUST)


def test_a_new_key_is_kept_for_its_owner_alone(home: Home) -> None:
    key = home.key_or_new("maria")

    file = home.folder / "keys" / "maria.key"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert home.key("maria").actor == home.key_or_new("maria").actor == key.actor


def test_a_key_that_nobody_wants_is_gone_and_its_name_is_free(home: Home) -> None:
    key = home.new_key("maria")

    home.discard_key("maria")
    home.discard_key("maria")

    assert not home.holds("maria")
    assert home.new_key("maria").actor != key.actor


def test_a_key_that_cannot_be_removed_is_told(home: Home) -> None:
    (home.folder / "keys" / "maria.key").mkdir(parents=True)

    with pytest.raises(Misconfigured, match=r"maria\.key is of no use, and cannot be removed"):
        home.discard_key("maria")


def test_a_key_that_is_not_there_is_told_with_those_that_are(home: Home) -> None:
    with pytest.raises(Misconfigured, match="there is no key of 'omar' in .*; there are: none"):
        home.key("omar")
    home.key_or_new("maria")
    home.key_or_new("ana")

    with pytest.raises(Misconfigured, match="there are: ana, maria"):
        home.key("omar")


@pytest.mark.parametrize("name", ["", ".", "..", "../root", "a/b", ".hidden", "/etc/passwd", "x" * 300, "é"])
def test_a_name_leads_nowhere_but_into_the_folder_of_keys(name: str, home: Home) -> None:
    for ask in (home.key, home.key_or_new):
        with pytest.raises(Misconfigured, match="is no name of a key"):
            ask(name)
    assert not home.folder.exists()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o666])
def test_a_key_that_others_can_read_is_not_used(mode: int, home: Home) -> None:
    home.key_or_new("maria")
    (home.folder / "keys" / "maria.key").chmod(mode)

    with pytest.raises(Misconfigured, match="can be read by others: chmod 600"):
        home.key("maria")


def test_keys_of_engine_and_worker_come_from_the_environment_and_are_taken_out_of_it(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGINE_SK", text_of("engine"))
    monkeypatch.setenv("AUTOMATION_ACTOR_SK", text_of("automation"))

    home.take_keys_from_environment()

    assert not {"ENGINE_SK", "AUTOMATION_ACTOR_SK"} & os.environ.keys()
    assert home.engine_key().actor == home.engine_key_or_new().actor == key_of("engine").actor
    assert home.automation_key().actor == home.automation_key_or_new().actor == key_of("automation").actor
    assert not home.folder.exists()


def test_a_variable_may_name_a_file(home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "engine"
    file.write_text(text_of("engine") + "\n")
    file.chmod(0o600)
    monkeypatch.setenv("ENGINE_SK_FILE", str(file))

    assert home.engine_key().actor == key_of("engine").actor


def test_without_variables_the_keys_of_the_home_are_used(home: Home) -> None:
    home.take_keys_from_environment()

    engine, automation = home.engine_key_or_new(), home.automation_key_or_new()

    assert (home.engine_key().actor, home.automation_key().actor) == (engine.actor, automation.actor)
    assert sorted(file.name for file in (home.folder / "keys").iterdir()) == ["automation.key", "engine.key"]


@pytest.mark.parametrize("text", ["", "secret", base64.b64encode(b"short").decode(), text_of("engine") + "AA=="])
def test_a_variable_without_a_key_is_told_by_its_name_and_not_by_its_content(
    text: str, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGINE_SK", text)

    with pytest.raises(Misconfigured, match="ENGINE_SK") as told:
        home.take_keys_from_environment()

    assert not text or text not in str(told.value)
    assert "ENGINE_SK" not in os.environ
