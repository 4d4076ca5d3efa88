"""Two hundred guards on one event."""

from __future__ import annotations

from dataclasses import replace
from types import CodeType

from benchmarks.largest import AT, ROLE, guard_source, process_data
from benchmarks.measuring import Row, measured
from sealwork.domain.expressions.guards import Facts, Guard, compile_guard
from sealwork.domain.expressions.scopes import guard_scope
from sealwork.domain.expressions.verdicts import Passed

FIELDS = 50
MUST_SECONDS = 0.002


def rows(times: int, guards: int = 200) -> list[Row]:
    """Return the row: each time a new event, whose data is read back, and all guards asked."""
    sources = [guard_source(number) for number in range(guards)]
    compiled = [_compiled(source) for source in sources]
    codes = [_python(source) for source in sources]
    facts = Facts(
        state="open", data=process_data(FIELDS), input={}, roles=frozenset({ROLE}), at=AT, process_id="guarded-1"
    )

    def all_guards() -> None:
        event = replace(facts)
        assert all(isinstance(guard.verdict(event), Passed) for guard in compiled)

    def all_codes() -> None:
        names = {**facts.data, "state": facts.state, "roles": sorted(facts.roles)}
        assert all(eval(code, {}, names) for code in codes)

    name, peer = f"{guards} guards on one event", "the same conditions as compiled Python"
    return [measured(name, all_guards, peer, all_codes, times=times, must_seconds=MUST_SECONDS)]


def _compiled(source: str) -> Guard:
    guard = compile_guard(source, guard_scope(("open", "closed"), None, None))
    assert isinstance(guard, Guard), guard
    return guard


def _python(source: str) -> CodeType:
    spelled = source.replace("data.", "").replace("actor.roles", "roles").replace("state =", "state ==")
    return compile(spelled, "<guard>", "eval")
