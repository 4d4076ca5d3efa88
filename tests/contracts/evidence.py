"""What the evidence of every log promises. Fixture: `deployment`, empty."""

from __future__ import annotations

from scribe import HOUR, Scribe, auto, timer
from sealing import ONBOARDING, START, TENANT, Deployment
from sealwork.domain.ids import SYSTEM
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.listed_key import listed
from sealwork.domain.work.misfire import Misfire
from sealwork.domain.work.work_row import Recurrence, StoredWork, WorkStatus

STREAM = "process/p-1"


def with_a_story(deployment: Deployment) -> None:
    """People act, and the machine does."""
    deployment.bootstrap()
    deployment.admit("maria", KeyClass.PERSON, "intake")
    deployment.published(ONBOARDING)
    deployment.begin("c-1")
    deployment.take("c-1", "submit", "maria")
    deployment.fire_due()


class EvidenceContract:
    """A log, and all that stands beside its signed bytes, as of one moment."""

    def test_one_event_is_found_by_its_place(self, deployment: Deployment, scribe: Scribe) -> None:
        first, second = scribe.write(STREAM), scribe.write(STREAM)

        with deployment.log.as_of_now() as evidence:
            found = [evidence.event(TENANT, STREAM, seq) for seq in (1, 2, 3)]
            elsewhere = evidence.event("globex", STREAM, 1), evidence.event(TENANT, "process/p-2", 1)

        assert [event.hash if event else None for event in found] == [first.hash, second.hash, None]
        assert elsewhere == (None, None)

    def test_the_head_of_a_stream_is_the_one_that_is_listed(self, deployment: Deployment, scribe: Scribe) -> None:
        scribe.write(STREAM)
        scribe.write(STREAM)

        with deployment.log.as_of_now() as evidence:
            (listed,) = evidence.streams(TENANT)
            scribe.write(STREAM)
            assert listed.seq == 2
            assert evidence.head_of(TENANT, STREAM) == listed
            assert evidence.head_of("globex", STREAM) is evidence.head_of(TENANT, "process/p-2") is None

    def test_work_rows_come_in_the_order_of_their_causes_with_how_they_go_on(
        self, deployment: Deployment, scribe: Scribe
    ) -> None:
        until = "2026-06-20T10:00:00.000000Z"
        scribe.write(STREAM, timer("late", 5 * HOUR, every=3600, until=until, misfire="skip"))
        scribe.write(STREAM, timer("early", HOUR, every=60, count=3))
        scribe.write(STREAM, auto())
        scribe.write("process/p-2", auto())

        with deployment.log.as_of_now() as evidence:
            stored = [work for work in evidence.work(TENANT, STREAM) if isinstance(work, StoredWork)]

        assert [(work.seq, work.row.schedule_id, work.row.run_at) for work in stored[:2]] == [
            (1, "late", START + 5 * HOUR),
            (2, "early", START + HOUR),
        ]
        assert (stored[2].seq, stored[2].row.action) == (3, "screen")
        assert [work.row for work in stored] == list(deployment.store.of_process(TENANT, STREAM))
        assert [work.recurrence for work in stored] == [
            Recurrence(every=3600, until=START.replace(day=20), misfire=Misfire.SKIP),
            Recurrence(every=60, count=3),
            Recurrence(),
        ]

    def test_what_happens_meanwhile_is_not_seen(self, deployment: Deployment, scribe: Scribe) -> None:
        scribe.write(STREAM, auto())

        with deployment.log.as_of_now() as evidence:
            list(evidence.streams())
            scribe.write(STREAM, auto("other"))
            scribe.claim()
            rows = [work.row for work in evidence.work(TENANT, STREAM) if isinstance(work, StoredWork)]
            second = evidence.event(TENANT, STREAM, 2)

        assert [(row.action, row.status) for row in rows] == [("screen", WorkStatus.PENDING)]
        assert second is None

    def test_listed_keys_are_what_the_chain_says(self, deployment: Deployment) -> None:
        deployment.bootstrap()
        deployment.admit("maria", KeyClass.PERSON, "intake", "analyst")
        deployment.admit("eve", KeyClass.PERSON)
        eve, admin = deployment.key("eve"), deployment.key("admin")
        deployment.actors.retire(TENANT, eve.actor, admin)
        deployment.actors.revoke(TENANT, eve.actor, admin, compromised_since="2026-06-18T09:00:00.000000Z")

        with deployment.log.as_of_now() as evidence:
            tables = {tenant: evidence.listed_keys(tenant) for tenant in (TENANT, SYSTEM)}

        for tenant, keys in tables.items():
            if keys is not None:
                registry = deployment.show_actors(tenant)
                assert list(keys) == [listed(registry.keys[key]) for key in sorted(registry.keys)]

    def test_no_column_says_something_else_than_the_signed_bytes(self, deployment: Deployment) -> None:
        with_a_story(deployment)

        with deployment.log.as_of_now() as evidence:
            assert list(evidence.misread()) == []
            assert list(evidence.misread(TENANT)) == []
