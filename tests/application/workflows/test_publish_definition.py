"""Publishing workflows. Source: D-10; X-15; S1-020, S1-133..135."""

from __future__ import annotations

from hashlib import sha256

import pytest

from open_box import OpenBox, an_open_box
from sealing import ONBOARDING, accepted
from sealwork.application.workflows.publish_definition import Invalid, Published
from sealwork.domain.errors import Misconfigured
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.canonical import canonical
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.ledger.record import Record
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.workflows.definition import issues_of

PATH = "customer/onboarding"
STREAM = f"workflow/{PATH}"
SECOND: JsonObject = {**ONBOARDING, "title": "the second version"}


def publish(box: OpenBox, document: JsonValue, by: str = "admin") -> Published | Invalid | Refused:
    """Publish; nothing is written unless something new was published."""
    before = box.picture()
    answer = box.publish(box.tenant, document, box.key(by))
    assert (box.picture() == before) is not (isinstance(answer, Published) and answer.anew)
    return answer


def command(box: OpenBox, action: str, input_: JsonObject, document: bytes | None = None) -> Appended | Refused:
    """The engine's answer to a command whose author did not ask the use case."""
    submission = box.submission(STREAM, action, "admin", input=input_)
    return box.process_event(submission.model_copy(update={"document": document}))


def is_refused(answer: object, code: RefusalCode, pointer: str | None) -> None:
    assert isinstance(answer, Refused), answer
    assert (answer.code, answer.pointer) == (code, pointer)


def test_versions_count_from_one_and_name_their_content() -> None:
    box = an_open_box()

    answer = publish(box, SECOND)

    body = canonical({**SECOND, "version": 2})
    ref = DefinitionRef(path=PATH, version=2, sha256=sha256(body).hexdigest())
    assert answer == Published(ref=ref, anew=True)
    assert box.log.document(box.tenant, ref.sha256) == body
    assert box.definitions.document(box.tenant, ref.sha256) == {**SECOND, "version": 2}
    assert [version.ref.version for version in box.definitions.of(box.tenant, PATH).versions] == [1, 2]


def test_the_state_of_a_definition_counts_its_versions() -> None:
    box = an_open_box()
    publish(box, SECOND)

    record = box.events(STREAM)[-1].read_record

    assert isinstance(record, Record)
    assert record.state.name == "published"
    assert box.chain(STREAM).state == canonical({"data": {"versions": 2}, "state": "published"})


@pytest.mark.parametrize(
    "same",
    [ONBOARDING, {**ONBOARDING, "version": 1}, dict(reversed(ONBOARDING.items()))],
    ids=["as it was", "with its version", "in another order"],
)
def test_the_content_of_the_newest_version_is_not_published_twice(same: JsonObject) -> None:
    box = an_open_box()

    answer = publish(box, same)

    assert isinstance(answer, Published)
    assert (answer.ref.version, answer.anew) == (1, False)


@pytest.mark.parametrize("version", [2, 7])
def test_the_content_of_the_newest_version_does_not_stand_under_another_number(version: int) -> None:
    answer = publish(an_open_box(), {**ONBOARDING, "version": version})

    is_refused(answer, RefusalCode.CONFLICT, "/version")
    assert isinstance(answer, Refused)
    assert "stands as version 1" in answer.detail


def test_the_content_of_an_older_version_may_be_published_again() -> None:
    box = an_open_box()
    publish(box, SECOND)

    answer = publish(box, ONBOARDING)

    assert isinstance(answer, Published)
    assert (answer.ref.version, answer.anew) == (3, True)


def test_another_word_for_data_is_stored_as_data() -> None:
    box = an_open_box()
    actions = ONBOARDING["actions"]
    assert isinstance(actions, dict)
    screen = actions["screen"]
    assert isinstance(screen, dict)
    aliased: JsonObject = {
        **ONBOARDING,
        "actions": {**actions, "screen": {**screen, "auto": {"input": {"list": "eu"}}}},
    }

    answer = publish(box, aliased)

    assert isinstance(answer, Published)
    stored = box.log.document(box.tenant, answer.ref.sha256) or b""
    assert b'"auto":{"data":{"list":"eu"}}' in stored
    assert isinstance(publish(box, aliased), Published)


