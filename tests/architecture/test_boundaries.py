"""What a part of the system does not know, and so can never do."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator

import pytest

from architecture.sources import MODULES, ROOT, name

_DECIDING = frozenset({"decide", "decide_child", "evolve", "automatic", "mutated", "consequences"})


def _loaded_with(*modules: str) -> set[str]:
    """Every module that is there when these are."""
    code = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    done = subprocess.run((sys.executable, "-c", code), cwd=ROOT, capture_output=True, text=True, check=True)
    return {*done.stdout.split()}


def _imports(under: str = "") -> Iterator[tuple[str, str, str]]:
    """Return file, module and name of everything that the files under a folder import."""
    for path in MODULES:
        if not name(path).startswith(under):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from ((name(path), alias.name, "") for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield from ((name(path), node.module or "", alias.name) for alias in node.names)


def _module(file: str) -> str:
    return file.partition("/")[2].removesuffix(".py").replace("/", ".")


def test_the_worker_knows_neither_workflows_nor_expressions() -> None:
    loaded = _loaded_with("sealwork.application.work.fire_work")

    rooms = tuple(f"sealwork.domain.{room}" for room in ("expressions", "workflows", "processes"))
    assert not {module for module in loaded if module.startswith(rooms)}
    assert loaded.isdisjoint({"cel_expr_python", "jsonschema_rs"})


def test_the_worker_writes_by_submitting_only() -> None:
    """S1-072: of the log, which could append, it asks for heads; of the store, which cannot, what it likes."""
    called = {
        (owner.attr, call.attr)
        for call in ast.walk(ast.parse((ROOT / "application/sealwork/application/work/fire_work.py").read_text()))
        if isinstance(call, ast.Attribute) and isinstance(owner := call.value, ast.Attribute)
    }

    assert {method for port, method in called if port == "_log"} == {"head"}
    assert {method for port, method in called if port == "_submitter"} == {"submit"}


def test_the_engine_has_no_way_to_submit_to_itself() -> None:
    rooms = ("ledger.process_event", "ledger.begin_children", "workflows.decide_process", "workflows.decide_child")
    loaded = _loaded_with(*(f"sealwork.application.{room}" for room in rooms))

    assert "sealwork.application.ports.event_submitter" not in loaded
    callers = {file for file, _, imported in _imports("application") if imported == "ProcessEvent"}
    assert loaded.isdisjoint(_module(file) for file in callers)


def test_a_user_interface_decides_nothing() -> None:
    known = [imported for _, module, imported in _imports("adapters/sealwork/adapters/cli") if "domain" in module]

    assert known
    assert _DECIDING.isdisjoint(known)


@pytest.mark.parametrize(
    ("library", "file"),
    [
        ("orjson", "domain/sealwork/domain/ledger/canonical.py"),
        ("rfc8785", "domain/sealwork/domain/ledger/canonical.py"),
        ("nacl", "adapters/sealwork/adapters/signing.py"),
        ("cel_expr_python", "domain/sealwork/domain/expressions/guards.py"),
        ("jsonschema_rs", "domain/sealwork/domain/workflows/json_schema.py"),
    ],
)
def test_one_module_knows_a_library_that_history_depends_on(library: str, file: str) -> None:
    assert {path for path, module, _ in _imports() if module.partition(".")[0] == library} == {file}


def test_nothing_is_decided_by_the_system_log() -> None:
    knows_it = {file for file, _, imported in _imports("application") if imported == "SystemLog"}

    work = "application/sealwork/application/work"
    assert knows_it == {f"{work}/fire_work.py", f"{work}/list_attempts.py"}
    assert "newest" not in (ROOT / work / "fire_work.py").read_text()
