"""What is installed, what is shipped, and that both say the same everywhere."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from architecture.sources import LAYERS, ROOT

_PIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9.+!]+")
_NOT_DEPENDENCIES = frozenset({"pip", "setuptools", "wheel", "sealwork"})


def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def pins() -> list[str]:
    return (ROOT / "constraints.txt").read_text().split()


def package(requirement: str) -> str:
    """Return the normal form of the package's name."""
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None
    return re.sub(r"[-_.]+", "-", found[0]).lower()


@pytest.mark.parametrize("wanted", ("eventsourcing", "pydantic", "pynacl", "dependency-injector"))
def test_the_runtime_stands_on_the_packages_of_the_design(wanted: str) -> None:
    assert wanted in {package(requirement) for requirement in pyproject()["project"]["dependencies"]}


def test_psycopg_comes_with_its_binaries() -> None:
    requirements: list[str] = pyproject()["project"]["dependencies"]
    (psycopg,) = (requirement for requirement in requirements if package(requirement) == "psycopg")

    assert "binary" in psycopg


@pytest.mark.parametrize("wanted", ("pytest", "mypy", "hypothesis", "ruff", "import-linter"))
def test_development_has_its_tools(wanted: str) -> None:
    assert wanted in {package(requirement) for requirement in pyproject()["dependency-groups"]["dev"]}


def test_types_are_checked_strictly_in_sources_and_tests() -> None:
    mypy = pyproject()["tool"]["mypy"]

    assert mypy["strict"] is True
    assert {*LAYERS, "tests", "benchmarks", "dev.py"} <= set(mypy["files"])


def test_python_3_11_is_enough() -> None:
    assert pyproject()["project"]["requires-python"] == ">=3.11"


def test_every_pin_is_exact_and_names_a_package_once() -> None:
    names = [package(pin) for pin in pins()]

    assert all(_PIN.fullmatch(pin) for pin in pins())
    assert len(names) == len(set(names))
    assert _NOT_DEPENDENCIES.isdisjoint(names)


def test_pip_and_uv_install_the_same() -> None:
    assert pyproject()["tool"]["uv"]["constraint-dependencies"] == pins()


def test_everything_that_is_asked_for_is_pinned() -> None:
    project = pyproject()
    asked: list[str] = project["project"]["dependencies"] + project["dependency-groups"]["dev"]

    assert {package(requirement) for requirement in asked} <= {package(pin) for pin in pins()}


def test_the_wheel_carries_all_three_layers_with_their_sql(tmp_path: Path) -> None:
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("hatchling is not installed here; python3 dev.py test installs it")

    names = set(ZipFile(_built(tmp_path)).namelist())

    shipped = {
        path.relative_to(ROOT / layer).as_posix()
        for layer in LAYERS
        for path in (ROOT / layer / "sealwork").rglob("*")
        if path.is_file() and path.suffix in (".py", ".sql", ".typed", ".json")
    }
    assert shipped <= names
    assert "sealwork/__init__.py" not in names
    assert not [name for name in names if name.startswith(("tests/", "docs/"))]


def _built(folder: Path) -> Path:
    build = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel
