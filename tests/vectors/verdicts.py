"""The committed verdicts, and what they are decided by. Run as a script it prints what is decided here and now."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from sealwork.domain.expressions.guards import Facts, compile_expression, compile_guard, rule_facts
from sealwork.domain.expressions.scopes import Scope, guard_scope, rule_scope, template_scope
from sealwork.domain.expressions.spelling import Flaw
from sealwork.domain.expressions.verdicts import Answer, Failed, Passed, Undecided
from sealwork.domain.instants import instant_of
from sealwork.domain.workflows.json_schema import JsonSchema, compile_schema

GOLDEN = Path(__file__).parent / "verdict_tables"
CEL = json.loads((GOLDEN / "cel_verdicts.json").read_bytes())
JSON_SCHEMA = json.loads((GOLDEN / "json_schema_verdicts.json").read_bytes())

_VERDICTS = {Passed: True, Failed: False, Undecided: None}


def scope_named(name: str) -> Scope:
    """The scope in which a case stands."""
    known = CEL["scopes"][name]
    return (
        rule_scope(known["facts"]) if "facts" in known else guard_scope(known["states"], known.get("data"), None)
    )


def process_facts(**members: Any) -> Facts:
    """The facts of the cases; `members` replace theirs."""
    known = CEL["facts"]["process"]
    usual = {**known, "roles": frozenset(known["roles"]), "at": instant_of(known["at"])}
    return Facts(**(usual | members))


def facts_for(scope: str) -> Facts:
    """The facts by which a case is decided."""
    return rule_facts(CEL["facts"]["rule"]["facts"]) if scope == "rule" else process_facts()


def decided(case: dict[str, Any]) -> dict[str, Any]:
    """What is decided about a case today, in the form of the file."""
    guard = compile_guard(case["expression"], scope_named(case["scope"]))
    if isinstance(guard, Flaw):
        return {"refused": guard.code, "column": guard.column}
    return {"verdict": _VERDICTS[type(guard.verdict(facts_for(case["scope"])))]}


def evaluated(case: dict[str, Any]) -> dict[str, Any]:
    """What an expression comes to today, in the form of the file."""
    expression = compile_expression(case["expression"], template_scope(["ready_for_screening"], None, None))
    if isinstance(expression, Flaw):
        return {"refused": expression.code, "column": expression.column}
    answer = expression.evaluate(process_facts())
    return {"value": answer.value} if isinstance(answer, Answer) else {"undecided": True}


def violated(case: dict[str, Any]) -> str | None:
    """Where a value violates its schema today."""
    schema = compile_schema(case["schema"])
    assert isinstance(schema, JsonSchema), schema
    violation = schema.first_violation(case["value"])
    return violation.pointer if violation else None


def fingerprint_of_everything() -> str:
    """A hash over all that is decided here and now."""
    guards = [decided(case) for case in CEL["guards"]]
    values = [evaluated(case) for case in CEL["values"]]
    violations = [violated(case) for case in JSON_SCHEMA["values"]]
    return hashlib.sha256(json.dumps([guards, values, violations]).encode()).hexdigest()


if __name__ == "__main__":
    print(fingerprint_of_everything())
