"""A workflow as its author writes it: DSL v2.

The models keep what was written; the read properties say what it means, so that nobody else asks which
form was chosen. A description on a field says what to write there: messages and editors show it.

Source: language.md, "Workflow DSL v2"; X-17..23.
"""

from __future__ import annotations

from itertools import chain
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    StrictInt,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from sealwork.domain.ids import WorkflowPath
from sealwork.domain.issues import Issue, Place, bounded, error
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.actors import Role
from sealwork.domain.ledger.canonical import flaw_in
from sealwork.domain.timing.durations import DurationText
from sealwork.domain.workflows.shape import shape_issues
from sealwork.domain.workflows.words import (
    Amount,
    Condition,
    Description,
    EntryId,
    FieldName,
    Identifier,
    Maybe,
    OneOrSeveral,
    TimestampText,
    Title,
    VersionRef,
    placed,
)

ActionKind: TypeAlias = Literal["create", "transition", "update"]

_NAMES = "each under a name of a-z, 0-9 and _ that begins with a letter, at most 63 long"
_ENTRY_ID = "an id of a-z, 0-9, _ and - that begins with a letter, at most 63 long"
_STATE = "a state, of a-z, 0-9 and _, such as in_review"
_FIELDS = "an object of data fields, such as amount or customer.name"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class State(_Part):
    """One state; nothing leaves a terminal one."""

    terminal: StrictBool = Field(False, description="true or false")
    description: Maybe[Description] = Field(None, description="what the state means, in words")


class Schedule(_Part):
    """A timer that the action starts; a live one of the same id is replaced."""

    id: EntryId = Field(description=_ENTRY_ID)
    action: Identifier = Field(description="the action that the timer takes")
    data: JsonObject = Field(description="an object, the input of the action; it may be empty")
    in_: Maybe[DurationText] = Field(None, alias="in", description="a duration such as 48h")
    every: Maybe[DurationText] = Field(None, description="a duration such as 30d")
    at: Maybe[TimestampText] = Field(None, description="an instant such as 2026-06-18T10:00:00Z, or ${…}")
    until: Maybe[TimestampText] = Field(None, description="an instant such as 2026-06-18T10:00:00Z, or ${…}")
    count: Maybe[Annotated[StrictInt, Field(ge=1, le=10_000)]] = Field(
        None, description="a whole number from 1 to 10000"
    )
    calendar: Maybe[EntryId] = Field(None, description="the id of a business calendar")
    adjust: Maybe[Literal["none", "following", "preceding"]] = Field(
        None, description="none, following or preceding"
    )
    misfire: Maybe[Literal["fire_once", "skip"]] = Field(None, description="fire_once or skip")


class Spawn(_Part):
    """A child process that the action begins, in the same commit."""

    workflow: VersionRef = Field(description="a workflow and its version, such as customer/onboarding@3")
    action: Identifier = Field(description="the action of type create that begins the child")
    id: EntryId = Field(description=_ENTRY_ID)
    data: JsonObject = Field(default_factory=dict, description="an object, the input of that action")


class Mutate(_Part):
    """What the action writes into the data of its process."""

    set_: dict[FieldName, JsonValue] = Field(
        default_factory=dict, alias="$set", max_length=200, description=_FIELDS
    )
    append: dict[FieldName, JsonValue] = Field(
        default_factory=dict, alias="$append", max_length=200, description=_FIELDS
    )
    unset: tuple[FieldName, ...] = Field((), alias="$unset", max_length=200, description="a list of data fields")
    inc: dict[FieldName, Amount] = Field(default_factory=dict, alias="$inc", max_length=200, description=_FIELDS)


class Auto(_Part):
    """The input that an automatic action is queued with; `input` is another word for `data`."""

    data: Maybe[JsonObject] = Field(None, description="an object, the input of the action")
    input: Maybe[JsonObject] = Field(None, description="an object, the input of the action")

    @model_validator(mode="after")
    def _one_word(self) -> Self:
        if self.data is not None and self.input is not None:
            raise PydanticCustomError("auto_both", "data and input mean the same: write data only")
        return self


def _form_of_auto(value: object) -> str | None:
    if isinstance(value, bool):
        return "switch"
    return "data" if isinstance(value, dict | Auto) else None


_AutoField: TypeAlias = Annotated[
    Annotated[StrictBool, Tag("switch")] | Annotated[Auto, Tag("data")],
    Discriminator(
        _form_of_auto,
        custom_error_type="bad_auto",
        custom_error_message='auto takes no other form: write true, or an object such as {"data": {…}}',
    ),
]


