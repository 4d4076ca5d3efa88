"""Models in canonical bytes: exactly their members, no more, no fewer, none of them null."""

from __future__ import annotations

from enum import StrEnum

import pytest
from pydantic import BaseModel, ConfigDict, Field

from builders import AN_ID, ZEROS, a_record, an_intent
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import canonical
from sealwork.domain.ledger.intent import Intent, parse_intent
from sealwork.domain.ledger.members import document_of, model_of, parse_model, written_model
from sealwork.domain.ledger.record import Record, parse_record
from sealwork.domain.refusals import RefusalCode, Refused

AN_INTENT = document_of(an_intent(definition={"path": "a/b", "version": 1, "sha256": ZEROS}))
A_RECORD = document_of(a_record(effects=[{"kind": "cancel", "id": "a"}, {"kind": "cancel", "id": "b"}]))
ALL_NULLS = ["definition", "not_after"]


def without(document: JsonObject, name: str) -> bytes:
    return canonical({member: value for member, value in document.items() if member != name})


def with_(document: JsonObject, **members: JsonValue) -> bytes:
    return canonical(document | members)


def place_of(answer: object) -> str | None:
    assert isinstance(answer, Refused), answer
    assert answer.code is RefusalCode.NOT_CANONICAL
    return answer.pointer


@pytest.mark.parametrize("body", [b"null", b"[]", b'"a"', b"1", b"true"])
def test_what_is_no_object_is_no_model(body: bytes) -> None:
    assert place_of(parse_intent(body)) == ""
    assert place_of(parse_record(body)) == ""


@pytest.mark.parametrize("body", [b"", b"{"])
def test_what_is_no_json_is_no_model(body: bytes) -> None:
    assert place_of(parse_intent(body)) is None
    assert place_of(parse_record(body)) is None


def test_an_empty_object_lacks_its_first_member() -> None:
    assert place_of(parse_intent(b"{}")) == "/origin"
    assert place_of(parse_record(b"{}")) == "/origin"


@pytest.mark.parametrize("name", sorted(AN_INTENT.keys() - {"definition"}))
def test_an_intent_without_one_of_its_members_is_refused(name: str) -> None:
    assert place_of(parse_intent(without(AN_INTENT, name))) == f"/{name}"


@pytest.mark.parametrize("name", sorted(A_RECORD.keys() - {"intent", "intent_sig"}))
def test_a_record_without_one_of_its_members_is_refused(name: str) -> None:
    assert place_of(parse_record(without(A_RECORD, name))) == f"/{name}"


@pytest.mark.parametrize("name", Intent.model_fields)
def test_no_member_of_an_intent_is_null(name: str) -> None:
    assert place_of(parse_intent(with_(AN_INTENT, **{name: None}))) == f"/{name}"


@pytest.mark.parametrize("name", Record.model_fields)
def test_no_member_of_a_record_is_null(name: str) -> None:
    assert place_of(parse_record(with_(A_RECORD, **{name: None}))) == f"/{name}"


def test_an_unknown_member_is_refused() -> None:
    assert place_of(parse_intent(with_(AN_INTENT, alg="none"))) == "/alg"
    assert place_of(parse_record(with_(A_RECORD, **{"a/b": 1}))) == "/a~1b"


def test_an_unknown_member_further_inside_is_refused() -> None:
    definition: JsonObject = {"path": "a/b", "version": 1, "sha256": ZEROS, "url": "x"}

    assert place_of(parse_intent(with_(AN_INTENT, definition=definition))) == "/definition/url"


def test_a_null_further_inside_is_refused_where_it_stands() -> None:
    effect: JsonObject = {
        "kind": "auto",
        "work": AN_ID,
        "action": "a",
        "data": {},
    }
    effects: list[JsonValue] = [{"kind": "cancel", "id": "a"}, {**effect, "hash_at": None}]

    assert place_of(parse_record(with_(A_RECORD, effects=effects))) == "/effects/1/hash_at"


@pytest.mark.parametrize("version", [True, 2, 0, "1", None, [1]])
def test_another_version_of_the_format_is_refused(version: JsonValue) -> None:
    assert place_of(parse_intent(with_(AN_INTENT, v=version))) == "/v"
    assert place_of(parse_record(with_(A_RECORD, v=version))) == "/v"


