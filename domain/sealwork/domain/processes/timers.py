"""Timers that an action starts: durations become instants, data is fixed.

Source: language.md, "Workflow DSL v2"; S1-023..035; X-17, X-19, X-20.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sealwork.domain.expressions.guards import Facts
from sealwork.domain.expressions.templates import Template
from sealwork.domain.expressions.verdicts import Undecided
from sealwork.domain.instants import instant_text, timestamp_of
from sealwork.domain.ledger.effects import Schedule
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.timing.durations import parse_duration
from sealwork.domain.workflows.compiled import CompiledTimer
from sealwork.domain.workflows.queued_input import QueuedInput


class Span(NamedTuple):
    """When a timer fires first, and the last instant at which it may (None: any)."""

    run_at: datetime
    until: datetime | None


def span_of(timer: CompiledTimer, after: Facts) -> Span | None | Refused:
    """Return the span of `timer`, None if it is over before it begins.

    `after` is the event with the state and data that it leaves.
    """
    run_at = _first_instant(timer, after)
    if isinstance(run_at, Refused):
        return run_at
    until = _instant(timer.until, after, timer.entry.id, "until") if timer.until else None
    if isinstance(until, Refused):
        return until
    return Span(run_at, until) if until is None or run_at <= until else None


def scheduled(timer: CompiledTimer, span: Span, queued: QueuedInput, work: str) -> Schedule:
    """Return the effect that starts `timer`; `work` is the id of its row."""
    entry = timer.entry
    return Schedule(
        id=entry.id,
        work=work,
        action=entry.action,
        data=queued.data,
        run_at=instant_text(span.run_at),
        every=int(parse_duration(entry.every).total_seconds()) if entry.every else None,
        until=instant_text(span.until) if span.until else None,
        count=entry.count,
        misfire=entry.misfire,
        hash_at=queued.hash_at,
        failed=queued.failed,
    )


def _first_instant(timer: CompiledTimer, after: Facts) -> datetime | Refused:
    if timer.at:
        return _instant(timer.at, after, timer.entry.id, "at")
    try:
        return after.at + parse_duration(timer.entry.in_ or timer.entry.every or "")
    except OverflowError:
        return _refused(timer.entry.id, "in", "lies beyond the year 9999")


def _instant(template: Template, after: Facts, id_: str, word: str) -> datetime | Refused:
    resolved = template.resolve(after)
    if isinstance(resolved, Undecided):
        return _refused(id_, word, resolved.reason)
    try:
        return timestamp_of(resolved.value if isinstance(resolved.value, str) else "")
    except ValueError as error:
        return _refused(id_, word, str(error))


def _refused(id_: str, word: str, reason: str) -> Refused:
    return refused(RefusalCode.INVALID_INPUT, f"the timer {id_!r} cannot start, {word}: {reason}", "/input")
