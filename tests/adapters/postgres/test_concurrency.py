"""Many at once: one linear chain, one event for each submission, losers who are told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from uuid import UUID

from scribe import Scribe, auto
from sealing import Deployment, a_deployment
from sealwork.adapters.postgres.database import Database
from sealwork.application.ports.event_log import AppendStatus, Question
from sealwork.application.workflows.decide_process import pinned_definition
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import RefusalCode, Refused
from together import all_at_once

WRITERS, EACH = 8, 50
NOTES: JsonObject = {
    "path": "case/notes",
    "states": {"open": {}},
    "actions": {
        "start": {"type": "create", "role": "intake", "to": "open"},
        "note": {"role": "intake", "from": "open"},
    },
}


def test_of_two_who_write_over_one_head_one_is_stale(scribe: Scribe) -> None:
    for _ in range(20):
        items = [scribe.item("process/p-1"), scribe.item("process/p-1")]
        verdicts = all_at_once([partial(scribe.append, item) for item in items])
        assert sorted(verdict.status for verdict in verdicts) == [AppendStatus.APPENDED, AppendStatus.STALE]

    assert [event.seq for event in scribe.events("process/p-1")] == list(range(1, 21))


def test_of_two_people_who_act_on_one_process_one_is_told_to_look_again(emptied: Database) -> None:
    deployment = a_deployment(emptied)
    for number in range(10):
        deployment.begin(f"c-{number}")
        stream = f"process/c-{number}"
        submissions = [_signed(deployment, stream, "submit") for _ in range(2)]

        answers = all_at_once([partial(deployment.process_event, submission) for submission in submissions])

        (refused,) = (answer for answer in answers if isinstance(answer, Refused))
        assert refused.code is RefusalCode.STALE_HEAD
        assert sum(isinstance(answer, Appended) for answer in answers) == 1
    assert deployment.verify().intact


def test_the_very_same_submission_of_eight_is_one_event_with_one_receipt(emptied: Database) -> None:
    deployment = a_deployment(emptied)
    for number in range(10):
        deployment.begin(f"c-{number}")
        submission = _signed(deployment, f"process/c-{number}", "submit")

        answers = all_at_once([partial(deployment.process_event, submission)] * 8)

        appended = [answer for answer in answers if isinstance(answer, Appended)]
        assert len(appended) == 8
        assert Counter(answer.duplicate for answer in appended) == {False: 1, True: 7}
        assert all(answer.receipt == appended[0].receipt for answer in appended)
        assert len(deployment.log.load("acme", f"process/c-{number}", list)) == 2


def test_eight_writers_of_fifty_make_one_chain_of_four_hundred(emptied: Database) -> None:
    deployment = a_deployment(emptied, workflow=NOTES)
    deployment.begin("c-1", path="case/notes")

    def write() -> int:
        stale = 0
        for _ in range(EACH):
            while True:
                answer = deployment.act("acme", "c-1", "note", deployment.key("maria"), input_={})
                if isinstance(answer, Appended):
                    break
                assert answer.code is RefusalCode.STALE_HEAD
                stale += 1
        return stale

    stale = all_at_once([write] * WRITERS)

    events = deployment.log.load("acme", "process/c-1", list)
    assert [event.seq for event in events] == list(range(1, WRITERS * EACH + 2))
    assert sum(stale) > 0
    assert deployment.verify().intact


def test_workers_who_claim_at_once_share_the_rows(scribe: Scribe) -> None:
    for number in range(60):
        scribe.write(f"process/p-{number}", auto())

    def claim() -> list[UUID]:
        return [work.row.id for _ in range(4) for work in scribe.claim(5)]

    claims = all_at_once([claim] * 6)

    claimed = [id_ for ids in claims for id_ in ids]
    assert len(claimed) == len(set(claimed)) == 60


def test_an_event_that_was_decided_before_an_actor_changed_is_decided_again(emptied: Database) -> None:
    deployment = a_deployment(emptied, workflow=NOTES)
    for number in range(4):
        deployment.begin(f"c-{number}", path="case/notes")

    def act(process_id: str) -> int:
        return len([deployment.take(process_id, "note", "maria") for _ in range(15)])

    def admit() -> int:
        return len([deployment.admit(f"clerk-{number}", KeyClass.PERSON, "intake") for number in range(10)])

    acting: list[Callable[[], int]] = [partial(act, f"c-{number}") for number in range(4)]

    assert sum(all_at_once([admit, *acting])) == 70
    assert deployment.verify().intact


def test_a_key_that_was_revoked_signs_nothing_afterwards(emptied: Database) -> None:
    deployment = a_deployment(emptied, workflow=NOTES)
    deployment.begin("c-1", path="case/notes")

    def act() -> RefusalCode:
        while True:
            answer = deployment.act("acme", "c-1", "note", deployment.key("maria"), input_={})
            if isinstance(answer, Refused):
                return answer.code

    def revoke() -> RefusalCode | None:
        answer = deployment.actors.revoke("acme", deployment.key("maria").actor, deployment.key("admin"))
        return answer.code if isinstance(answer, Refused) else None

    assert all_at_once([act, revoke]) == [RefusalCode.KEY_REVOKED, None]
    assert deployment.verify().intact


def _signed(deployment: Deployment, stream: str, action: str) -> Submission:
    """What maria signs over the present head of a process."""
    head = deployment.log.head(Question(tenant="acme", stream=stream))
    return deployment.submission(stream, action, "maria", definition=pinned_definition(head))