@pytest.mark.parametrize(
    ("effect", "place"),
    [
        ({}, "/effects/0"),
        ({"kind": "delete", "id": "a"}, "/effects/0"),
        (5, "/effects/0"),
        (None, "/effects/0"),
        ({"kind": "cancel"}, "/effects/0/id"),
        ({"kind": "cancel", "id": 5}, "/effects/0/id"),
        ({"kind": "cancel", "id": "a", "cancel": 1}, "/effects/0/cancel"),
        ({"kind": "auto", "action": "a", "data": {}}, "/effects/0/work"),
        ({"kind": "auto", "work": "x", "action": "a", "data": {}}, "/effects/0/work"),
    ],
)
def test_an_effect_that_does_not_fit_is_refused_where_it_is_wrong(effect: JsonValue, place: str) -> None:
    assert place_of(parse_record(with_(A_RECORD, effects=[effect]))) == place


@pytest.mark.parametrize("effects", [{}, "ab", None, 0])
def test_effects_that_are_no_list_are_refused(effects: JsonValue) -> None:
    assert place_of(parse_record(with_(A_RECORD, effects=effects))) == "/effects"


def test_bytes_that_we_would_write_otherwise_are_refused_before_their_members_are_read() -> None:
    body = b'{"zeta":1, "alpha":2}'

    assert place_of(parse_intent(body)) == ""


def test_nulls_in_free_json_are_kept() -> None:
    intent = parse_intent(with_(AN_INTENT, input={"a": None, "b": [None, {"c": None}]}))

    assert isinstance(intent, Intent)
    assert intent.input == {"a": None, "b": [None, {"c": None}]}


# Any model


class Shade(StrEnum):
    DARK = "dark"


class Inner(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    shade: Shade = Field(alias="class")
    note: str | None = None


class Outer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    inner: Inner | None = None
    many: tuple[Inner, ...] = ()
    names: tuple[str, ...] | None = None
    free: JsonObject = {}
    one: int = 1


DARK = Inner.model_validate({"class": "dark"})


def test_a_document_has_the_members_that_have_a_value_under_their_aliases() -> None:
    outer = Outer(inner=DARK, many=(DARK, DARK), names=("a",), free={"a": None}, one=2)

    dark = {"class": "dark"}
    assert document_of(outer) == {
        "inner": dark,
        "many": [dark, dark],
        "names": ["a"],
        "free": {"a": None},
        "one": 2,
    }


def test_a_document_is_plain_json() -> None:
    document = document_of(DARK.model_copy(update={"note": "a"}))

    assert [type(value) for value in document.values()] == [str, str]


def test_a_model_is_read_from_members_that_lack_defaults() -> None:
    assert model_of(Outer, {}) == Outer()


def test_a_refusal_has_the_code_and_the_place_that_were_asked_for() -> None:
    refusal = model_of(Outer, {"inner": {"class": "light"}}, code=RefusalCode.INVALID_INPUT, at="/input")

    assert isinstance(refusal, Refused)
    assert (refusal.code, refusal.pointer) == (RefusalCode.INVALID_INPUT, "/input/inner/class")


class Paired(BaseModel):
    """Pairs of words."""

    pairs: tuple[tuple[str, str], ...]


def test_a_refusal_points_to_a_list_that_is_too_short() -> None:
    assert place_of(model_of(Paired, {"pairs": [["a", "b"], []]})) == "/pairs/1"


def test_a_refusal_points_into_tuples_too() -> None:
    refusal = model_of(Outer, {"many": ({"class": "dark"}, {"class": "dark", "x": 1})})

    assert place_of(refusal) == "/many/1/x"


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ({"many": [], "free": {}}, "/input/one"),
        ({"many": [], "free": {}, "one": True}, "/input/one"),
        ({"many": [], "free": {}, "one": 1, "inner": None}, "/input/inner"),
        ({"many": [{"class": "dark", "note": None}], "free": {}, "one": 1}, "/input/many/0/note"),
        ({"many": [{"shade": "dark"}], "free": {}, "one": 1}, "/input/many/0/class"),
        ({"many": [], "free": {}, "one": "1"}, "/input/one"),
    ],
)
def test_what_the_model_would_write_otherwise_is_refused(document: JsonObject, place: str) -> None:
    refusal = written_model(Outer, document, code=RefusalCode.INVALID_INPUT, at="/input")

    assert isinstance(refusal, Refused)
    assert (refusal.code, refusal.pointer) == (RefusalCode.INVALID_INPUT, place)


def test_what_the_model_would_write_itself_is_taken() -> None:
    outer = Outer(inner=DARK, names=(), free={"a": [1.5, None]})

    assert written_model(Outer, document_of(outer)) == outer


def test_the_limit_of_a_model_is_the_one_given() -> None:
    refusal = parse_model(Outer, canonical({"free": {}, "many": [], "one": 1}), limit=10)

    assert isinstance(refusal, Refused)
    assert refusal.code is RefusalCode.TOO_LARGE
