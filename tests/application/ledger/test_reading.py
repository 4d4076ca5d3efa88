"""What `process_event` takes in at all: size, canonical form, members. Source: events.md; ledger case 3."""

from __future__ import annotations

import json

import pytest

from open_box import OpenBox, an_open_box
from sealing import accepted
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.canonical import MAX_BYTES, canonical
from sealwork.domain.ledger.intent import Intent, signed_intent_bytes
from sealwork.domain.ledger.submission import Submission
from sealwork.domain.refusals import RefusalCode, Refused


def signed_bytes(box: OpenBox, body: bytes) -> Submission:
    """Whatever `body` is, maria signed it."""
    return Submission(intent=body, signature=box.key("maria").sign(signed_intent_bytes(body)))


def refusal(box: OpenBox, body: bytes) -> Refused:
    """The answer to `body`, which must be no and must not have written anything."""
    before = box.picture()
    answer = box.process_event(signed_bytes(box, body))
    assert isinstance(answer, Refused), answer
    assert box.picture() == before
    return answer


def members(box: OpenBox, **others: object) -> JsonObject:
    """The members of an intent that begins c-1."""
    definition = box.definitions.find(box.tenant, "customer/onboarding")
    intent = box.intent("process/c-1", "start", "maria", definition=definition)
    document: JsonObject = intent.model_dump(mode="json", exclude_none=True) | others
    return document


def padded(box: OpenBox, size: int) -> bytes:
    """A good intent of exactly `size` bytes."""
    bare = len(canonical(members(box, input={"pad": ""})))
    body = canonical(members(box, input={"pad": "x" * (size - bare)}))
    assert len(body) == size
    return body


def test_an_intent_of_65536_bytes_is_taken() -> None:
    box = an_open_box()

    assert accepted(box.process_event(signed_bytes(box, padded(box, MAX_BYTES)))).seq == 1


def test_one_byte_more_is_too_large() -> None:
    box = an_open_box()

    assert refusal(box, padded(box, MAX_BYTES + 1)).code is RefusalCode.TOO_LARGE


@pytest.mark.parametrize("body", [b"", b"{", b"{}", b"[]", b"null", b"1", b'"x"', b"\xff", b"\x00"], ids=repr)
def test_what_is_no_intent_is_refused(body: bytes) -> None:
    assert refusal(an_open_box(), body).code is RefusalCode.NOT_CANONICAL


@pytest.mark.parametrize("name", sorted(Intent.model_fields.keys() - {"definition", "not_after"}))
def test_a_missing_member_is_refused_where_it_is_missing(name: str) -> None:
    box = an_open_box()
    rest = {key: value for key, value in members(box).items() if key != name}

    answer = refusal(box, canonical(rest))

    assert (answer.code, answer.pointer) == (RefusalCode.NOT_CANONICAL, f"/{name}")


@pytest.mark.parametrize("name", sorted(Intent.model_fields))
@pytest.mark.parametrize("value", [None, [], True, -1, "?"], ids=repr)
def test_a_member_of_another_type_or_form_is_refused_where_it_stands(name: str, value: object) -> None:
    box = an_open_box()

    answer = refusal(box, canonical(members(box, **{name: value})))

    assert answer.code is RefusalCode.NOT_CANONICAL
    assert (answer.pointer or "").startswith(f"/{name}")


@pytest.mark.parametrize(
    ("input_", "pointer"),
    [
        ('{"a":NaN}', "/input/a"),
        ('{"a":-0}', "/input/a"),
        ('{"a":9007199254740992}', "/input/a"),
        ('{"a":{"b":1,"b":1}}', "/input/a/b"),
        ('{"a":["\\u0000"]}', "/input/a/0"),
        ('{"a":["\\ud800"]}', "/input/a/0"),
        ('{"a":' * 31 + "{}" + "}" * 31, "/input" + "/a" * 31),
    ],
    ids=["NaN", "minus zero", "big number", "twice", "U+0000", "surrogate", "depth 33"],
)
def test_a_value_that_readers_take_differently_is_refused_where_it_stands(input_: str, pointer: str) -> None:
    box = an_open_box()
    body = canonical(members(box, input={})).replace(b'"input":{}', b'"input":' + input_.encode())

    answer = refusal(box, body)

    assert (answer.code, answer.pointer) == (RefusalCode.NOT_CANONICAL, pointer)


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda body: body + b"\n",
        lambda body: body.replace(b":1,", b":1.0,"),
        lambda body: json.dumps(dict(reversed(json.loads(body).items())), separators=(",", ":")).encode(),
        lambda body: body.replace(b"start", b"\\u0073tart"),
    ],
    ids=["white space", "number", "order of members", "escape"],
)
def test_the_same_value_in_other_bytes_is_not_canonical(rewrite: object) -> None:
    box = an_open_box()
    assert callable(rewrite)

    answer = refusal(box, rewrite(canonical(members(box))))

    assert (answer.code, answer.pointer) == (RefusalCode.NOT_CANONICAL, "")


@pytest.mark.parametrize("signature", [b"", b"\x00" * 64, b"\x01" * 63, b"\x01" * 65], ids=len)
def test_what_is_no_signature_is_refused(signature: bytes) -> None:
    box = an_open_box()
    submission = signed_bytes(box, canonical(members(box)))

    answer = box.process_event(submission.model_copy(update={"signature": signature}))

    assert isinstance(answer, Refused)
    assert (answer.code, answer.pointer) == (RefusalCode.BAD_SIGNATURE, "/key")


def test_the_signature_of_somebody_else_is_refused() -> None:
    box = an_open_box()
    body = canonical(members(box))

    answer = box.process_event(Submission(intent=body, signature=box.key("ana").sign(signed_intent_bytes(body))))

    assert isinstance(answer, Refused)
    assert answer.code is RefusalCode.BAD_SIGNATURE


def test_a_signature_over_the_bare_body_is_refused() -> None:
    box = an_open_box()
    body = canonical(members(box))

    answer = box.process_event(Submission(intent=body, signature=box.key("maria").sign(body)))

    assert isinstance(answer, Refused)
    assert answer.code is RefusalCode.BAD_SIGNATURE


def test_an_edited_byte_of_a_signed_intent_is_refused() -> None:
    box = an_open_box()
    submission = signed_bytes(box, canonical(members(box, input={"country": "SE"})))
    edited = submission.intent.replace(b'"SE"', b'"NO"')

    answer = box.process_event(submission.model_copy(update={"intent": edited}))

    assert isinstance(answer, Refused)
    assert answer.code is RefusalCode.BAD_SIGNATURE
