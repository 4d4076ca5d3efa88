"""Running a story: step by step, with real signatures, on a stage of its own."""

from __future__ import annotations

from typing import TypeAlias, assert_never
from uuid import uuid4

from pydantic import BaseModel, ConfigDict

from sealwork.application.ledger.manage_actors import Admission
from sealwork.application.ports.event_log import Question
from sealwork.application.stories.comparison import Mismatch, Outcome, mismatches
from sealwork.application.stories.faults import WorkerDied
from sealwork.application.stories.stage import Stage
from sealwork.application.stories.story import (
    Advance,
    Check,
    FiredRow,
    Forge,
    GoTo,
    Later,
    Start,
    Story,
    TakeAction,
    Tamper,
    Work,
)
from sealwork.application.work.fire_work import Fired
from sealwork.application.workflows.decide_process import pinned_definition
from sealwork.application.workflows.publish_definition import Invalid
from sealwork.domain.errors import Misconfigured, Unavailable
from sealwork.domain.ids import process_stream, stream_key
from sealwork.domain.instants import instant_text, timestamp_of
from sealwork.domain.issues import Issue
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.canonical import canonical
from sealwork.domain.ledger.intent import Intent, signed_intent_bytes
from sealwork.domain.ledger.members import document_of
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import Refused
from sealwork.domain.timing.durations import parse_duration
from sealwork.domain.work.outcomes import Unanswered, WorkerCode
from sealwork.domain.work.provenance import fired_input
from sealwork.domain.work.work_row import WorkStatus

Taken: TypeAlias = Start | TakeAction | Forge | Tamper | Check | Advance | GoTo | Work
AUTOMATION = "automation"
_ADMIN = "admin"
_TIMER = "@timer:"
_LIVE = frozenset({WorkStatus.ACTIVE, WorkStatus.CLAIMED})
_UNANSWERED = {
    WorkerCode.MISFIRE: "skipped",
    WorkerCode.WORKERS_ENDED: "failed",
    WorkerCode.UNAVAILABLE: "transient",
}


class StepReport(BaseModel):
    """One step: what came out otherwise, or why it was not taken."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    """Counted from 1."""
    told: str
    note: str | None = None
    mismatches: tuple[Mismatch, ...] = ()
    not_taken: str | None = None
    detail: str | None = None
    """What the engine said where it refused something that nobody expected it to."""


class StoryReport(BaseModel):
    """What became of a story."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    story: str
    title: str
    issues: tuple[Issue, ...] = ()
    """Of a workflow that could not be published: then no step was taken."""
    steps: tuple[StepReport, ...] = ()

    @property
    def holds(self) -> bool:
        """Return whether every step that was taken came out as expected."""
        return not any(issue.level == "error" for issue in self.issues) and not any(
            step.mismatches for step in self.steps
        )

    @property
    def not_taken(self) -> int:
        """Return how many steps need a later version."""
        return sum(step.not_taken is not None for step in self.steps)