@pytest.mark.parametrize("version", [1, 3])
def test_a_version_that_is_not_the_next_one_is_a_conflict(version: int) -> None:
    answer = publish(an_open_box(), {**SECOND, "version": version})

    is_refused(answer, RefusalCode.CONFLICT, "/version")
    assert isinstance(answer, Refused)
    assert "the next version of customer/onboarding is 2" in answer.detail


def test_everything_that_is_wrong_is_told_at_once() -> None:
    actions = ONBOARDING["actions"]
    assert isinstance(actions, dict)
    wrong: JsonObject = {
        **ONBOARDING,
        "actions": {
            **actions,
            "escalate": {"role": "AUTOMATION", "from": "nowhere", "to": "escalated"},
            "screen": {"role": "analyst", "auto": True, "from": "ready", "to": "screening"},
        },
    }

    box = an_open_box()
    answer = publish(box, wrong)

    assert isinstance(answer, Invalid)
    assert {issue.code for issue in answer.issues} >= {"WF_UNKNOWN_STATE", "WF_AUTO_ROLE"}
    assert answer.issues == issues_of(wrong, box.definitions.surroundings("acme", wrong))[1]


@pytest.mark.parametrize("document", [None, [], "workflow", {}, {"path": 7}], ids=str)
def test_what_is_no_workflow_is_told_so(document: JsonValue) -> None:
    answer = publish(an_open_box(), document)

    assert isinstance(answer, Invalid)
    assert answer.issues


def test_what_cannot_be_signed_is_refused_where_it_stands() -> None:
    answer = publish(an_open_box(), {**ONBOARDING, "title": "\x00"})

    is_refused(answer, RefusalCode.NOT_CANONICAL, "/title")


def test_a_document_that_is_too_large_is_refused() -> None:
    actions = ONBOARDING["actions"]
    assert isinstance(actions, dict)
    big: JsonObject = {"type": "update", "role": "intake", "from": "draft"}
    filler: JsonObject = {f"a{n}": {**big, "mutate": {"$set": {"text": "x" * 10_000}}} for n in range(106)}

    answer = publish(an_open_box(), {**ONBOARDING, "actions": {**actions, **filler}})

    is_refused(answer, RefusalCode.TOO_LARGE, None)


def test_publishing_needs_the_permission() -> None:
    box = an_open_box()

    is_refused(publish(box, SECOND, "maria"), RefusalCode.PERMISSION, "/key")


def test_the_permission_is_enough_whoever_holds_it() -> None:
    box = an_open_box()
    box.admit("author", KeyClass.SERVICE)
    accepted(
        box.actors.grant_permission(box.tenant, box.key("author").actor, "workflow.publish", box.key("admin"))
    )

    assert isinstance(publish(box, SECOND, "author"), Published)


@pytest.mark.parametrize("document", [None, b"", b"{}", canonical({**SECOND, "version": 3})], ids=repr)
def test_a_document_that_does_not_hash_to_what_was_signed_is_refused(document: bytes | None) -> None:
    box = an_open_box()
    signed_hash = sha256(canonical({**SECOND, "version": 2})).hexdigest()
    before = box.picture()

    answer = command(box, "publish", {"version": 2, "sha256": signed_hash}, document)

    is_refused(answer, RefusalCode.INVALID_INPUT, "/input/sha256")
    assert box.picture() == before


