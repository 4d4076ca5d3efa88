"""Issues at their place in a file, as compilers tell them. Source: language.md (code, pointer, message, level)."""

from __future__ import annotations

import pytest

from sealwork.adapters.cli.located_issues import (
    LocatedIssue,
    errors_among,
    issues_in,
    located,
    located_flaw,
    located_json,
    told,
)
from sealwork.adapters.cli.source_text import Source
from sealwork.domain.issues import Issue, error, warning
from sealwork.domain.ledger.canonical import MAX_DOCUMENT_BYTES
from sealwork.domain.refusals import RefusalCode, refused

SOUND = """{
  "path": "a/b",
  "states": {"draft": {}, "done": {"terminal": true}},
  "actions": {
    "start": {"type": "create", "role": "clerk", "to": "draft"},
    "finish": {"role": "clerk", "from": "draft", "to": "done"},
    "drop": {"role":"clerk", "from":"draft", "to":"done"}
  }
}
"""


def source(text: str) -> Source:
    return Source("workflow.json", text.encode())


def only_issue_in(text: str) -> LocatedIssue:
    (issue,) = issues_in(source(text))
    return issue


def marked(issue: LocatedIssue) -> str:
    """What stands where the caret points, to the end of its line."""
    return issue.source.text[issue.offset :].partition("\n")[0]


def test_a_sound_workflow_has_no_issues() -> None:
    assert issues_in(source(SOUND)) == []


@pytest.mark.parametrize(
    ("old", "new", "code", "caret"),
    [
        ('"to": "done"', '"to": "dne"', "WF_UNKNOWN_STATE", '"dne"},'),
        ('"to": "draft"}', '"to": "draft", "wen": 1}', "WF_UNKNOWN_FIELD", '"wen": 1},'),
        ('"role": "clerk", "from"', '"from"', "WF_MISSING_FIELD", '{"from": "draft", "to": "done"},'),
        ('"to": "draft"}', '"to": "draft", "cancel": [5, "x"]}', "WF_BAD_TYPE", '5, "x"]},'),
        ('"a/b"', "NaN", "not_canonical", "NaN,"),
        ('"path": "a/b",', '"path": "a", "path": "b",', "not_canonical", '"b",'),
        ('"a/b",', '"a/b"', "not_canonical", '"states": {"draft": {}, "done": {"terminal": true}},'),
    ],
    ids=lambda text: text[:20],
)
def test_the_caret_points_at_what_is_meant(old: str, new: str, code: str, caret: str) -> None:
    assert SOUND.count(old) == 1

    issue = only_issue_in(SOUND.replace(old, new))

    assert (issue.issue.code, marked(issue)) == (code, caret)


def test_an_issue_is_told_with_its_line_and_a_caret() -> None:
    issue = only_issue_in(SOUND.replace('"to": "done"', '"to": "dne"'))

    assert [*told(issue)] == [
        "workflow.json:6:56: error WF_UNKNOWN_STATE at /actions/finish/to: 'dne' is not one of the states; "
        "did you mean 'done'?",
        '  "finish": {"role": "clerk", "from": "draft", "to": "dne"},',
        "                                                     ^",
    ]


def test_an_issue_of_the_whole_document_has_no_pointer_in_words() -> None:
    (issue,) = located(source("\n {}"), [warning("WF_X", "worth a look")])

    assert [*told(issue)] == ["workflow.json:2:2: warning WF_X: worth a look", "  {}", "  ^"]


def test_an_empty_line_is_not_shown() -> None:
    assert [*told(only_issue_in(""))] == ["workflow.json:1:1: error not_canonical: Expecting value"]


def test_issues_are_told_from_the_top_of_the_file_to_its_end() -> None:
    text = '{\n"b": 1,\n"a": 2}'

    found = located(source(text), [error("A", "", "a"), error("B", "", "b"), error("ALL", "")])

    assert [each.issue.code for each in found] == ["ALL", "B", "A"]


