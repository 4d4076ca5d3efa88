"""Who may import whom: the contracts of pyproject.toml are kept, and the domain stands alone."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from architecture.sources import ROOT

_LINT_IMPORTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def test_dependencies_point_inward() -> None:
    done = _run("-c", _LINT_IMPORTS, "--no-cache")

    assert done.returncode == 0, done.stdout


def test_the_domain_passes_its_tests_with_nothing_but_its_pure_libraries() -> None:
    done = _run(
        *("-m", "pytest", "-q", "-p", "architecture.only_the_domain", "-p", "no:cacheprovider"),
        *("--confcutdir", "tests/domain", "tests/domain"),
        PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
    )

    assert done.returncode == 0, done.stdout[-4000:]


@pytest.mark.parametrize(
    "forbidden", ("psycopg", "nacl", "eventsourcing", "dependency_injector", "typer", "sealwork.application")
)
def test_the_lonely_domain_really_is_alone(forbidden: str) -> None:
    done = _run("-c", f"import architecture.only_the_domain, {forbidden}")

    assert f"{forbidden} is not there for the domain" in done.stdout


@pytest.mark.parametrize("allowed", ("sealwork.domain.ledger.record", "rfc8785", "pydantic", "json"))
def test_the_lonely_domain_has_what_it_needs(allowed: str) -> None:
    done = _run("-c", f"import architecture.only_the_domain, {allowed}")

    assert done.returncode == 0, done.stdout


def _run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run this Python in the repository; what it says is in `stdout`."""
    return subprocess.run(
        (sys.executable, *arguments),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests"), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
