"""Private keys from text, from the environment and from files: read with care, and shown by no error."""

from __future__ import annotations

import base64
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sealwork.adapters.signing import key_from_environment, key_from_file, key_from_text, new_key_file
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import public_key_of
from secret_seed import KEY, SEED, TEXT, shows_the_seed, traceback_of

NAME = "SEALWORK_TEST_SK"


# From text


def test_a_key_is_the_base64_of_its_seed() -> None:
    assert key_from_text(TEXT, source="here").actor == KEY.actor


@pytest.mark.parametrize("around", ["{}\n", "  {}  ", "\t{}\r\n"])
def test_space_around_a_key_does_no_harm(around: str) -> None:
    assert key_from_text(around.format(TEXT), source="here").actor == KEY.actor


@pytest.mark.parametrize("text", [TEXT[:-1], TEXT[:20] + " " + TEXT[20:], TEXT[:-2] + "!=", SEED.hex() + "z", "é"])
def test_what_is_no_base64_is_no_key(text: str) -> None:
    with pytest.raises(Misconfigured, match="KEY_X is not base64 of a 32 byte seed"):
        key_from_text(text, source="KEY_X")


@pytest.mark.parametrize(("seed", "length"), [(b"", 0), (SEED[:31], 31), (SEED + b"\x00", 33), (SEED * 2, 64)])
def test_a_key_of_another_length_is_refused(seed: bytes, length: int) -> None:
    with pytest.raises(Misconfigured, match=f"KEY_X holds {length} bytes"):
        key_from_text(base64.b64encode(seed).decode(), source="KEY_X")


@pytest.mark.parametrize("text", [TEXT + "!", TEXT + TEXT, base64.b64encode(SEED * 2).decode(), SEED.hex()])
@pytest.mark.parametrize("with_values", [False, True])
def test_a_key_that_is_nearly_right_is_not_shown_by_the_error(text: str, with_values: bool) -> None:
    with pytest.raises(Misconfigured) as raised:
        key_from_text(text, source="KEY_X")

    assert not shows_the_seed(str(raised.value))
    assert text not in traceback_of(raised, with_values=with_values)


# From the environment


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """An environment without the key, which is left as it was."""
    monkeypatch.delenv(NAME, raising=False)
    monkeypatch.delenv(f"{NAME}_FILE", raising=False)
    yield monkeypatch


def test_without_a_variable_there_is_no_key(environment: pytest.MonkeyPatch) -> None:
    assert key_from_environment(NAME) is None


def test_a_key_is_read_from_its_variable(environment: pytest.MonkeyPatch) -> None:
    environment.setenv(NAME, TEXT)

    key = key_from_environment(NAME)

    assert key is not None and key.actor == KEY.actor


def test_the_variable_is_gone_once_it_was_read(environment: pytest.MonkeyPatch) -> None:
    environment.setenv(NAME, TEXT)

    key_from_environment(NAME)

    child = subprocess.run(
        [sys.executable, "-c", "import os; print(dict(os.environ))"], capture_output=True, text=True
    )
    assert NAME not in os.environ
    assert NAME not in child.stdout
    assert not shows_the_seed(child.stdout)


@pytest.mark.parametrize("text", ["", "no key", TEXT + TEXT])
def test_a_variable_that_holds_no_key_is_named_and_gone_too(environment: pytest.MonkeyPatch, text: str) -> None:
    environment.setenv(NAME, text)

    with pytest.raises(Misconfigured, match=NAME):
        key_from_environment(NAME)

    assert NAME not in os.environ


@pytest.mark.parametrize("with_values", [False, True])
def test_a_variable_that_holds_no_key_is_not_shown(environment: pytest.MonkeyPatch, with_values: bool) -> None:
    text = TEXT + TEXT
    environment.setenv(NAME, text)

    with pytest.raises(Misconfigured) as raised:
        key_from_environment(NAME)

    assert text not in traceback_of(raised, with_values=with_values)


