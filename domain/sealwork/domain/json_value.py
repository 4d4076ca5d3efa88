"""JSON values, and pointers into them (RFC 6901)."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue as JsonValue

JsonObject: TypeAlias = dict[str, JsonValue]


def pointer(*path: str | int) -> str:
    """Return the JSON pointer to `path`: `("a/b", 0)` gives `/a~1b/0`."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def value_at(value: JsonValue, *path: str) -> JsonValue:
    """Return what stands at `path` inside objects, None if nothing does."""
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value
