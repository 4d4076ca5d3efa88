"""Issues: everything that is wrong with a workflow, found at once, each with its place.

Source: language.md, "Workflow DSL v2" (validation answers all issues at once).
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from sealwork.domain.json_value import pointer

Place: TypeAlias = tuple[str | int, ...]
"""The steps from the root of a document to one of its values."""

MAX_ISSUES = 500
"""How many are looked for: whoever sees these has enough to do, and the work stays bounded."""


MAX_COMPARED = 300
"""Names, and characters of one, that are searched for what was probably meant."""


class Issue(BaseModel):
    """One thing that is wrong, where, and what to write instead. Only errors stop a publication."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    pointer: str
    """JSON pointer (RFC 6901) into the document as its author wrote it."""
    message: str
    level: Literal["error", "warning"] = "error"
    column: int | None = None
    """Where in the text that the pointer names, counted from 1; None where the value as a whole is meant."""


def error(code: str, message: str, *place: str | int) -> Issue:
    """Return the issue that stops a publication."""
    return Issue(code=code, pointer=pointer(*place), message=message)


def warning(code: str, message: str, *place: str | int) -> Issue:
    """Return the issue that a publication may carry."""
    return Issue(code=code, pointer=pointer(*place), message=message, level="warning")


def placed_at(issue: Issue, *place: str | int) -> Issue:
    """Return an issue of a part of a document that stands at `place`, as one of the document."""
    return issue.model_copy(update={"pointer": pointer(*place) + issue.pointer})


def bounded(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """Return the first issues; the last one is an error if there were more, whatever their level."""
    found = tuple(islice(issues, MAX_ISSUES + 1))
    if len(found) <= MAX_ISSUES:
        return found
    return (
        *found[:MAX_ISSUES],
        error("WF_MORE_ISSUES", f"only the first {MAX_ISSUES} are listed: correct these"),
    )


def listed(names: Iterable[str]) -> str:
    """Return the first few of `names`, in order, and how many more there are."""
    every = sorted(set(names))
    more = f" and {len(every) - 8} more" if len(every) > 8 else ""
    return ", ".join(every[:8]) + more


def quoted(text: str) -> str:
    """Return `text` in quotes, cut so that a message stays readable."""
    return repr(text if len(text) <= 64 else text[:63] + "…")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of a message that names what `word` was probably meant to be; empty if nothing is near."""
    names = sorted(known)
    near = get_close_matches(word, names, 1) if len(names) <= MAX_COMPARED and len(word) <= MAX_COMPARED else []
    return f"; did you mean {near[0]!r}?" if near else ""
