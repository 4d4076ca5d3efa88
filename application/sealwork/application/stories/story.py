"""A story: actors, workflows, and steps with what must come out.

Source: stories/README.md; language.md for the workflows inside.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.actors import Role
from sealwork.domain.ledger.members import model_of
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.timing.durations import DurationText
from sealwork.domain.workflows.words import TimestampText


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FiredRow(_Part):
    """One row that the worker fired, and what came of it: accepted, refused, skipped, crashed or transient."""

    action: str
    result: str
    why: RefusalCode | None = None
    process: str | None = None


class Expectation(_Part):
    """What must hold after a step; members that are absent are not checked."""

    result: Literal["accepted", "refused"] | None = None
    """Absent it is accepted, unless `why` tells that it is not."""
    why: RefusalCode | None = None
    state: str | None = None
    data: JsonObject | None = None
    """These members, and perhaps others."""
    queue: list[tuple[str, str]] | None = None
    """(action, status) of every row, oldest first."""
    timers: dict[str, TimestampText] | None = None
    """The live timers by their id, and when each is due."""
    timer_statuses: list[tuple[str, str]] | None = None
    """(id, status) of every timer, oldest first."""
    fired: list[FiredRow] | None = None
    provenance: JsonObject | None = None
    """Of the row that was fired last: these members, and perhaps others."""
    actions: list[str] | None = None
    """Of every event, oldest first."""
    verify: Annotated[str, Field(pattern=r"^(ok|broken_at:[1-9][0-9]*)$")] | None = None


class _Step(_Part):
    note: str | None = None
    expect: Expectation = Expectation()


class _OfProcess(_Step):
    process: str


class Start(_OfProcess):
    """A process begins."""

    do: Literal["start"]
    workflow: str
    version: int | None = None
    action: str = "start"
    actor: str
    input: JsonObject = Field(default_factory=dict)


class TakeAction(_OfProcess):
    """Somebody acts."""

    do: Literal["act"]
    action: str
    actor: str
    input: JsonObject = Field(default_factory=dict)


class Forge(_OfProcess):
    """Somebody acts, and claims provenance that nobody gave him. `@timer:ID` is the work id of that live timer."""

    do: Literal["forge"]
    action: str
    actor: str
    provenance: JsonObject


class Tamper(_OfProcess):
    """The owner of the database changes one member of the input of a stored intent."""

    do: Literal["tamper"]
    seq: int
    field: str
    value: JsonValue


class Check(_OfProcess):
    """Nothing happens: only what is expected is looked at."""

    do: Literal["check"]


class Advance(_Step):
    """Time passes."""

    do: Literal["advance"]
    by: DurationText


class GoTo(_Step):
    """It becomes this instant."""

    do: Literal["goto"]
    at: TimestampText


class Work(_Step):
    """The worker fires all that is due."""

    do: Literal["worker"]
    process: str | None = None
    crash_after_append: bool = False
    """It dies as soon as the first event stands."""
    transient: Annotated[int, Field(ge=0)] = 0
    """So many submissions find nobody who answers."""


class Later(BaseModel):
    """A step that this version does not take."""

    model_config = ConfigDict(frozen=True, extra="allow")

    do: (
        Literal["deliver", "poll", "provision", "renew_due", "set_status", "remove", "validate"]
        | Literal["publish_rule", "fill_rules"]
    )


Step: TypeAlias = Annotated[
    Start | TakeAction | Forge | Tamper | Check | Advance | GoTo | Work | Later, Field(discriminator="do")
]


class StoryActor(_Part):
    """Somebody in a story: a person with roles."""

    roles: list[Role]
    permissions: list[str] = []


class Story(_Part):
    """A whole job."""

    story: str
    title: str
    domain: str | None = None
    job: str | None = None
    covers: list[str] = []
    clock_start: TimestampText
    tampered: bool = False
    actors: dict[str, StoryActor]
    workflows: list[JsonObject]
    calendars: JsonValue = None
    action_types: JsonValue = None
    rules: JsonValue = None
    subscriptions: JsonValue = None
    steps: list[Step]


def read_story(document: JsonValue) -> Story | Refused:
    """Return the story that `document` tells, or the first thing in it that does not fit, and where."""
    return model_of(Story, document, code=RefusalCode.INVALID_INPUT)
