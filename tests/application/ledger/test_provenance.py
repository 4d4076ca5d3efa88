"""Who may claim to act for a work row, and what the claim must say. Source: X-01, X-02, X-27, X-36; S1-084."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from open_box import OpenBox, an_open_box
from sealing import ONBOARDING, accepted, signed
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.submission import Submission
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.work.provenance import fired_input
from sealwork.domain.work.work_row import ClaimedWork

HERE = "/input/meta/automation"
RESERVED, NOT_CLAIMED = RefusalCode.RESERVED_INPUT, RefusalCode.NOT_CLAIMED
ACTIONS = ONBOARDING["actions"]
assert isinstance(ACTIONS, dict)
SCREEN = ACTIONS["screen"]
assert isinstance(SCREEN, dict)
WITH_DATA: JsonObject = {
    **ONBOARDING,
    "actions": {**ACTIONS, "screen": {**SCREEN, "auto": {"data": {"list": "eu", "meta": {"sent": True}}}}},
}
"""As ONBOARDING, but `screen` is queued with data, part of them under `meta`."""


def a_box_with_work() -> OpenBox:
    """A deployment where c-1 and c-2 wait to be screened."""
    box = an_open_box(WITH_DATA)
    for process in ("c-1", "c-2"):
        box.begin(process)
        box.take(process, "submit", "maria")
    return box


def claims(box: OpenBox) -> dict[str, ClaimedWork]:
    """Both rows, claimed under one lease, by process."""
    works = box.store.claim([box.tenant], limit=50, token=uuid4(), lease=timedelta(minutes=1))
    return {work.row.stream: work for work in works}


def a_claim(box: OpenBox) -> ClaimedWork:
    """The claimed row of c-1."""
    return claims(box)["process/c-1"]


def input_of(box: OpenBox, work: ClaimedWork) -> JsonObject:
    """What the worker must write to fire `work`."""
    return fired_input(work.row, box.key("automation").actor)


def firing(box: OpenBox, work: ClaimedWork, input_: JsonObject, **others: object) -> Submission:
    """An attempt to fire `work` with `input_`."""
    members = {"definition": work.definition, "action": work.row.action, "input": input_} | others
    stream, action = str(members.pop("stream", work.row.stream)), str(members.pop("action"))
    return signed(
        box.intent(stream, action, "automation", **members), box.key("automation"), lease=work.lease_token
    )


def is_refused(box: OpenBox, submission: Submission, code: RefusalCode, pointer: str) -> None:
    """The answer is this refusal, and nothing was written."""
    before = box.picture()
    answer = box.process_event(submission)
    assert isinstance(answer, Refused), answer
    assert (answer.code, answer.pointer) == (code, pointer)
    assert box.picture() == before


def test_what_the_row_gives_is_accepted() -> None:
    box = a_box_with_work()
    work = a_claim(box)

    assert accepted(box.process_event(firing(box, work, input_of(box, work)))).seq == 3


@pytest.mark.parametrize(
    ("input_", "pointer"),
    [
        ({"meta": {"automation": {"kind": "auto_action"}}}, HERE),
        ({"meta": {"automation": None}}, HERE),
        ({"_automation": {}}, "/input/_automation"),
        ({"meta": {"_automation": True}}, "/input/meta/_automation"),
    ],
    ids=["a claim", "null", "the second name", "the second name under meta"],
)
def test_a_person_writes_no_provenance(input_: JsonObject, pointer: str) -> None:
    box = an_open_box()
    box.begin("c-1")
    definition = box.definitions.find(box.tenant, "customer/onboarding")

    submission = box.submission("process/c-1", "submit", "maria", definition=definition, input=input_)

    is_refused(box, submission, RESERVED, pointer)


def test_a_person_may_write_anything_else_under_meta() -> None:
    box = an_open_box()
    box.begin("c-1")

    assert box.take("c-1", "submit", "maria", {"meta": {"channel": "branch", "automate": True}}).seq == 2


def test_a_person_cannot_fire_a_row_even_with_its_lease_and_its_provenance() -> None:
    box = a_box_with_work()
    work = a_claim(box)
    input_ = fired_input(work.row, box.key("ana").actor)
    intent = box.intent("process/c-1", "screen", "ana", definition=work.definition, input=input_)

    is_refused(box, signed(intent, box.key("ana"), lease=work.lease_token), RESERVED, HERE)


@pytest.mark.parametrize(
    "input_",
    [
        {},
        {"meta": {}},
        {"meta": {"automation": {}}},
        {"meta": {"automation": {"work_id": str(UUID(int=7))}}},
        {"meta": {"automation": {"work_id": str(UUID(int=7)), "occurrence": 0}}},
        {"meta": {"automation": {"work_id": str(UUID(int=7)), "occurrence": True}}},
        {"meta": {"automation": {"work_id": str(UUID(int=7)), "occurrence": "1"}}},
        {"meta": {"automation": {"work_id": 7, "occurrence": 1}}},
        {"meta": {"automation": [str(UUID(int=7)), 1]}},
    ],
    ids=str,
)
def test_an_automation_key_that_names_no_row_is_refused(input_: JsonObject) -> None:
    box = a_box_with_work()

    is_refused(box, firing(box, a_claim(box), input_), RESERVED, HERE)


@pytest.mark.parametrize("work_id", [str(UUID(int=7)), "no id at all"])
def test_a_row_that_is_not_there_is_not_claimed(work_id: str) -> None:
    box = a_box_with_work()
    input_: JsonObject = {"meta": {"automation": {"work_id": work_id, "occurrence": 1}}}

    is_refused(box, firing(box, a_claim(box), input_), NOT_CLAIMED, HERE)


def test_the_row_of_another_process_is_not_claimed_for_this_one() -> None:
    box = a_box_with_work()
    work = claims(box)["process/c-2"]

    is_refused(box, firing(box, work, input_of(box, work), stream="process/c-1"), NOT_CLAIMED, HERE)


@pytest.mark.parametrize("lease", [None, uuid4()], ids=["none", "another"])
def test_without_the_lease_of_the_row_nothing_is_claimed(lease: UUID | None) -> None:
    box = a_box_with_work()
    work = a_claim(box)
    submission = firing(box, work, input_of(box, work))

    is_refused(box, submission.model_copy(update={"lease": lease}), NOT_CLAIMED, HERE)


def test_a_row_that_nobody_claimed_is_not_fired() -> None:
    box = a_box_with_work()
    (row,) = box.rows("c-1")
    definition = box.definitions.find(box.tenant, "customer/onboarding")
    input_ = fired_input(row, box.key("automation").actor)

    submission = box.submission("process/c-1", "screen", "automation", definition=definition, input=input_)

    is_refused(box, submission, NOT_CLAIMED, HERE)


def test_a_lease_is_no_permission_for_another_action() -> None:
    box = a_box_with_work()
    work = a_claim(box)

    is_refused(box, firing(box, work, input_of(box, work), action="escalate"), RESERVED, "/action")


CLAIMED_MEMBERS = (
    "available_state",
    "depth",
    "fired_by_actor",
    "kind",
    "occurrence",
    "queued_at",
    "queued_by_action",
    "queued_by_actor",
    "queued_by_event_hash",
    "reason",
)
"""All but `work_id`, which names another row when it changes."""


def claim_with(input_: JsonObject, **members: JsonValue) -> JsonObject:
    """`input_` with other members in its claim; None leaves one out."""
    meta = input_["meta"]
    assert isinstance(meta, dict)
    claim = meta["automation"]
    assert isinstance(claim, dict)
    changed: JsonObject = {name: value for name, value in (claim | members).items() if value is not None}
    return {**input_, "meta": {**meta, "automation": changed}}


def test_every_member_of_the_claim_is_known_to_these_tests() -> None:
    box = a_box_with_work()
    input_ = input_of(box, a_claim(box))
    meta = input_["meta"]
    assert isinstance(meta, dict)
    assert isinstance(meta["automation"], dict)

    assert meta["automation"].keys() == {*CLAIMED_MEMBERS, "work_id"}
    assert (input_["list"], meta["sent"]) == ("eu", True)


@pytest.mark.parametrize("name", CLAIMED_MEMBERS)
def test_a_claim_that_differs_from_the_row_in_one_value_is_refused(name: str) -> None:
    box = a_box_with_work()
    work = a_claim(box)

    changed = claim_with(input_of(box, work), **{name: 2 if name in ("occurrence", "depth") else "else"})

    is_refused(box, firing(box, work, changed), RESERVED, f"{HERE}/{name}")


@pytest.mark.parametrize("name", [name for name in CLAIMED_MEMBERS if name != "occurrence"])
def test_a_claim_that_leaves_a_value_out_is_refused(name: str) -> None:
    box = a_box_with_work()
    work = a_claim(box)

    is_refused(box, firing(box, work, claim_with(input_of(box, work), **{name: None})), RESERVED, f"{HERE}/{name}")


def test_true_is_not_one() -> None:
    box = a_box_with_work()
    work = a_claim(box)

    is_refused(box, firing(box, work, claim_with(input_of(box, work), depth=True)), RESERVED, f"{HERE}/depth")


@pytest.mark.parametrize(
    ("others", "pointer"),
    [
        ({"list": "us"}, "/input/list"),
        ({"more": 1}, "/input/more"),
        ({"_automation": 1}, "/input/_automation"),
    ],
    ids=str,
)
def test_the_data_of_the_row_are_signed_as_they_are(others: JsonObject, pointer: str) -> None:
    box = a_box_with_work()
    work = a_claim(box)

    is_refused(box, firing(box, work, {**input_of(box, work), **others}), RESERVED, pointer)


def test_nothing_is_added_beside_the_claim() -> None:
    box = a_box_with_work()
    work = a_claim(box)
    input_ = input_of(box, work)
    meta = input_["meta"]
    assert isinstance(meta, dict)

    is_refused(box, firing(box, work, {**input_, "meta": {**meta, "more": 1}}), RESERVED, "/input/meta/more")
    is_refused(box, firing(box, work, claim_with(input_, more=1)), RESERVED, f"{HERE}/more")
