"""Everything a fresh machine needs: python3 dev.py demo | test | check | lint | bench | sealwork …

Asks for Python 3.11 and nothing else: makes `.venv` once, installs what constraints.txt pins, runs. The syntax
stays that of Python 3.8, so that an older Python can say what is missing.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PROGRAMS = VENV / "bin"
PYTHON = PROGRAMS / "python"
STAMP = VENV / "installed"
"""What was installed: a hash of what decides it, and the group. Only a finished install writes it."""
UNFINISHED = VENV / "unfinished"
"""There while an install runs: whoever finds it and holds the lock begins anew."""

RUNTIME = "runtime"
DEVELOPMENT = "development"
"""The runtime, the group `dev`, and what builds a wheel."""

_PIP = {"PIP_USER": "0", "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
PATIENCE_SECONDS = 10
INTERRUPTED = 128 + signal.SIGINT
LINT = (
    ("ruff format --check", ("-m", "ruff", "format", "--check", "--quiet", ".")),
    ("ruff check", ("-m", "ruff", "check", "--quiet", ".")),
    ("mypy", ("-m", "mypy", "--no-error-summary")),
    ("lint-imports", ("-c", "from importlinter.cli import lint_imports_command; lint_imports_command()")),
)
USAGE = """usage: python3 dev.py COMMAND

  demo          show a whole job, in the folder .sealwork-demo
  sealwork …    run the command `sealwork` with these arguments
  test …        run the tests; arguments go to pytest
  lint          check formatting, style, types and import contracts
  check         lint, then test: what every change must pass
  bench …       measure what must be fast; --json, --times N, --size N. A miss is printed, and is no failure
"""


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status."""
    command, rest = (arguments[0], list(arguments[1:])) if arguments else ("", [])
    if command in ("demo", "sealwork"):
        prepare(RUNTIME)
        return run([PROGRAMS / "sealwork", *(["demo"] if command == "demo" else []), *rest])
    if command == "test":
        prepare(DEVELOPMENT)
        return run([PYTHON, "-m", "pytest", *rest], cwd=ROOT)
    if command == "bench":
        prepare(RUNTIME)
        return run([PYTHON, "-m", "benchmarks", *rest], cwd=ROOT)
    if command in ("lint", "check") and not rest:
        prepare(DEVELOPMENT)
        return lint() or (check_by_tests() if command == "check" else 0)
    helped = command in ("-h", "--help", "help")
    print(USAGE, end="", file=sys.stdout if helped else sys.stderr)
    return 0 if helped else 2


def lint() -> int:
    """Run the checks that start nothing, up to the first that fails."""
    for name, arguments in LINT:
        code = step(name, arguments)
        if code:
            return code
    return 0


def check_by_tests() -> int:
    """Run all tests; pytest's summary is the last line."""
    return step("pytest", ("-m", "pytest", "-q", "-ra"))


def step(name: str, arguments: Sequence[str]) -> int:
    """Say what runs, and run it in the project's Python."""
    print(f"== {name}", flush=True)
    return run([PYTHON, *arguments], cwd=ROOT)


def run(command: Sequence[str | Path], cwd: Path | None = None) -> int:
    """Run `command` to its end and return its exit status, 130 if the person stopped it."""
    child = subprocess.Popen(command, cwd=cwd)
    before = signal.signal(signal.SIGTERM, lambda number, frame: child.terminate())
    try:
        code = child.wait()
    except KeyboardInterrupt:
        # Ctrl-C reached the command as well: it may need a moment, to stop a database for example.
        try:
            child.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            child.terminate()
            child.wait()
        return INTERRUPTED
    finally:
        signal.signal(signal.SIGTERM, before)
    return code if code >= 0 else 128 - code


def prepare(group: str) -> None:
    """Make `.venv` hold what `group` needs. Two at once are safe: the second waits and finds it done."""
    if installed(group):
        return
    with alone():
        if installed(group):
            return
        _check_writable()
        print("Preparing .venv (once, about a minute)…", file=sys.stderr, flush=True)
        if UNFINISHED.exists() or not _has_pip():
            make_venv()
        STAMP.unlink(missing_ok=True)
        install(group)
        STAMP.write_text(f"{fingerprint()} {group}\n")


def installed(group: str) -> bool:
    """Return whether `.venv` holds what `group` needs."""
    try:
        digest, holds = STAMP.read_text().split()
    except (OSError, ValueError):
        return False
    return digest == fingerprint() and holds in (group, DEVELOPMENT) and os.access(PYTHON, os.X_OK)


def fingerprint() -> str:
    """Return the hash of all that decides what is installed, the place of this checkout included."""
    parts = ((ROOT / "pyproject.toml").read_bytes(), (ROOT / "constraints.txt").read_bytes(), os.fsencode(ROOT))
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


@contextmanager
def alone() -> Iterator[None]:
    """Hold the lock on this file. Pip inherits it: killed, we leave the lock to a pip that still runs."""
    import fcntl

    with Path(__file__).open() as file:
        os.set_inheritable(file.fileno(), True)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Waiting for another dev.py, which prepares .venv…", file=sys.stderr, flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def make_venv() -> None:
    """Make an empty `.venv` with pip, by Python's own module or by uv."""
    if VENV.is_symlink() or VENV.exists():
        shutil.rmtree(VENV)
    VENV.mkdir()
    UNFINISHED.touch()
    if _quiet(sys.executable, "-m", "venv", VENV) is None:
        return
    uv = shutil.which("uv")
    if uv is None:
        sys.exit(
            "This Python cannot make a virtual environment with pip: install python3-venv (Debian, Ubuntu) or uv, "
            "then run this again."
        )
    failure = _quiet(uv, "venv", "--quiet", "--seed", "--allow-existing", "--python", sys.executable, VENV)
    if failure is not None:
        sys.exit(f"uv could not make .venv:\n{failure}")


def install(group: str) -> None:
    """Install the project as it stands here, and what `group` needs, at the pinned versions."""
    UNFINISHED.touch()
    pip = ("-m", "pip", "install", "--quiet", "--constraint", "constraints.txt", "--editable", ".")
    failure = _quiet(PYTHON, *pip, *requirements(group))
    UNFINISHED.unlink()
    if failure is not None:
        sys.exit(f"The packages could not be installed. pip says:\n{failure}")


def requirements(group: str) -> list[str]:
    """Return what `group` needs beside the project itself."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    development: list[str] = project["dependency-groups"]["dev"] + project["build-system"]["requires"]
    return development if group == DEVELOPMENT else []


def _has_pip() -> bool:
    return os.access(PYTHON, os.X_OK) and _quiet(PYTHON, "-m", "pip", "--version") is None


def _check_writable() -> None:
    folder = VENV if VENV.exists() else ROOT
    if not os.access(folder, os.W_OK):
        sys.exit(f"{folder} is not yours to write in: clone the repository into a folder of your own.")


def _quiet(*command: str | Path) -> str | None:
    """Run `command`; return None if it succeeded, else what it said, without the names of servers."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **_PIP},
        close_fds=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    return None if done.returncode == 0 else _without_hosts(done.stdout)


def _without_hosts(text: str) -> str:
    return re.sub(r"(\w+://)[^/\s'\")>]+|(host=')[^']*", r"\1\2…", text).strip()


if __name__ == "__main__":
    if sys.version_info < (3, 11):
        sys.exit(f"Sealwork needs Python 3.11 or newer; this is {sys.version_info[0]}.{sys.version_info[1]}.")
    if os.name != "posix":
        sys.exit("Sealwork runs on Linux and macOS; on Windows use WSL.")
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
