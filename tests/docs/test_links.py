"""Links inside the repository lead somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.documents import DOCUMENTS, ROOT, anchors, name, relative_links

ARCHITECTURE_LINES = 250


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_links_lead_somewhere(path: Path) -> None:
    dead = [link for link in relative_links(path.read_text()) if not _leads(path, link)]

    assert not dead


def test_the_architecture_can_be_read_in_one_sitting() -> None:
    assert len((ROOT / "architecture.md").read_text().splitlines()) <= ARCHITECTURE_LINES


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = [int(path.name[:4]) for path in sorted((ROOT / "docs/adr").glob("*.md"))]

    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("path", sorted((ROOT / "docs/adr").glob("*.md")), ids=name)
def test_a_decision_says_why_and_what_follows(path: Path) -> None:
    parts = [line for line in path.read_text().splitlines() if line.startswith("#")]

    assert parts[0].startswith(f"# {path.name[:4]} ")
    assert parts[1:] == ["## Context", "## Decision", "## Consequences"]


def _leads(path: Path, link: str) -> bool:
    target, _, anchor = link.partition("#")
    file = (path.parent / target).resolve() if target else path
    inside = file.is_relative_to(ROOT) and file.exists()
    return inside and (not anchor or anchor in anchors(file.read_text()))
