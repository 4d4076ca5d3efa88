"""The files that these tests look at."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
LAYERS = ("domain", "application", "adapters")
MODULES = sorted(path for layer in LAYERS for path in (ROOT / layer / "sealwork").rglob("*.py"))

_NOT_OURS = frozenset({".git", ".venv", ".sealwork", "dist", "__pycache__", "uv.lock", ".coverage"})


def name(path: Path) -> str:
    """Return how a test calls the file at `path`."""
    return path.relative_to(ROOT).as_posix()


def texts() -> Iterator[tuple[str, str]]:
    """Return name and content of every text file that belongs to the repository."""
    for path in sorted(_ours()):
        try:
            yield name(path), path.read_text()
        except UnicodeDecodeError:
            continue


def _ours() -> set[Path]:
    """Return what git knows or would take; without git, what does not look like something made here."""
    listing = ("git", "-c", f"safe.directory={ROOT}", "ls-files", "-z", "-c", "-o", "--exclude-standard")
    try:
        listed = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return {path for path in ROOT.rglob("*") if path.is_file() and not _made_here(path.relative_to(ROOT))}
    return {path for path in (ROOT / line for line in listed.split("\0") if line) if path.is_file()}


def _made_here(path: Path) -> bool:
    return any(part in _NOT_OURS or part.endswith("_cache") or part == ".hypothesis" for part in path.parts)
