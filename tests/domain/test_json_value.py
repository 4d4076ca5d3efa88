from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws import law
from sealwork.domain.json_value import pointer


def test_the_pointer_to_the_whole_document_is_empty() -> None:
    assert pointer() == ""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("a", 0), "/a/0"),
        (("a/b",), "/a~1b"),
        (("m~n",), "/m~0n"),
        (("~1",), "/~01"),
        (("",), "/"),
        ((" ", 'k"l', "i\\j"), '/ /k"l/i\\j'),
    ],
)
def test_a_pointer_escapes_tilde_and_slash(path: tuple[str | int, ...], text: str) -> None:
    assert pointer(*path) == text


@law
@given(st.lists(st.text()))
def test_a_pointer_can_be_read_back_by_the_rules_of_rfc_6901(path: list[str]) -> None:
    written = pointer(*path)

    read = [step.replace("~1", "/").replace("~0", "~") for step in written.split("/")[1:]]

    assert read == path
