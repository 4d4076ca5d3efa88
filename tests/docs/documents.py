"""The documents that these tests read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not any(part.startswith(".") or part in ("dist", "node_modules") for part in path.relative_to(ROOT).parts)
)
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.*?) *$", re.MULTILINE)


def name(path: Path) -> str:
    """Return how a test calls the document at `path`."""
    return path.relative_to(ROOT).as_posix()


def text(path: str) -> str:
    """Return the text of a document, by its path from the root."""
    return (ROOT / path).read_text()


def reference(page: str) -> str:
    """Return the text of a page of the reference."""
    return text(f"docs/reference/{page}.md")


def code_words(document: str) -> set[str]:
    """Return every word that stands in backquotes, whole and in its parts: `a, b` names a and b."""
    spans = re.findall(r"`([^`\n]+)`", _FENCED.sub("", document))
    return {*spans, *(word for span in spans for word in re.findall(r"[A-Za-z0-9_.-]+", span))}


def relative_links(document: str) -> Iterator[str]:
    """Return the targets of all links that stay inside the repository."""
    for target in _LINK.findall(_CODE.sub("", _FENCED.sub("", document))):
        if not re.match(r"[a-z]+:", target):
            yield target


def anchors(document: str) -> set[str]:
    """Return the anchors of a document's headings, as they are made from their text."""
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(_FENCED.sub("", document)))
    return {heading.replace(" ", "-") for heading in plain}
