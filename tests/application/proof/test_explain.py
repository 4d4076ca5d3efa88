"""Why something happened: back to the first act that nothing caused."""

from __future__ import annotations

from uuid import UUID

from open_box import OpenBox, a_box_with_a_story, an_open_box
from sealing import TENANT
from sealwork.application.proof.explain import Ladder
from sealwork.domain.json_value import JsonObject
from sealwork.domain.refusals import RefusalCode, Refused

PARENT: JsonObject = {
    "path": "office/order",
    "actions": {
        "start": {"type": "create", "role": "intake", "to": "open"},
        "split": {
            "role": "intake",
            "from": "open",
            "spawn": [{"workflow": "customer/onboarding@1", "action": "start", "id": "part", "data": {}}],
        },
    },
}


def rungs(ladder: Ladder | Refused) -> list[tuple[str, int, str, str]]:
    assert isinstance(ladder, Ladder), ladder
    return [(rung.process_id, rung.event.seq, rung.event.action, rung.event.label) for rung in ladder.rungs]


def why(box: OpenBox, seq: int | None = None) -> Ladder | Refused:
    return box.explain.event(TENANT, "c-1", seq)


def test_a_timer_leads_back_over_automation_to_the_person_who_began_it() -> None:
    box = a_box_with_a_story()

    assert rungs(why(box)) == [
        ("c-1", 4, "escalate", "automation"),
        ("c-1", 3, "screen", "automation"),
        ("c-1", 2, "submit", "maria"),
    ]


def test_what_a_person_did_is_nobodys_consequence() -> None:
    assert rungs(why(a_box_with_a_story(), 2)) == [("c-1", 2, "submit", "maria")]


def test_a_work_row_is_explained_by_the_event_that_made_it() -> None:
    box = a_box_with_a_story()
    row = box.rows("c-1")[-1]

    ladder = box.explain.work(TENANT, "c-1", row.id)

    assert rungs(ladder) == [("c-1", 3, "screen", "automation"), ("c-1", 2, "submit", "maria")]
    assert isinstance(ladder, Ladder)
    assert ladder.work == row


def test_a_child_leads_back_to_its_parent() -> None:
    box = an_open_box()
    box.published(PARENT)
    box.begin("o-1", path="office/order")
    box.take("o-1", "split", "maria")
    (child,) = [head.stream for head in box.log.streams(TENANT) if "/prc_" in head.stream]
    box.take(child.removeprefix("process/"), "submit", "maria")
    box.fire_due()

    ladder = box.explain.event(TENANT, child.removeprefix("process/"))
    began = box.explain.event(TENANT, child.removeprefix("process/"), 1)

    assert [action for _, _, action, _ in rungs(ladder)] == ["screen", "submit"]
    assert [(process, action) for process, _, action, _ in rungs(began)] == [
        (child.removeprefix("process/"), "start"),
        ("o-1", "split"),
    ]


def test_what_is_not_there_cannot_be_explained() -> None:
    box = a_box_with_a_story()

    answers = [why(box, 99), box.explain.event(TENANT, "nobody"), box.explain.work(TENANT, "c-1", UUID(int=1))]

    assert all(isinstance(answer, Refused) and answer.code is RefusalCode.NO_PROCESS for answer in answers)


def test_a_cause_that_is_gone_is_told_and_never_looked_for_twice() -> None:
    """Whoever can edit the store could also write a circle of causes."""
    box = a_box_with_a_story()
    del box.events("process/c-1")[2]

    answer = why(box, 4)

    assert isinstance(answer, Refused)
    assert answer.code is RefusalCode.CHAIN_BROKEN
