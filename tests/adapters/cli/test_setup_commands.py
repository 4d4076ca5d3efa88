"""What the commands say that set things up: workflows, keys, the home, the database."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import pytest

from command_line import CommandLine, written
from sealing import ONBOARDING, accepted
from sealwork.application.upkeep.diagnosis import Diagnosis, Difference, Level
from sealwork.domain.json_value import JsonObject


def test_the_version_is_printed_and_nothing_opened(command_line: CommandLine) -> None:
    result = command_line("--version")

    assert (result.exit_code, result.stdout, command_line.places) == (0, f"sealwork {version('sealwork')}\n", [])


def test_def_publish_publishes_once(command_line: CommandLine, tmp_path: Path) -> None:
    file = written(tmp_path, {**ONBOARDING, "title": "second"})

    first, again = command_line("def", "publish", file), command_line("def", "publish", file)

    assert (first.exit_code, again.exit_code) == (0, 0)
    assert first.stdout.startswith("published: customer/onboarding@2\n  sha256 ")
    assert again.stdout.startswith("stands already: customer/onboarding@2\n")


def test_def_publish_prints_one_document(command_line: CommandLine, tmp_path: Path) -> None:
    document = command_line.document("def", "publish", written(tmp_path, {**ONBOARDING, "title": "second"}))

    ref = command_line.box.definitions.of("acme", "customer/onboarding").versions[1].ref
    assert document == {"ref": ref.model_dump(), "anew": True, "warnings": []}


def test_def_publish_tells_all_issues_and_publishes_nothing(command_line: CommandLine, tmp_path: Path) -> None:
    wrong: JsonObject = {"path": "a/b", "actions": {"go": {"role": "x", "from": "here", "to": "there"}}}
    file = written(tmp_path, wrong)
    before = command_line.box.picture()

    result, document = command_line("def", "publish", file), command_line.document("def", "publish", file, code=1)

    assert (result.exit_code, result.stdout) == (1, "")
    assert isinstance(document, dict)
    issues = document["issues"]
    assert isinstance(issues, list)
    assert issues
    for issue in issues:
        assert isinstance(issue, dict)
        assert f"{issue['level']} {issue['code']} at " in result.stderr
    assert command_line.box.picture() == before


def test_def_publish_prints_warnings_in_words(command_line: CommandLine, tmp_path: Path) -> None:
    actions = ONBOARDING["actions"]
    assert isinstance(actions, dict)
    twice: JsonObject = {**actions, "submit": {"role": ["intake", "intake"], "from": "draft", "to": "ready"}}

    result = command_line("def", "publish", written(tmp_path, {**ONBOARDING, "actions": twice}))

    assert result.exit_code == 0
    assert ": warning WF_DUPLICATE at /actions/submit/role/1" in result.stderr
    assert "published: customer/onboarding@2" in result.stdout


@pytest.mark.parametrize(
    ("text", "by", "code", "refusal"),
    [
        ("{", "admin", 1, ("not_canonical", None)),
        ('{"path": NaN}', "admin", 1, ("not_canonical", "/path")),
        (json.dumps({**ONBOARDING, "version": 7}), "admin", 4, ("conflict", "/version")),
        (json.dumps({**ONBOARDING, "title": "new"}), "maria", 1, ("permission", "/key")),
    ],
    ids=["broken", "NaN", "wrong version", "no permission"],
)
def test_def_publish_refuses_with_one_document(
    text: str, by: str, code: int, refusal: tuple[str, str | None], command_line: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "workflow.json").write_text(text)

    document = command_line.refusal("def", "publish", str(tmp_path / "workflow.json"), "--as", by, code=code)

    assert (document["code"], document["pointer"]) == refusal


def test_def_show_prints_the_document(command_line: CommandLine) -> None:
    result, document = (
        command_line("def", "show", "customer/onboarding"),
        command_line.document("def", "show", "customer/onboarding@1"),
    )

    stored = {**ONBOARDING, "version": 1}
    assert json.loads(result.stdout) == stored
    assert isinstance(document, dict)
    assert document["document"] == stored
    assert isinstance(document["definition"], dict)
    assert (document["definition"]["path"], document["definition"]["version"]) == ("customer/onboarding", 1)


def test_keys_admit_makes_a_key_and_admits_it(command_line: CommandLine) -> None:
    result = command_line("keys", "admit", "omar", "--role", "officer", "--role", "clerk")

    omar = command_line.box.show_actors("acme").keys[command_line.box.key("omar").actor]
    assert result.stdout == f"admitted omar as PERSON: {omar.key}\n"
    assert omar.roles == {"officer", "clerk"}


@pytest.mark.parametrize("action", ["admit", "retire", "revoke"])
def test_a_change_of_keys_is_one_document(action: str, command_line: CommandLine) -> None:
    name = "omar" if action == "admit" else "ana"

    document = command_line.document("keys", action, name)

    assert isinstance(document, dict)
    last = command_line.box.events("actors/registry")[-1]
    assert (document["seq"], document["hash"]) == (last.seq, last.hash)
    assert str(document["done"]).startswith(
        {"admit": "admitted", "retire": "retired", "revoke": "revoked"}[action]
    )


def test_keys_list_tells_whose_key_is_whose_and_who_may_do_what(command_line: CommandLine) -> None:
    box = command_line.box
    accepted(box.actors.retire("acme", box.key("maria").actor, box.key("admin")))
    accepted(box.actors.revoke("acme", box.key("ana").actor, box.key("admin")))

    result, document = command_line("keys", "list"), command_line.document("keys", "list")

    assert result.stdout.splitlines() == [
        f"admin            ACTOR_ADMIN  valid    {box.key('admin').actor}  workflow.publish",
        f"automation       AUTOMATION   valid    {box.key('automation').actor}  AUTOMATION",
        f"maria            PERSON       retired  {box.key('maria').actor}  intake",
        f"ana              PERSON       revoked  {box.key('ana').actor}  analyst",
    ]
    assert isinstance(document, list)
    assert [entry["label"] for entry in document if isinstance(entry, dict)] == [
        "admin",
        "automation",
        "maria",
        "ana",
    ]


def test_init_says_what_stands(command_line: CommandLine) -> None:
    first, again = command_line("init", "--origin", "test.example/log"), command_line("init")

    assert first.stdout.startswith("initialised: here, log test.example/log\n")
    assert again.stdout.startswith("already initialised: here")
    assert command_line.origins == ["test.example/log", None]


def test_init_and_migrate_print_one_document(command_line: CommandLine) -> None:
    assert command_line.document("db", "migrate") == {"applied": ["0001_first.sql", "0002_second.sql"]}
    document = command_line.document("init")
    assert isinstance(document, dict)
    assert document["home"] == "here"


def test_migrate_says_what_it_applied(command_line: CommandLine) -> None:
    first, again = command_line("db", "migrate"), command_line("db", "migrate")

    assert first.stdout == "applied 2: 0001_first.sql, 0002_second.sql\n"
    assert again.stdout == "nothing to do\n"


@pytest.mark.parametrize(("level", "code"), [(Level.OK, 0), (Level.WARN, 0), (Level.BAD, 1)])
def test_doctor_leaves_with_1_if_something_is_to_be_mended(
    level: Level, code: int, command_line: CommandLine
) -> None:
    line = Diagnosis(level=level, check="clock", what="late", advice=None if level is Level.OK else "wind it")
    command_line.diagnoses = [line]

    result, document = command_line("doctor"), command_line.document("doctor", code=code)

    told = {Level.OK: "ok   clock: late\n", Level.WARN: "warn clock: late\n       wind it\n"}
    assert (result.exit_code, result.stdout) == (code, told.get(level, "bad  clock: late\n       wind it\n"))
    assert document == {"well": code == 0, "checks": [line.model_dump()]}


def test_db_check_tells_each_difference(command_line: CommandLine) -> None:
    assert command_line("db", "check").stdout == "the schema is as the migrations make it\n"
    command_line.differences = [Difference(object="trigger t", expected="always", found=None)]

    result, document = command_line("db", "check"), command_line.document("db", "check", code=1)

    assert (result.exit_code, result.stdout) == (1, "trigger t\n  expected: always\n  found:    nothing\n")
    assert document == {"differences": [{"object": "trigger t", "expected": "always", "found": None}]}
