from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealwork.domain.expressions.spelling import Flaw, Spelling, end_of_expression, spell
from vectors.verdicts import CEL


def spelled(source: str) -> Spelling:
    spelling = spell(source)
    assert isinstance(spelling, Spelling), spelling
    return spelling


def flaw_of(source: str) -> Flaw:
    flaw = spell(source)
    assert isinstance(flaw, Flaw), flaw
    return flaw


@pytest.mark.parametrize(
    ("written", "cel"),
    [
        ("a=b", "a == b"),
        ("a = 1 AND b = 2 or c", "a == 1 && b == 2 || c"),
        ("not (a)", "! ( a )"),
        ("NOT(a)", "! ( a )"),
        ("data.and = data.NOT", "data . and == data . NOT"),
        ("'it''s'", r"'it\'s'"),
        (r"'a\''''", r"'a\'\''"),
        (r"'a\\''b'", r"'a\\\'b'"),
        ("\"it''s\"", "\"it''s\""),
        ("x>=1.5e-3", "x >= 1.5e-3"),
        ("\ta\r\n", "a"),
    ],
)
def test_the_spellings_of_the_specification_stand_for_cel(written: str, cel: str) -> None:
    assert spelled(written).cel == cel


@pytest.mark.parametrize("vector", CEL["fingerprints"], ids=lambda vector: str(vector["cel"]))
def test_a_fingerprint_does_not_depend_on_white_space_and_second_spellings(vector: dict[str, str]) -> None:
    for source in vector["spellings"]:
        assert spelled(source).cel == vector["cel"]
        assert spelled(source).fingerprint == vector["fingerprint"]


def test_different_expressions_have_different_fingerprints() -> None:
    fingerprints = [vector["fingerprint"] for vector in CEL["fingerprints"]]

    assert len(set(fingerprints)) == len(fingerprints)


@given(st.sampled_from([case["expression"] for case in CEL["guards"] if "verdict" in case]), st.data())
def test_white_space_between_tokens_changes_nothing(source: str, data: st.DataObject) -> None:
    spelling = spelled(source)

    spaces = st.text("\t\r\n ", min_size=1, max_size=3)
    wider = "".join(token.spelling + data.draw(spaces) for token in spelling.tokens)

    assert len(wider) > 2000 or spelled(wider).fingerprint == spelling.fingerprint


@pytest.mark.parametrize(
    ("source", "column", "advice"),
    [
        ("data.a <> 3", 8, "write !="),
        ("a and not b", 7, "with parentheses"),
        ("a & b", 3, "write &&"),
        ("a | b", 3, "write ||"),
        ("a ? b : c; d", 10, "';'"),
        ("a = 'b", 5, "close it with '"),
        ('a = "b', 5, 'close it with "'),
        ("a = 'b\nc'", 5, "on the same line"),
        ("a = 5u", 5, "'5u' is no number"),
        ("a = 0xFF", 5, "'0x' is no number"),
        (".5 < a", 1, "write 0.5"),
        ("a = .b", 5, "without a dot"),
        ("'a' in .b", 8, "without a dot"),
        ("a = 1.", 6, "without a dot"),
        ("(a", 1, "write ')'"),
        ("[a)", 3, "unexpected ')'"),
        ("a)", 2, "unexpected ')'"),
        ("", 1, "nothing stands here"),
        (" \n", 1, "nothing stands here"),
        ("a = '\x00'", 6, "unexpected"),
        ("a = '\ud800'", 6, "unexpected"),
        ("a\u00a0= 1", 2, "unexpected"),
    ],
)
def test_what_is_not_spelled_right_is_refused_with_advice(source: str, column: int, advice: str) -> None:
    flaw = flaw_of(source)

    assert (flaw.code, flaw.column) == ("EXPR_SYNTAX", column)
    assert advice in flaw.message


@pytest.mark.parametrize(
    ("source", "column"),
    [("1 < a < 5", 7), ("a = b = c", 7), ("a in b = c", 8), ("f(x = 1 != y)", 9), ("[1 < 2, 2 < 3 < 4]", 15)],
)
def test_comparisons_do_not_chain(source: str, column: int) -> None:
    flaw = flaw_of(source)

    assert (flaw.code, flaw.column) == ("EXPR_TYPE", column)
    assert "a < b and b < c" in flaw.message


@pytest.mark.parametrize(
    "source", ["(a = b) = c", "a = 1 and b = 2", "a = 1 ? b = 2 : c = 3", "f(a = 1, b = 2)", "data.in = in2"]
)
def test_comparisons_side_by_side_are_no_chain(source: str) -> None:
    assert spelled(source)


def test_an_expression_has_at_most_2000_characters() -> None:
    assert spelled("a" * 2000)
    assert flaw_of("a" * 2001).code == "EXPR_TOO_LONG"


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("a}", 1),
        ("{'x': {}}.x}", 11),
        ("'}'}", 3),
        ("\"}\" + 'it''s}'}", 14),
        ("# }", 2),
        ("a", None),
        ("{a}", None),
        ("'a}", 2),
    ],
)
def test_an_expression_in_a_template_ends_at_its_own_brace(text: str, end: int | None) -> None:
    assert end_of_expression(text, 0) == end


@given(st.text(max_size=60))
def test_spelling_never_raises(source: str) -> None:
    assert isinstance(spell(source), Spelling | Flaw)
