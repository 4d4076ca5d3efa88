from __future__ import annotations

import pytest

from contracts.evidence import EvidenceContract, with_a_story
from rewriting import rewriting
from scribe import Scribe, timer
from sealing import TENANT, Deployment
from sealwork.adapters.postgres import recorder
from sealwork.adapters.postgres.database import Database
from sealwork.application.ports.evidence import Misread


class TestEvidence(EvidenceContract):
    """What proofs read is all there, as of one moment."""


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("hash", "sha256('other')"),
        ("prev", "sha256('other')"),
        ("id", "gen_random_uuid()"),
        ("work_id", "gen_random_uuid()"),
        ("occurrence", "2"),
        ("recorded_at", "recorded_at - interval '1 microsecond'"),
        ("doc", 'doc || \'{"actor": "nobody"}\''),
    ],
)
def test_a_column_that_says_something_else_is_told(
    emptied: Database, deployment: Deployment, column: str, value: str
) -> None:
    with_a_story(deployment)
    where = "stream = 'process/c-1' AND seq = 3"
    with rewriting(emptied) as owner:
        owner.execute(f"UPDATE sealwork.events SET {column} = {value} WHERE {where}".encode())

    with deployment.log.as_of_now() as evidence:
        told = list(evidence.misread())
        elsewhere = list(evidence.misread("globex"))

    assert told == [Misread(TENANT, "process/c-1", 3, column)]
    assert elsewhere == []


def test_bytes_that_cannot_be_read_are_left_to_those_who_read_bytes(
    emptied: Database, deployment: Deployment
) -> None:
    with_a_story(deployment)
    with rewriting(emptied) as owner:
        owner.execute("UPDATE sealwork.events SET record = '{', intent = '\\xff' WHERE stream = 'process/c-1'")

    with deployment.log.as_of_now() as evidence:
        assert list(evidence.misread()) == []


@pytest.mark.parametrize("page", [1, 2, 3, 4])
def test_all_work_rows_come_however_many_there_are(
    deployment: Deployment, scribe: Scribe, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scribe.write("process/p-1", timer("one"), timer("two"), timer("three"))
    monkeypatch.setattr(recorder, "_PAGE", page)

    with deployment.log.as_of_now() as evidence:
        rows = list(evidence.work(TENANT, "process/p-1"))

    assert len(rows) == 3


def test_an_edited_actor_is_listed_as_the_table_says(emptied: Database, deployment: Deployment) -> None:
    with_a_story(deployment)
    maria = deployment.key("maria").actor
    with rewriting(emptied) as owner:
        owner.execute("UPDATE sealwork.actors SET roles = '{chief}' WHERE key = %s", (maria,))

    with deployment.log.as_of_now() as evidence:
        keys = evidence.listed_keys(TENANT)

    assert keys is not None
    assert {key.key: key.roles for key in keys}[maria] == {"chief"}
