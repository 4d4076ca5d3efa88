"""What this version of the engine does not execute yet: refused at publication, so that nothing is ignored.

Everything that is not listed here as executed counts as not executed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import BaseModel

from sealwork.domain.json_value import JsonValue
from sealwork.domain.timing.durations import is_business_duration
from sealwork.domain.workflows.issues import Issue, Place, bounded, error, quoted
from sealwork.domain.workflows.workflow import Action, Auto, Mutate, Schedule, Workflow

_EXECUTED: dict[type[BaseModel], frozenset[str]] = {
    Workflow: frozenset({"path", "version", "title", "states", "roles", "actions"}),
    Action: frozenset(
        {"type", "title", "description", "role", "from", "to", "mutate", "schedule", "cancel", "auto"}
    ),
    Mutate: frozenset({"$set"}),
    Schedule: frozenset({"id", "action", "data", "in"}),
}
_REFERENCE = re.compile(
    r"(actor|data|event|facts|input|process|state)(\.[A-Za-z_][A-Za-z0-9_]*|\[[^\]]*\])+", re.ASCII
)
_ADVICE = "is not executed by this version yet: leave it out"


def not_yet_executable(workflow: Workflow) -> tuple[Issue, ...]:
    """Return an error for each thing in `workflow` that this version would not carry out."""
    return bounded(_issues(workflow))


def _issues(workflow: Workflow) -> Iterator[Issue]:
    yield from _unexecuted(workflow, ())
    for name, action in workflow.actions.items():
        place = ("actions", name)
        yield from _unexecuted(action, place)
        if action.mutate is not None:
            yield from _unexecuted(action.mutate, (*place, "mutate"))
            yield from _references(action.mutate.set_, (*place, "mutate", "$set"))
        for index, entry in enumerate(action.schedule):
            yield from _timer(entry, (*place, "schedule", index))
        if isinstance(action.auto, Auto):
            word = "input" if action.auto.data is None else "data"
            yield from _references(action.auto_data, (*place, "auto", word))


def _unexecuted(part: BaseModel, place: Place) -> Iterator[Issue]:
    for name, field in type(part).model_fields.items():
        word = field.alias or name
        if word not in _EXECUTED[type(part)] and getattr(part, name):
            yield error("WF_NOT_YET", f"{word!r} {_ADVICE}", *place, word)


def _timer(entry: Schedule, place: Place) -> Iterator[Issue]:
    yield from _unexecuted(entry, place)
    if entry.in_ is not None and is_business_duration(entry.in_):
        yield error("WF_NOT_YET", f"business time such as {entry.in_!r} {_ADVICE}", *place, "in")
    yield from _references(entry.data, (*place, "data"))


def _references(value: JsonValue, place: Place) -> Iterator[Issue]:
    """Return where constants end: templates, in text or in a name, and bare references."""
    match value:
        case str() if "${" in value or _REFERENCE.fullmatch(value):
            yield error("WF_NOT_YET", f"the reference {quoted(value)} {_ADVICE}, or write a constant", *place)
        case dict():
            for name, item in value.items():
                if "${" in name:
                    yield error("WF_NOT_YET", f"the template {quoted(name)} in a name {_ADVICE}", *place, name)
                yield from _references(item, (*place, name))
        case list():
            for index, item in enumerate(value):
                yield from _references(item, (*place, index))
