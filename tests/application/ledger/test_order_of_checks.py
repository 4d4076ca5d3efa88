"""The checks of `process_event` and their order: each alone, and every two at once, where the earlier answers.

Source: events.md, "Order of checks in `process_event`".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import combinations

import pytest

from open_box import OpenBox, an_open_box
from sealing import START, accepted, key_of
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import canonical
from sealwork.domain.ledger.intent import Intent, signed_intent_bytes
from sealwork.domain.ledger.submission import Submission
from sealwork.domain.refusals import RefusalCode, Refused

CASES: JsonObject = {
    "path": "order/case",
    "states": {"draft": {}, "ready": {}, "screened": {"terminal": True}, "done": {"terminal": True}},
    "actions": {
        "start": {"type": "create", "role": "intake", "to": "draft", "mutate": {"$set": {"file": "complete"}}},
        "note": {"type": "update", "role": "intake", "from": "draft"},
        "submit": {"role": "intake", "from": "draft", "to": "ready"},
        "screen": {"role": ["analyst", "AUTOMATION"], "auto": True, "from": "ready", "to": "screened"},
        "spoil": {"role": "intake", "from": "draft", "to": "done", "mutate": {"$set": {"file.page": 1}}},
        "spoil_later": {"role": "intake", "from": "ready", "to": "done", "mutate": {"$set": {"file.page": 1}}},
        "spoil_all": {"role": "analyst", "from": "ready", "to": "done", "mutate": {"$set": {"file.page": 1}}},
    },
}
"""`file` is text, so nothing can be set inside it. In `spoil_all` role and state are wrong as well."""


@dataclass
class Letter:
    """What is submitted: by default something that is accepted, maria's note on c-1."""

    box: OpenBox
    members: JsonObject
    by: str = "maria"
    rewrite: Callable[[bytes], bytes] = field(default=lambda body: body)
    resign: Callable[[bytes], bytes] = field(default=lambda signature: signature)

    def sealed(self) -> Submission:
        """Return the submission."""
        key = key_of(self.by)
        body = self.rewrite(canonical({**self.members, "key": key.actor}))
        return Submission(intent=body, signature=self.resign(key.sign(signed_intent_bytes(body))))