def a_file(folder: Path, text: str = TEXT, mode: int = 0o600) -> Path:
    path = folder / "key"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_key_is_read_from_the_file_that_the_variable_names(
    environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    environment.setenv(f"{NAME}_FILE", str(a_file(tmp_path)))

    key = key_from_environment(NAME)

    assert key is not None and key.actor == KEY.actor


def test_the_variable_itself_goes_before_the_file(environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    environment.setenv(NAME, TEXT)
    environment.setenv(f"{NAME}_FILE", str(tmp_path / "missing"))

    key = key_from_environment(NAME)

    assert key is not None and key.actor == KEY.actor


def test_an_empty_name_of_a_file_is_none(environment: pytest.MonkeyPatch) -> None:
    environment.setenv(f"{NAME}_FILE", "")

    assert key_from_environment(NAME) is None


# From a file


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_file_that_only_its_owner_reads_is_taken(tmp_path: Path, mode: int) -> None:
    assert key_from_file(a_file(tmp_path, TEXT + "\n", mode)).actor == KEY.actor


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o620, 0o602, 0o610, 0o601])
def test_a_file_that_is_open_to_others_is_refused(tmp_path: Path, mode: int) -> None:
    path = a_file(tmp_path, TEXT, mode)

    with pytest.raises(Misconfigured, match="can be read by others: chmod 600"):
        key_from_file(path)


@pytest.mark.parametrize("text", ["", "no key", TEXT + TEXT])
def test_a_file_that_holds_no_key_is_named(tmp_path: Path, text: str) -> None:
    path = a_file(tmp_path, text)

    with pytest.raises(Misconfigured, match=str(path)):
        key_from_file(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="cannot be read"):
        key_from_file(tmp_path / "missing")


def test_a_folder_is_no_key_file(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)

    with pytest.raises(Misconfigured, match="cannot be read"):
        key_from_file(tmp_path)


def test_a_seed_that_was_not_written_in_base64_is_refused_and_not_shown(tmp_path: Path) -> None:
    path = a_file(tmp_path)
    path.write_bytes(SEED)

    with pytest.raises(Misconfigured, match="is not base64") as raised:
        key_from_file(path)

    assert not shows_the_seed(traceback_of(raised, with_values=True))


# A new file


def test_a_new_key_file_holds_the_key(tmp_path: Path) -> None:
    key = new_key_file(tmp_path / "key")

    assert key_from_file(tmp_path / "key").actor == key.actor


def test_a_new_key_file_is_read_by_its_owner_only(tmp_path: Path) -> None:
    new_key_file(tmp_path / "keys" / "key")

    assert stat.S_IMODE((tmp_path / "keys" / "key").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700


def test_a_new_key_file_is_not_opened_to_others_by_a_loose_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        new_key_file(tmp_path / "keys" / "key")
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "keys" / "key").stat().st_mode) == 0o600


def test_a_new_key_file_leaves_nothing_else_behind(tmp_path: Path) -> None:
    new_key_file(tmp_path / "key")

    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_a_key_file_is_never_overwritten(tmp_path: Path) -> None:
    path = a_file(tmp_path, "precious")

    with pytest.raises(Misconfigured, match="exists: a key is never overwritten"):
        new_key_file(path)

    assert path.read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_a_link_in_the_place_of_a_key_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "key").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(Misconfigured, match="exists"):
        new_key_file(tmp_path / "key")

    assert not (tmp_path / "elsewhere").exists()


def test_a_key_file_below_a_file_cannot_be_written(tmp_path: Path) -> None:
    a_file(tmp_path)

    with pytest.raises(Misconfigured):
        new_key_file(tmp_path / "key" / "key")


def test_a_key_file_with_a_name_that_is_too_long_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="cannot be written"):
        new_key_file(tmp_path / ("k" * 300))


def test_two_new_key_files_hold_two_keys(tmp_path: Path) -> None:
    one, other = new_key_file(tmp_path / "one"), new_key_file(tmp_path / "other")

    assert public_key_of(one.actor) != public_key_of(other.actor)
