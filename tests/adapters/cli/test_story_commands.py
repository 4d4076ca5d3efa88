"""What `def test` says of stories: which hold, and what came out otherwise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import CommandLine, written
from sealing import ONBOARDING
from sealwork.domain.json_value import JsonObject, JsonValue


def a_story(*steps: JsonObject, workflow: JsonObject = ONBOARDING) -> JsonObject:
    begin: JsonObject = {"do": "start", "process": "p", "workflow": "customer/onboarding", "actor": "maria"}
    return {
        "story": "T1",
        "title": "a test",
        "clock_start": "2026-06-18T10:00:00Z",
        "actors": {"maria": {"roles": ["intake"]}},
        "workflows": [workflow],
        "steps": [begin, *steps],
    }


def submit(**expect: JsonValue) -> JsonObject:
    return {"do": "act", "process": "p", "action": "submit", "actor": "maria", "note": "first", "expect": expect}


def test_a_story_that_holds_is_one_line_and_no_home_is_opened(command_line: CommandLine, tmp_path: Path) -> None:
    file = written(tmp_path, a_story(submit(state="ready")))

    result = command_line("def", "test", file)

    assert (result.exit_code, result.stdout, result.stderr) == (0, f"{file}: T1 a test: holds (2 steps)\n", "")
    assert command_line.places == []


def test_what_came_out_otherwise_is_told_with_step_place_expected_and_got(
    command_line: CommandLine, tmp_path: Path
) -> None:
    file = written(tmp_path, a_story(submit(state="done", queue=[["screen", "pending"]]), submit()))

    result = command_line("def", "test", file)

    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f"{file}: T1 a test: 2 of 3 steps came out otherwise",
        "  step 2, maria: submit on p (first)",
        "    state",
        '      expected "done"',
        '      got      "ready"',
        "  step 3, maria: submit on p (first)",
        "    result",
        '      expected "accepted"',
        '      got      "refused"',
        "    the engine said: submit needs draft; the process is in ready",
    ]


def test_every_story_is_played_and_a_broken_one_is_told_at_its_place(
    command_line: CommandLine, tmp_path: Path
) -> None:
    sound = written(tmp_path, a_story())
    (tmp_path / "broken.json").write_text('{"story": "T",\n "steps": 7}')

    result = command_line("def", "test", str(tmp_path / "broken.json"), sound)

    assert result.exit_code == 1
    assert ":1:1: error invalid_input at /title: Field required" in result.stdout
    assert result.stdout.endswith("holds (1 steps)\n")


def test_a_workflow_that_cannot_be_published_is_told(command_line: CommandLine, tmp_path: Path) -> None:
    result = command_line("def", "test", written(tmp_path, a_story(workflow={**ONBOARDING, "colour": 1})))

    assert result.exit_code == 1
    assert "was not played\n  a workflow cannot be published: WF_UNKNOWN_FIELD at /colour: " in result.stdout


def test_a_step_of_a_later_version_is_told(command_line: CommandLine, tmp_path: Path) -> None:
    result = command_line("def", "test", written(tmp_path, a_story({"do": "poll"})))

    assert result.exit_code == 0
    assert "holds (2 steps), 1 of its steps need a later version" in result.stdout
    assert "  step 2, poll: not taken, " in result.stdout


@pytest.mark.parametrize(("state", "holds"), [("ready", True), ("done", False)])
def test_a_program_reads_what_came_out(command_line: CommandLine, tmp_path: Path, state: str, holds: bool) -> None:
    file = written(tmp_path, a_story(submit(state=state)))

    document = command_line.document("def", "test", file, code=0 if holds else 1)

    assert isinstance(document, dict)
    (story,) = json.loads(json.dumps(document["stories"]))
    assert (story["file"], story["holds"], story["story"]) == (file, holds, "T1")
    differing = [(step["number"], m["where"]) for step in story["steps"] for m in step["mismatches"]]
    assert differing == ([] if holds else [(2, "state")])


def test_a_name_stands_for_the_workflow_in_a_file_beside_the_story(
    command_line: CommandLine, tmp_path: Path
) -> None:
    written(tmp_path, ONBOARDING, "flow.json")
    file = written(tmp_path, {**a_story(), "workflows": ["flow.json"]}, "story.json")

    assert command_line("def", "test", file).exit_code == 0


def test_a_workflow_that_is_not_beside_the_story_is_a_matter_of_usage(
    command_line: CommandLine, tmp_path: Path
) -> None:
    result = command_line("def", "test", written(tmp_path, {**a_story(), "workflows": ["none.json"]}))

    assert result.exit_code == 2
    assert "none.json" in result.stderr
