"""Python objects that never were JSON: refused, whatever they are, with their place."""

from __future__ import annotations

from collections import OrderedDict, UserString
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple, cast
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_values import json_values
from laws import law
from sealwork.domain.json_value import JsonValue
from sealwork.domain.ledger.canonical import MAX_DEPTH, canonical, flaw_in, parse_canonical
from sealwork.domain.refusals import RefusalCode, Refused

NOT_CANONICAL = RefusalCode.NOT_CANONICAL


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 1


class Plain(Enum):
    ONE = 1


class Text(str):
    pass


class Whole(int):
    pass


class Real(float):
    pass


class Items(list[object]):
    pass


class Members(dict[str, object]):
    pass


class Pair(NamedTuple):
    one: int
    two: int


FOREIGN: list[object] = [
    (),
    (1, 2),
    Pair(1, 2),
    {1, 2},
    frozenset(),
    b"bytes",
    bytearray(b"bytes"),
    memoryview(b"bytes"),
    Decimal("1.5"),
    Fraction(1, 2),
    1j,
    Colour.RED,
    Level.HIGH,
    Plain.ONE,
    Text("a"),
    Whole(1),
    Real(1.5),
    Real("nan"),
    Items(),
    Members(),
    OrderedDict(),
    MappingProxyType({}),
    UserString("a"),
    range(3),
    iter([]),
    object(),
    ...,
    NotImplemented,
    len,
    int,
    datetime(2026, 6, 18, tzinfo=UTC),
    UUID(int=0),
    ValueError("a"),
]


@pytest.mark.parametrize("value", FOREIGN, ids=lambda value: type(value).__name__)
def test_what_is_not_exactly_a_json_value_is_refused(value: object) -> None:
    flaw = flaw_in({"a": [0, value]}, "/input")

    assert flaw is not None
    assert (flaw.code, flaw.pointer) == (NOT_CANONICAL, "/input/a/1")
    assert type(value).__name__ in flaw.detail


@pytest.mark.parametrize("name", [1, None, True, 1.5, (), b"a", Text("a"), Colour.RED])
def test_a_name_that_is_not_exactly_text_is_refused_where_its_object_stands(name: object) -> None:
    flaw = flaw_in({"a": {name: 1}})

    assert flaw is not None
    assert (flaw.code, flaw.pointer) == (NOT_CANONICAL, "/a")


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), float("-inf"), -0.0, 2**53, -(2**53), 2.0**53, 1e308]
)
def test_a_number_that_readers_disagree_about_is_refused(value: float) -> None:
    flaw = flaw_in([value])

    assert flaw is not None
    assert (flaw.code, flaw.pointer) == (NOT_CANONICAL, "/0")


def test_a_number_too_large_for_any_float_is_refused() -> None:
    flaw = flaw_in(10**400)

    assert flaw is not None
    assert (flaw.code, flaw.pointer) == (NOT_CANONICAL, "")


def test_the_first_flaw_is_told() -> None:
    flaw = flaw_in({"a": 1, "b": [b"", ()], "c": ()})

    assert flaw is not None
    assert flaw.pointer == "/b/0"


ANYTHING = st.recursive(
    st.sampled_from(FOREIGN) | json_values() | st.text() | st.floats() | st.integers() | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3) | st.integers() | st.none(), inner, max_size=3)
        | st.tuples(inner)
        | st.lists(inner, max_size=3).map(Items)
    ),
    max_leaves=12,
)


@law
@given(ANYTHING)
def test_no_object_makes_the_search_for_flaws_raise(value: object) -> None:
    flaw = flaw_in(value)

    if flaw is not None:
        flaw.model_dump_json().encode()


@law
@given(ANYTHING)
def test_what_has_no_flaw_can_be_signed_and_read_again(value: object) -> None:
    if flaw_in(value) is None:
        assert not isinstance(parse_canonical(canonical(cast(JsonValue, value))), Refused)


@law
@given(st.lists(st.just(None), min_size=1, max_size=3))
def test_objects_that_contain_themselves_are_refused(loops: list[None]) -> None:
    endless: list[object] = []
    endless.extend(endless for _ in loops)

    flaw = flaw_in({"a": endless})

    assert flaw is not None
    assert flaw.detail == f"nested deeper than {MAX_DEPTH}"
