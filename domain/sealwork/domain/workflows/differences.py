"""What one workflow document says and another does not, place by place.

Source: language.md, "Workflow DSL v2" (`input` is an alias of `data`; `version` is given by publishing).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from sealwork.domain.issues import Place
from sealwork.domain.json_value import JsonValue, pointer
from sealwork.domain.workflows.definition import normalised


class _Difference(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    pointer: str
    """JSON pointer (RFC 6901) into the older document; for what was added, into the newer one."""


class Added(_Difference):
    """Only the newer document has this."""

    kind: Literal["added"] = "added"
    new: JsonValue


class Removed(_Difference):
    """Only the older document has this."""

    kind: Literal["removed"] = "removed"
    old: JsonValue


class Changed(_Difference):
    """Both have a value here, not the same one."""

    kind: Literal["changed"] = "changed"
    old: JsonValue
    new: JsonValue


Difference: TypeAlias = Added | Removed | Changed


def differences(old: JsonValue, new: JsonValue) -> Iterator[Difference]:
    """Return where two workflow documents differ, in the order of the older one, what an object gained at its end.

    The spellings that publishing makes one do not count, and neither does the version. Entries of lists are
    compared one by one, from the first on. Both documents were read by `read_json`, which bounds their depth.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        old, new = normalised(old, version=0), normalised(new, version=0)
    yield from _differences(old, new, ())


def _differences(old: JsonValue, new: JsonValue, at: Place) -> Iterator[Difference]:
    match old, new:
        case dict(), dict():
            for name, value in old.items():
                if name in new:
                    yield from _differences(value, new[name], (*at, name))
                else:
                    yield Removed(pointer=pointer(*at, name), old=value)
            yield from (Added(pointer=pointer(*at, name), new=new[name]) for name in new if name not in old)
        case list(), list():
            for index, (one, other) in enumerate(zip(old, new, strict=False)):
                yield from _differences(one, other, (*at, index))
            shorter = min(len(old), len(new))
            yield from (Removed(pointer=pointer(*at, i), old=old[i]) for i in range(shorter, len(old)))
            yield from (Added(pointer=pointer(*at, i), new=new[i]) for i in range(shorter, len(new)))
        case _:
            # Python's own equality takes true for 1.
            if isinstance(old, bool) != isinstance(new, bool) or old != new:
                yield Changed(pointer=pointer(*at), old=old, new=new)
