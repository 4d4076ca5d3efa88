"""Where values stand in a text. Source: RFC 6901, RFC 8259."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_values import json_values
from laws import law
from sealwork.adapters.cli.source_places import find, inside_text, places_in
from sealwork.domain.issues import Place
from sealwork.domain.json_value import JsonValue, pointer

BLANKS = st.text(" \t\r\n", max_size=3)


def every(value: JsonValue, *above: str | int) -> Iterator[tuple[Place, JsonValue]]:
    """Each value inside `value`, and the steps that lead there."""
    yield above, value
    inside: list[tuple[str | int, JsonValue]] = []
    if isinstance(value, list):
        inside = [*enumerate(value)]
    if isinstance(value, dict):
        inside = [*value.items()]
    for step, item in inside:
        yield from every(item, *above, step)


def laid_out(value: JsonValue, draw: st.DataObject) -> str:
    """The text of `value` with blanks wherever JSON takes them, and letters escaped or not."""
    before, after = draw.draw(BLANKS), draw.draw(BLANKS)
    match value:
        case list():
            text = f"[{after}{','.join(laid_out(item, draw) for item in value)}]"
        case dict():
            members = (f"{laid_out(name, draw)}:{laid_out(item, draw)}" for name, item in value.items())
            text = f"{{{after}{','.join(members)}}}"
        case _:
            text = json.dumps(value, ensure_ascii=draw.draw(st.booleans()))
    return before + text + after


@given(json_values(), st.data())
def test_every_place_begins_the_text_of_exactly_that_value(value: JsonValue, draw: st.DataObject) -> None:
    text = laid_out(value, draw)

    root = places_in(text)

    for steps, item in every(value):
        found = find(root, pointer(*steps))
        assert found.is_exact
        assert json.JSONDecoder().raw_decode(text, found.place.value)[0] == item
        if found.place.name is not None:
            assert json.JSONDecoder().raw_decode(text, found.place.name)[0] == steps[-1]


@given(json_values(), st.sampled_from([None, 1, "\t"]), st.booleans())
def test_what_python_writes_is_found_in_all_its_layouts(
    value: JsonValue, indent: int | str | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)

    found = (find(places_in(text), pointer(*steps)).place.value for steps, _ in every(value))

    assert [json.JSONDecoder().raw_decode(text, at)[0] for at in found] == [item for _, item in every(value)]


@pytest.mark.parametrize(
    "step", ["", "a/b", "~", "~1", "~0", "/", 'quo"te', "back\\slash", "å", "\U0001f642", "0"]
)
def test_names_may_hold_anything(step: str) -> None:
    text = json.dumps({"other": {}, step: [7]})

    place = find(places_in(text), pointer(step, 0)).place

    assert text[place.value] == "7"


def test_a_member_knows_where_its_name_stands_and_an_entry_has_none() -> None:
    root = places_in('{"a" : [ 1 ] }')

    member, entry = find(root, "/a").place, find(root, "/a/0").place

    assert (root.name, member.name, member.value, entry.name, entry.value) == (None, 1, 7, None, 9)


@pytest.mark.parametrize(
    ("pointer_", "value"),
    [
        ("/a/b/c", "{}"),
        ("/a/x", '{"b": {}}'),
        ("/x/y", '{"a"'),
        ("/l/1", "[5]"),
        ("/l/0/deep", "5"),
        ("/l/-", "[5]"),
    ],
)
def test_where_nothing_stands_the_nearest_value_around_is_found(pointer_: str, value: str) -> None:
    text = '{"a": {"b": {}}, "l": [5]}'

    found = find(places_in(text), pointer_)

    assert not found.is_exact
    assert text[found.place.value :].startswith(value)


def test_of_two_values_under_one_name_the_second_is_found() -> None:
    text = '{"a": 1, "a": 2}'

    place = find(places_in(text), "/a").place

    assert (text[place.value], place.name) == ("2", 9)


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "9" * 5000, "1e400", '"\\ud800"', "true"])
def test_what_python_reads_and_json_does_not_know_is_passed_over(text: str) -> None:
    root = places_in(f"[{text}, 5]")

    assert find(root, "/1").place.value == len(text) + 3


def test_depth_is_no_trouble() -> None:
    text = "[" * 100_000 + "]" * 100_000

    assert find(places_in(text), "/0" * 99_999).place.value == 99_999


@law
@given(st.text(max_size=20), st.booleans(), st.integers(0, 20))
def test_a_character_of_a_text_is_found_however_it_is_escaped(text: str, ascii_only: bool, index: int) -> None:
    source = json.dumps({"a": text}, ensure_ascii=ascii_only)
    value = places_in(source).inside["a"].value

    at = inside_text(source, value, min(index, len(text)) + 1)

    rest = source[at : source.rindex('"')]
    assert json.loads(f'"{rest}"') == text[index:]
