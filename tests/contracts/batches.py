"""Several submissions in one call, told to a whole deployment over any adapters.

Fixture: `deployment`, empty.
"""

from __future__ import annotations

from sealing import ONBOARDING, TENANT, Deployment, accepted, signed
from sealwork.adapters.submitting import InProcess
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import RefusalCode, Refused


class BatchContract:
    """One answer each, as if they came one after the other."""

    def test_none_spoils_another(self, deployment: Deployment) -> None:
        with_processes(deployment, "c-1", "c-2", "c-3", "c-4", "c-5", "c-6")
        done = submitting(deployment, "c-2")
        accepted(deployment.process_event(done))
        behind = submitting(deployment, "c-3")
        deployment.take("c-3", "submit", "maria")
        intent = submitting(deployment, "c-5").intent
        unsigned = Submission(intent=intent, signature=b"\x00" * 64)
        batch = [
            submitting(deployment, "c-1"),
            Submission(intent=intent[:-1], signature=b"\x00" * 64),
            done,
            behind,
            submitting(deployment, "c-4", by="ana"),
            unsigned,
            submitting(deployment, "c-6"),
        ]

        answers = InProcess(deployment.process_event).submit(batch)

        assert [told(answer) for answer in answers] == [
            "appended",
            RefusalCode.NOT_CANONICAL,
            "duplicate",
            RefusalCode.STALE_HEAD,
            RefusalCode.WRONG_ROLE,
            RefusalCode.BAD_SIGNATURE,
            "appended",
        ]
        assert [seq_of(deployment, f"c-{number}") for number in range(1, 7)] == [2, 2, 2, 1, 1, 2]
        assert deployment.verify().intact

    def test_fifty_processes_move_on_together(self, deployment: Deployment) -> None:
        names = [f"c-{number}" for number in range(50)]
        with_processes(deployment, *names)

        answers = deployment.process_event.batch([submitting(deployment, name) for name in names])

        receipts = [accepted(answer) for answer in answers]
        assert [receipt.stream for receipt in receipts] == [f"process/{name}" for name in names]
        assert {receipt.seq for receipt in receipts} == {2}
        assert len(deployment.fire_due()) == 50
        assert deployment.verify().intact

    def test_the_second_for_a_process_is_answered_after_the_first(self, deployment: Deployment) -> None:
        with_processes(deployment, "c-1", "c-2")
        first, other = submitting(deployment, "c-1"), submitting(deployment, "c-1")

        answers = deployment.process_event.batch([first, other, first, submitting(deployment, "c-2")])

        assert [told(answer) for answer in answers] == [
            "appended",
            RefusalCode.STALE_HEAD,
            "duplicate",
            "appended",
        ]
        assert seq_of(deployment, "c-1") == 2

    def test_who_is_admitted_in_a_call_may_act_in_the_rest_of_it(self, deployment: Deployment) -> None:
        with_processes(deployment, "c-1", "c-2")
        granted = {"key": deployment.key("ana").actor, "role": "intake"}
        batch = [
            submitting(deployment, "c-1", by="ana"),
            deployment.submission("actors/registry", "role.grant", "admin", input=granted),
            submitting(deployment, "c-1", by="ana"),
            submitting(deployment, "c-2"),
        ]

        answers = deployment.process_event.batch(batch)

        assert [told(answer) for answer in answers] == [RefusalCode.WRONG_ROLE, "appended", "appended", "appended"]
        assert deployment.verify().intact

    def test_the_same_bytes_again_are_all_duplicates(self, deployment: Deployment) -> None:
        with_processes(deployment, "c-1", "c-2")
        batch = [submitting(deployment, "c-1"), submitting(deployment, "c-2")]
        first = deployment.process_event.batch(batch)

        again = deployment.process_event.batch(batch)

        assert again == [Appended(receipt=accepted(answer), duplicate=True) for answer in first]

    def test_tenants_share_a_call_and_nothing_else(self, deployment: Deployment) -> None:
        with_processes(deployment, "c-1")
        stranger = signed(
            deployment.intent("process/c-1", "submit", "maria", tenant="globex"), deployment.key("maria")
        )

        refused, appended = deployment.process_event.batch([stranger, submitting(deployment, "c-1")])

        assert (told(refused), told(appended)) == (RefusalCode.WRONG_TENANT, "appended")


def with_processes(deployment: Deployment, *names: str) -> None:
    """Admit maria (intake) and ana, and let maria begin these processes."""
    deployment.bootstrap()
    deployment.admit("maria", KeyClass.PERSON, "intake")
    deployment.admit("ana", KeyClass.PERSON, "analyst")
    deployment.published(ONBOARDING)
    for name in names:
        deployment.begin(name)


def submitting(deployment: Deployment, name: str, by: str = "maria") -> Submission:
    """Return somebody's handing in of a process."""
    definition = deployment.definitions.find(TENANT, "customer/onboarding")
    return deployment.submission(f"process/{name}", "submit", by, definition=definition)


def seq_of(deployment: Deployment, name: str) -> int:
    """Return how many events a process has."""
    return deployment.submit.head(TENANT, f"process/{name}").seq


def told(answer: Appended | Refused) -> RefusalCode | str:
    """Return an answer in a word."""
    if isinstance(answer, Refused):
        return answer.code
    return "duplicate" if answer.duplicate else "appended"
