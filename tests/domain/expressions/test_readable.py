"""What is known of a value that was read back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from json_values import json_values
from laws import law
from sealwork.domain.expressions.readable import Readable, read_back
from sealwork.domain.json_value import JsonValue
from sealwork.domain.ledger.canonical import canonical

WORST: list[JsonValue] = [
    "\x1f" * 9,
    -1.2345678901234567e-06,
    -9007199254740991,
    {"\x1f\x1f": [False, None]},
    [],
    {},
]


@law
@given(st.one_of(json_values(), st.sampled_from(WORST)))
def test_a_value_has_no_more_bytes_than_are_said(value: JsonValue) -> None:
    readable = read_back(value)

    assert isinstance(readable, Readable)
    assert len(canonical(value)) <= readable.most_bytes
