"""What `export` and `verify --bundle` say, in words and as one JSON document."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bundled import a_box_to_export, invoice_of, reported
from command_line import CommandLine
from sealing import ORIGIN, key_of
from sealwork.adapters.bundle import writer
from sealwork.domain.errors import Misconfigured

ROOT = key_of("root").actor


@pytest.fixture
def command_line() -> CommandLine:
    return CommandLine(a_box_to_export())


@pytest.fixture
def bundle(tmp_path: Path, command_line: CommandLine) -> Path:
    """A bundle of c-1 and o-1, as the command writes it."""
    path = tmp_path / "bundle.zip"
    assert command_line("export", "c-1", "o-1", "-o", str(path)).exit_code == 0
    return path


def trusting(folder: Path, origin: str = ORIGIN, root: str = ROOT) -> str:
    """Return the path of a trust file."""
    path = folder / "trust.json"
    path.write_text(json.dumps({"origin": origin, "root": root}))
    return str(path)


def test_export_says_what_went_into_the_bundle(tmp_path: Path, command_line: CommandLine) -> None:
    path = tmp_path / "bundle.zip"

    result = command_line("export", invoice_of(command_line.box), "--output", str(path))

    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(
        f"exported {invoice_of(command_line.box)} of acme to {path}\n  2 other processes "
    )
    assert reported(path).report.intact


def test_export_gives_one_document(tmp_path: Path, command_line: CommandLine) -> None:
    document = command_line.document("export", "c-1", "-o", str(tmp_path / "b.zip"))

    assert isinstance(document, dict)
    assert document["processes"] == ["c-1"]
    assert (document["related"], document["documents"], document["work_rows"]) == (0, 1, 2)
    assert document["file"] == str(tmp_path / "b.zip")


def test_exporting_writes_nothing_into_the_log(command_line: CommandLine, tmp_path: Path) -> None:
    before = command_line.box.picture()

    command_line("export", "c-1", "-o", str(tmp_path / "b.zip"))

    assert command_line.box.picture() == before


def test_a_process_that_is_not_there_leaves_no_file(tmp_path: Path, command_line: CommandLine) -> None:
    refused = command_line.refusal("export", "c-1", "c-9", "-o", str(tmp_path / "b.zip"), code=3)

    assert refused["code"] == "no_process"
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_replaced_only_by_force(bundle: Path, command_line: CommandLine) -> None:
    before = bundle.read_bytes()

    refused = command_line("export", "c-2", "-o", str(bundle))
    assert isinstance(refused.exception, Misconfigured)
    assert bundle.read_bytes() == before

    assert command_line("export", "c-2", "-o", str(bundle), "--force").exit_code == 0
    assert reported(bundle).about.processes == ("c-2",)
    assert [*bundle.parent.iterdir()] == [bundle]


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "b.zip"

    with pytest.raises(Misconfigured, match="--force"), writer.new_archive(path, overwrite=False):
        path.write_text("somebody else's")

    assert (path.read_text(), [*tmp_path.iterdir()]) == ("somebody else's", [path])


def test_a_folder_that_is_not_there_is_told(tmp_path: Path, command_line: CommandLine) -> None:
    result = command_line("export", "c-1", "-o", str(tmp_path / "none" / "b.zip"))

    assert isinstance(result.exception, Misconfigured)


def test_only_its_owner_reads_a_bundle(bundle: Path) -> None:
    assert bundle.stat().st_mode & 0o077 == 0


def test_a_sound_bundle_is_told_with_what_it_does_not_prove(
    bundle: Path, tmp_path: Path, command_line: CommandLine
) -> None:
    places = len(command_line.places)

    result = command_line("verify", "--bundle", str(bundle), "--trust", trusting(tmp_path))

    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("bundle of c-1, o-1 of acme, exported 2026-06-20T11:00:00.000000Z\n")
    assert f"  log       {ORIGIN}\n  root key  {ROOT}\n" in result.stdout
    assert "nothing wrong was found" in result.stdout
    assert "those outside the bundle were not looked at" in result.stdout
    assert len(command_line.places) == places, "it opened the home"


def test_without_a_trust_file_it_says_whose_word_was_taken(bundle: Path, command_line: CommandLine) -> None:
    result = command_line("verify", "--bundle", str(bundle))

    assert result.exit_code == 0
    assert f"{ORIGIN}  (as the bundle says)\n" in result.stdout
    assert "were taken from the bundle itself" in result.stdout


def test_the_report_of_a_bundle_is_one_document(bundle: Path, tmp_path: Path, command_line: CommandLine) -> None:
    document = command_line.document("verify", "--bundle", str(bundle), "--trust", trusting(tmp_path))

    assert isinstance(document, dict)
    assert document["intact"] is True
    about = document["bundle"]
    assert isinstance(about, dict)
    assert (about["pinned"], about["origin"], about["root"]) == (True, ORIGIN, ROOT)


def test_a_tampered_log_is_found_in_its_bundle(tmp_path: Path, command_line: CommandLine) -> None:
    command_line.box.alter("process/c-1", 2, record_sig=b"x" * 64)
    command_line("export", "c-1", "-o", str(tmp_path / "b.zip"))

    result = command_line("verify", "--bundle", str(tmp_path / "b.zip"))

    assert result.exit_code == 5
    assert "TAMPERING engine_signature: acme process/c-1 event 2" in result.stdout


@pytest.mark.parametrize(("origin", "root"), (("other.example", ROOT), (ORIGIN, key_of("eve").actor)))
def test_a_bundle_of_another_log_is_refused(
    bundle: Path, tmp_path: Path, command_line: CommandLine, origin: str, root: str
) -> None:
    trust = trusting(tmp_path, origin, root)

    document = command_line.document("verify", "--bundle", str(bundle), "--trust", trust, code=5)
    result = command_line("verify", "--bundle", str(bundle), "--trust", trust)

    assert isinstance(document, dict)
    refused = document["refused"]
    assert isinstance(refused, dict)
    assert refused["code"] == "other_log"
    assert (result.exit_code, result.stdout) == (5, "")
    assert result.stderr.startswith("refused: other_log\n  ")


def test_what_is_no_bundle_could_not_be_checked(tmp_path: Path, command_line: CommandLine) -> None:
    result = command_line("verify", "--bundle", trusting(tmp_path))

    assert result.exit_code == 78
    assert result.stderr.startswith("refused: not_a_bundle\n  ")


@pytest.mark.parametrize("trust", ("none.json", "empty.json"))
def test_a_trust_file_that_pins_nothing_is_an_error(
    bundle: Path, tmp_path: Path, command_line: CommandLine, trust: str
) -> None:
    (tmp_path / "empty.json").write_text("{}")

    result = command_line("verify", "--bundle", str(bundle), "--trust", str(tmp_path / trust))

    assert isinstance(result.exception, Misconfigured)


def test_a_trust_file_is_for_a_bundle(tmp_path: Path, command_line: CommandLine) -> None:
    assert command_line("verify", "--trust", trusting(tmp_path)).exit_code == 2
