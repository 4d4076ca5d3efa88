"""JSON values for laws, and when two of them are the same value."""

from __future__ import annotations

from hypothesis import strategies as st

from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.canonical import MAX_DEPTH, MAX_NUMBER

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12)
WHOLE = st.integers(-MAX_NUMBER, MAX_NUMBER)
FLOATS = st.floats(-MAX_NUMBER, MAX_NUMBER).filter(lambda number: str(number) != "-0.0")
SCALARS: st.SearchStrategy[JsonValue] = st.one_of(st.none(), st.booleans(), WHOLE, FLOATS, TEXTS)
ALIKE: st.SearchStrategy[JsonValue] = st.sampled_from([None, False, True, 0, 1, 1.0, 0.5, "", "0", "1", "true"])
"""Few values that are easily taken for each other."""


def json_values(leaves: st.SearchStrategy[JsonValue] = SCALARS) -> st.SearchStrategy[JsonValue]:
    """Every value that intake accepts, of few members."""
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
        max_leaves=MAX_DEPTH - 1,
    ).filter(lambda value: depth(value) <= MAX_DEPTH)


def json_objects() -> st.SearchStrategy[JsonObject]:
    """Objects that still fit where they stand one or two levels below the top."""
    return st.dictionaries(TEXTS, json_values().filter(lambda value: depth(value) <= MAX_DEPTH - 6), max_size=4)


def depth(value: JsonValue) -> int:
    """How many arrays and objects stand around the innermost value."""
    match value:
        case list():
            return 1 + max(map(depth, value), default=0)
        case dict():
            return 1 + max(map(depth, value.values()), default=0)
        case _:
            return 0


def same(one: JsonValue, other: JsonValue) -> bool:
    """Whether every JSON reader sees one value: 1 and 1.0 are one number, 1 and true are not."""
    match one, other:
        case dict(), dict():
            return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
        case list(), list():
            return len(one) == len(other) and all(map(same, one, other))
        case (bool(), _) | (_, bool()):
            return one is other
        case _:
            return one == other
