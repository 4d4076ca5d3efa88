"""Checks of what expressions mean: guards that never pass, input that nothing takes, children that cannot begin.

Asked of a compiled workflow, whose expressions are right by themselves.

Source: language.md, "Guards and conditions are CEL" and "Workflow DSL v2"; cases/language.md, 30 and 38.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import chain

from sealwork.domain.expressions.guards import Facts, Guard, compile_guard
from sealwork.domain.expressions.scopes import guard_scope
from sealwork.domain.expressions.spelling import Flaw, Spelling, spell
from sealwork.domain.expressions.templates import Template
from sealwork.domain.expressions.verdicts import Passed
from sealwork.domain.issues import Issue, Place, bounded, did_you_mean, error, listed, warning
from sealwork.domain.workflows.compiled import CompiledAction, CompiledWorkflow
from sealwork.domain.workflows.data_checks import data_issues
from sealwork.domain.workflows.json_schema import JsonSchema
from sealwork.domain.workflows.loop_checks import loop_issues
from sealwork.domain.workflows.queued_input import queued_input
from sealwork.domain.workflows.workflow import Auto

Children = Mapping[str, CompiledWorkflow | None]
"""The workflow versions that children begin with, by `path@version`; None where nothing was published so."""


def check_meaning(compiled: CompiledWorkflow, children: Children | None) -> tuple[Issue, ...]:
    """Return every issue of meaning in the expressions; without `children` nothing is said about those."""
    groups = (when_issues, loop_issues, data_issues, input_issues)
    found = chain.from_iterable(group(compiled) for group in groups)
    return bounded(chain(found, child_issues(compiled, children) if children is not None else ()))


def when_issues(compiled: CompiledWorkflow) -> Iterator[Issue]:
    """Return which guards can never pass in their states, and which look at what will not be there."""
    for name, action in compiled.actions.items():
        if action.guard is None:
            continue
        place = ("actions", name, "when")
        is_create = action.action.kind == "create"
        states = ("",) if is_create else action.action.from_states
        never = next((part for part in _conjuncts(action.guard) if _never_passes(part, states)), None)
        if states and never:
            known = "a process has no state before it begins" if is_create else f"`from` allows {listed(states)}"
            advice = "drop it" if is_create else "correct one of the two"
            yield error("WF_WHEN_NEVER", f"{known}, so {never.source} can never be true: {advice}", *place)
        if action.action.is_automatic:
            yield from _automatic_guard(action, action.guard, place)


def _automatic_guard(action: CompiledAction, guard: Guard, place: Place) -> Iterator[Issue]:
    if guard.reads == ("event.at",):
        message = "asked after each event, never by the clock: let an action schedule this one instead"
        yield warning("WF_WHEN_CLOCK", message, *place)
    if not action.action.auto_data and any(name.split(".")[0] == "input" for name in guard.reads):
        message = "queued without data, an automatic action has no input to look at: give it data"
        yield warning("WF_AUTO_WHEN_INPUT", message, *place)


def _never_passes(guard: Guard, states: tuple[str, ...]) -> bool:
    """Return whether a guard that looks at nothing but the state passes in none of `states`."""
    if guard.reads not in ((), ("state",)):
        return False
    return not any(isinstance(guard.verdict(_standing_in(state)), Passed) for state in states)


def _standing_in(state: str) -> Facts:
    at = datetime(1970, 1, 1, tzinfo=UTC)
    return Facts(state=state, data={}, input={}, roles=frozenset(), at=at, process_id="")


def _conjuncts(guard: Guard) -> Iterator[Guard]:
    """Return the conditions that must all hold: those between the outermost `and`, or the guard itself."""
    spelling = spell(guard.source)
    if isinstance(spelling, Flaw) or _has_outermost(spelling, "||", "?"):
        yield guard
        return
    parts = (compile_guard(text, guard_scope((), None, None)) for text in _between(spelling, "&&"))
    yield from (part for part in parts if isinstance(part, Guard))


def _has_outermost(spelling: Spelling, *signs: str) -> bool:
    return any(spelling.sign(index) in signs for index in _outermost(spelling))


def _between(spelling: Spelling, sign: str) -> Iterator[str]:
    """Return what its author wrote between the outermost `sign`s."""
    begin = 0
    for index in _outermost(spelling):
        if spelling.sign(index) == sign:
            yield spelling.source[begin : spelling.tokens[index].column - 1].strip()
            begin = spelling.tokens[index + 1].column - 1
    yield spelling.source[begin:].strip()


def _outermost(spelling: Spelling) -> Iterator[int]:
    """Return the tokens that stand in no bracket."""
    index = 0
    while index < len(spelling.tokens):
        yield index
        index = max(spelling.partners.get(index, index), index) + 1


def input_issues(compiled: CompiledWorkflow) -> Iterator[Issue]:
    """Return where constant data is not what the action that it is for takes."""
    for name, action in compiled.actions.items():
        place: Place = ("actions", name)
        in_order = {entry.id: index for index, entry in enumerate(action.action.schedule)}
        for timer in action.timers:
            target = compiled.actions.get(timer.entry.action)
            at = (*place, "schedule", in_order[timer.entry.id], "data")
            yield from _mismatch(timer.data, target.input if target else None, at)
        if action.auto is not None:
            is_data = isinstance(action.action.auto, Auto) and action.action.auto.data is not None
            word = ("data" if is_data else "input",) if isinstance(action.action.auto, Auto) else ()
            yield from _mismatch(action.auto, action.input, (*place, "auto", *word))


def _mismatch(data: Template, schema: JsonSchema | None, place: Place) -> Iterator[Issue]:
    if schema is None or not data.is_constant:
        return
    violation = queued_input(data, _standing_in(""), schema).violation
    if violation:
        message = f"the action does not take this input: {violation.message}"
        issue = error("WF_INPUT_MISMATCH", message, *place)
        yield issue.model_copy(update={"pointer": issue.pointer + violation.pointer})


def child_issues(compiled: CompiledWorkflow, children: Children) -> Iterator[Issue]:
    """Return which children cannot begin: no such version, no such action, constant data that it does not take."""
    for name, action in compiled.actions.items():
        in_order = {entry.id: index for index, entry in enumerate(action.action.spawn)}
        for child in action.children:
            place = ("actions", name, "spawn", in_order[child.entry.id])
            workflow = children.get(child.entry.workflow)
            if workflow is None:
                message = f"{child.entry.workflow} is not published here, or was withdrawn: publish it first"
                yield error("WF_UNKNOWN_WORKFLOW", message, *place, "workflow")
                continue
            begins = {name: each for name, each in workflow.actions.items() if each.action.kind == "create"}
            if child.entry.action not in begins:
                hint = did_you_mean(child.entry.action, begins) or f"; write {listed(begins)}"
                message = f"no process of {child.entry.workflow} begins with {child.entry.action!r}{hint}"
                yield error("WF_SPAWN_ACTION", message, *place, "action")
            else:
                yield from _mismatch(child.data, begins[child.entry.action].input, (*place, "data"))
