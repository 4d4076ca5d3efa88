"""docs/tutorial, docs/how-to: who works through a page sees what the page shows."""

from __future__ import annotations

import subprocess
import sys

import pytest

from docs.documents import ROOT, text
from docs.walkthroughs import Reader, Type, Varying, Write, steps
from flows.commands import COMMAND, a_place


@pytest.fixture
def _prepared() -> None:
    """The checkout is installed as the page says; a test installs nothing."""
    asked = "import dev, sys; sys.exit(not dev.installed(dev.RUNTIME))"
    installed = subprocess.run((sys.executable, "-c", asked), cwd=ROOT).returncode == 0
    if not installed or COMMAND.parent != ROOT / ".venv" / "bin":
        pytest.skip("these tests do not run in the .venv of this checkout; python3 dev.py test makes it")


@pytest.mark.usefixtures("_prepared")
def test_the_first_automation_runs_as_it_is_written() -> None:
    runs_as_it_is_written("docs/tutorial/first-automation.md", "kitchen")


@pytest.mark.usefixtures("_prepared")
def test_keys_are_rotated_as_it_is_written() -> None:
    runs_as_it_is_written("docs/how-to/rotate-keys.md", "post")


def runs_as_it_is_written(page: str, folder: str) -> None:
    """Work through `page`, which works in `folder` and removes it in the end."""
    on_the_page, here = Varying(), Varying()

    with a_place(f"{folder}/.sealwork") as place:
        reader = Reader(place.home.parents[1])
        for step in steps(text(page)):
            match step:
                case Write(name, content):
                    reader.writes(name, content)
                case Type(command, printed):
                    done = reader.types(here.put_in(command, on_the_page))
                    assert (done.code, here.masked(done.out)) == (0, on_the_page.masked(printed)), command

        assert place.processes() == []
        assert not place.home.parent.exists()


def test_a_file_is_named_and_every_other_block_is_typed() -> None:
    page = "Into `a.json`:\n\n```json\n{}\n```\n\nThen:\n\n```console\n$ one\n$ two\nsaid\n```\n"

    assert [*steps(page)] == [Write("a.json", "{}\n"), Type("one", ""), Type("two", "said\n")]


@pytest.mark.parametrize(
    "page",
    [
        "Look:\n\n```json\n{}\n```\n",
        "```console\nsaid\n```\n",
        "```\n$ one\n```\n",
        "```sh\n$ one\n```\n",
    ],
)
def test_a_block_that_would_not_be_run_is_an_error(page: str) -> None:
    with pytest.raises(AssertionError):
        [*steps(page)]


def test_what_varies_is_masked_but_not_which_of_it_is_the_same() -> None:
    one, other = "0" * 64, "1" * 64

    assert Varying().masked(f"{one} {other} {one}") == "<hash 0> <hash 1> <hash 0>"
    assert Varying().masked("2026-06-18 12:00:00Z 2026-06-18T12:00:00.000000Z") == "<instant> <instant>"


def test_a_value_of_the_page_is_typed_as_the_one_of_this_run() -> None:
    page, here = Varying(), Varying()
    page.masked(f"a {'0' * 64}")
    here.masked(f"a {'1' * 64}")

    assert here.put_in(f"why {'0' * 64}", page) == f"why {'1' * 64}"
