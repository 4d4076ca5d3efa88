from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from sealwork.domain.timing.durations import (
    MAX_DURATION,
    DurationText,
    format_duration,
    is_business_duration,
    parse_duration,
)

DURATION_TEXT: TypeAdapter[str] = TypeAdapter(DurationText)

LARGEST = {"m": 999_999, "h": 876_000, "d": 36_500, "w": 5_214, "y": 100}

texts = st.sampled_from(sorted(LARGEST)).flatmap(
    lambda unit: st.integers(1, LARGEST[unit]).map(lambda number: f"{number}{unit}")
)


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("1m", timedelta(minutes=1)),
        ("48h", timedelta(hours=48)),
        ("30d", timedelta(days=30)),
        ("2w", timedelta(days=14)),
        ("1y", timedelta(days=365)),
    ],
)
def test_a_duration_is_a_number_and_a_unit(text: str, duration: timedelta) -> None:
    assert parse_duration(text) == duration


def test_four_years_have_no_leap_day() -> None:
    assert parse_duration("4y") == timedelta(days=1460)


@given(texts)
def test_what_is_parsed_can_be_written_and_parsed_again(text: str) -> None:
    duration = parse_duration(text)

    assert parse_duration(format_duration(duration)) == duration


@given(texts)
def test_formatting_has_one_text_for_one_duration(text: str) -> None:
    written = format_duration(parse_duration(text))

    assert format_duration(parse_duration(written)) == written


def test_a_duration_is_written_in_the_largest_unit_that_divides_it() -> None:
    assert [format_duration(parse_duration(text)) for text in ("60m", "48h", "7d", "365d", "61m")] == [
        "1h",
        "2d",
        "1w",
        "1y",
        "61m",
    ]


@pytest.mark.parametrize("text", ["1m", "999999m", "876000h", "100y"])
def test_the_ends_of_the_range_are_written(text: str) -> None:
    assert parse_duration(format_duration(parse_duration(text))) == parse_duration(text)


@pytest.mark.parametrize(
    "duration",
    [
        timedelta(0),
        timedelta(minutes=-1),
        timedelta(seconds=90),
        timedelta(minutes=1_000_001),
        MAX_DURATION + timedelta(days=365),
    ],
)
def test_a_duration_that_no_text_names_is_not_written(duration: timedelta) -> None:
    with pytest.raises(ValueError, match="names"):
        format_duration(duration)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "h",
        "48",
        "0h",
        "048h",
        "-1h",
        "+1h",
        "1.5h",
        "1 h",
        "1H",
        "30s",
        "PT48H",
        "1h30m",
        "1000000m",
        "1h\n",
        "٣h",
    ],
)
def test_another_form_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(ValueError, match="such as 48h"):
        parse_duration(text)


def test_a_long_wrong_text_is_cut_in_the_message() -> None:
    with pytest.raises(ValueError, match="x…'"):
        parse_duration("x" * 10_000)


@pytest.mark.parametrize("text", ["101y", "36501d", "876001h", "5215w"])
def test_more_than_a_hundred_years_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="at most 100y"):
        parse_duration(text)


def test_a_hundred_years_are_taken() -> None:
    assert parse_duration("100y") == MAX_DURATION


@pytest.mark.parametrize("text", ["3bd", "8bh"])
def test_business_time_has_no_length_without_a_calendar(text: str) -> None:
    with pytest.raises(ValueError, match="only a calendar knows"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "business"),
    [
        ("3bd", True),
        ("8bh", True),
        ("36500bd", True),
        ("36501bd", False),
        ("876000bh", True),
        ("876001bh", False),
        ("3d", False),
        ("0bd", False),
        ("bd", False),
    ],
)
def test_business_durations_are_told_by_their_unit(text: str, business: bool) -> None:
    assert is_business_duration(text) is business


@pytest.mark.parametrize("text", ["48h", "3bd"])
def test_a_document_holds_durations_of_both_kinds(text: str) -> None:
    assert DURATION_TEXT.validate_python(text) == text


def test_a_document_with_a_wrong_duration_is_refused_with_what_to_write() -> None:
    with pytest.raises(ValidationError, match="such as 48h"):
        DURATION_TEXT.validate_python("30s")


def test_editors_are_told_the_form() -> None:
    assert DURATION_TEXT.json_schema()["pattern"] == "^([1-9][0-9]{0,5})(m|h|d|w|y|bd|bh)$"
