"""What every adapter makes of effects that could never be fired: rows that are born failed and say why.

Fixtures: `deployment`, empty, and its `scribe`.
"""

from __future__ import annotations

import pytest

from scribe import HOUR, Scribe, auto, timer
from sealing import START, Deployment
from sealwork.domain.ledger.effects import Effect
from sealwork.domain.work.work_row import WorkKind, WorkStatus

STREAM = "process/p-1"
FAILED, PENDING = WorkStatus.FAILED, WorkStatus.PENDING
WHY = "invalid_input: data/n: is no number"
EITHER = pytest.mark.parametrize(
    "effect",
    [auto(failed=WHY), timer("t", -HOUR, failed=WHY), timer("t", -HOUR, every=60, failed=WHY)],
    ids=["queue row", "timer", "recurring timer"],
)


class BornFailedContract:
    """Born failed: told, and never touched."""

    @EITHER
    def test_a_row_is_born_failed_with_its_reason(self, scribe: Scribe, effect: Effect) -> None:
        event = scribe.write(STREAM, effect, action="submit")

        (row,) = scribe.rows(STREAM)

        assert (row.status, row.last_error) == (FAILED, WHY)
        assert (row.attempts, row.lease_token, row.fired_event_hash) == (0, None, None)
        assert (row.caused_by.event_hash, row.caused_by.action) == (event.hash, "submit")

    @EITHER
    def test_it_is_never_due_and_never_claimed(
        self, scribe: Scribe, deployment: Deployment, effect: Effect
    ) -> None:
        scribe.write(STREAM, effect)

        assert scribe.store.next_due([scribe.tenant]) is None
        assert scribe.claim() == []
        deployment.wait(10 * HOUR)
        assert (scribe.claim(), scribe.store.next_due([scribe.tenant])) == ([], None)
        assert [row.status for row in scribe.rows(STREAM)] == [FAILED]

    @EITHER
    def test_an_event_may_bring_another_one(self, scribe: Scribe, effect: Effect) -> None:
        for _ in range(3):
            scribe.write(STREAM, effect)

        assert [row.status for row in scribe.rows(STREAM)] == [FAILED, FAILED, FAILED]

    @EITHER
    def test_work_beside_it_is_done(self, scribe: Scribe, effect: Effect) -> None:
        scribe.write(STREAM, effect, auto("index"))

        assert [work.row.action for work in scribe.claim()] == ["index"]

    @pytest.mark.parametrize("kind", ["queue row", "timer"])
    @pytest.mark.parametrize(
        ("reason", "kept"),
        [
            ("a\r\n\x1b[2J\u202eb", "a [2J b"),
            ("é" * 1500, "é" * 1000),
            ("x" + "é" * 1500, "x" + "é" * 999),
            ("x" * 1999 + "€", "x" * 1999),
            ("😀" * 600, "😀" * 500),
            ("x" * 5000, "x" * 2000),
            ("", ""),
        ],
        ids=["rewrites a terminal", "two bytes", "a half character", "the last one", "four bytes", "long", "none"],
    )
    def test_its_reason_is_short_and_clean(self, scribe: Scribe, kind: str, reason: str, kept: str) -> None:
        scribe.write(STREAM, timer(failed=reason) if kind == "timer" else auto(failed=reason))

        assert [row.last_error for row in scribe.rows(STREAM)] == [kept]

    def test_a_timer_born_failed_still_ends_the_one_that_it_replaces(self, scribe: Scribe) -> None:
        scribe.write(STREAM, timer("t", -HOUR), timer("other", HOUR))

        scribe.write(STREAM, timer("t", HOUR, failed=WHY))

        statuses = {(row.schedule_id, row.run_at): row.status.value for row in scribe.rows(STREAM)}
        assert statuses == {
            ("t", START - HOUR): "cancelled",
            ("t", START + HOUR): "failed",
            ("other", START + HOUR): "active",
        }
        assert scribe.claim() == []

    def test_a_timer_may_begin_after_one_that_was_born_failed(self, scribe: Scribe) -> None:
        scribe.write(STREAM, timer("t", HOUR, failed=WHY))

        scribe.write(STREAM, timer("t", -HOUR))

        assert [work.row.schedule_id for work in scribe.claim()] == ["t"]
        assert sorted(row.status.value for row in scribe.rows(STREAM)) == ["claimed", "failed"]

    def test_one_born_failed_does_not_suppress_the_next(self, scribe: Scribe) -> None:
        scribe.write(STREAM, auto(failed=WHY))
        second = scribe.write(STREAM, auto())

        rows = {row.status: row for row in scribe.rows(STREAM)}

        assert set(rows) == {FAILED, PENDING}
        assert rows[PENDING].caused_by.event_hash == second.hash
        assert [work.row.id for work in scribe.claim()] == [rows[PENDING].id]

    def test_one_that_waits_does_not_hide_one_born_failed(self, scribe: Scribe) -> None:
        scribe.write(STREAM, auto())
        second = scribe.write(STREAM, auto(failed=WHY))

        rows = {row.status: row for row in scribe.rows(STREAM)}

        assert set(rows) == {FAILED, PENDING}
        assert rows[FAILED].caused_by.event_hash == second.hash

    def test_too_deep_a_cascade_is_the_reason_that_counts(self, scribe: Scribe) -> None:
        scribe.append(scribe.resealed(scribe.item(STREAM, auto(failed=WHY), timer(failed=WHY)), depth=25))

        reasons = {row.kind: row.last_error for row in scribe.rows(STREAM)}

        assert reasons == {WorkKind.AUTO_ACTION: "cascade_limit", WorkKind.SCHEDULED_ACTION: WHY}
