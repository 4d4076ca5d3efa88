"""Comparing what came out of a step with what a story expects: each difference by its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from sealwork.application.proof.show_process import ProcessView
from sealwork.application.stories.story import Expectation, FiredRow
from sealwork.domain.instants import instant_text, timestamp_of
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.members import difference
from sealwork.domain.refusals import RefusalCode
from sealwork.domain.work.work_row import WorkKind, WorkRow, WorkStatus

_OF_PROCESS = ("state", "data", "queue", "timers", "timer_statuses")
_LIVE = frozenset({WorkStatus.ACTIVE, WorkStatus.CLAIMED})
_CAUSED_BY = "caused_by_"
_CAUSES = ("scheduled_by_", "queued_by_")


class Mismatch(BaseModel):
    """One thing that a story expected otherwise; `where` is the member of the expectation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    where: str
    expected: JsonValue
    got: JsonValue


class Outcome(BaseModel):
    """What came out of one step; members that cannot be known stay None."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    refused: RefusalCode | None = None
    detail: str | None = None
    fired: tuple[FiredRow, ...] | None = None
    provenance: JsonObject | None = None
    view: ProcessView | None = None
    actions: tuple[str, ...] | None = None
    verify: str | None = None
    trouble: Mismatch | None = None
    """Why the step could not be taken as the story has it."""


def mismatches(expect: Expectation, outcome: Outcome, names: Mapping[str, str]) -> Iterator[Mismatch]:
    """Return everything that came out otherwise than expected; `names` are the names of keys in provenance."""
    result = "refused" if outcome.refused else "accepted"
    yield from _unlike("result", expect.result or ("refused" if expect.why else "accepted"), result)
    yield from _unlike("why", expect.why, outcome.refused)
    if outcome.trouble is not None:
        yield outcome.trouble
    if expect.fired is not None and outcome.fired is None:
        yield Mismatch(where="fired", expected="a step of the worker", got=None)
    elif expect.fired is not None:
        yield from _unlike("fired", *_fired(expect.fired, outcome.fired or ()))
    yield from _unlike("actions", _plain(expect.actions), _plain(outcome.actions))
    yield from _unlike("verify", expect.verify, outcome.verify)
    if expect.provenance is not None:
        told = {name: names.get(str(value), value) for name, value in (outcome.provenance or {}).items()}
        for name, value in expect.provenance.items():
            yield from _unlike(f"provenance.{name}", value, _named(told, name))
    asked = [name for name in _OF_PROCESS if getattr(expect, name) is not None]
    if outcome.view is not None:
        yield from _of_process(expect, outcome.view)
    elif asked:
        yield Mismatch(where=", ".join(asked), expected="a process that has begun, named in the step", got=None)


def _of_process(expect: Expectation, view: ProcessView) -> Iterator[Mismatch]:
    yield from _unlike("state", expect.state, view.state)
    for name, value in (expect.data or {}).items():
        yield from _unlike(f"data.{name}", value, view.data.get(name))
    timers = [row for row in view.work if row.kind is WorkKind.SCHEDULED_ACTION]
    queued = [row for row in view.work if row.kind is not WorkKind.SCHEDULED_ACTION]
    yield from _unlike("queue", _plain(expect.queue), [[row.action, row.status.value] for row in queued])
    statuses: JsonValue = [[row.schedule_id, row.status.value] for row in timers]
    yield from _unlike("timer_statuses", _plain(expect.timer_statuses), statuses)
    if expect.timers is not None:
        wanted = {id_: instant_text(timestamp_of(at)) for id_, at in expect.timers.items()}
        yield from _unlike("timers", {**wanted}, _live(timers))


def _live(timers: Iterable[WorkRow]) -> JsonObject:
    return {str(row.schedule_id): instant_text(row.run_at) for row in timers if row.status in _LIVE}


def _named(told: JsonObject, name: str) -> JsonValue:
    """Return a member of provenance; `caused_by_…` is that of the kind: scheduled or queued."""
    names = [cause + name.removeprefix(_CAUSED_BY) for cause in _CAUSES] if name.startswith(_CAUSED_BY) else [name]
    return next((told[each] for each in names if each in told), None)


def _unlike(where: str, expected: JsonValue, got: JsonValue) -> Iterator[Mismatch]:
    if expected is not None and difference(expected, got) is not None:
        yield Mismatch(where=where, expected=expected, got=got)


def _fired(expected: Sequence[FiredRow], got: Sequence[FiredRow]) -> tuple[JsonValue, JsonValue]:
    """Return both lists in words; of what was fired only as much as the story asks for."""
    asked = [*expected, *(FiredRow(action="", result="") for _ in got[len(expected) :])]
    shown = [
        row.model_copy(
            update={"why": row.why if ask.why else None, "process": row.process if ask.process else None}
        )
        for row, ask in zip(got, asked, strict=False)
    ]
    return [_row(row) for row in expected], [_row(row) for row in shown]


def _row(row: FiredRow) -> str:
    return " ".join(filter(None, (row.process, row.action, row.result, row.why)))


def _plain(values: Sequence[str] | Sequence[tuple[str, str]] | None) -> JsonValue:
    if values is None:
        return None
    return [value if isinstance(value, str) else [*value] for value in values]
