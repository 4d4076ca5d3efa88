"""A workflow of one's own, from publication to proof. Source: README.md, "Your own workflow"."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flows.commands import Place, a_place
from sealing import ONBOARDING


def test_the_way_of_the_readme_works(workplace: Place) -> None:
    place = workplace
    place.home.parent.joinpath("input.json").write_text('{"country": "SE"}')

    said = [
        place.does("start", "customer/onboarding", "tour", "--as", "maria"),
        place.does("act", "tour", "submit", "--as", "maria", "--input", "@input.json"),
        place.does("worker", "--once"),
        place.does("worker", "--once"),
        place.does("show", "tour"),
        place.does("timeline", "tour"),
        place.does("verify"),
    ]

    started, submitted, fired, idle, shown, told, verified = said
    assert started.startswith("process/tour event 1 -> draft\n")
    assert submitted.startswith("process/tour event 2 -> ready\n")
    assert (fired, idle) == ("process/tour screen  completed\n", "nothing is due\n")
    assert shown.startswith("tour  screening\n  workflow  customer/onboarding@1\n  event     3 ")
    assert [line.split()[3] for line in told.splitlines() if line[:3].strip().isdigit()] == [
        "maria",
        "maria",
        "automation",
    ]
    assert "because submit led to ready" in told
    assert "nothing wrong was found\nnot proven:\n" in verified
    assert place.servers() == []


def test_what_was_signed_is_kept_by_who_acts(workplace: Place) -> None:
    receipt = workplace.document("start", "customer/onboarding", "kept", "--as", "maria", "--input", '{"a": "Å"}')
    view = workplace.document("show", "kept")

    assert (receipt["stream"], receipt["seq"], receipt["duplicate"]) == ("process/kept", 1, False)
    assert receipt["hash"] == view["hash"]
    assert json.loads(str(receipt["record"]))["origin"] == "test.example/log"


def test_initialising_again_changes_nothing(workplace: Place) -> None:
    before = workplace.events()
    files = {path: path.stat().st_mtime_ns for path in (workplace.home / "keys").iterdir()}

    document = workplace.document("init")

    assert (document["anew"], document["origin"]) == (False, "test.example/log")
    assert {path: path.stat().st_mtime_ns for path in (workplace.home / "keys").iterdir()} == files
    assert workplace.events() == before
    assert workplace.document("db", "migrate") == {"applied": []}


def test_a_home_keeps_its_log_for_ever(workplace: Place) -> None:
    done = workplace.run("init", "--origin", "other.example/log")

    assert (done.code, done.out) == (78, "")
    assert "belongs to the log test.example/log" in done.err


def test_the_demo_keeps_out_of_a_log_that_is_in_earnest(workplace: Place) -> None:
    done = workplace.run("demo")

    assert (done.code, done.out) == (78, "")
    assert "give it another --home" in done.err


def test_the_same_workflow_is_published_once(workplace: Place) -> None:
    document = workplace.document("def", "publish", "workflow.json")

    assert document["anew"] is False
    assert workplace.document("def", "show", "customer/onboarding")["document"] == {**ONBOARDING, "version": 1}


def test_a_workflow_is_written_published_compared_and_withdrawn(workplace: Place) -> None:
    draft = {**ONBOARDING, "path": "customer/draft"}
    file = workplace.home.parent / "draft.workflow.json"
    file.write_text(json.dumps(draft))

    said = [
        workplace.does("def", "lint", file.name),
        workplace.does("def", "publish", file.name),
        workplace.does("def", "diff", "customer/draft@1", file.name),
        workplace.does("def", "withdraw", "customer/draft@1"),
        workplace.does("def", "list", "customer/draft"),
    ]
    begun = workplace.run("start", "customer/draft", "never", "--as", "maria")

    linted, _, compared, withdrawn, listed = said
    assert (linted, compared) == ("1 file checked: nothing wrong\n", "no differences\n")
    assert withdrawn.startswith("withdrawn: customer/draft@1\n")
    assert listed.endswith("  withdrawn\n")
    assert (begun.code, begun.out) == (1, "")
    assert begun.err.startswith("refused: definition_withdrawn")


def test_writing_a_workflow_needs_no_home(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_bytes(b"\x80")
    (tmp_path / "workflow.json").write_text(json.dumps(ONBOARDING))
    nowhere = Place(tmp_path / "home")

    checked = nowhere.run("def", "lint", "workflow.json", "broken.json", "/dev/null")
    same = nowhere.run("def", "diff", "workflow.json", "workflow.json")
    described = nowhere.document("def", "schema")

    assert (checked.code, checked.err, same.code, described["title"]) == (1, "", 0, "Sealwork workflow")
    assert checked.out.endswith("3 files checked: 2 errors\n")
    assert not nowhere.home.exists()


def test_everything_may_be_said_by_flags(workplace: Place, tmp_path: Path) -> None:
    said = workplace.does(
        "--home", str(workplace.home), "--tenant", "main", "show", "c-1", env={"SEALWORK_HOME": str(tmp_path)}
    )

    assert said.startswith("c-1  draft\n")


@contextmanager
def in_the_environment(place: Place, **variables: str) -> Iterator[dict[str, str]]:
    """Give variables with the keys of the home, whose files are away for as long."""
    files = {name: place.home / "keys" / f"{file}.key" for name, file in variables.items()}
    env = {name: file.read_text().strip() for name, file in files.items()}
    for file in files.values():
        file.rename(file.with_suffix(".away"))
    try:
        yield env
    finally:
        for file in files.values():
            file.with_suffix(".away").rename(file)


def test_who_turns_away_in_the_middle_sees_no_traceback(workplace: Place) -> None:
    for command in (("verify",), ("timeline", "c-1"), ("def", "show", "customer/onboarding")):
        running = workplace.begin(*command)
        running.turns_away()
        done = running.end()
        assert done.code in (0, 1)
        assert done.err == ""
    assert workplace.servers() == []


def test_keys_from_the_environment_work_and_no_child_process_carries_them(workplace: Place) -> None:
    workplace.does("start", "customer/onboarding", "env", "--as", "maria")
    workplace.does("act", "env", "submit", "--as", "maria")
    seen: set[bytes] = set()  # everything ever seen: a process that ends, or renames itself, wipes its own
    with in_the_environment(workplace, ENGINE_SK="engine", AUTOMATION_ACTOR_SK="automation") as env:
        running = workplace.begin("worker", "--once", env=env)
        while not running.ended:
            seen |= {*workplace.environments().values()}
        done = running.end()

    assert (done.code, done.out) == (0, "process/env screen  completed\n")
    told = b"".join(seen)
    assert b"PGDATA=" in told or not Path("/proc").exists()
    assert not [name for name in env if name.encode() in told]
    assert not [key for key in env.values() if key.encode() in told]


def test_the_example_of_the_readme_runs_as_it_is_written() -> None:
    root = Path(__file__).parents[2]
    block = (root / "README.md").read_text().partition("## Your own workflow")[2].split("```")[1]
    lines = [line.removeprefix("python3 dev.py sealwork ") for line in block.strip().splitlines()]

    with a_place(".sealwork") as place:
        place.home.parent.joinpath("docs").symlink_to(root / "docs")
        said = [place.does(*shlex.split(line)) for line in lines]

    assert [line.split()[0] for line in lines].count("act") == 2
    assert "process/trip-1 archive  completed\n" in said
    assert 'with    {"amount": 120}' in said[-2]
    assert "because approve led to approved, where it acts by itself" in said[-2]
    assert "nothing wrong was found" in said[-1]
