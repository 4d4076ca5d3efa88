"""What an action writes into the data of its process: values in, values out.

Source: language.md, "Workflow DSL v2"; S1-109.
"""

from __future__ import annotations

from sealwork.domain.json_value import JsonObject, JsonValue, pointer
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.workflows.workflow import Mutate


def mutated(data: JsonObject, mutate: Mutate | None) -> JsonObject | Refused:
    """Return `data` after `mutate`; `data` itself is not touched. `$set.state` repeats `to` and is no data."""
    result: JsonObject | Refused = data
    for field, value in (mutate.set_ if mutate else {}).items():
        if field != "state" and not isinstance(result, Refused):
            result = _with(result, field.split("."), value, ())
    return result


def _with(data: JsonObject, path: list[str], value: JsonValue, above: tuple[str, ...]) -> JsonObject | Refused:
    name, *rest = path
    if not rest:
        return {**data, name: value}
    inner = data.get(name, {})
    if not isinstance(inner, dict):
        place = pointer("data", *above, name)
        detail = f"{'.'.join((*above, *path))} cannot be set: {'.'.join((*above, name))} is not an object"
        return Refused(code=RefusalCode.INVALID_RESULT, detail=detail, pointer=place)
    changed = _with(inner, rest, value, (*above, name))
    return changed if isinstance(changed, Refused) else {**data, name: changed}