class RunStory:
    """Play one story on an empty stage."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._names: dict[str, str] = {stage.key(AUTOMATION).actor: AUTOMATION}

    def __call__(self, story: Story) -> StoryReport:
        """Return what came out of every step; the stage is used up afterwards.

        Raises:
            Unavailable: the store did not answer.
        """
        self._stage.move_to(timestamp_of(story.clock_start))
        for name, actor in story.actors.items():
            self._admit(name, actor.roles)
        issues = [issue for document in story.workflows for issue in self._publish(document)]
        wrong = any(issue.level == "error" for issue in issues)
        steps = () if wrong else tuple(self._report(n, step) for n, step in enumerate(story.steps, start=1))
        return StoryReport(story=story.story, title=story.title, issues=tuple(issues), steps=steps)

    def _admit(self, name: str, roles: list[str]) -> None:
        stage = self._stage
        who = Admission(tenant=stage.tenant, key_class=KeyClass.PERSON, label=name, roles=tuple(roles))
        _accepted(stage.manage_actors.admit(who, stage.key(name), stage.key(_ADMIN)))
        self._names[stage.key(name).actor] = name

    def _publish(self, document: JsonObject) -> tuple[Issue, ...]:
        answer = self._stage.publish_definition(self._stage.tenant, document, self._stage.key(_ADMIN))
        if isinstance(answer, Refused):
            return (Issue(code=answer.code, pointer=answer.pointer or "", message=answer.detail),)
        return answer.issues if isinstance(answer, Invalid) else answer.warnings

    def _report(self, number: int, step: Taken | Later) -> StepReport:
        if isinstance(step, Later):
            return StepReport(number=number, told=step.do, not_taken="this version does not take such a step")
        outcome = self._taken(step)
        found = tuple(mismatches(step.expect, outcome, self._names))
        return StepReport(
            number=number,
            told=_told(step),
            note=step.note,
            mismatches=found,
            detail=outcome.detail if found else None,
        )

    def _taken(self, step: Taken) -> Outcome:
        match step:
            case Start() | TakeAction() | Forge():
                return self._looked_at(step.process, _answered(self._act(step)))
            case Tamper():
                self._tamper(step)
                return self._looked_at(step.process, Outcome())
            case Check():
                return self._looked_at(step.process, Outcome())
            case Advance():
                self._stage.move_to(self._stage.now() + parse_duration(step.by))
                return Outcome()
            case GoTo():
                return self._go_to(step)
            case Work():
                return self._looked_at(step.process, self._work(step))
            case _:
                assert_never(step)

    def _go_to(self, step: GoTo) -> Outcome:
        instant, now = timestamp_of(step.at), self._stage.now()
        if instant < now:
            return Outcome(trouble=Mismatch(where="at", expected=f"not before {instant_text(now)}", got=step.at))
        self._stage.move_to(instant)
        return Outcome()

    def _act(self, step: Start | TakeAction | Forge) -> Appended | Refused:
        stage, signer = self._stage, self._stage.key(step.actor)
        match step:
            case Start():
                workflow = stage.definitions.find(stage.tenant, step.workflow, step.version)
                if isinstance(workflow, Refused):
                    return workflow
                return stage.start_process(
                    stage.tenant, step.process, workflow, signer, action=step.action, input_=step.input
                )
            case TakeAction():
                return stage.submit_action(stage.tenant, step.process, step.action, signer, input_=step.input)
            case Forge():
                return stage.process_event(self._forged(step))

    def _forged(self, step: Forge) -> Submission:
        stage, signer, stream = self._stage, self._stage.key(step.actor), process_stream(step.process)
        head = stage.log.head(Question(tenant=stage.tenant, stream=stream))
        claim: JsonObject = {name: self._meant(step.process, value) for name, value in step.provenance.items()}
        body = Intent(
            origin=stage.origin,
            tenant=stage.tenant,
            stream=stream,
            seq=head.seq + 1,
            prev=head.hash,
            id=str(uuid4()),
            definition=pinned_definition(head),
            action=step.action,
            key=signer.actor,
            at=instant_text(stage.now()),
            input={"meta": {"automation": claim}},
        ).to_bytes()
        return Submission(intent=body, signature=signer.sign(signed_intent_bytes(body)))

    def _meant(self, process: str, value: JsonValue) -> JsonValue:
        """Return a value of a story: `@timer:ID` is the work id of that live timer."""
        if not isinstance(value, str) or not value.startswith(_TIMER):
            return value
        view = self._stage.show_process(self._stage.tenant, process)
        rows = () if isinstance(view, Refused) else view.work
        wanted = value.removeprefix(_TIMER)
        return next((str(row.id) for row in rows if row.schedule_id == wanted and row.status in _LIVE), value)

    def _tamper(self, step: Tamper) -> None:
        stage, stream = self._stage, process_stream(step.process)
        event = stage.log.load(stage.tenant, stream, lambda events: next(e for e in events if e.seq == step.seq))
        intent = event.read_intent
        assert isinstance(intent, Intent)
        document = document_of(intent)
        changed = canonical({**document, "input": {**intent.input, step.field: step.value}})
        stage.overwrite(stream, step.seq, changed)

    def _work(self, step: Work) -> Outcome:
        stage = self._stage
        stage.faults.crash_after_append, stage.faults.transient = step.crash_after_append, step.transient
        try:
            fired = [*stage.fire_work([stage.tenant])]
        except (WorkerDied, Unavailable) as error:
            result = "crashed" if isinstance(error, WorkerDied) else "transient"
            return Outcome(fired=(FiredRow(action=stage.faults.last_action, result=result),))
        of_step = [each for each in fired if step.process in (None, stream_key(each.work.row.stream))]
        last = fired_input(of_step[-1].work.row, stage.key(AUTOMATION).actor) if of_step else {}
        meta = last.get("meta")
        provenance = meta.get("automation") if isinstance(meta, dict) else None
        return Outcome(
            fired=tuple(_row(each) for each in of_step),
            provenance=provenance if isinstance(provenance, dict) else None,
        )

    def _looked_at(self, process: str | None, outcome: Outcome) -> Outcome:
        """Add what can be seen of a process after the step."""
        stage = self._stage
        if process is None:
            return outcome
        view = stage.show_process(stage.tenant, process)
        if isinstance(view, Refused):
            return outcome
        timeline = stage.show_process.timeline(stage.tenant, process)
        broken = [f.seq for f in stage.verify(stage.tenant).findings if f.stream == process_stream(process)]
        return outcome.model_copy(
            update={
                "view": view,
                "actions": () if isinstance(timeline, Refused) else tuple(entry.action for entry in timeline),
                "verify": f"broken_at:{min(broken)}" if broken else "ok",
            }
        )


def _told(step: Taken) -> str:
    match step:
        case Start():
            return f"{step.actor} starts {step.process}"
        case TakeAction():
            return f"{step.actor}: {step.action} on {step.process}"
        case Forge():
            return f"{step.actor} forges {step.action} on {step.process}"
        case Tamper():
            return f"event {step.seq} of {step.process} is changed in the store"
        case Check():
            return f"a look at {step.process}"
        case Advance():
            return f"{step.by} pass"
        case GoTo():
            return f"it is {step.at}"
        case Work():
            return "the worker fires what is due"
        case _:
            assert_never(step)


def _row(fired: Fired) -> FiredRow:
    row, answer = fired.work.row, fired.answer
    process = stream_key(row.stream)
    if isinstance(answer, Appended):
        return FiredRow(action=row.action, result="accepted", process=process)
    if isinstance(answer, Unanswered):
        return FiredRow(action=row.action, result=_UNANSWERED[answer.code], process=process)
    return FiredRow(action=row.action, result="refused", why=answer.code, process=process)


def _answered(answer: Appended | Refused) -> Outcome:
    return Outcome(refused=answer.code, detail=answer.detail) if isinstance(answer, Refused) else Outcome()


def _accepted(answer: Appended | Refused) -> None:
    if isinstance(answer, Refused):
        raise Misconfigured(f"an actor of the story cannot be admitted ({answer.code}): {answer.detail}")
