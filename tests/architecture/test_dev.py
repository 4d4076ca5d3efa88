"""`dev.py`: what it decides without installing anything."""

from __future__ import annotations

import ast
import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from architecture.sources import ROOT


@pytest.fixture
def dev(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module, in a checkout where nothing is installed."""
    spec = importlib.util.spec_from_file_location("dev_of_this_test", ROOT / "dev.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for file in ("pyproject.toml", "constraints.txt"):
        (tmp_path / file).write_bytes((ROOT / file).read_bytes())
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    places = {"ROOT": tmp_path, "VENV": tmp_path / ".venv", "PYTHON": programs / "python"}
    places |= {"STAMP": tmp_path / ".venv" / "installed", "UNFINISHED": tmp_path / ".venv" / "unfinished"}
    for place, path in places.items():
        monkeypatch.setattr(module, place, path)
    return module


def stamp(dev: ModuleType, group: str) -> None:
    dev.STAMP.write_text(f"{dev.fingerprint()} {group}\n")


def test_an_old_python_can_read_it_and_say_what_is_missing() -> None:
    ast.parse((ROOT / "dev.py").read_text(), feature_version=(3, 8))


def test_it_needs_nothing_but_the_standard_library() -> None:
    imports = [node for node in ast.walk(ast.parse((ROOT / "dev.py").read_text())) if isinstance(node, ast.Import)]

    assert {alias.name for node in imports for alias in node.names} <= sys.stdlib_module_names


def test_without_a_stamp_nothing_is_installed(dev: ModuleType) -> None:
    assert not dev.installed(dev.RUNTIME)


def test_what_was_installed_stays_so(dev: ModuleType) -> None:
    stamp(dev, dev.RUNTIME)

    assert dev.installed(dev.RUNTIME)


def test_the_runtime_alone_is_not_enough_for_tests(dev: ModuleType) -> None:
    stamp(dev, dev.RUNTIME)

    assert not dev.installed(dev.DEVELOPMENT)


def test_what_is_there_for_tests_is_enough_for_the_demo(dev: ModuleType) -> None:
    stamp(dev, dev.DEVELOPMENT)

    assert dev.installed(dev.RUNTIME)


@pytest.mark.parametrize("file", ("pyproject.toml", "constraints.txt"))
def test_a_changed_requirement_is_installed_again(dev: ModuleType, file: str) -> None:
    stamp(dev, dev.DEVELOPMENT)

    with (dev.ROOT / file).open("a") as changed:
        changed.write("# another line\n")

    assert not dev.installed(dev.RUNTIME)


def test_a_stamp_that_was_cut_off_counts_for_nothing(dev: ModuleType) -> None:
    stamp(dev, dev.DEVELOPMENT)
    dev.STAMP.write_text(dev.STAMP.read_text()[:20])

    assert not dev.installed(dev.RUNTIME)


def test_a_python_that_is_gone_is_installed_again(dev: ModuleType) -> None:
    stamp(dev, dev.DEVELOPMENT)
    dev.PYTHON.unlink()

    assert not dev.installed(dev.RUNTIME)


def test_a_failed_install_leaves_no_stamp_and_says_why(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stamp(dev, dev.RUNTIME)
    answers = iter((None, "no room left"))
    monkeypatch.setattr(dev, "_quiet", lambda *command: next(answers))

    with pytest.raises(SystemExit, match="no room left"):
        dev.prepare(dev.DEVELOPMENT)

    assert not dev.STAMP.exists()
    assert capsys.readouterr().err == "Preparing .venv (once, about a minute)…\n"


def test_an_interrupted_install_is_begun_anew(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*command: object) -> None:
        if "install" in command:
            raise KeyboardInterrupt

    monkeypatch.setattr(dev, "_quiet", interrupted)
    with pytest.raises(KeyboardInterrupt):
        dev.prepare(dev.DEVELOPMENT)
    (dev.VENV / "half").touch()

    monkeypatch.setattr(dev, "_quiet", lambda *command: None)
    dev.prepare(dev.DEVELOPMENT)

    assert not (dev.VENV / "half").exists()
    assert dev.STAMP.read_text().endswith(" development\n")


def test_a_python_without_pip_gets_advice(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev, "_quiet", lambda *command: "no ensurepip")
    monkeypatch.setenv("PATH", "")

    with pytest.raises(SystemExit, match="install python3-venv"):
        dev.prepare(dev.RUNTIME)


def test_names_of_servers_are_not_repeated(dev: ModuleType) -> None:
    said = "no https://user:word@packages.example/a/b from HTTPSConnectionPool(host='packages.example', port=443)"

    assert "example" not in dev._without_hosts(said)


def test_the_exit_status_of_a_command_is_passed_on(dev: ModuleType) -> None:
    assert dev.run([sys.executable, "-c", "raise SystemExit(5)"]) == 5


@pytest.mark.parametrize(("sent", "code"), ((signal.SIGINT, 130), (signal.SIGTERM, 143)))
def test_a_stopped_command_ends_quietly(sent: signal.Signals, code: int) -> None:
    waits = "import signal; signal.signal(2, signal.SIG_DFL); print('ready', flush=True); signal.pause()"
    script = f"import sys, dev; sys.exit(dev.run([sys.executable, '-c', {waits!r}]))"
    running = subprocess.Popen(
        (sys.executable, "-c", script),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert running.stdout is not None
    running.stdout.readline()

    os.killpg(running.pid, sent)
    _, complaints = running.communicate(timeout=30)

    assert (running.returncode, complaints) == (code, b"")


def test_bench_measures_in_the_projects_python(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    stamp(dev, dev.RUNTIME)
    ran: list[object] = []

    def run(command: list[str], cwd: Path) -> int:
        ran.extend((*command, cwd))
        return 0

    monkeypatch.setattr(dev, "run", run)

    assert dev.main(["bench", "--json"]) == 0
    assert ran == [dev.PYTHON, "-m", "benchmarks", "--json", dev.ROOT]


def test_an_unknown_command_is_a_usage_error(dev: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert dev.main(["measure"]) == 2
    assert "usage: python3 dev.py COMMAND" in capsys.readouterr().err


def test_ci_runs_what_developers_run() -> None:
    script = (ROOT / ".ci" / "run").read_text()

    assert "set -euo pipefail" in script
    assert "python3 dev.py check" in script
