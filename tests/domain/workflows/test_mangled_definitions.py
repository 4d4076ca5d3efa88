"""Definitions that nobody would write: what is wrong with them is said, and by what is accepted can be decided."""

from __future__ import annotations

from random import Random

from mangling import mangled, sound_documents
from sealwork.domain.workflows.definition import issues_of
from surviving import Tally, judge, survive

SEED = 20_260_618


def test_the_documents_that_are_mangled_are_sound() -> None:
    documents = sound_documents()

    errors = [issue for document in documents for issue in issues_of(document)[1] if issue.level == "error"]

    assert errors == []
    assert len(documents) >= 3


def test_the_same_seed_mangles_to_the_same_definitions() -> None:
    once, again = ([mangled(sound_documents(), Random(f"{SEED}/{n}")) for n in range(50)] for _ in range(2))

    assert repr(once) == repr(again)
    assert len({repr(document) for document in once}) > 45


def test_no_mangled_definition_makes_the_domain_raise_or_go_on_for_ever() -> None:
    numbers: list[int] = []

    tally = survive(2_000, SEED, sound_documents(), numbers.append)

    assert numbers == [*range(2_000)]
    assert tally.accepted + tally.refused == 2_000
    # Refused definitions alone would prove little: many are accepted, and many acts by them.
    assert tally.accepted > 200
    assert tally.answers["decided"] > 2_000
    assert len(tally.issues) > 30


def test_a_sound_document_is_decided_by_and_counted() -> None:
    tally = Tally()

    for document in sound_documents():
        judge(document, Random(SEED), tally)

    assert tally.refused == 0
    assert {"decided", "guard", "wrong_state", "same_actor", "invalid_input"} <= tally.answers.keys()
