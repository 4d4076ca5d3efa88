"""Both lanes on PostgreSQL, from cause to books, and an audit of the whole store (S1-154, S1-155, S1-157)."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from docs.documents import reference
from sealing import ONBOARDING, Deployment, a_deployment
from sealwork.adapters.postgres.database import Database, Role
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.canonical import canonical
from sealwork.domain.ledger.intent import Intent, parse_intent
from sealwork.domain.work.provenance import fired_input, provenance_of
from sealwork.domain.work.work_row import WorkRow, WorkStatus

ACTIONS = ONBOARDING["actions"]
assert isinstance(ACTIONS, dict)
WORK: JsonObject = {
    **ONBOARDING,
    "actions": {**ACTIONS, "leave": {"role": "analyst", "from": "screening", "to": "done"}},
}
"""As ONBOARDING; `leave` forgets to cancel the deadline."""


@pytest.fixture
def deployment(emptied: Database) -> Deployment:
    """Where c-1 went both lanes, and c-2 has a queue row and a timer that came too late."""
    deployment = a_deployment(emptied, workflow=WORK)
    for process in ("c-1", "c-2"):
        deployment.begin(process)
        deployment.take(process, "submit", "maria")
    deployment.take("c-2", "screen", "ana")
    deployment.fire_due()
    deployment.take("c-2", "leave", "ana")
    deployment.wait(timedelta(hours=49))
    deployment.fire_due()
    return deployment


def rows_of(deployment: Deployment, process_id: str) -> dict[str, WorkRow]:
    """The work rows of a process by their action."""
    return {row.action: row for row in deployment.store.of_process("acme", f"process/{process_id}")}


def unexplained(database: Database) -> list[tuple[object, ...]]:
    """The answer to the query of docs/reference/database.md, asked as a reader."""
    (query,) = re.findall(r"^```sql\n(.*?)^```$", reference("database"), re.MULTILINE | re.DOTALL)
    with database.owner() as connection:
        connection.execute(f"SET ROLE {Role.READER}".encode())
        return connection.execute(query.encode()).fetchall()


def test_both_lanes_fire_once_with_the_provenance_of_their_row(deployment: Deployment) -> None:
    rows, events = rows_of(deployment, "c-1"), deployment.log.load("acme", "process/c-1", list)
    key = deployment.key("automation").actor

    by_hash = {event.hash: event for event in events}
    fired = [by_hash[row.fired_event_hash or ""].read_intent for row in rows.values()]

    assert [row.status for row in rows.values()] == [WorkStatus.COMPLETED, WorkStatus.EXHAUSTED]
    assert len(events) == 4
    for intent, (action, row) in zip(fired, rows.items(), strict=True):
        assert isinstance(intent, Intent)
        assert (intent.key, intent.action, intent.input) == (key, action, fired_input(row, key))
        assert row.caused_by.event_hash in by_hash
    assert deployment.verify().intact


def test_what_came_too_late_is_skipped_with_the_reason_and_absent_from_the_chain(deployment: Deployment) -> None:
    rows, events = rows_of(deployment, "c-2"), deployment.log.load("acme", "process/c-2", list)

    assert {
        action: (row.status, row.attempts, row.last_error, row.fired_event_hash) for action, row in rows.items()
    } == {
        "screen": (WorkStatus.SKIPPED, 1, "wrong_state: screen needs ready; the process is in screening", None),
        "escalate": (WorkStatus.SKIPPED, 1, "wrong_state: escalate needs screening; the process is in done", None),
    }
    intents = [event.read_intent for event in events]
    assert [intent.action for intent in intents if isinstance(intent, Intent)] == [
        "start",
        "submit",
        "screen",
        "leave",
    ]


def test_provenance_survives_in_the_bytes_of_the_event(deployment: Deployment, emptied: Database) -> None:
    rows, key = rows_of(deployment, "c-1"), deployment.key("automation").actor
    with emptied.owner() as owner:
        stored = owner.execute(
            "SELECT work_id, intent FROM sealwork.events WHERE work_id IS NOT NULL ORDER BY seq"
        ).fetchall()

    assert [id_ for id_, _ in stored] == [row.id for row in rows.values()]
    for row, (_, body) in zip(rows.values(), stored, strict=True):
        assert b'"meta":{"automation":' + canonical(provenance_of(row, key)) + b"}" in bytes(body)
        intent = parse_intent(bytes(body))
        assert isinstance(intent, Intent)
        assert intent.to_bytes() == bytes(body)


def test_provenance_stands_in_events_that_were_appended_and_nowhere_else(
    deployment: Deployment, emptied: Database
) -> None:
    with emptied.owner() as owner:
        tables = owner.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'sealwork'::regnamespace AND relkind = 'r'"
        ).fetchall()
        holding = {
            table: len(found)
            for (table,) in tables
            if (found := owner.execute(f"SELECT FROM sealwork.{table} AS t WHERE {_TOLD}".encode()).fetchall())
        }

    assert holding == {"events": 2}


_TOLD = "strpos(t::text, 'fired_by_actor') + strpos(t::text, encode('fired_by_actor', 'hex')) > 0"


def test_every_event_of_the_machine_is_explained_in_the_whole_store(
    emptied: Database, deployment: Deployment
) -> None:
    with emptied.owner() as owner:
        acts = owner.execute("SELECT count(*) FROM sealwork.events WHERE work_id IS NOT NULL").fetchone()

    assert acts == (2,)
    assert unexplained(emptied) == []


@pytest.mark.parametrize(
    "edit",
    [
        "scheduled_actions SET caused_by_action = 'leave'",
        "scheduled_actions SET caused_by_actor = 'ed25519:' || repeat('0', 64)",
        "scheduled_actions SET id = gen_random_uuid()",
        "scheduled_actions SET action = 'screen'",
        "scheduled_actions SET caused_by_event_hash = fired_event_hash WHERE fired_event_hash IS NOT NULL",
    ],
)
@pytest.mark.usefixtures("deployment")
def test_an_event_whose_row_says_otherwise_is_found(emptied: Database, edit: str) -> None:
    with emptied.owner() as owner:
        owner.execute(f"UPDATE sealwork.{edit}".encode())

    assert unexplained(emptied) == [("acme", "process/c-1", 4)]


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE sealwork.actors SET class = 'PERSON' WHERE class = 'AUTOMATION'",
        "DELETE FROM sealwork.actors WHERE class = 'AUTOMATION'",
    ],
)
@pytest.mark.usefixtures("deployment")
def test_what_was_fired_by_a_key_that_is_no_automation_key_is_found(emptied: Database, edit: str) -> None:
    with emptied.owner() as owner:
        owner.execute(edit.encode())

    assert unexplained(emptied) == [("acme", "process/c-1", 3), ("acme", "process/c-1", 4)]
