"""Who writes what in a work row: the worker the books of its own, the engine never (S1-085, S1-097, X-35)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from contracts.system_log import an_attempt
from scribe import HOUR, Scribe, auto, rule, timer
from sealwork.adapters.postgres.database import Database
from sealwork.application.ports.system_log import SystemLog
from sealwork.application.ports.work_store import SettleAs
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.effects import Cancel, Effect
from sealwork.domain.work.work_row import ClaimedWork

STREAM, ELSEWHERE = "process/p-1", "process/p-2"
WORK_TABLES = ("scheduled_actions", "automation_queue")
LEASE = {"lease_token", "leased_until", "due"}
BOOKS = LEASE | {
    "status", "attempts", "deaths", "last_attempt_at", "last_attempt_result", "last_attempt_error",
    "fired_event_hash", "fired_at", "available_at",
}  # fmt: skip
OF_TIMERS = {"run_at", "occurrence", "missed", "first_claimed_at", "fire_count"}
OF_QUEUE_ROWS = {"claimed_at", "completed_at"}
CANCELLED = LEASE | {"status", "cancel_reason"}
RESULTS = {
    SettleAs.COMPLETE: "accepted",
    SettleAs.SKIP: "skipped",
    SettleAs.FAIL: "failed",
    SettleAs.RETRY: "transient_error",
    SettleAs.RELEASE: None,
}
EITHER = pytest.mark.parametrize(
    "effect",
    [auto(), rule(), timer("t", -HOUR), timer("t", -HOUR, every=7200)],
    ids=["queue row", "row of a rule", "timer", "recurring timer"],
)


class Books:
    """Everything in the database, compared with what stood there before."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._before = self._read()

    def turned(self) -> dict[tuple[str, str], set[str]]:
        """Return the columns that changed since the last call, by table and row; all of a row that came or went.

        A row that was written anew with the same values counts, with no column.
        """
        before, self._before = self._before, self._read()
        found: dict[tuple[str, str], set[str]] = {}
        for row in before.keys() | self._before.keys():
            old, new = before.get(row, {}), self._before.get(row, {})
            columns = {name for name in old.keys() | new.keys() if name not in old or old[name] != new.get(name)}
            if columns:
                found[row] = columns - {"version"}
        return found

    def of(self, id_: str) -> JsonObject:
        """Return all columns of a work row."""
        return next(columns for (_, key), columns in self._before.items() if key == id_)

    def _read(self) -> dict[tuple[str, str], JsonObject]:
        with self._database.owner() as owner:
            tables = owner.execute(
                "SELECT relname FROM pg_class"
                " WHERE relnamespace = 'sealwork'::regnamespace AND relkind IN ('r', 'p')"
            ).fetchall()
            return {
                (table, key): columns
                for (table,) in tables
                for key, columns in owner.execute(
                    f"SELECT {'id::text' if table in WORK_TABLES else 't::text'},"
                    " to_jsonb(t) || jsonb_build_object('version', t.xmin::text)"
                    f" FROM sealwork.{table} AS t".encode()
                ).fetchall()
            }


def books_of(work: ClaimedWork) -> tuple[tuple[str, str], set[str]]:
    """The row of `work`, and what the worker may change in it."""
    if work.row.schedule_id is None:
        return ("automation_queue", str(work.row.id)), BOOKS | OF_QUEUE_ROWS
    return ("scheduled_actions", str(work.row.id)), BOOKS | OF_TIMERS


def only_its_books(books: Books, work: ClaimedWork) -> None:
    """Of everything in the database, nothing changed but the books of this one row."""
    row, may_change = books_of(work)
    turned = books.turned()
    assert turned.keys() == {row}
    assert turned[row]
    assert turned[row] <= may_change


@EITHER
def test_a_claim_and_its_renewal_change_the_books_of_their_row_only(
    scribe: Scribe, emptied: Database, effect: Effect
) -> None:
    for stream in (STREAM, ELSEWHERE):
        scribe.write(stream, effect)
    books = Books(emptied)

    (work,) = scribe.claim(1)
    only_its_books(books, work)
    assert books.of(str(work.row.id))["last_attempt_at"] is not None

    scribe.store.renew(work.lease_token, [work], lease=9 * HOUR)
    row, _ = books_of(work)
    assert books.turned() == {row: {"leased_until", "due"}}


@pytest.mark.parametrize("end", SettleAs)
@EITHER
def test_every_end_of_an_attempt_changes_the_books_of_its_row_only(
    scribe: Scribe, emptied: Database, effect: Effect, end: SettleAs
) -> None:
    for stream in (STREAM, ELSEWHERE):
        scribe.write(stream, effect)
    work, _ = scribe.claim()
    if end is SettleAs.COMPLETE:
        scribe.fire(work)
    books = Books(emptied)

    scribe.settle(work, end, error="e")

    only_its_books(books, work)
    assert books.of(str(work.row.id))["last_attempt_result"] == RESULTS[end]


def test_what_the_worker_tells_of_its_attempts_goes_into_the_system_log_only(
    scribe: Scribe, emptied: Database, system_log: SystemLog
) -> None:
    scribe.write(STREAM, auto(), timer("t", -HOUR))
    scribe.claim()
    books = Books(emptied)

    system_log.write([an_attempt(1), an_attempt(2)])

    assert [table for table, _ in books.turned()] == ["system_log"] * 2


def tried(scribe: Scribe, *effects: Effect) -> list[ClaimedWork]:
    """Rows that were tried, came to nothing, and are claimed again."""
    scribe.write(STREAM, *effects)
    for _ in effects:
        (work,) = scribe.claim()
        scribe.settle(work, SettleAs.RETRY, error="e", wait=HOUR)
    scribe.deployment.wait(2 * HOUR)
    return [scribe.claim()[0] for _ in effects]


@pytest.mark.parametrize(
    "effects",
    [(), (auto(),), (rule(),), (timer("other"),), (auto(failed="no"), timer("other", failed="no"))],
    ids=["nothing", "the same action again", "a rule", "another timer", "rows born failed"],
)
def test_an_event_leaves_the_rows_that_stand_as_they_are(
    scribe: Scribe, emptied: Database, effects: Sequence[Effect]
) -> None:
    works = tried(scribe, auto(), timer("t", -HOUR, every=60))
    scribe.write(STREAM, auto("waiting"))
    books = Books(emptied)

    scribe.write(STREAM, *effects, auto("waiting"))
    scribe.fire(works[0])
    scribe.fire(works[1])

    turned = books.turned()
    assert sum(table in WORK_TABLES for table, _ in turned) == len(effects)
    assert turned.keys().isdisjoint(books_of(work)[0] for work in works)


@pytest.mark.parametrize(("effect", "reason"), [(Cancel(id="t"), "cancelled"), (timer("t", 9 * HOUR), "replaced")])
def test_who_cancels_a_timer_leaves_its_attempts_as_they_are(
    scribe: Scribe, emptied: Database, effect: Effect, reason: str
) -> None:
    (work,) = tried(scribe, timer("t", -HOUR, every=60))
    row, _ = books_of(work)
    books = Books(emptied)

    scribe.write(STREAM, effect)

    assert books.turned()[row] == CANCELLED
    kept = books.of(str(work.row.id))
    assert (kept["status"], kept["cancel_reason"]) == ("cancelled", reason)
    assert (kept["attempts"], kept["last_attempt_result"], kept["last_attempt_error"]) == (
        2,
        "transient_error",
        "e",
    )
