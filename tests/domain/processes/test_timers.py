"""Timers that an action starts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acts import NOON, PLACE, an_act, decided, refused
from laws import law
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.effects import Cancel, Effect, Schedule, derived_id
from sealwork.domain.processes.process import ProcessState
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.workflows.compiled import CompiledWorkflow
from workflow_documents import compiled, the_workflow

OPEN = ProcessState(state="open", data={"due": "2026-07-01T08:00:00+02:00", "n": 3})


def scheduling(*timers: JsonObject, schema: JsonObject | None = None, **action: JsonValue) -> CompiledWorkflow:
    remind: JsonObject = {"role": "AUTOMATION", "from": "open", **({"input": schema} if schema else {})}
    plan: JsonObject = {"role": "clerk", "from": "open", "schedule": [*timers], **action}
    start: JsonObject = {"type": "create", "role": "clerk", "to": "open"}
    return compiled(the_workflow({"path": "a", "actions": {"start": start, "remind": remind, "plan": plan}}))


def a_timer(**fields: JsonValue) -> JsonObject:
    return {"id": "late", "action": "remind", "data": {}, **{name.rstrip("_"): fields[name] for name in fields}}


def effects_of(workflow: CompiledWorkflow, input_: JsonObject | None = None) -> tuple[Effect, ...]:
    return decided(workflow, OPEN, an_act("plan", input_=input_)).effects


def the_timer(workflow: CompiledWorkflow, input_: JsonObject | None = None) -> Schedule:
    (effect,) = effects_of(workflow, input_)
    assert isinstance(effect, Schedule)
    return effect


def why_not(workflow: CompiledWorkflow, input_: JsonObject | None = None, at: datetime = NOON) -> Refused:
    refusal = refused(workflow, OPEN, an_act("plan", input_=input_, at=at))
    assert (refusal.code, refusal.pointer) == (RefusalCode.INVALID_INPUT, "/input")
    return refusal


def test_a_recurrence_begins_one_period_later_and_keeps_its_bounds() -> None:
    timer = a_timer(every="30d", until="2027-01-01T00:00:00+01:00", count=12, misfire="skip")

    assert the_timer(scheduling(timer)) == Schedule(
        id="late",
        work=str(derived_id(PLACE, 0)),
        action="remind",
        data={},
        run_at=instant_text(NOON + timedelta(days=30)),
        every=30 * 86_400,
        until="2026-12-31T23:00:00.000000Z",
        count=12,
        misfire="skip",
    )


def test_a_year_is_365_days_also_over_a_leap_day() -> None:
    before_the_leap_day = datetime(2028, 2, 1, tzinfo=UTC)
    (effect,) = decided(scheduling(a_timer(every="1y")), OPEN, an_act("plan", at=before_the_leap_day)).effects

    assert isinstance(effect, Schedule)
    assert effect.run_at == "2029-01-31T00:00:00.000000Z"


@pytest.mark.parametrize(
    ("at", "run_at"),
    [
        ("2026-06-18t14:00:00.5+02:00", "2026-06-18T12:00:00.500000Z"),
        ("1999-01-01T00:00:00Z", "1999-01-01T00:00:00.000000Z"),
        ("${data.due}", "2026-07-01T06:00:00.000000Z"),
        ("${timestamp(data.due) - duration('48h')}", "2026-06-29T06:00:00.000000Z"),
        ("event.at", "2026-06-18T12:00:00.000000Z"),
        ("${event.at + duration('90s')}", "2026-06-18T12:01:30.000000Z"),
        ("${input.when}", "2026-08-01T00:00:00.000000Z"),
    ],
)
def test_an_instant_is_absolute_whichever_way_it_is_written(at: str, run_at: str) -> None:
    assert the_timer(scheduling(a_timer(at=at)), {"when": "2026-08-01T00:00:00Z"}).run_at == run_at


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("${data.missing}", "at: data.missing is missing"),
        ("${data.n}", "at: not an instant"),
        ("${input.when}", "at: not an instant: write it with its offset, such as 2026-06-18T10:00:00Z"),
    ],
)
def test_an_instant_that_cannot_be_made_out_refuses_the_event(at: str, said: str) -> None:
    assert (
        f"the timer 'late' cannot start, {said}"
        in why_not(scheduling(a_timer(at=at)), {"when": "tomorrow"}).detail
    )


def test_an_end_that_cannot_be_made_out_refuses_the_event() -> None:
    assert "until: input.end is missing" in why_not(scheduling(a_timer(every="1d", until="${input.end}"))).detail


def test_an_instant_beyond_the_last_year_refuses_the_event() -> None:
    late = datetime(9990, 1, 1, tzinfo=UTC)

    assert "beyond the year 9999" in why_not(scheduling(a_timer(in_="100y")), at=late).detail


def test_data_is_fixed_when_the_timer_starts_and_sees_what_the_action_wrote() -> None:
    timer = a_timer(in_="1h", data={"n": "${data.n}", "was": "event.hash", "by": "${input.who}", "in": "${state}"})
    workflow = scheduling(timer, mutate={"$inc": {"n": 1}})

    effect = the_timer(workflow, {"who": "maria"})

    assert effect.data == {"n": 4, "was": None, "by": "maria", "in": "open"}
    assert effect.hash_at == ("/was",)
    assert effect.failed is None


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ({"n": "${data.missing}"}, "invalid_input: data/n: data.missing is missing"),
        ({"n": "${data.due}"}, "invalid_input: data/n: "),
        ({"n": 1, "who": {"x": "${input.who}"}}, "invalid_input: data/who/x: input.who is missing"),
    ],
)
def test_data_that_cannot_be_made_leaves_the_event_and_a_failed_timer(data: JsonObject, reason: str) -> None:
    schema: JsonObject = {"properties": {"n": {"type": "integer"}}}

    effect = the_timer(scheduling(a_timer(in_="1h", data=data), schema=schema))

    assert effect.failed is not None
    assert effect.failed.startswith(reason)
    assert effect.data == {}
    assert effect.hash_at is None


def test_a_hash_that_is_not_known_yet_counts_as_one_for_the_schema() -> None:
    schema: JsonObject = {"properties": {"was": {"type": "string", "pattern": "^[0-9a-f]{64}$"}}}

    effect = the_timer(scheduling(a_timer(in_="1h", data={"was": "event.hash"}), schema=schema))

    assert (effect.failed, effect.data) == (None, {"was": None})


@pytest.mark.parametrize(
    ("until", "starts"),
    [("${event.at + duration('24h')}", True), ("${event.at + duration('86399s')}", False)],
)
def test_a_recurrence_that_is_over_before_it_begins_only_ends_the_live_one(until: str, starts: bool) -> None:
    effects = effects_of(scheduling(a_timer(every="1d", until=until)))

    assert [type(effect) for effect in effects] == [Schedule if starts else Cancel]
    assert isinstance(effects[0], Schedule | Cancel)
    assert effects[0].id == "late"


@law
@given(st.integers(1, 999), st.sampled_from("mhdwy"))
def test_a_duration_is_added_to_the_instant_of_the_record(number: int, unit: str) -> None:
    length = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800, "y": 365 * 86_400}[unit] * number
    if length > 100 * 365 * 86_400:
        return

    once = the_timer(scheduling(a_timer(in_=f"{number}{unit}")))
    again = the_timer(scheduling(a_timer(every=f"{number}{unit}", count=1)))

    assert once.run_at == again.run_at == instant_text(NOON + timedelta(seconds=length))
    assert (once.every, again.every) == (None, length)
