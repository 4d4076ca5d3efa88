"""What `def diff` and `def schema` say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import CommandLine, written
from sealing import ONBOARDING
from sealwork.domain.workflows.language_schema import language_schema

PATH = "customer/onboarding"


def test_diff_tells_where_two_files_differ_and_opens_no_home(command_line: CommandLine, tmp_path: Path) -> None:
    old = written(tmp_path, {"path": "a", "title": "Old", "roles": ["x"]}, "old.json")
    new = written(tmp_path, {"path": "b", "version": 7, "roles": ["x", "y\x1b[31m"]}, "new.json")

    result = command_line("def", "diff", old, new)

    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.splitlines() == [
        '~ /path: "a" -> "b"',
        '- /title: "Old"',
        '+ /roles/1: "y\\u001b[31m"',
    ]
    assert command_line.places == []


def test_diff_of_a_file_and_what_was_published_from_it_finds_nothing(
    command_line: CommandLine, tmp_path: Path
) -> None:
    file = written(tmp_path, ONBOARDING)

    for sides in ((file, PATH), (f"{PATH}@1", file), (PATH, PATH), (file, file)):
        result = command_line("def", "diff", *sides)
        assert (result.exit_code, result.stdout) == (0, "no differences\n")


def test_diff_of_versions_opens_a_home_once(command_line: CommandLine) -> None:
    command_line.box.published({**ONBOARDING, "title": "second"})

    result = command_line("def", "diff", f"{PATH}@1", PATH)

    assert (result.exit_code, result.stdout) == (1, '+ /title: "second"\n')
    assert len(command_line.places) == 1


def test_a_file_goes_before_a_workflow_of_that_name_and_a_folder_does_not(
    command_line: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "customer" / "onboarding").mkdir(parents=True)
    (tmp_path / "customer" / "onboarding@1").write_text('{"path": "a file"}')

    result = command_line("def", "diff", f"{PATH}@1", PATH)

    assert '~ /path: "a file" -> "customer/onboarding"' in result.stdout


def test_diff_reads_standard_input_once(command_line: CommandLine, tmp_path: Path) -> None:
    result = command_line("def", "diff", "-", PATH, stdin=json.dumps(ONBOARDING))
    twice = command_line("def", "diff", "-", "-", stdin="{}")

    assert (result.exit_code, twice.exit_code) == (0, 2)
    assert "standard input can be read once" in twice.stderr


def test_diff_gives_programs_one_document_with_values_in_full(command_line: CommandLine, tmp_path: Path) -> None:
    old, new = written(tmp_path, {"a": "x" * 200}, "old.json"), written(tmp_path, {"b": [1]}, "new.json")

    document = command_line.document("def", "diff", old, new, code=1)

    assert document == {
        "differences": [
            {"kind": "removed", "pointer": "/a", "old": "x" * 200},
            {"kind": "added", "pointer": "/b", "new": [1]},
        ],
        "more": False,
    }
    assert command_line.document("def", "diff", old, old) == {"differences": [], "more": False}


def test_long_values_and_floods_are_cut(command_line: CommandLine, tmp_path: Path) -> None:
    old = written(tmp_path, {f"field\n{number}": "x" * 100 for number in range(501)}, "old.json")
    new = written(tmp_path, {}, "new.json")

    result, document = (
        command_line("def", "diff", old, new),
        command_line.document("def", "diff", old, new, code=1),
    )

    lines = result.stdout.splitlines()
    assert (lines[0], len(lines)) == (f'- /field\\n0: "{"x" * 58}…', 501)
    assert lines[-1] == "only the first 500 differences are listed"
    assert isinstance(document, dict)
    assert document["more"] is True


def test_diff_tells_of_documents_that_are_no_objects(command_line: CommandLine, tmp_path: Path) -> None:
    result = command_line("def", "diff", written(tmp_path, [], "old.json"), written(tmp_path, True, "new.json"))

    assert (result.exit_code, result.stdout) == (1, "~ the whole document: [] -> true\n")


def test_diff_tells_where_a_file_stops_to_be_json(command_line: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{")

    result = command_line("def", "diff", str(tmp_path / "broken.json"), PATH)

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"{tmp_path}/broken.json:1:2: error not_canonical: ")


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("missing.json", 2, "there is no file 'missing.json'"),
        ("Customer/Onboarding", 2, "there is no file"),
        ("customer/\udcff", 2, "there is no file"),
        ("x" * 5_000, 2, "there is no file"),
        (f"{PATH}@x", 2, "write PATH or"),
        ("customer/other", 3, "was never published here"),
        (f"{PATH}@9", 3, "was never published here"),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_what_is_neither_file_nor_version_is_said_to_be_neither(
    name: str, code: int, said: str, command_line: CommandLine
) -> None:
    result = command_line("def", "diff", PATH, name)

    assert (result.exit_code, result.stdout) == (code, "")
    assert len(result.stderr) < 1_500
    assert said in " ".join(result.stderr.replace("│", "").split())


def test_schema_prints_the_schema_of_the_language(command_line: CommandLine) -> None:
    result = command_line("def", "schema")

    assert (result.exit_code, result.stderr, json.loads(result.stdout)) == (0, "", language_schema())
    assert command_line.document("def", "schema") == language_schema()
    assert command_line.places == []
