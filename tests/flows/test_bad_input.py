"""Bad input of every kind: its code, its place, its exit code; nothing is written, and no traceback is shown."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from flows.commands import Done, Place, contents
from sealing import ONBOARDING

ACT = ("act", "c-1", "submit", "--as", "maria", "--input")
START = ("start", "customer/onboarding", "c-2", "--as")


def nested(depth: int) -> str:
    """Objects inside one another, `depth` of them."""
    return '{"a":' * (depth - 1) + "{}" + "}" * (depth - 1)


CASES: dict[str, tuple[tuple[str, ...], int, str, str | None]] = {
    "broken JSON": ((*ACT, '{"a": 1,\n "b": }'), 1, "not_canonical", None),
    "no object": ((*ACT, "[1, 2]"), 1, "invalid_input", "/input"),
    "one byte too many": ((*ACT, "@too-large.json"), 1, "too_large", None),
    "one byte too many with its envelope": ((*ACT, "@large.json"), 1, "too_large", None),
    "depth 33": ((*ACT, nested(33)), 1, "not_canonical", "/input" + "/a" * 32),
    "depth 33 with its envelope": ((*ACT, nested(32)), 1, "not_canonical", "/input" + "/a" * 31),
    "a key twice": ((*ACT, '{"a": {"b": 1, "b": 2}}'), 1, "not_canonical", "/input/a/b"),
    "NaN": ((*ACT, '{"a": [NaN]}'), 1, "not_canonical", "/input/a/0"),
    "a number that loses digits": ((*ACT, '{"a": 9007199254740993}'), 1, "not_canonical", "/input/a"),
    "not UTF-8": ((*ACT, "@latin.json"), 1, "not_canonical", None),
    "provenance": ((*ACT, '{"meta": {"automation": {}}}'), 1, "reserved_input", "/input/meta/automation"),
    "provenance by its other name": ((*ACT, '{"_automation": 1}'), 1, "reserved_input", "/input/_automation"),
    "unknown action": (("act", "c-1", "fly", "--as", "maria"), 1, "no_action", "/action"),
    "no name of an action": (("act", "c-1", "Fly high", "--as", "maria"), 1, "not_canonical", "/action"),
    "wrong role": (("act", "c-1", "submit", "--as", "ana"), 1, "wrong_role", "/key"),
    "wrong state": (("act", "c-1", "clear", "--as", "ana"), 1, "wrong_state", "/action"),
    "unknown key": (("act", "c-1", "submit", "--as", "nobody"), 1, "unknown_actor", "/key"),
    "the root key": (("act", "c-1", "submit", "--as", "root"), 1, "unknown_actor", "/key"),
    "the machine's key": (
        ("act", "c-1", "submit", "--as", "automation"),
        1,
        "reserved_input",
        "/input/meta/automation",
    ),
    "retired key": (("act", "c-1", "submit", "--as", "eva"), 1, "key_retired", "/key"),
    "revoked key": (("act", "c-1", "submit", "--as", "max"), 1, "key_revoked", "/key"),
    "foreign tenant": (("--tenant", "globex", *START, "maria"), 1, "unknown_actor", "/key"),
    "process of another tenant": (
        ("--tenant", "globex", "act", "c-1", "submit", "--as", "maria"),
        3,
        "no_process",
        "/stream",
    ),
    "unknown process": (("act", "c-404", "submit", "--as", "maria"), 3, "no_process", "/stream"),
    "unknown workflow": (("start", "no/such", "c-2", "--as", "maria"), 3, "definition_mismatch", "/definition"),
    "unknown version": (
        ("start", "customer/onboarding@9", "c-2", "--as", "maria"),
        3,
        "definition_mismatch",
        "/definition",
    ),
    "a process twice": (
        ("start", "customer/onboarding", "c-1", "--as", "maria"),
        1,
        "wrong_state",
        "/action",
    ),
    "a reserved name": (("start", "customer/onboarding", "prc_1", "--as", "maria"), 1, "invalid_input", "/stream"),
    "a workflow with the wrong version": (("def", "publish", "version-7.json"), 4, "conflict", "/version"),
    "a workflow by whom it is not permitted": (
        ("def", "publish", "second.json", "--as", "maria"),
        1,
        "permission",
        "/key",
    ),
    "an administrator who is none": (("keys", "retire", "ana", "--by", "maria"), 1, "permission", "/key"),
}


@pytest.fixture(scope="module")
def _files(workplace: Place) -> None:
    beside = workplace.home.parent
    (beside / "too-large.json").write_text(json.dumps({"a": "x" * 65_529}, separators=(",", ":")))
    (beside / "large.json").write_text(json.dumps({"a": "x" * 65_528}, separators=(",", ":")))
    assert [(beside / f"{name}.json").stat().st_size for name in ("too-large", "large")] == [65_537, 65_536]
    (beside / "deep.json").write_text(nested(10_000))
    (beside / "latin.json").write_bytes(b'{"a": "\xe5"}')
    (beside / "version-7.json").write_text(json.dumps({**ONBOARDING, "title": "seventh", "version": 7}))
    (beside / "second.json").write_text(json.dumps({**ONBOARDING, "title": "second"}))
    wrong_types = {"path": 7, "actions": {"go": {"role": {}, "auto": "yes", "to": "x"}}}
    (beside / "wrong-types.json").write_text(json.dumps(wrong_types))


@pytest.fixture(scope="module")
def ends(workplace: Place, served: str, _files: None) -> dict[str, Done]:
    """How each case ended. Several run at once, on one server."""
    before, events = contents(served), workplace.events()
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as several:
        runs = {name: several.submit(workplace.run, *case[0], "--json") for name, case in CASES.items()}
    done = {name: run.result() for name, run in runs.items()}
    assert contents(served) == before
    assert workplace.events() == events
    return done


def test_no_bad_input_writes_anything(ends: dict[str, Done]) -> None:
    assert ends.keys() == CASES.keys()


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_refused_with_its_code_and_its_place(case: str, ends: dict[str, Done]) -> None:
    _, exit_code, code, pointer = CASES[case]

    done = ends[case]

    assert (done.code, done.err) == (exit_code, "")
    document = json.loads(done.out)
    assert document.keys() == {"refused"}
    refusal = document["refused"]
    assert isinstance(refusal, dict)
    assert (refusal["code"], refusal["pointer"]) == (code, pointer)
    assert refusal["detail"]


@pytest.mark.usefixtures("served", "_files")
def test_very_deep_input_is_refused_like_deep_input(workplace: Place) -> None:
    done = workplace.run(*ACT, "@deep.json")

    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("refused: not_canonical")
    assert "nested deeper than 32" in done.err


def test_broken_json_is_told_with_line_and_column(workplace: Place) -> None:
    done = workplace.run(*ACT, '{"a": 1,\n "b": }')

    assert (done.code, done.out) == (1, "")
    assert done.err == "refused: not_canonical\n  line 2, column 7: Expecting value\n"


@pytest.mark.usefixtures("served", "_files")
def test_a_workflow_of_wrong_types_is_told_all_that_is_wrong(workplace: Place) -> None:
    document = workplace.document("def", "publish", "wrong-types.json", code=1)

    issues = document["issues"]
    assert isinstance(issues, list)
    places = {issue["pointer"] for issue in issues if isinstance(issue, dict)}
    assert places >= {"/path", "/actions/go/role", "/actions/go/auto"}


def test_a_file_that_is_not_there_is_a_matter_of_usage(workplace: Place) -> None:
    done = workplace.run(*ACT, "@no-such-file.json")

    assert (done.code, done.out) == (2, "")
    assert "cannot be read" in done.err


@pytest.mark.usefixtures("served")
def test_a_name_without_a_key_is_a_matter_of_configuration(workplace: Place) -> None:
    done = workplace.run("act", "c-1", "submit", "--as", "stranger")

    assert (done.code, done.out) == (78, "")
    assert "there is no key of 'stranger'" in done.err


@pytest.mark.usefixtures("served")
def test_what_users_wrote_does_not_reach_the_terminal_as_it_is(workplace: Place) -> None:
    done = workplace.run("show", "c\x1b[31m\x9b31m")

    assert done.code == 3
    assert not {"\x1b", "\x9b"} & set(done.err)
