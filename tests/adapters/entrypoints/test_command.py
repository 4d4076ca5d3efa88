"""The outermost layer: errors become one line and an exit code, never a traceback."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sealwork.adapters.entrypoints import command, demo
from sealwork.domain.errors import Misconfigured, Unavailable


def failing(error: BaseException) -> Callable[..., None]:
    """A command that fails."""

    def app(**_: object) -> None:
        raise error

    return app


def left_with(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> object:
    """The exit code after `error`."""
    monkeypatch.setattr(command, "app", failing(error))
    with pytest.raises(SystemExit) as left:
        command.main()
    return left.value.code


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (Unavailable("the database is gone"), 69, "unavailable: the database is gone\n"),
        (Misconfigured("a key\x1b[31m is wrong"), 78, "configuration: a key\\x1b[31m is wrong\n"),
    ],
)
def test_an_error_is_one_line_and_a_code(
    error: Exception, code: int, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert left_with(error, monkeypatch) == code
    assert capsys.readouterr() == ("", line)


def test_a_defect_says_that_it_is_one_and_keeps_its_text_to_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SEALWORK_DEBUG", raising=False)

    assert left_with(ValueError("the seed is 42"), monkeypatch) == 70

    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "a defect in Sealwork (ValueError): set SEALWORK_DEBUG=1" in err
    assert "42" not in err


def test_a_defect_shows_where_it_is_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEALWORK_DEBUG", "1")
    monkeypatch.setattr(command, "app", failing(ValueError("here")))

    with pytest.raises(ValueError, match="here"):
        command.main()


def test_a_terminal_that_lacks_a_letter_still_gets_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(command, "app", lambda **_: print("Å → done"))

    command.main()

    terminal.flush()
    assert terminal.buffer.getvalue() == b"\\xc5 \\u2192 done\n"


@pytest.mark.parametrize(
    ("typed", "found_on_path", "shown"),
    [
        ("{bin}/sealwork", "{bin}/sealwork", "sealwork"),
        ("{bin}/sealwork", None, "{bin}/sealwork"),
        ("{bin}/sealwork", "/elsewhere/sealwork", "{bin}/sealwork"),
        ("{here}/.venv/bin/sealwork", None, ".venv/bin/sealwork"),
        (".venv/bin/sealwork", None, ".venv/bin/sealwork"),
        ("../with space/sealwork", None, "'../with space/sealwork'"),
    ],
)
def test_the_demo_suggests_commands_that_can_be_typed_as_they_stand(
    typed: str, found_on_path: str | None, shown: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    places = {"bin": str(tmp_path / "bin"), "here": str(here)}
    monkeypatch.setattr(sys, "argv", [typed.format(**places), "demo"])
    found = found_on_path.format(**places) if found_on_path else None
    monkeypatch.setattr(shutil, "which", lambda name: found)

    assert demo._own_command() == shown.format(**places)
