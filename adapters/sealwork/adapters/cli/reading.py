"""Reading what the user wrote: JSON by argument, file or standard input; names with a version."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import typer
from pydantic import TypeAdapter, ValidationError

from sealwork.adapters.cli.source_text import Source
from sealwork.domain.ids import WorkflowPath
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import MAX_BYTES, MAX_DOCUMENT_BYTES, read_json
from sealwork.domain.refusals import RefusalCode, Refused, refused

MAX_ARGUMENT = 200
_WORKFLOW_PATH: TypeAdapter[str] = TypeAdapter(WorkflowPath)


def read_input(text: str) -> JsonObject | Refused:
    """Return the object in `text`, in the file after `@`, or on standard input for `-`."""
    if text == "-":
        body = read_standard_input(MAX_BYTES)
    elif text.startswith("@"):
        body = read_file(Path(text[1:]), MAX_BYTES)
    else:
        body = text.encode(errors="surrogateescape")
    value = read_json(body)
    if isinstance(value, Refused):
        at = value.pointer
        return value.model_copy(update={"pointer": None if at is None else f"/input{at}"})
    if isinstance(value, dict):
        return value
    return refused(RefusalCode.INVALID_INPUT, "the input of an action is an object, such as {}", "/input")


def read_source(path: Path) -> Source:
    """Return what stands in a file, or on standard input for `-`; of what is too large only that much is read.

    Raises:
        typer.BadParameter: it cannot be read.
    """
    if str(path) == "-":
        return Source("<stdin>", read_standard_input(MAX_DOCUMENT_BYTES))
    return Source(str(path), read_file(path, MAX_DOCUMENT_BYTES))


def read_sources(paths: Sequence[Path]) -> list[Source]:
    """Return what stands in each file, in order.

    Raises:
        typer.BadParameter: one cannot be read, or `-` stands twice.
    """
    if sum(str(path) == "-" for path in paths) > 1:
        raise typer.BadParameter("standard input can be read once: write - once")
    return [read_source(path) for path in paths]


def is_file(text: str) -> bool:
    """Return whether an argument names something that can be read as a file; a folder is none."""
    if text == "-":
        return True
    try:
        return Path(text).exists() and not Path(text).is_dir()
    except (OSError, ValueError):
        return False


def read_document(source: Source) -> JsonValue | Refused:
    """Return the JSON in a file that was read."""
    return read_json(source.body, limit=MAX_DOCUMENT_BYTES)


def read_file(path: Path, limit: int) -> bytes:
    """Return the bytes of a file, at most one more than `limit`.

    Raises:
        typer.BadParameter: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(limit + 1)
    except OSError as error:
        raise typer.BadParameter(f"{path} cannot be read: {error.strerror}") from error


def read_standard_input(limit: int) -> bytes:
    """Return the bytes of standard input, at most one more than `limit`.

    Raises:
        typer.BadParameter: it cannot be read, or there is none.
    """
    try:
        return sys.stdin.buffer.read(limit + 1)
    except (OSError, AttributeError) as error:
        raise typer.BadParameter("standard input cannot be read") from error


def real_text(text: str) -> str:
    """Return an argument as it is.

    Raises:
        typer.BadParameter: bytes in it are no text, or it is absurdly long.
    """
    if len(text) > MAX_ARGUMENT or any("\ud800" <= character <= "\udfff" for character in text):
        raise typer.BadParameter(f"at most {MAX_ARGUMENT} characters of UTF-8 text")
    return text


def published_name(text: str) -> tuple[str, int | None]:
    """Return (path, version) of an argument that is no file.

    Raises:
        typer.BadParameter: it cannot be the name of a workflow either.
    """
    path, version = path_and_version(text)
    try:
        _WORKFLOW_PATH.validate_python(path)
    except ValidationError as error:
        shown = text if len(text) <= MAX_ARGUMENT else f"{text[: MAX_ARGUMENT - 1]}…"
        advice = "write a FILE, PATH or PATH@VERSION, such as customer/onboarding@3"
        raise typer.BadParameter(f"there is no file {shown!r}: {advice}") from error
    return path, version


def event_or_work(text: str) -> int | UUID | None:
    """Return the number of an event, the id of a work row, or None for nothing.

    Raises:
        typer.BadParameter: it is neither.
    """
    if not text:
        return None
    if text.isascii() and text.isdigit() and len(text) <= 9:
        return int(text)
    try:
        return UUID(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r}: write the number of an event, or the id of a work row") from None


def work_id(text: str) -> UUID:
    """Return the id of a work row.

    Raises:
        typer.BadParameter: it is none.
    """
    try:
        return UUID(real_text(text))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no id of a work row: `sealwork work list` shows them") from None


def path_and_version(name: str) -> tuple[str, int | None]:
    """Return (path, version) of `path` or `path@version`.

    Raises:
        typer.BadParameter: what follows the @ is no version.
    """
    path, at, version = name.partition("@")
    if not at:
        return path, None
    if not version.isascii() or not version.isdigit() or len(version) > 9:
        raise typer.BadParameter(f"{name!r}: write PATH or PATH@VERSION, such as customer/onboarding@3")
    return path, int(version)
