"""The demonstration, as the README shows it, and what it suggests to try next."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from signal import SIGINT, SIGKILL, Signals

import pytest

from docs.documents import text
from flows.commands import COMMAND, Place, a_place

NOBODY = 65534


@pytest.fixture(scope="module")
def demo() -> Iterator[tuple[Place, str]]:
    """A home where the demo has run once, and what it said."""
    with a_place(".sealwork") as place:
        yield place, place.does("demo")


@pytest.fixture
def place(demo: tuple[Place, str]) -> Place:
    """The home of the demo."""
    return demo[0]


def suggestions(said: str) -> list[str]:
    """The commands that the demo suggests."""
    return [line.strip() for line in said.partition("Try next:")[2].splitlines() if line.strip()]


def test_the_demo_tells_the_story_of_the_readme(demo: tuple[Place, str]) -> None:
    _, said = demo

    told = text("README.md").partition("Sealwork demo: ")[2].partition("```")[0]
    lines = [line.partition("…")[0].rstrip() for line in told.splitlines()[2:]]
    story = [*filter(None, lines), "(the change was undone again)", "Nothing is running any more."]
    assert len(story) > 15
    positions = [said.find(line) for line in story]
    assert -1 not in positions, story[positions.index(-1)]
    assert positions == sorted(positions)


def test_nothing_is_running_after_the_demo(place: Place) -> None:
    assert place.processes() == []
    assert not (place.postgres / "data" / "postmaster.pid").exists()


def test_the_commands_that_the_demo_suggests_work_as_they_stand(demo: tuple[Place, str]) -> None:
    place, said = demo
    commands = suggestions(said)
    env = {**os.environ, "SEALWORK_HOME": str(place.home)}

    ends = [
        subprocess.run(shlex.split(command), cwd=place.home.parent, env=env, capture_output=True, text=True)
        for command in commands
    ]

    assert [command.split()[1] for command in commands] == ["timeline", "show", "verify"]
    assert [end.returncode for end in ends] == [0, 0, 0], ends
    assert "onboarding-1" in commands[0]
    assert "nothing wrong was found" in ends[2].stdout


def test_a_second_demo_opens_the_next_accounts(place: Place) -> None:
    said = place.does("demo")

    assert "  4  maria opens the account onboarding-3" in said
    assert "30 events in 7 chains, nothing wrong." in said
    assert suggestions(said)[0].endswith("timeline onboarding-3")


def test_two_commands_at_once_share_one_server(place: Place) -> None:
    first = place.begin("demo")
    first.says("A PostgreSQL of its own is running.")
    servers = place.servers()
    first.rests()

    second = place.run("keys", "list")
    after = place.servers()
    first.goes_on()

    assert second.code == 0
    assert first.end().code == 0
    assert after == servers
    assert len(servers) == 1 or not Path("/proc").exists()
    assert place.processes() == []


def test_the_last_command_stops_the_server_not_the_first_that_ends(place: Place) -> None:
    first = place.begin("demo")
    first.says("two days ahead")
    first.rests()
    second = place.begin("demo")
    second.says("A PostgreSQL of its own is running.")
    second.rests()

    interrupted = first.signalled(SIGINT)
    servers = place.servers()
    second.goes_on()

    assert interrupted.code == 130
    assert second.end().code == 0
    assert len(servers) == 1 or not Path("/proc").exists()
    assert place.processes() == []


MOMENTS = ["A PostgreSQL of its own", "two days ahead", "Everything is checked"]


@pytest.mark.parametrize("words", MOMENTS)
@pytest.mark.parametrize("number", [SIGINT, SIGKILL], ids=lambda number: number.name)
def test_a_demo_that_was_interrupted_hinders_no_other(number: Signals, words: str, place: Place) -> None:
    running = place.begin("demo")
    running.says(words)

    done = running.signalled(number)

    assert done.code == (130 if number is SIGINT else -SIGKILL)
    assert done.err == ""
    assert number is SIGKILL or place.processes() == []
    assert place.document("verify")["intact"] is True
    assert place.processes() == []


def test_an_ordinary_user_needs_no_more_than_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("these tests run as an ordinary user already")
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv, which steps down to another user, is not installed")
    step_down = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
    if subprocess.run([*step_down, COMMAND, "--help"], capture_output=True, cwd="/").returncode != 0:
        pytest.skip("another user may not run the command where it is installed")
    with a_place(owner=NOBODY, before=step_down) as place:
        said = place.does("demo")

        assert "Nothing is running any more." in said
        assert (place.postgres / "data").stat().st_uid == NOBODY
        assert place.processes() == []
