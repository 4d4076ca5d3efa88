"""Reading what users write. Source: events.md, "Canonical JSON" (what is refused at intake)."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
import typer

from sealwork.adapters.cli.reading import path_and_version, read_document, read_input, read_source
from sealwork.domain.ledger.canonical import MAX_BYTES, MAX_DOCUMENT_BYTES
from sealwork.domain.refusals import RefusalCode, Refused


def is_refused(answer: object, code: RefusalCode, pointer: str | None, detail: str = "") -> None:
    assert isinstance(answer, Refused), answer
    assert (answer.code, answer.pointer) == (code, pointer)
    assert detail in answer.detail


def padded(size: int) -> bytes:
    """An object of exactly `size` bytes."""
    return b'{"a":"' + b"x" * (size - 8) + b'"}'


def nested(depth: int) -> str:
    """Objects inside one another, `depth` of them."""
    return '{"a":' * (depth - 1) + "{}" + "}" * (depth - 1)


class _Stdin:
    """Standard input that holds `body`."""

    def __init__(self, body: bytes) -> None:
        self.buffer = io.BytesIO(body)


def test_an_object_is_read_from_the_argument() -> None:
    assert read_input('{"country": "SE", "n": [1, 2.5, null, true]}') == {
        "country": "SE",
        "n": [1, 2.5, None, True],
    }


def test_an_object_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "in put.json"
    file.write_bytes('{"name": "Å"}'.encode())

    assert read_input(f"@{file}") == {"name": "Å"}


def test_an_object_is_read_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", _Stdin(b'{"a": 1}\n'))

    assert read_input("-") == {"a": 1}


@pytest.mark.parametrize("text", ["[]", "null", "1", '"text"', "true"])
def test_an_input_that_is_no_object_is_refused(text: str) -> None:
    is_refused(read_input(text), RefusalCode.INVALID_INPUT, "/input")


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("", "line 1, column 1"),
        ("{", "line 1, column 2"),
        ('{"a": 1,\n "b": }', "line 2, column 7"),
        ("{'a': 1}", "line 1, column 2"),
        ('{"a": 1} x', "line 1, column 10"),
    ],
)
def test_broken_json_is_refused_with_line_and_column(text: str, detail: str) -> None:
    is_refused(read_input(text), RefusalCode.NOT_CANONICAL, None, detail)


@pytest.mark.parametrize(
    ("text", "pointer", "detail"),
    [
        ('{"a": {"b": 1, "b": 2}}', "/input/a/b", "'b' stands twice"),
        ('{"a": 1, "a": 1}', "/input/a", "'a' stands twice"),
        ('{"a": NaN}', "/input/a", "NaN"),
        ('{"a": [Infinity]}', "/input/a/0", "Infinity"),
        ('{"a": -Infinity}', "/input/a", "-Infinity"),
        ('{"a": -0}', "/input/a", "minus zero"),
        ('{"a": 1e400}', "/input/a", "finite"),
        ('{"a": 9007199254740993}', "/input/a", "send it as text"),
        (f'{{"a": {"9" * 5000}}}', "/input/a", "send it as text"),
        ('{"a/b~": "\\u0000"}', "/input/a~1b~0", "U+0000"),
        ('{"a": "\\ud800"}', "/input/a", "surrogate"),
        (nested(33), "/input" + "/a" * 32, "deeper than 32"),
        (nested(5000), None, "deeper than 32"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_readers_take_differently_is_refused_with_its_place(
    text: str, pointer: str | None, detail: str
) -> None:
    answer = read_input(text)

    is_refused(
        answer, RefusalCode.NOT_CANONICAL, pointer or (answer.pointer if isinstance(answer, Refused) else "")
    )
    assert isinstance(answer, Refused)
    assert detail in answer.detail


def test_32_levels_are_read() -> None:
    assert isinstance(read_input(nested(32)), dict)


@pytest.mark.parametrize("way", ["argument", "file", "standard input"])
def test_one_byte_too_many_is_too_large(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(body: bytes) -> object:
        if way == "argument":
            return read_input(body.decode())
        if way == "file":
            (tmp_path / "input.json").write_bytes(body)
            return read_input(f"@{tmp_path / 'input.json'}")
        monkeypatch.setattr(sys, "stdin", _Stdin(body))
        return read_input("-")

    assert isinstance(read(padded(MAX_BYTES)), dict)
    is_refused(read(padded(MAX_BYTES + 1)), RefusalCode.TOO_LARGE, None)


def test_what_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin.json").write_bytes(b'{"a": "\xe5"}')

    is_refused(read_input(f"@{tmp_path / 'latin.json'}"), RefusalCode.NOT_CANONICAL, None, "byte 7 is not UTF-8")
    is_refused(read_input('{"a": "\udce5"}'), RefusalCode.NOT_CANONICAL, None, "byte 7 is not UTF-8")


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_a_file_that_cannot_be_read_is_a_matter_of_usage(name: str, tmp_path: Path) -> None:
    with pytest.raises(typer.BadParameter, match="cannot be read"):
        read_input(f"@{tmp_path / name}")
    with pytest.raises(typer.BadParameter, match="cannot be read"):
        read_source(tmp_path / name)


@pytest.mark.parametrize("stdin", [None, "closed"])
def test_standard_input_that_is_not_there_is_a_matter_of_usage(
    stdin: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    class _Closed:
        class buffer:
            @staticmethod
            def read(size: int) -> bytes:
                raise OSError(size)

    monkeypatch.setattr(sys, "stdin", _Closed() if stdin else None)

    with pytest.raises(typer.BadParameter, match="standard input cannot be read"):
        read_input("-")
    with pytest.raises(typer.BadParameter, match="standard input cannot be read"):
        read_source(Path("-"))


def test_a_document_may_be_a_mebibyte(tmp_path: Path) -> None:
    file = tmp_path / "workflow.json"
    file.write_bytes(padded(MAX_DOCUMENT_BYTES))
    assert isinstance(read_document(read_source(file)), dict)

    file.write_bytes(padded(MAX_DOCUMENT_BYTES + 1))
    is_refused(read_document(read_source(file)), RefusalCode.TOO_LARGE, None)


def test_a_document_may_be_any_json_and_its_places_have_no_prefix(tmp_path: Path) -> None:
    file = tmp_path / "workflow.json"
    file.write_text("[1, 2]")
    assert read_document(read_source(file)) == [1, 2]

    file.write_text('{"a": {"b": NaN}}')
    is_refused(read_document(read_source(file)), RefusalCode.NOT_CANONICAL, "/a/b")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a/b", ("a/b", None)), ("a/b@3", ("a/b", 3)), ("a/b@007", ("a/b", 7)), ("a@999999999", ("a", 999_999_999))],
)
def test_a_name_may_carry_a_version(name: str, expected: tuple[str, int | None]) -> None:
    assert path_and_version(name) == expected


@pytest.mark.parametrize("name", ["a@", "a@x", "a@-1", "a@1.0", "a@1@2", "a@٣", "a@1000000000", "a@ 1"])
def test_what_follows_the_at_is_a_version(name: str) -> None:
    with pytest.raises(typer.BadParameter, match="write PATH or PATH@VERSION"):
        path_and_version(name)