def test_what_a_program_reads_holds_line_and_column_beside_the_issue() -> None:
    (issue,) = located(source('{\n  "a": 2}'), [error("A", "wrong", "a")])

    assert located_json(issue) == {
        "code": "A",
        "pointer": "/a",
        "message": "wrong",
        "level": "error",
        "line": 2,
        "column": 8,
    }


def test_a_mistake_inside_a_text_is_shown_where_it_is_in_the_file() -> None:
    issue = Issue(code="EXPR_SYNTAX", pointer="/when", message="no", column=4)
    (found,) = located(source('{"when": "\\"\\u00e9 > 3"}'), [issue])

    assert located_json(found)["column"] == 20
    assert [*told(found)][1:] == ['  {"when": "\\"\\u00e9 > 3"}', "  " + " " * 19 + "^"]


def test_a_column_of_what_is_no_text_is_that_of_the_value() -> None:
    issue = Issue(code="TPL_SYNTAX", pointer="/when", message="no", column=4)
    (found,) = located(source('{"when": {}}'), [issue])

    assert located_json(found)["column"] == 10


def test_what_others_wrote_cannot_begin_a_line_of_its_own_and_is_cut() -> None:
    name = "\n" + "x" * 100_000
    (issue,) = located(Source("work\nflow.json", b"{}"), [Issue(code="A", pointer=f"/{name}", message="no")])

    head, *_ = told(issue)

    assert head.startswith("work\\nflow.json:1:1: error A at /\\nxxx")
    assert head.endswith("x…: no")
    assert len(head) < 300


def test_only_errors_count_as_errors() -> None:
    assert errors_among(located(source("{}"), [error("A", ""), warning("B", ""), error("C", "")])) == 2


@pytest.mark.parametrize(
    ("body", "place", "message"),
    [
        (b'{"a": 1,\n "b": }', (2, 7), "Expecting value"),
        (b'{"a": 1,\r\n "b": }', (2, 7), "Expecting value"),
        ('{"å漢": 1 x}'.encode(), (1, 10), "Expecting ',' delimiter"),
        (b"", (1, 1), "Expecting value"),
        (b'\xef\xbb\xbf{"a": 1}', (1, 1), "Unexpected UTF-8 BOM (decode using utf-8-sig)"),
        ('{"å": "'.encode() + b'\xe5"}', (1, 8), "byte 8 is not UTF-8"),
        (b"\x80\x00", (1, 1), "byte 0 is not UTF-8"),
        (b'{"a": [1, -0]}', (1, 11), "minus zero: write 0"),
        (b'{"a": "\\ud800"}', (1, 7), "a lone surrogate is not text"),
        (b'{"\\ud800": 1}', (1, 1), "a lone surrogate is not text"),
        (b'{"a/b": {"~": 1, "~": 2}}', (1, 23), "'~' stands twice"),
        (b"[" * 40 + b"]" * 40, (1, 33), "nested deeper than 32"),
        (b"[" * 500_000, (1, 1), "nested deeper than 32"),
        (b"[" + b"9" * 5_000 + b"", (1, 5_002), "Expecting ',' delimiter"),
        (
            b"[" + b"9" * 5_000 + b"]",
            (1, 2),
            "beyond ±9007199254740991, where numbers lose digits: send it as text",
        ),
        (b"[" + b" " * MAX_DOCUMENT_BYTES, (1, 1), "1048577 bytes; at most 1048576 are taken"),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_what_cannot_be_read_is_told_where_reading_ended(
    body: bytes, place: tuple[int, int], message: str
) -> None:
    (issue,) = issues_in(Source("x", body))

    assert (issue.source.position(issue.offset), issue.issue.message) == (place, message)
    assert all(len(line) < 200 for line in told(issue))


def test_a_flaw_keeps_its_code_and_its_pointer() -> None:
    flaw = refused(RefusalCode.TOO_LARGE, "too large")

    assert located_flaw(source("{"), flaw).issue == Issue(code="too_large", pointer="", message="too large")
