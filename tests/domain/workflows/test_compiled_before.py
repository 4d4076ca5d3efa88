"""What is compiled is compiled before an event is decided: deciding only evaluates."""

from __future__ import annotations

from datetime import UTC, datetime

from builders import MARIA
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.effects import Place
from sealwork.domain.processes.act import Act
from sealwork.domain.processes.process import Decision, ProcessState, decide
from sealwork.domain.workflows.compiled import compile_workflow
from watching import called_by
from workflow_documents import compiled, the_workflow

COMPILERS = {
    "compile_expression",
    "compile_guard",
    "compile_schema",
    "compile_template",
    "cel_expr_python.cel.compile",
}
TEXT: JsonObject = {"type": "object", "properties": {"text": {"type": "string"}}}
DOCUMENT: JsonObject = {
    "path": "a/workflow",
    "data": {"type": "object", "properties": {"text": {"type": "string"}, "n": {"type": "integer"}}},
    "actions": {
        "start": {"type": "create", "role": "clerk", "to": "open"},
        "note": {
            "role": "clerk",
            "from": "open",
            "when": "input.text != ''",
            "input": TEXT,
            "mutate": {"$set": {"text": "${input.text}"}, "$inc": {"n": "${data.n + 1}"}},
            "schedule": [{"id": "later", "action": "read", "in": "1h", "data": {"text": "${data.text}"}}],
        },
        "read": {
            "role": "AUTOMATION",
            "from": "open",
            "to": "closed",
            "when": "input.text == data.text",
            "input": TEXT,
            "auto": {"data": {"text": "${data.text}"}},
        },
    },
}


def test_compiling_a_workflow_is_seen_to_compile() -> None:
    workflow = the_workflow(DOCUMENT)

    assert called_by(lambda: compile_workflow(workflow)) >= COMPILERS


def test_nothing_is_compiled_while_an_event_is_decided() -> None:
    workflow = compiled(the_workflow(DOCUMENT))
    act = Act(
        action="note",
        actor=MARIA.actor,
        roles=frozenset({"clerk"}),
        input={"text": "hello"},
        place=Place(origin="test.example/log", tenant="acme", stream="process/p-1", seq=3),
        recorded_at=datetime(2026, 6, 18, 12, tzinfo=UTC),
    )
    decisions: list[object] = []

    called = called_by(lambda: decisions.append(decide(workflow, ProcessState(state="open", data={"n": 1}), act)))

    assert isinstance(decisions[0], Decision)
    assert [effect.kind for effect in decisions[0].effects] == ["schedule", "auto"]
    assert "cel_expr_python.cel.eval" in called
    assert not called & COMPILERS
