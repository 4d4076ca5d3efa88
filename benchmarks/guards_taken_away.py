"""Take the guards of the store away one by one, and see a test turn red: `python -m benchmarks.guards_taken_away`.

Each line names a guard, where it stood, and the test that noticed; a guard that nobody misses is an error. The
tests run on a copy of the tree and start their own PostgreSQL. First they must be green with every guard there.
With `--find` no test runs: it is only seen that each guard stands where it is said to stand.

Source: the spike `store`, from which the fourteen guards are. One that has a text of its own for timers and for
queue rows, or for several functions, is taken away in one of these places after the other.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("domain", "application", "adapters")
COPIED = (*SOURCES, "tests", "pyproject.toml")
MIGRATIONS = Path("adapters/sealwork/adapters/postgres/migrations")
PATIENCE_SECONDS = 120
"""For the tests of one guard; most need three seconds."""
LAST_WISHES_SECONDS = 10
"""For stopping PostgreSQL, when the tests are told to end."""

ATTACKS = "tests/adapters/postgres/test_attacks.py::"
RACES = "tests/adapters/postgres/test_attacks_races.py::"
WORK = "tests/adapters/postgres/test_work_store.py::TestWorkStore::"
RECURRENCE = "tests/adapters/postgres/test_work_store.py::TestRecurrence::"
EFFECTS = "tests/adapters/postgres/test_event_log.py::TestEffects::"
LOCKS = "tests/adapters/postgres/test_locks.py::"


class Place(NamedTuple):
    """Where a guard stands: exactly once in a migration. `test` must turn red when `instead` stands there."""

    guard: str
    migration: str
    text: str
    instead: str
    test: str


def _order_of_locks(who: str, table: str, then: str) -> Place:
    """Return where the rows of a table are locked in 0011_settle.sql; `then` is what comes next there."""
    rows = {"scheduled_actions": "timers", "automation_queue": "queue rows"}[table]
    locked = f""" AS item,
         LATERAL (
           SELECT 1 FROM sealwork.{table} WHERE tenant_id = item.tenant AND id = item.id FOR NO KEY UPDATE
         ) AS locked;
{then}"""
    return Place(
        f"who {who} locks in one order: {rows}",
        "0011_settle.sql",
        f"(SELECT * FROM unnest(tenants, ids) AS item(tenant, id) ORDER BY tenant, id){locked}",
        f"(SELECT * FROM unnest(tenants, ids) AS item(tenant, id)){locked}",
        f"{LOCKS}test_work_is_locked_in_one_order",
    )


PLACES = (
    Place(
        "a tenant is had alone to change its actors or rules",
        "0009_append.sql",
        "CASE WHEN alone THEN pg_advisory_xact_lock(key) ELSE pg_advisory_xact_lock_shared(key) END",
        "pg_advisory_xact_lock_shared(key)",
        LOCKS + "test_an_event_waits_for_an_epoch_that_is_being_written",
    ),
    Place(
        "a unit of work becomes one event",
        "0009_append.sql",
        "WHEN fired.work_id IS NOT NULL THEN 'duplicate'",
        "",
        RACES + "test_lost_settlements_and_zombies",
    ),
    Place(
        "a fire needs the lease of the row: timers",
        "0009_append.sql",
        """(timer.stream, timer.status, timer.lease_token, timer.occurrence)
                   = (item.stream, 'claimed', item.lease, item.occurrence)""",
        """(timer.stream, timer.status, timer.occurrence)
                   = (item.stream, 'claimed', item.occurrence)""",
        EFFECTS + "test_no_other_event_fires_a_claimed_row",
    ),
    Place(
        "a fire needs the lease of the row: queue rows",
        "0009_append.sql",
        """(queued.stream, queued.status, queued.lease_token, 1)
                   = (item.stream, 'claimed', item.lease, item.occurrence)""",
        """(queued.stream, queued.status, 1)
                   = (item.stream, 'claimed', item.occurrence)""",
        RACES + "test_lost_settlements_and_zombies",
    ),
    Place(
        "who settles asks for the event first: timers",
        "0011_settle.sql",
        """CASE WHEN fired.hash IS NULL THEN op ELSE 'complete' END AS op,
             error,
             make_interval(secs => coalesce(wait, 0)) AS wait,
""",
        """op,
             error,
             make_interval(secs => coalesce(wait, 0)) AS wait,
""",
        WORK + "test_the_fence_is_asked_first",
    ),
    Place(
        "who settles asks for the event first: queue rows",
        "0011_settle.sql",
        """CASE WHEN fired.hash IS NULL THEN op ELSE 'complete' END AS op,
             error,
             make_interval(secs => coalesce(wait, 0)) AS wait
""",
        """op,
             error,
             make_interval(secs => coalesce(wait, 0)) AS wait
