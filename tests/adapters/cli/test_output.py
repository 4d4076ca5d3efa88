"""Printing: trouble on stderr, and nothing that could rewrite a terminal."""

from __future__ import annotations

import json

import pytest
import typer

from sealwork.adapters.cli.output import accepted, complain, harmless, print_json, say
from sealwork.domain.json_value import JsonObject
from sealwork.domain.refusals import RefusalCode, refused


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, Å, 漢字, 🙂", "plain text, Å, 漢字, 🙂"),
        ("two\nlines", "two\nlines"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("over\rwritten", "over\\rwritten"),
        ("bell\x07 back\x08 tab\t", "bell\\x07 back\\x08 tab\\t"),
        ("\x9b31m", "\\x9b31m"),
        ("right\u202eto left", "right\\u202eto left"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\udce5", "\\udce5"),
    ],
    ids=ascii,
)
def test_control_characters_are_written_out(text: str, shown: str) -> None:
    assert harmless(text) == shown


def test_what_users_wrote_is_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    say("[bold]loud[/bold] \x1b[2J", style="red")
    complain("[link=http://x]click[/link] \x1b[2J")

    out, err = capsys.readouterr()
    assert out == "[bold]loud[/bold] \\x1b[2J\n"
    assert err == "[link=http://x]click[/link] \\x1b[2J\n"


def test_long_lines_are_left_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    say("word " * 100)

    assert capsys.readouterr().out.count("\n") == 1


def test_a_document_is_printed_as_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    document: JsonObject = {"name": "Å", "escape": "\x1b[31m \x9b31m \u202e \U000e0001", "list": [1, None, True]}

    print_json(document)

    out, err = capsys.readouterr()
    assert (json.loads(out), err) == (document, "")
    assert all(character.isprintable() or character == "\n" for character in out)
    assert "Å" in out


def test_what_was_not_refused_passes() -> None:
    assert accepted(7, as_json=False) == 7


@pytest.mark.parametrize(
    ("pointer", "first_line"),
    [
        ("/input/a", "refused: wrong_role at /input/a"),
        ("", "refused: wrong_role at /"),
        (None, "refused: wrong_role"),
    ],
)
def test_a_refusal_is_told_on_stderr_with_code_place_and_detail(
    pointer: str | None, first_line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as left:
        accepted(refused(RefusalCode.WRONG_ROLE, "needs \x1b[1mintake", pointer), as_json=False)

    out, err = capsys.readouterr()
    assert (left.value.exit_code, out, err) == (1, "", f"{first_line}\n  needs \\x1b[1mintake\n")


def test_a_refusal_is_one_document_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as left:
        accepted(refused(RefusalCode.NO_PROCESS, "there is none", "/stream"), as_json=True)

    out, err = capsys.readouterr()
    assert (left.value.exit_code, err) == (3, "")
    assert json.loads(out) == {"refused": {"code": "no_process", "detail": "there is none", "pointer": "/stream"}}
