"""Instants as signed text: `YYYY-MM-DDTHH:MM:SS.ffffffZ`, UTC, always 27 characters.

Source: events.md, "Intent", member `at`.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator

_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)", re.ASCII)
_FORM = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z", re.ASCII)


def instant_text(instant: datetime) -> str:
    """Return the signed form of `instant`, which must be timezone-aware."""
    return f"{instant.astimezone(UTC).isoformat(timespec='microseconds')[:-6]}Z"


def instant_of(text: str) -> datetime:
    """Return the instant that `text` names.

    Raises:
        ValueError: `text` is not the 27 character form, or no such instant exists.
    """
    if not _FORM.fullmatch(text):
        raise ValueError("write the instant as YYYY-MM-DDTHH:MM:SS.ffffffZ, in UTC, with six decimals")
    return datetime.fromisoformat(text)


def timestamp_of(text: str) -> datetime:
    """Return the instant, in UTC, that `text` names as people write it: RFC 3339, up to microseconds.

    Raises:
        ValueError: not the form, without an offset, or no such instant exists; the text says what to write.
    """
    try:
        if _RFC_3339.fullmatch(text.upper()):
            return datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise ValueError("not an instant: write it with its offset, such as 2026-06-18T10:00:00Z")


def _checked(text: str) -> str:
    instant_of(text)
    return text


InstantText = Annotated[str, AfterValidator(_checked)]