""",
        RACES + "test_lost_settlements_and_zombies",
    ),
    Place(
        "the id of an intent stands once",
        "0009_append.sql",
        """WHEN same_id.intent = item.intent THEN 'duplicate'
             WHEN same_id.id IS NOT NULL THEN 'id_conflict'""",
        "WHEN false THEN ''",
        RACES + "test_identical_events_of_eight_connections_are_one",
    ),
    Place(
        "heads are locked before they are compared",
        "0009_append.sql",
        "SELECT 1 FROM sealwork.heads WHERE tenant_id = item.tenant AND stream = item.stream FOR NO KEY UPDATE",
        "SELECT 1 FROM sealwork.heads WHERE tenant_id = item.tenant AND stream = item.stream",
        ATTACKS + "test_eight_processes_write_on_five_streams",
    ),
    Place(
        "heads are locked in one order",
        "0009_append.sql",
        "(SELECT * FROM unnest(tenants, streams) AS item(tenant, stream) ORDER BY tenant, stream) AS item",
        "unnest(tenants, streams) AS item(tenant, stream)",
        LOCKS + "test_heads_are_locked_in_one_order",
    ),
    Place(
        "who fires locks in one order: timers",
        "0009_append.sql",
        """        ORDER BY tenant, id
      ) AS item,""",
        # Taken away, its UNION would happen to sort all the same.
        """        ORDER BY tenant, id DESC
      ) AS item,""",
        LOCKS + "test_work_is_locked_in_one_order",
    ),
    Place(
        "who fires locks in one order: queue rows",
        "0009_append.sql",
        "(SELECT * FROM unnest(tenants, work_ids) AS item(tenant, id) ORDER BY tenant, id) AS item",
        "unnest(tenants, work_ids) AS item(tenant, id)",
        LOCKS + "test_work_is_locked_in_one_order",
    ),
    _order_of_locks("settles", "scheduled_actions", "  IF FOUND"),
    _order_of_locks("settles", "automation_queue", "  IF FOUND"),
    _order_of_locks("renews", "scheduled_actions", "  PERFORM 1"),
    _order_of_locks("renews", "automation_queue", "\n  RETURN QUERY"),
    Place(
        "what was missed is counted once: the number",
        "0010_claim.sql",
        "missed           = coalesce(timer.missed, passed)",
        "missed           = passed",
        RECURRENCE + "test_occurrence_and_missed_freeze_at_the_first_claim",
    ),
    Place(
        "what was missed is counted once: the occurrence",
        "0010_claim.sql",
        "CASE WHEN timer.missed IS NULL THEN coalesce(greatest(",
        "CASE WHEN true THEN coalesce(greatest(",
        RECURRENCE + "test_occurrence_and_missed_freeze_at_the_first_claim",
    ),
    Place(
        "the next occurrence follows the plan and not the clock",
        "0011_settle.sql",
        "timer.run_at + make_interval(secs => timer.every_seconds) AS next_run_at",
        "at + make_interval(secs => timer.every_seconds) AS next_run_at",
        RECURRENCE + "test_occurrences_follow_the_plan_and_not_the_clock",
    ),
    Place(
        "what is fired is still claimed: timers",
        "0009_append.sql",
        """(timer.stream, timer.status, timer.lease_token, timer.occurrence)
                   = (item.stream, 'claimed', item.lease, item.occurrence)""",
        """(timer.stream, timer.occurrence)
                   = (item.stream, item.occurrence)""",
        RACES + "test_cancels_against_fires",
    ),
    Place(
        "what is fired is still claimed: queue rows",
        "0009_append.sql",
        """(queued.stream, queued.status, queued.lease_token, 1)
                   = (item.stream, 'claimed', item.lease, item.occurrence)""",
        """(queued.stream, 1)
                   = (item.stream, item.occurrence)""",
        EFFECTS + "test_a_row_that_nobody_claimed_is_not_fired",
    ),
    Place(
        "a batch holds one row of a process: timers",
        "0010_claim.sql",
        "SELECT place, passed FROM ranked WHERE nth_of_process = 1",
        "SELECT place, passed FROM ranked",
        WORK + "test_a_batch_holds_one_timer_of_a_process",
    ),
    Place(
        "a batch holds one row of a process: queue rows",
        "0010_claim.sql",
        "SELECT place FROM ranked WHERE nth_of_process = 1",
        "SELECT place FROM ranked",
        RACES + "test_retries_while_the_same_action_is_queued_again",
    ),
    Place(
        "an event waits for the disk, whatever the session chose",
        "0009_append.sql",
        "IF current_setting('synchronous_commit') = 'off' THEN",
        "IF false THEN",
        RACES + "test_an_event_is_durable_whatever_the_session_chose",
    ),
    Place(
        "a small tenant has its share of every batch: timers",
        "0010_claim.sql",
        "SELECT place, passed FROM ranked WHERE nth_of_process = 1 ORDER BY nth_of_tenant, random()",
        "SELECT place, passed FROM ranked WHERE nth_of_process = 1 ORDER BY due",
        WORK + "test_no_tenant_and_no_lane_starves",
    ),
    Place(
        "a small tenant has its share of every batch: queue rows",
        "0010_claim.sql",
        "SELECT place FROM ranked WHERE nth_of_process = 1 ORDER BY nth_of_tenant, random()",
        "SELECT place FROM ranked WHERE nth_of_process = 1 ORDER BY due",
        WORK + "test_no_tenant_and_no_lane_starves",
    ),
)


def main(arguments: Sequence[str]) -> int:
    """Look for every guard, then take each away and print who noticed. Return 1 if one is not found or missed."""
    parser = ArgumentParser(description="Take the guards of the store away, one at a time; a test must turn red.")
    parser.add_argument("--find", action="store_true", help="only look whether every guard stands in its place")
    parser.add_argument("--only", default="", help="only the guards with this text in their names")
    asked = parser.parse_args(arguments)
    places = [place for place in PLACES if asked.only in place.guard]
    if lost := [place for place in places if _text_of(ROOT, place).count(place.text) != 1]:
        for place in lost:
            print(f"NOT EXACTLY ONCE in {place.migration}: {place.guard}")
        return 1
    if asked.find:
        for place in places:
            print(_line(place).rstrip())
        return 0
    return _take_away(places)


def _take_away(places: Sequence[Place]) -> int:
    print(f"python -m benchmarks.guards_taken_away, {datetime.now(UTC):%Y-%m-%d}: who noticed, guard by guard")
    with _copy_of_the_tree() as tree:
        tests = sorted({place.test for place in places})
        if not _ran_green(control := _run(tree, *tests)):
            print(f"the tests are not green with every guard there:\n{control}")
            return 1
        answers = [_who_notices(tree, place) for place in places]
    survived = answers.count(None)
    print(f"{len(places)} places, {survived} survived")
    return 1 if survived or not places else 0


def _who_notices(tree: Path, place: Place) -> str | None:
    """Run the test of a guard without the guard; print and return the name of what turned red, if any did."""
    migration, whole = tree / MIGRATIONS / place.migration, _text_of(tree, place)
    migration.write_text(whole.replace(place.text, place.instead), encoding="utf-8")
    try:
        said = _run(tree, place.test)
    finally:
        migration.write_text(whole, encoding="utf-8")
    red = re.search(r"^FAILED \S*::(.+?)(?: - .*)?$", said, re.MULTILINE)
    print(f"{_line(place)}  {red[1] if red else 'SURVIVED'}", flush=True)
    if not red and not _ran_green(said):
        print(said)
    return red[1] if red else None


def _run(tree: Path, *tests: str) -> str:
    """Return what pytest says of these tests of the copy, up to the first that fails."""
    command = (sys.executable, "-m", "pytest", "-q", "-x", "--tb=no", "-rf", "-p", "no:cacheprovider", *tests)
    searched = os.pathsep.join(str(tree / source) for source in SOURCES)
    environment = os.environ | {"PYTHONPATH": searched}
    running = subprocess.Popen(
        command, cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        return running.communicate(timeout=PATIENCE_SECONDS)[0]
    except subprocess.TimeoutExpired:
        return f"{_ended(running)}\nno end within {PATIENCE_SECONDS} s"
    except BaseException:
        _ended(running)
        raise


def _ended(running: subprocess.Popen[str]) -> str:
    running.send_signal(signal.SIGTERM)
    try:
        return running.communicate(timeout=LAST_WISHES_SECONDS)[0]
    except subprocess.TimeoutExpired:
        running.kill()
        return running.communicate()[0]


def _ran_green(said: str) -> bool:
    return bool(re.search(r"^\d+ passed", said, re.MULTILINE)) and not re.search(r"\d+ (failed|error)", said)


@contextmanager
def _copy_of_the_tree() -> Iterator[Path]:
    with TemporaryDirectory(prefix="sealwork-guards-") as folder:
        tree = Path(folder)
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / name, tree / name)
        yield tree


def _text_of(tree: Path, place: Place) -> str:
    return (tree / MIGRATIONS / place.migration).read_text(encoding="utf-8")


def _line(place: Place) -> str:
    """Return the guard, and the migration and line where it begins."""
    before, _, _ = _text_of(ROOT, place).partition(place.text)
    where = f"{place.migration}:{before.count(chr(10)) + 1}"
    return f"{place.guard:56}  {where:19}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
