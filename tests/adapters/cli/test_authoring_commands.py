"""What `def lint` says: everything that is wrong, at its place, without home and database."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import CommandLine, written
from sealing import ONBOARDING
from sealwork.domain.json_value import JsonObject

WRONG: JsonObject = {"path": "a/b", "colour": 1, "actions": {"go": {"role": "x", "wen": 2}}}


def test_a_sound_workflow_is_said_to_be_sound_and_no_home_is_opened(
    command_line: CommandLine, tmp_path: Path
) -> None:
    result = command_line("def", "lint", written(tmp_path, ONBOARDING))

    assert (result.exit_code, result.stdout, result.stderr) == (0, "1 file checked: nothing wrong\n", "")
    assert command_line.places == []


def test_every_file_is_checked_and_every_issue_told(command_line: CommandLine, tmp_path: Path) -> None:
    sound, wrong = written(tmp_path, ONBOARDING), written(tmp_path, WRONG, "wrong.json")
    (tmp_path / "broken.json").write_text("{")

    result = command_line("def", "lint", wrong, sound, str(tmp_path / "broken.json"))

    assert (result.exit_code, result.stderr) == (1, "")
    heads = [line.removeprefix(f"{tmp_path}/") for line in result.stdout.splitlines() if not line.startswith(" ")]
    assert [head.partition(":")[0] for head in heads[:-1]] == ["wrong.json", "wrong.json", "broken.json"]
    assert heads[0].startswith("wrong.json:1:17: error WF_UNKNOWN_FIELD at /colour: 'colour' is not a field here")
    assert heads[-1] == "3 files checked: 3 errors"


def test_warnings_are_told_and_stop_nothing(command_line: CommandLine, tmp_path: Path) -> None:
    actions = ONBOARDING["actions"]
    assert isinstance(actions, dict)
    twice: JsonObject = {**actions, "submit": {"role": ["intake", "intake"], "from": "draft", "to": "ready"}}

    result = command_line("def", "lint", written(tmp_path, {**ONBOARDING, "actions": twice}))

    assert result.exit_code == 0
    assert ": warning WF_DUPLICATE at /actions/submit/role/1: " in result.stdout
    assert result.stdout.endswith("1 file checked: 1 warning\n")


def test_a_workflow_may_come_from_standard_input(command_line: CommandLine) -> None:
    result = command_line("def", "lint", "-", stdin='{"path": "a/b",\n"actions": 5}')

    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "<stdin>:2:12: error WF_BAD_TYPE at /actions: 'actions' is not an object: write an object of actions, "
        "each under a name of a-z, 0-9 and _ that begins with a letter, at most 63 long",
        '  "actions": 5}',
        "             ^",
        "1 file checked: 1 error",
    ]


def test_programs_get_one_document_with_every_file(command_line: CommandLine, tmp_path: Path) -> None:
    sound, wrong = written(tmp_path, ONBOARDING), written(tmp_path, {"path": "a", "actions": 5}, "wrong.json")

    document = command_line.document("def", "lint", sound, wrong, code=1)

    assert isinstance(document, dict)
    assert isinstance(document["files"], list)
    first, second = document["files"]
    assert first == {"file": sound, "issues": []}
    assert isinstance(second, dict)
    assert isinstance(second["issues"], list)
    (issue,) = second["issues"]
    assert isinstance(issue, dict)
    assert (issue["code"], issue["pointer"], issue["line"], issue["column"]) == ("WF_BAD_TYPE", "/actions", 1, 26)


@pytest.mark.parametrize("files", [("/no/such/file",), ("/",), ("-", "-")], ids=" ".join)
def test_a_file_that_cannot_be_read_is_a_matter_of_usage(
    files: tuple[str, ...], command_line: CommandLine
) -> None:
    result = command_line("def", "lint", *files, stdin="{}")

    assert (result.exit_code, result.stdout) == (2, "")


@pytest.mark.parametrize(
    "body",
    [b"", bytes(range(256)), b"{" * 100_000, b'{"\\ud800": "\\ud800"}', b'{"\x1b[31m": 1}', b" " * 10_000_000],
    ids=["empty", "binary", "deep", "surrogates", "control characters", "10 MB"],
)
def test_no_file_is_too_strange_to_be_told_about(body: bytes, command_line: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "strange.json").write_bytes(body)

    result = command_line("def", "lint", str(tmp_path / "strange.json"))

    assert result.exit_code == 1
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.stdout.endswith("1 file checked: 1 error\n")
    assert "\x1b" not in result.stdout


def test_what_lint_lets_pass_is_published(command_line: CommandLine, tmp_path: Path) -> None:
    file = written(tmp_path, {**ONBOARDING, "title": "second"})

    assert command_line("def", "lint", file).exit_code == 0
    assert command_line("def", "publish", file).exit_code == 0


def test_publish_tells_issues_at_their_place_in_the_file(command_line: CommandLine, tmp_path: Path) -> None:
    file = written(tmp_path, WRONG)

    linted, result = command_line("def", "lint", file), command_line("def", "publish", file)

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines() == linted.stdout.splitlines()[:-1]


def test_publish_tells_where_a_file_stops_to_be_json(command_line: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text('{"path": "a",\n "path": "b"}')

    result = command_line("def", "publish", str(tmp_path / "broken.json"))

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines() == [
        f"{tmp_path}/broken.json:2:10: error not_canonical at /path: 'path' stands twice",
        '  "path": "b"}',
        "          ^",
    ]


def test_publish_gives_programs_line_and_column(command_line: CommandLine, tmp_path: Path) -> None:
    document = command_line.document("def", "publish", written(tmp_path, WRONG), code=1)

    assert isinstance(document, dict)
    assert isinstance(document["issues"], list)
    places = [(each["line"], each["column"]) for each in document["issues"] if isinstance(each, dict)]
    assert places == [(1, 17), (1, json.dumps(WRONG).index('"wen"') + 1)]


def test_publish_gives_programs_the_place_of_a_warning(command_line: CommandLine, tmp_path: Path) -> None:
    actions = ONBOARDING["actions"]
    assert isinstance(actions, dict)
    twice: JsonObject = {**actions, "submit": {"role": ["intake", "intake"], "from": "draft", "to": "ready"}}
    file = written(tmp_path, {**ONBOARDING, "actions": twice})

    document = command_line.document("def", "publish", file)

    assert isinstance(document, dict)
    assert isinstance(document["warnings"], list)
    (warning,) = document["warnings"]
    assert isinstance(warning, dict)
    column = Path(file).read_text().index('"intake", "intake"') + len('"intake", ') + 1
    assert (warning["code"], warning["line"], warning["column"]) == ("WF_DUPLICATE", 1, column)


def test_publish_reads_standard_input(command_line: CommandLine) -> None:
    result = command_line("def", "publish", "-", stdin=json.dumps({**ONBOARDING, "title": "second"}))

    assert result.stdout.startswith("published: customer/onboarding@2\n")