def a_letter() -> Letter:
    """Return maria's note on c-1, in a deployment where the machine has screened c-0."""
    box = an_open_box(CASES)
    for process in ("c-0", "c-1"):
        box.begin(process, path="order/case")
    box.take("c-0", "submit", "maria")
    box.fire_due()
    definition = box.definitions.find(box.tenant, "order/case")
    assert not isinstance(definition, Refused)
    intent = box.intent("process/c-1", "note", "maria", definition=definition)
    members: JsonObject = intent.model_dump(mode="json", exclude_none=True)
    return Letter(box, members)


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a letter, and its answer."""

    name: str
    code: RefusalCode
    pointer: str | None
    put: Callable[[Letter], None]


def writes(**members: JsonValue) -> Callable[[Letter], None]:
    """Put other members into the intent."""
    return lambda letter: letter.members.update(members)


def adds_input(**members: JsonValue) -> Callable[[Letter], None]:
    """Put more members into the input."""

    def put(letter: Letter) -> None:
        given = letter.members["input"]
        assert isinstance(given, dict)
        letter.members["input"] = {**given, **members}

    return put


def breaks_the_form(letter: Letter) -> None:
    letter.rewrite = lambda body: b" " + body


def breaks_the_signature(letter: Letter) -> None:
    letter.resign = lambda signature: signature[:-1] + bytes([signature[-1] ^ 1])


def takes_the_id_of_the_first_event(letter: Letter) -> None:
    first = letter.box.events("process/c-1")[0].read_intent
    assert isinstance(first, Intent)
    letter.members["id"] = first.id


def fires_what_was_fired(letter: Letter) -> None:
    (row,) = letter.box.rows("c-0")
    adds_input(meta={"automation": {"work_id": str(row.id), "occurrence": row.occurrence}})(letter)


def signs_as_a_stranger(letter: Letter) -> None:
    letter.by = "stranger"


def signs_with_a_retired_key(letter: Letter) -> None:
    box = letter.box
    accepted(box.actors.retire(box.tenant, box.key("maria").actor, box.key("admin")))


def signs_with_a_revoked_key(letter: Letter) -> None:
    box = letter.box
    accepted(box.actors.revoke(box.tenant, box.key("maria").actor, box.key("admin")))


def names_another_version(letter: Letter) -> None:
    definition = letter.members["definition"]
    assert isinstance(definition, dict)
    letter.members["definition"] = {**definition, "version": 2}


TOO_LARGE = Fault("too large", RefusalCode.TOO_LARGE, None, adds_input(pad="x" * 65_536))
FORM = Fault("not canonical", RefusalCode.NOT_CANONICAL, "", breaks_the_form)
MEMBER = Fault("unknown member", RefusalCode.NOT_CANONICAL, "/colour", writes(colour="red"))
ORIGIN = Fault("foreign origin", RefusalCode.WRONG_ORIGIN, "/origin", writes(origin="other.example/log"))
STREAM = Fault("unknown stream kind", RefusalCode.NOT_CANONICAL, "/stream", writes(stream="invoice/c-1"))
SIGNATURE = Fault("bad signature", RefusalCode.BAD_SIGNATURE, "/key", breaks_the_signature)
SAME_ID = Fault("id in use", RefusalCode.ID_CONFLICT, "/id", takes_the_id_of_the_first_event)
STRANGER = Fault("unknown key", RefusalCode.UNKNOWN_ACTOR, "/key", signs_as_a_stranger)
RETIRED = Fault("retired key", RefusalCode.KEY_RETIRED, "/key", signs_with_a_retired_key)
REVOKED = Fault("revoked key", RefusalCode.KEY_REVOKED, "/key", signs_with_a_revoked_key)
EXPIRED = Fault(
    "expired",
    RefusalCode.EXPIRED_INTENT,
    "/not_after",
    writes(not_after=instant_text(START - timedelta(microseconds=1))),
)
NO_PROCESS = Fault("no process", RefusalCode.NO_PROCESS, "/stream", writes(stream="process/none"))
STALE = Fault("stale head", RefusalCode.STALE_HEAD, "/prev", writes(prev="0" * 64))
DEFINITION = Fault("another definition", RefusalCode.DEFINITION_MISMATCH, "/definition", names_another_version)
NO_ACTION = Fault("unknown action", RefusalCode.NO_ACTION, "/action", writes(action="fly"))
PROVENANCE = Fault(
    "reserved input", RefusalCode.RESERVED_INPUT, "/input/meta/automation", adds_input(meta={"automation": {}})
)
FIRED = Fault("what was fired before", RefusalCode.RESERVED_INPUT, "/input/meta/automation", fires_what_was_fired)
ROLE = Fault("wrong role", RefusalCode.WRONG_ROLE, "/key", writes(action="spoil_all"))
STATE = Fault("wrong state", RefusalCode.WRONG_STATE, "/action", writes(action="spoil_later"))
RESULT = Fault("invalid result", RefusalCode.INVALID_RESULT, "/data/file", writes(action="spoil"))

IN_ORDER: tuple[tuple[Fault, ...], ...] = (
    (TOO_LARGE,),
    (FORM,),
    (MEMBER,),
    (ORIGIN,),
    (STREAM,),
    (SIGNATURE,),
    (SAME_ID,),
    (STRANGER, RETIRED, REVOKED),
    (EXPIRED,),
    (NO_PROCESS,),
    (STALE,),
    (DEFINITION,),
    (NO_ACTION,),
    (PROVENANCE, FIRED),
    (ROLE,),
    (STATE,),
    (RESULT,),
)
"""Faults of one rank exclude each other. Schema, guard and `not_actor` are not executed by this version."""

ALL = [fault for rank in IN_ORDER for fault in rank]
PAIRS = [
    (earlier, later)
    for one, other in combinations(IN_ORDER, 2)
    for earlier in one
    for later in other
    if (earlier, later) != (SAME_ID, NO_PROCESS)  # an id is in use in its own stream only
]


def answer_to(letter: Letter) -> tuple[RefusalCode, str | None]:
    """Return code and pointer of the refusal; nothing may have been written, whatever the answer is."""
    before = letter.box.picture()

    answer = letter.box.process_event(letter.sealed())

    assert letter.box.picture() == before
    assert isinstance(answer, Refused)
    return answer.code, answer.pointer


def test_a_letter_without_a_fault_is_accepted() -> None:
    letter = a_letter()

    assert accepted(letter.box.process_event(letter.sealed())).seq == 2


@pytest.mark.parametrize("fault", ALL, ids=lambda fault: fault.name)
def test_one_fault_is_refused_with_its_code_and_writes_nothing(fault: Fault) -> None:
    letter = a_letter()
    fault.put(letter)

    assert answer_to(letter) == (fault.code, fault.pointer)


@pytest.mark.parametrize(("earlier", "later"), PAIRS, ids=lambda fault: fault.name)
def test_of_two_faults_the_earlier_check_answers(earlier: Fault, later: Fault) -> None:
    letter = a_letter()
    later.put(letter)
    earlier.put(letter)

    assert answer_to(letter) == (earlier.code, earlier.pointer)