@pytest.mark.parametrize(
    "document",
    [
        canonical({**SECOND, "version": 3}),
        canonical({**SECOND, "version": 2, "path": "customer/other"}),
        canonical({"path": PATH, "version": 2}),
        canonical([]),
    ],
    ids=["another version", "another path", "not valid", "no object"],
)
def test_the_engine_checks_a_document_again_whoever_signed_it(document: bytes) -> None:
    box = an_open_box()
    before = box.picture()

    answer = command(box, "publish", {"version": 2, "sha256": sha256(document).hexdigest()}, document)

    is_refused(answer, RefusalCode.INVALID_INPUT, "/input/sha256")
    assert box.picture() == before


def test_a_document_in_other_bytes_is_refused() -> None:
    box = an_open_box()
    document = canonical({**SECOND, "version": 2}) + b"\n"

    answer = command(box, "publish", {"version": 2, "sha256": sha256(document).hexdigest()}, document)

    is_refused(answer, RefusalCode.NOT_CANONICAL, "")


@pytest.mark.parametrize(
    ("action", "input_", "code", "pointer"),
    [
        ("erase", {}, RefusalCode.NO_ACTION, "/action"),
        ("publish", {"version": 2}, RefusalCode.INVALID_INPUT, "/input/sha256"),
        ("publish", {"version": 3, "sha256": "0" * 64}, RefusalCode.CONFLICT, "/input/version"),
        ("withdraw", {"version": 2}, RefusalCode.INVALID_INPUT, "/input/version"),
        ("withdraw", {"version": "1"}, RefusalCode.INVALID_INPUT, "/input/version"),
    ],
)
def test_a_command_that_the_definition_cannot_take_is_refused(
    action: str, input_: JsonObject, code: RefusalCode, pointer: str
) -> None:
    is_refused(command(an_open_box(), action, input_), code, pointer)


def test_a_version_is_withdrawn_once() -> None:
    box = an_open_box()
    accepted(command(box, "withdraw", {"version": 1}))

    is_refused(command(box, "withdraw", {"version": 1}), RefusalCode.CONFLICT, "/input/version")


def test_the_newest_version_that_was_not_withdrawn_is_found() -> None:
    box = an_open_box()
    publish(box, SECOND)
    accepted(command(box, "withdraw", {"version": 2}))

    newest, named = box.definitions.find(box.tenant, PATH), box.definitions.find(box.tenant, PATH, 2)

    assert isinstance(newest, DefinitionRef)
    assert isinstance(named, DefinitionRef)
    assert (newest.version, named.version) == (1, 2)


@pytest.mark.parametrize(("path", "version"), [("customer/other", None), (PATH, 2), (PATH, 0)])
def test_a_version_that_was_never_published_is_not_found(path: str, version: int | None) -> None:
    is_refused(
        an_open_box().definitions.find("acme", path, version), RefusalCode.DEFINITION_MISMATCH, "/definition"
    )


def test_a_workflow_whose_stored_document_was_changed_is_not_run() -> None:
    box = an_open_box()
    ref = box.definitions.find(box.tenant, PATH)
    assert isinstance(ref, DefinitionRef)
    box.tables.documents[(box.tenant, ref.sha256)] = canonical({**SECOND, "version": 1})

    with pytest.raises(Misconfigured, match="was changed: run `sealwork verify`"):
        box.begin("c-1")


def test_a_stored_document_that_is_no_workflow_is_not_run() -> None:
    box = an_open_box()
    document = canonical({"path": 7})
    content = sha256(document).hexdigest()
    box.tables.documents[(box.tenant, content)] = document

    with pytest.raises(Misconfigured, match="is no workflow: run `sealwork verify`"):
        box.definitions.workflow(box.tenant, content)


def test_a_document_that_nobody_stored_is_not_there() -> None:
    box = an_open_box()

    assert box.definitions.document(box.tenant, "0" * 64) is None
    assert box.definitions.workflow(box.tenant, "0" * 64) is None


def test_a_stream_of_versions_that_cannot_be_read_is_told_so() -> None:
    box = an_open_box()
    box.alter(STREAM, 1, intent=b"{}")

    with pytest.raises(Misconfigured, match="event 1 of workflow customer/onboarding cannot be read"):
        box.definitions.of(box.tenant, PATH)
