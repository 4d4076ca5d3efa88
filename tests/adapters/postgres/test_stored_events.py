"""The log as the PostgreSQL recorder of `eventsourcing` itself reads it, with SELECT alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from eventsourcing.persistence import EventStore
from eventsourcing.postgres import PostgresAggregateRecorder, PostgresDatastore
from psycopg.conninfo import conninfo_to_dict

from scribe import Scribe
from sealing import Deployment, a_deployment
from sealwork.adapters.event_log.mapper import SealedMapper
from sealwork.adapters.postgres.database import Database, Role


@pytest.fixture
def deployment(database: Database) -> Deployment:
    """A deployment where all kinds of events were appended."""
    deployment = a_deployment(database)
    deployment.begin("c-1")
    deployment.take("c-1", "submit", "maria")
    deployment.fire_due()
    scribe = Scribe(deployment)
    scribe.append(scribe.without_intent(scribe.item("rules/set"), scribe.write("rule/rul_1")))
    return deployment


@pytest.fixture
def theirs(
    deployment: Deployment, conninfo: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[PostgresAggregateRecorder]:
    """The library's recorder over that deployment, with the rights of a reader."""
    monkeypatch.setenv("PGOPTIONS", f"-c role={Role.READER}")
    place = conninfo_to_dict(conninfo)
    datastore = PostgresDatastore(
        dbname=str(place["dbname"]),
        host=str(place["host"]),
        port=str(place["port"]),
        user=str(place["user"]),
        password="",
        schema="sealwork",
        originator_id_type="text",
    )
    yield PostgresAggregateRecorder(datastore)
    datastore.close()


def test_the_library_reads_the_log_as_it_is(deployment: Deployment, theirs: PostgresAggregateRecorder) -> None:
    store = EventStore[str](mapper=SealedMapper(), recorder=theirs)

    heads = list(deployment.log.streams())

    assert {head.stream for head in heads} >= {"actors/registry", "process/c-1", "rules/set"}
    for head in heads:
        ours = deployment.log.load(head.tenant, head.stream, list)
        assert list(store.get(f"{head.tenant}:{head.stream}")) == ours


def test_signed_bytes_are_kept_as_they_are_and_not_as_jsonb_would_write_them(emptied: Database) -> None:
    # ledger case 14
    deployment = a_deployment(emptied)
    deployment.begin("c-1")
    deployment.take("c-1", "submit", "maria", {"aa": 1, "b": 2, "none": None, "small": 1e-7})

    with emptied.owner() as owner:
        row = owner.execute(
            "SELECT intent, convert_from(intent, 'UTF8')::jsonb->>'input' FROM sealwork.events "
            "WHERE stream = 'process/c-1' AND seq = 2"
        ).fetchone()

    assert row is not None
    assert b'"input":{"aa":1,"b":2,"none":null,"small":1e-7}' in row[0]
    assert row[1] == '{"b": 2, "aa": 1, "none": null, "small": 0.0000001}'
    assert deployment.verify().intact


def test_the_library_selects_as_we_do(deployment: Deployment, theirs: PostgresAggregateRecorder) -> None:
    ours = deployment.log.load("acme", "process/c-1", list)
    store = EventStore[str](mapper=SealedMapper(), recorder=theirs)

    assert list(store.get("acme:process/c-1", gt=1, lte=2)) == ours[1:2]
    assert list(store.get("acme:process/c-1", desc=True, limit=1)) == ours[-1:]
    assert list(store.get("acme:process/unknown")) == []
