"""The shape of the code, as architecture.md and CONTRIBUTING.md promise it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from architecture.sources import LAYERS, MODULES, ROOT, name

LINES_PER_FILE = 400
LINES_PER_FUNCTION = 40
_VAGUE_CLASS = re.compile(r"Manager|Helper|Util|^_?Base")
_VAGUE_NAME = re.compile(r"(^|_)(manager|helpers?|utils?|base)(_|$)")
_UNFINISHED = re.compile(
    r"type:\s*ignore|noqa|pragma:\s*no cover|TODO|FIXME|NotImplementedError"  # these are what the test forbids
)


@pytest.mark.parametrize("folder", (*LAYERS, "tests", "docs"))
def test_the_folders_of_the_design_stand_at_the_root(folder: str) -> None:
    assert (ROOT / folder).is_dir()


@pytest.mark.parametrize("file", ("pyproject.toml", "architecture.md", "README.md", "LICENSE", "SECURITY.md"))
def test_the_files_of_the_design_stand_at_the_root(file: str) -> None:
    assert (ROOT / file).is_file()


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_fits_in_one_sitting(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= LINES_PER_FILE


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_function_fits_on_one_screen(path: Path) -> None:
    long = {node.name: _body_lines(node) for node in _functions(path) if _body_lines(node) > LINES_PER_FUNCTION}

    assert not long


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text()))


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_names_say_something(path: Path) -> None:
    definitions = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef)]
    vague = [node.name for node in definitions if _VAGUE_CLASS.search(node.name)]
    vague += [called for called in (path.stem, *(f.name for f in _functions(path))) if _VAGUE_NAME.search(called)]

    assert not vague


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_nothing_is_switched_off_or_left_for_later(path: Path) -> None:
    assert not _UNFINISHED.findall(path.read_text())


@pytest.mark.parametrize("layer", LAYERS)
def test_the_namespace_stays_open(layer: str) -> None:
    """A stray `sealwork/__init__.py` would hide the two other layers."""
    assert not (ROOT / layer / "sealwork" / "__init__.py").exists()


@pytest.mark.parametrize("layer", LAYERS)
def test_the_layer_is_typed_for_its_users(layer: str) -> None:
    assert (ROOT / layer / "sealwork" / layer / "py.typed").is_file()


def _functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    has_docstring = ast.get_docstring(function) is not None and len(function.body) > 1
    first = function.body[1 if has_docstring else 0]
    return (function.end_lineno or 0) - first.lineno + 1
