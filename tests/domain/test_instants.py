from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from laws import law
from sealwork.domain.instants import InstantText, instant_of, instant_text

INSTANTS = st.datetimes(timezones=st.just(UTC))
FIRST = datetime(1, 1, 1, tzinfo=UTC)
LAST = datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)


@law
@given(INSTANTS)
def test_an_instant_survives_its_text(instant: datetime) -> None:
    assert instant_of(instant_text(instant)) == instant


@law
@given(INSTANTS)
def test_the_text_is_27_ascii_characters(instant: datetime) -> None:
    text = instant_text(instant)

    assert (len(text), len(text.encode())) == (27, 27)


@law
@given(INSTANTS, INSTANTS)
def test_texts_sort_as_their_instants_do(one: datetime, other: datetime) -> None:
    assert (instant_text(one) < instant_text(other)) == (one < other)


@pytest.mark.parametrize(
    ("instant", "text"),
    [
        (FIRST, "0001-01-01T00:00:00.000000Z"),
        (datetime(987, 6, 5, 4, 3, 2, 1, tzinfo=UTC), "0987-06-05T04:03:02.000001Z"),
        (LAST, "9999-12-31T23:59:59.999999Z"),
    ],
)
def test_years_of_fewer_digits_are_padded(instant: datetime, text: str) -> None:
    assert (instant_text(instant), instant_of(text)) == (text, instant)


def test_another_offset_is_written_in_utc() -> None:
    instant = datetime(2026, 6, 18, 12, 0, tzinfo=timezone(timedelta(hours=2)))

    assert instant_text(instant) == "2026-06-18T10:00:00.000000Z"


def test_the_instant_read_is_aware_and_in_utc() -> None:
    assert instant_of("2026-06-18T10:00:00.000000Z").tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-06-18T10:00:00Z",
        "2026-06-18T10:00:00.000Z",
        "2026-06-18T10:00:00.0000000Z",
        "2026-06-18T10:00:00.000000",
        "2026-06-18T10:00:00.000000+00:00",
        "2026-06-18T10:00:00.000000z",
        "2026-06-18t10:00:00.000000Z",
        "2026-06-18 10:00:00.000000Z",
        "2026-06-18T10:00:00,000000Z",
        " 2026-06-18T10:00:00.000000Z",
        "2026-06-18T10:00:00.000000Z\n",
        "2026-W25-4T10:00:00.000000Z",
        "20260618T100000.000000Z",
        "٢٠٢٦-06-18T10:00:00.000000Z",
        "-026-06-18T10:00:00.000000Z",
        "12026-06-18T10:00:00.000000Z",
    ],
)
def test_another_form_is_no_instant(text: str) -> None:
    with pytest.raises(ValueError, match="write the instant as"):
        instant_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "0000-01-01T00:00:00.000000Z",
        "2026-02-29T10:00:00.000000Z",
        "2026-13-01T10:00:00.000000Z",
        "2026-00-01T10:00:00.000000Z",
        "2026-06-31T10:00:00.000000Z",
        "2026-06-18T24:00:00.000000Z",
        "2026-06-18T10:60:00.000000Z",
        "2016-12-31T23:59:60.000000Z",
    ],
)
def test_an_instant_that_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        instant_of(text)


def test_a_member_that_is_an_instant_keeps_its_text() -> None:
    text = "2026-06-18T10:00:00.000001Z"

    assert TypeAdapter(InstantText).validate_python(text) == text


def test_a_member_that_is_no_instant_is_refused_by_its_model() -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(InstantText).validate_python("tomorrow")