class Action(_Part):
    """A named step that a role may take."""

    type: Maybe[ActionKind] = Field(None, description="create, transition or update")
    title: Maybe[Title] = Field(None, description="a short text, at most 200 characters")
    description: Maybe[Description] = Field(None, description="what the action means, in words")
    role: OneOrSeveral[Role] = Field(description="a role such as clerk or AUTOMATION, or a list of roles")
    from_: Maybe[OneOrSeveral[Identifier]] = Field(
        None, alias="from", description=f"{_STATE}, or a list of states"
    )
    to: Maybe[Identifier] = Field(None, description=_STATE)
    when: Maybe[Condition] = Field(None, description="a condition, at most 2000 characters")
    input: Maybe[JsonObject] = Field(None, description="a JSON Schema, as an object")
    not_actor: Maybe[FieldName] = Field(None, description="the data field that holds the key that may not act")
    mutate: Maybe[Mutate] = Field(None, description="an object of $set, $append, $unset and $inc")
    spawn: tuple[Spawn, ...] = Field((), max_length=50, description="a list of children, each an object")
    schedule: tuple[Schedule, ...] = Field((), max_length=50, description="a list of timers, each an object")
    cancel: tuple[EntryId, ...] = Field((), max_length=200, description="a list of schedule ids")
    auto: _AutoField = Field(False, description='true, or an object such as {"data": {…}}')

    @property
    def kind(self) -> ActionKind:
        """Return the type, derived where it is not written: an action with `to` moves, one without updates."""
        return self.type or ("transition" if self.to else "update")

    @property
    def roles(self) -> tuple[str, ...]:
        """Return the roles that may act."""
        return tuple(role for role, _ in placed(self.role))

    @property
    def from_states(self) -> tuple[str, ...]:
        """Return the states in which the action may be taken; none for one that creates."""
        return tuple(state for state, _ in placed(self.from_))

    @property
    def is_automatic(self) -> bool:
        """Return whether the engine queues the action as soon as it becomes available."""
        return self.auto is not False

    @property
    def auto_data(self) -> JsonObject:
        """Return the input that the action is queued with; empty for `true`."""
        return (self.auto.data or self.auto.input or {}) if isinstance(self.auto, Auto) else {}

    def state_after(self, state: str) -> str:
        """Return where a process stands after this action was taken in `state`."""
        return self.to or state


class Workflow(_Part):
    """States and the actions that lead from one to the next, under a path."""

    path: WorkflowPath = Field(description="a path such as customer/onboarding, of a-z, 0-9, _ and -")
    version: Maybe[Annotated[StrictInt, Field(ge=1)]] = Field(
        None, description="a whole number from 1, or nothing: publishing gives it"
    )
    title: Maybe[Title] = Field(None, description="a short text, at most 200 characters")
    states: Maybe[Annotated[dict[Identifier, State], Field(max_length=200)]] = Field(
        None, description=f"an object of states such as {{}}, {_NAMES}"
    )
    roles: Maybe[Annotated[tuple[Role, ...], Field(max_length=200)]] = Field(
        None, description="a list of roles such as clerk"
    )
    data: Maybe[JsonObject] = Field(None, description="a JSON Schema, as an object")
    actions: dict[Identifier, Action] = Field(
        min_length=1, max_length=200, description=f"an object of actions, {_NAMES}"
    )

    @property
    def state_names(self) -> frozenset[str]:
        """Return the states; where none are declared, those that actions begin or end in."""
        if self.states is not None:
            return frozenset(self.states)
        begun = chain.from_iterable(action.from_states for action in self.actions.values())
        return frozenset(begun) | {action.to for action in self.actions.values() if action.to}

    @property
    def terminal_states(self) -> frozenset[str]:
        """Return the states that are declared to be terminal."""
        return frozenset(name for name, state in (self.states or {}).items() if state.terminal)


def read_workflow(document: JsonValue) -> tuple[Workflow | None, tuple[Issue, ...]]:
    """Return the workflow that `document` describes, or everything that is wrong with its shape."""
    flaw = flaw_in(document)
    if flaw:
        return None, (error("WF_BAD_JSON", flaw.detail).model_copy(update={"pointer": flaw.pointer or ""}),)
    try:
        return Workflow.model_validate(document), ()
    except ValidationError as found:
        return None, bounded(shape_issues(found, _owner))


def _owner(place: Place) -> tuple[type[BaseModel], Place]:
    """Return the model that stands at `place`, and the place inside it, which begins with one of its fields."""
    match place:
        case ("states", _, _, *_):
            return State, place[2:]
        case ("actions", _, "mutate", _, *_):
            return Mutate, place[3:]
        case ("actions", _, "auto", _, *_):
            return Auto, place[3:]
        case ("actions", _, "schedule", _, _, *_):
            return Schedule, place[4:]
        case ("actions", _, "spawn", _, _, *_):
            return Spawn, place[4:]
        case ("actions", _, _, *_):
            return Action, place[2:]
        case _:
            return Workflow, place
