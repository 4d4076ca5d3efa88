"""The glossary can be looked things up in."""

from __future__ import annotations

import re

from docs.documents import text

_ROW = re.compile(r"^\| (?!word|---)([^|]+) \| [^|]+ \|$", re.MULTILINE)


def test_words_stand_once_and_in_alphabetical_order() -> None:
    words = [word.removesuffix(" *(later)*").lower() for word in _ROW.findall(text("docs/glossary.md"))]

    assert len(words) > 50
    assert words == sorted(set(words))
