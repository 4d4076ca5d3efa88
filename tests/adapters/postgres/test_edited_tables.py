"""Whatever the owner of a database edits beside the signed bytes is found, with its code and place.

As in test_decided_again.py, on the rows of a real store.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from process_forger import found
from rewriting import rewriting
from sealing import ONBOARDING, Deployment
from sealwork.adapters.postgres.database import Database
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.proof.findings import FindingCode

F = FindingCode
STREAM = "process/c-1"
TIMER = "UPDATE sealwork.scheduled_actions SET"
QUEUED = "UPDATE sealwork.automation_queue SET"
EVENT = "UPDATE sealwork.events SET"
THIRD = "WHERE stream = 'process/c-1' AND seq = 3"
EDITS = [
    ("DELETE FROM sealwork.scheduled_actions", {(F.ROW_MISSING, STREAM, 3)}),
    (f"{TIMER} run_at = run_at + interval '1 hour'", {(F.ROW_DIFFERS, STREAM, 3)}),
    (f"{TIMER} every_seconds = 60", {(F.ROW_DIFFERS, STREAM, 3)}),
    (f"{TIMER} count = 1", {(F.ROW_DIFFERS, STREAM, 3)}),
    (f"{TIMER} misfire = 'skip'", {(F.ROW_DIFFERS, STREAM, 3)}),
    (f"{TIMER} action = 'clear'", {(F.ROW_DIFFERS, STREAM, 3)}),
    (f"{TIMER} data = '{{}}'", {(F.ROW_DIFFERS, STREAM, 3)}),
    (f"{TIMER} schedule_id = 'other'", {(F.ROW_DIFFERS, STREAM, 3)}),
    (f"{TIMER} caused_by_actor = 'ed25519:' || repeat('0', 64)", {(F.ROW_DIFFERS, STREAM, 3)}),
    (f"{TIMER} caused_by_at = caused_by_at - interval '1 day'", {(F.ROW_DIFFERS, STREAM, 3)}),
    (f"{TIMER} caused_by_seq = 2", {(F.ROW_UNFOUNDED, STREAM, 2), (F.ROW_MISSING, STREAM, 3)}),
    (f"{TIMER} id = gen_random_uuid()", {(F.ROW_UNFOUNDED, STREAM, 3), (F.ROW_MISSING, STREAM, 3)}),
    (f"{TIMER} status = 'cancelled', cancel_reason = 'cancelled'", {(F.ROW_DIFFERS, STREAM, 3)}),
    (f"{TIMER} fired_event_hash = sha256(''), fired_at = run_at", {(F.ROW_DIFFERS, STREAM, 3)}),
    (f"{TIMER} run_at = 'infinity'", {(F.ROW_DIFFERS, STREAM, 3)}),
    (f"{TIMER} run_at = '4000-01-01 BC'", {(F.ROW_DIFFERS, STREAM, 3)}),
    (f"{TIMER} data = '[1]'", {(F.ROW_DIFFERS, STREAM, 3)}),
    (f"{TIMER} data = '{{\"reason\": 1e400}}'", {(F.ROW_DIFFERS, STREAM, 3)}),
    (f"{TIMER} data = '{{\"reason\": 9007199254740993}}'", {(F.ROW_DIFFERS, STREAM, 3)}),
    (f"{TIMER} occurrence = 2147483647", {(F.ROW_DIFFERS, STREAM, 3)}),
    (f"{TIMER} status = 'exhausted'", {(F.ROW_DIFFERS, STREAM, 3)}),
    (f"{TIMER} stream = 'process/zzz'", {(F.ROW_MISSING, STREAM, 3), (F.ROW_UNFOUNDED, "process/zzz", 3)}),
    (
        f"{TIMER} data = ('[' || repeat('[', 3000) || repeat(']', 3000) || ']')::jsonb",
        {(F.ROW_DIFFERS, STREAM, 3)},
    ),
    (f"{TIMER} data = ('{{\"reason\": ' || repeat('9', 10000) || '}}')::jsonb", {(F.ROW_DIFFERS, STREAM, 3)}),
    (
        "UPDATE sealwork.actors SET roles = '{NULL}' WHERE label = 'maria'",
        {(F.ACTORS_DIFFER, "actors/registry", 4)},
    ),
    (
        "UPDATE sealwork.actors SET compromised_since = 'infinity' WHERE label = 'maria'",
        {(F.ACTORS_DIFFER, "actors/registry", 4)},
    ),
    (
        f"{EVENT} record = convert_to(repeat('[', 100000) || repeat(']', 100000), 'UTF8') {THIRD}",
        {(F.RECORD_UNREADABLE, STREAM, 3)},
    ),
    (f"{EVENT} seq = -3 WHERE stream = '{STREAM}' AND seq = 2", {(F.EVENTS_MISSING, STREAM, -3)}),
    ("DELETE FROM sealwork.automation_queue", {(F.ROW_MISSING, STREAM, 2)}),
    (f"{QUEUED} status = 'skipped', fired_event_hash = NULL, fired_at = NULL", {(F.NOT_PROMISED, STREAM, 3)}),
    (f"{QUEUED} depth = 0", {(F.ROW_DIFFERS, STREAM, 2)}),
    (f"{QUEUED} reason = 'because'", {(F.ROW_DIFFERS, STREAM, 2)}),
    (f"{QUEUED} source = 'rul_1', rule_version = 1", {(F.ROW_DIFFERS, STREAM, 2)}),
    (
        "UPDATE sealwork.actors SET roles = '{chief}' WHERE label = 'maria'",
        {(F.ACTORS_DIFFER, "actors/registry", 4)},
    ),
    (
        "UPDATE sealwork.actors SET status = 'retired', ended_at_seq = 3 WHERE label = 'maria'",
        {(F.ACTORS_DIFFER, "actors/registry", 4)},
    ),
    ("DELETE FROM sealwork.actors WHERE label = 'maria'", {(F.ACTORS_DIFFER, "actors/registry", 4)}),
    (f"UPDATE sealwork.heads SET state = 'x' WHERE stream = '{STREAM}'", {(F.STATE_DIFFERS, STREAM, 3)}),
    (f"UPDATE sealwork.heads SET seq = 2 WHERE stream = '{STREAM}'", {(F.HEAD_DIFFERS, STREAM, 2)}),
    (f"{EVENT} id = gen_random_uuid() {THIRD}", {(F.COLUMN_DIFFERS, STREAM, 3)}),
    (f"{EVENT} work_id = NULL, occurrence = NULL {THIRD}", {(F.COLUMN_DIFFERS, STREAM, 3)}),
    (f"{EVENT} recorded_at = now() {THIRD}", {(F.COLUMN_DIFFERS, STREAM, 3)}),
    (
        f"{EVENT} intent = overlay(intent PLACING '\\x00'::bytea FROM 9) {THIRD}",
        {(F.INTENT_UNREADABLE, STREAM, 3)},
    ),
    (
        f"{EVENT} record_sig = overlay(record_sig PLACING '\\x00ff'::bytea FROM 9) {THIRD}",
        {(F.ENGINE_SIGNATURE, STREAM, 3)},
    ),
    (
        f"{EVENT} intent_sig = overlay(intent_sig PLACING '\\x00ff'::bytea FROM 9) {THIRD}",
        {(F.INTENT_REPLACED, STREAM, 3), (F.ACTOR_SIGNATURE, STREAM, 3)},
    ),
    (
        "DELETE FROM sealwork.documents",
        {(F.DOCUMENT_DIFFERS, "workflow/customer/onboarding", 1)},
    ),
    (f"DELETE FROM sealwork.events {THIRD}", {(F.HEAD_DIFFERS, STREAM, 3)}),
    (f"DELETE FROM sealwork.events WHERE stream = '{STREAM}' AND seq = 2", {(F.EVENTS_MISSING, STREAM, 3)}),
    (f"{EVENT} stream = 'process/c-9' WHERE stream = '{STREAM}'", {(F.HEAD_DIFFERS, STREAM, 3)}),
]


@pytest.fixture
def story(deployment: Deployment) -> Deployment:
    """The machine has screened c-1, and its deadline runs."""
    deployment.bootstrap()
    deployment.admit("maria", KeyClass.PERSON, "intake")
    deployment.published(ONBOARDING)
    deployment.begin("c-1")
    deployment.take("c-1", "submit", "maria")
    deployment.fire_due()
    return deployment


@pytest.mark.parametrize(("statement", "expected"), EDITS, ids=[statement for statement, _ in EDITS])
def test_an_edited_table_is_found(
    emptied: Database, story: Deployment, statement: str, expected: set[tuple[FindingCode, str, int]]
) -> None:
    with rewriting(emptied) as owner:
        owner.execute(statement.encode())

    assert found(story.verify()) >= expected


def test_a_store_that_nobody_edited_is_intact(story: Deployment) -> None:
    story.wait(timedelta(hours=49))
    story.fire_due()

    report = story.verify()

    assert report.findings == ()
    assert (report.decided, report.rows) == (report.events, 2)


def test_the_last_event_of_a_chain_that_others_do_not_name_is_missed_only_by_its_rows(
    emptied: Database, story: Deployment
) -> None:
    """Head, state and event set back to before: links are whole, but the rows of the event are still there."""
    with rewriting(emptied) as owner:
        owner.execute(f"DELETE FROM sealwork.events {THIRD}".encode())
        owner.execute(
            f"UPDATE sealwork.heads SET seq = 2, hash = (SELECT hash FROM sealwork.events "
            f"WHERE stream = '{STREAM}' AND seq = 2) WHERE stream = '{STREAM}'".encode()
        )

    assert (F.ROW_UNFOUNDED, STREAM, 3) in found(story.verify())
