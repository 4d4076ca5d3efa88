"""What every engine answers to several submissions at once. Fixture: `deployment`, empty."""

from __future__ import annotations

from sealing import ONBOARDING, ORIGIN, TENANT, Deployment, accepted
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.envelope import genesis
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import RefusalCode, Refused


class EventSubmitterContract:
    """One answer each, in order, and nobody pays for another."""

    def test_a_bad_item_loses_none_of_the_others(self, deployment: Deployment) -> None:
        definition = where_people_work(deployment)
        standing = beginning(deployment, definition, "standing")
        receipt = accepted(deployment.process_event(standing))
        good = [beginning(deployment, definition, f"c-{number}") for number in range(5)]
        bad = {
            "malformed": good[0].model_copy(update={"intent": good[0].intent[:-1]}),
            "stale": beginning(
                deployment, definition, "standing", seq=1, prev=genesis(ORIGIN, TENANT, "process/standing")
            ),
            "forbidden": beginning(deployment, definition, "forbidden", by="ana"),
            "duplicate": standing,
        }
        mixed = [item for pair in zip(good, bad.values(), strict=False) for item in pair]

        answers = deployment.submitter.submit([*mixed, good[-1]])

        assert [answer.code if isinstance(answer, Refused) else answer.receipt.stream for answer in answers] == [
            "process/c-0",
            RefusalCode.NOT_CANONICAL,
            "process/c-1",
            RefusalCode.STALE_HEAD,
            "process/c-2",
            RefusalCode.WRONG_ROLE,
            "process/c-3",
            "process/standing",
            "process/c-4",
        ]
        assert answers[-2] == Appended(receipt=receipt, duplicate=True)
        assert [answer.duplicate for answer in answers[::2] if isinstance(answer, Appended)] == [False] * 5
        lengths = {head.stream: head.seq for head in deployment.log.streams(TENANT) if "process/" in head.stream}
        assert lengths == {f"process/{name}": 1 for name in ("standing", "c-0", "c-1", "c-2", "c-3", "c-4")}
        assert deployment.verify().intact


def where_people_work(deployment: Deployment) -> DefinitionRef:
    """Let maria (intake) and ana (analyst) work by ONBOARDING."""
    deployment.bootstrap()
    deployment.admit("maria", KeyClass.PERSON, "intake")
    deployment.admit("ana", KeyClass.PERSON, "analyst")
    return deployment.published(ONBOARDING)


def beginning(
    deployment: Deployment, definition: DefinitionRef, process_id: str, by: str = "maria", **members: object
) -> Submission:
    """The submission that begins a process; `members` as in `Deployment.intent`."""
    return deployment.submission(f"process/{process_id}", "start", by, definition=definition, **members)
