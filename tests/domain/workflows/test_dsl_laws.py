"""Whatever is published can be decided by: every definition of the grammar, every act, one after another."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from decision_laws import lawful_answer
from dsl_grammar import STATES, acts, data, definitions
from json_values import json_values
from laws import law
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.processes.process import ProcessState, parse_state
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.workflows.compiled import CompiledWorkflow, compile_workflow
from sealwork.domain.workflows.definition import issues_of
from surviving import versions_for

SENSIBLE = definitions(odd=False)
SILLY = definitions(odd=True)
WALK = 20


def published(document: JsonObject) -> CompiledWorkflow | None:
    """The workflow ready to be decided by, None if it would be refused."""
    workflow, issues = issues_of(document)
    if workflow is None or any(issue.level == "error" for issue in issues):
        assert issues
        return None
    compiled, flaws = compile_workflow(workflow)
    assert flaws == ()
    return compiled


def walk(workflow: CompiledWorkflow, drawn: st.DataObject, seen: Counter[str]) -> None:
    """Let acts come one after another; each finds the state that the bytes of the one before give."""
    current: ProcessState | None = None
    seq = 1
    for _ in range(drawn.draw(st.integers(5, WALK))):
        act = drawn.draw(acts(workflow.workflow, current.state if current else None, seq))
        answer = lawful_answer(workflow, current, act, versions_for(workflow.workflow))
        if isinstance(answer, Refused):
            seen[answer.code] += 1
            if answer.code is RefusalCode.WRONG_STATE and act.action in workflow.actions:
                break  # most likely nothing can be done any more
            continue
        seen["decided"] += 1
        seen.update(effect.kind for effect in answer.effects)
        read = parse_state(answer.state.to_bytes())
        assert isinstance(read, ProcessState)
        current, seq = read, seq + 1


@law
@given(st.one_of(SENSIBLE, SENSIBLE, SILLY), st.data())
def test_every_walk_by_an_accepted_definition_is_lawful(document: JsonObject, drawn: st.DataObject) -> None:
    workflow = published(document)
    if workflow:
        walk(workflow, drawn, Counter())


def test_the_grammar_reaches_accepted_definitions_and_accepted_acts() -> None:
    """A law over what is refused would prove nothing."""
    seen: Counter[str] = Counter()

    @settings(law, derandomize=True, max_examples=240)
    @given(SENSIBLE, st.data())
    def walks(document: JsonObject, drawn: st.DataObject) -> None:
        workflow = published(document)
        seen["accepted" if workflow else "not accepted"] += 1
        if workflow:
            walk(workflow, drawn, seen)

    walks()

    assert seen["accepted"] > seen["not accepted"], seen
    assert 2 * seen["decided"] > seen["accepted"], seen
    assert all(seen[kind] for kind in ("cancel", "schedule", "spawn", "auto")), seen


@law
@given(st.one_of(SENSIBLE, SILLY), st.sampled_from(STATES), data(), st.data())
def test_every_act_in_every_state_with_every_data_is_answered_lawfully(
    document: JsonObject, state: str, held: JsonObject, drawn: st.DataObject
) -> None:
    workflow = published(document)
    current = ProcessState(state=state, data=held)
    if workflow is None or isinstance(parse_state(current.to_bytes()), Refused):
        return
    act = drawn.draw(acts(workflow.workflow, state))

    lawful_answer(workflow, current, act, versions_for(workflow.workflow))


@law
@given(st.one_of(SILLY, json_values()))
def test_every_document_is_accepted_or_what_is_wrong_with_it_is_said(document: JsonValue) -> None:
    workflow, issues = issues_of(document)

    assert workflow is not None or any(issue.level == "error" for issue in issues)
    assert all(issue.code and issue.message for issue in issues)
    assert issues_of(document)[1] == issues
