"""Decisions by the largest workflow, and compiling it."""

from __future__ import annotations

from benchmarks.largest import AUTOMATIC, a_state, an_act, compiled, largest_document
from benchmarks.measuring import Row, measured
from sealwork.domain.ledger.canonical import MAX_DOCUMENT_BYTES, canonical, parse_canonical
from sealwork.domain.processes.process import Decision, decide, parse_state

MUST_SECONDS = 0.005
HOLDING = 20


def rows(times: int, automatic: int = AUTOMATIC) -> list[Row]:
    """Return the rows: compiled once, then decided; with few of the guards holding, and with all."""
    few = _decision(times, automatic, min(HOLDING, automatic), f"{HOLDING} hold")
    return [few, _decision(times, automatic, automatic, "all hold"), _compiling(times, automatic)]


def _decision(times: int, automatic: int, holding: int, told: str) -> Row:
    workflow = compiled(largest_document(automatic, holding=holding))
    state, act = a_state(), an_act()
    decision = decide(workflow, state, act)
    assert isinstance(decision, Decision), decision
    assert sum(effect.kind == "auto" for effect in decision.effects) == holding
    body = decision.state.to_bytes()
    return measured(
        f"a decision, {automatic} guards asked, {told}",
        lambda: decide(workflow, state, act),
        "reading the state that it makes from its bytes",
        lambda: parse_state(body),
        times=times,
        must_seconds=MUST_SECONDS,
    )


def _compiling(times: int, automatic: int) -> Row:
    document = largest_document(automatic)
    body = canonical(document)
    return measured(
        "compiling that workflow, once per version",
        lambda: compiled(document),
        "reading its document from its bytes",
        lambda: parse_canonical(body, limit=MAX_DOCUMENT_BYTES),
        times=max(1, times // 20),
    )
