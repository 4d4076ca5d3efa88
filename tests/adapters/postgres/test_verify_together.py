"""Several processes that verify one log: the same report as one makes, of one moment, whatever is found."""

from __future__ import annotations

import pytest

from rewriting import rewriting
from sealing import ONBOARDING, TENANT, Deployment
from sealwork.adapters.entrypoints.verify_together import VerifyTogether
from sealwork.adapters.postgres.database import Database
from sealwork.domain.errors import Unavailable
from sealwork.domain.ledger.actors import KeyClass


@pytest.fixture
def busy(deployment: Deployment) -> Deployment:
    """Ten processes, each of which the machine has screened."""
    deployment.bootstrap()
    deployment.admit("maria", KeyClass.PERSON, "intake")
    deployment.published(ONBOARDING)
    for number in range(10):
        deployment.begin(f"c-{number}")
        deployment.take(f"c-{number}", "submit", "maria")
    deployment.fire_due()
    return deployment


def together(deployment: Deployment, database: Database) -> VerifyTogether:
    root = deployment.key("root").actor
    return VerifyTogether(deployment.verify, lambda: database, origin=deployment.origin, root=root)


def test_what_many_find_is_what_one_finds(emptied: Database, busy: Deployment) -> None:
    with rewriting(emptied) as owner:
        owner.execute("DELETE FROM sealwork.scheduled_actions WHERE process_id IN ('c-3', 'c-4')")
        owner.execute(
            "UPDATE sealwork.events SET intent_sig = record_sig WHERE stream = 'process/c-7' AND seq = 2"
        )
        owner.execute("UPDATE sealwork.actors SET label = 'eve' WHERE label = 'maria'")

    alone, shared = busy.verify(), together(busy, emptied)(shares=3)

    assert not alone.intact
    assert shared.model_copy(update={"findings": ()}) == alone.model_copy(update={"findings": ()})
    assert sorted(map(str, shared.findings)) == sorted(map(str, alone.findings))


def test_who_waits_is_told_how_far_it_has_come(emptied: Database, busy: Deployment) -> None:
    told: list[int] = []

    report = together(busy, emptied)(shares=2, heard=told.append)

    assert report.intact
    assert 0 <= sum(told) <= report.events == together(busy, emptied).size()


def test_a_tenant_without_events_is_a_finding_once(emptied: Database, busy: Deployment) -> None:
    report = together(busy, emptied)("nobody", shares=2)

    assert [finding.code for finding in report.findings] == ["nothing_checked"]
    assert together(busy, emptied)(TENANT, shares=2).intact


def test_a_server_that_goes_away_is_told(busy: Deployment) -> None:
    with Database("host=127.0.0.1 port=1 dbname=nowhere connect_timeout=1") as nowhere, pytest.raises(Unavailable):
        together(busy, nowhere)(shares=2)
