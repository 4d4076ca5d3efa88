"""Events that were moved, left out, or put elsewhere, and what an engine should not have countersigned."""

from __future__ import annotations

import pytest

from builders import (
    ANA,
    ENGINE,
    PROCESS,
    ROBOT,
    TENANT,
    ZEROS,
    a_chain,
    a_sealed_event,
    a_trust,
    an_intent,
    changed,
    link_before,
    minute,
    verify,
)
from sealwork.domain.proof.chain import check_event, first_link, link_of
from sealwork.domain.proof.findings import FindingCode
from tampering import CHAIN, findings_of, found, intent_of, resealed, with_event

# Order


def test_swapped_events_are_found() -> None:
    swapped = [CHAIN[0], CHAIN[1], CHAIN[3], CHAIN[2], CHAIN[4]]

    assert found(swapped) == [
        (FindingCode.EVENTS_MISSING, 4),
        (FindingCode.EVENTS_MISSING, 3),
        (FindingCode.TIME_BACKWARDS, 3),
        (FindingCode.EVENTS_MISSING, 5),
    ]


def test_swapped_events_with_exchanged_numbers_are_found() -> None:
    swapped = [CHAIN[0], CHAIN[1], changed(CHAIN[3], seq=3), changed(CHAIN[2], seq=4), CHAIN[4]]

    codes = found(swapped)

    assert {seq for code, seq in codes if code is FindingCode.WRONG_PLACE} == {3, 4}
    assert {seq for code, seq in codes if code is FindingCode.LINK_BROKEN} == {3, 4, 5}


@pytest.mark.parametrize("seq", range(1, 5))
def test_a_deleted_event_is_found_after_the_gap(seq: int) -> None:
    assert found([*CHAIN[: seq - 1], *CHAIN[seq:]]) == [(FindingCode.EVENTS_MISSING, seq + 1)]


def test_a_gap_is_named_by_the_first_event_that_is_not_there() -> None:
    (finding,) = findings_of([CHAIN[0], *CHAIN[3:]])

    assert (finding.seq, finding.detail) == (4, "event 2 is not there")


def test_an_event_that_stands_twice_is_found() -> None:
    assert found([*CHAIN[:3], CHAIN[2], *CHAIN[3:]])[0] == (FindingCode.EVENTS_MISSING, 3)


def test_events_that_were_renumbered_over_a_gap_are_found() -> None:
    closed = [*CHAIN[:2], changed(CHAIN[3], seq=3), changed(CHAIN[4], seq=4)]

    codes = found(closed)

    assert (FindingCode.WRONG_PLACE, 3) in codes and (FindingCode.LINK_BROKEN, 3) in codes


def test_a_first_event_that_does_not_follow_from_the_streams_name_is_found() -> None:
    # ledger case 19
    orphan = a_sealed_event(an_intent(prev="a" * 64))

    assert found([orphan]) == [(FindingCode.LINK_BROKEN, 1)]


def test_a_fork_is_found() -> None:
    # the engine signed two third events; each is sound, but only one is followed
    other = a_sealed_event(intent_of(CHAIN[2]).model_copy(update={"input": {"n": 0}}), recorded_at=minute(3))

    assert found([*CHAIN[:2], other]) == []
    assert found(with_event(other)) == [(FindingCode.LINK_BROKEN, 4)]


def test_time_that_runs_backwards_is_found() -> None:
    early = resealed(CHAIN[2], recorded_at=minute(1))

    assert found(with_event(early)) == [(FindingCode.TIME_BACKWARDS, 3), (FindingCode.LINK_BROKEN, 4)]


def test_after_an_unreadable_record_time_begins_anew() -> None:
    assert link_of(changed(CHAIN[2], record=b"")).recorded_at == ""


# Places


def test_a_chain_of_another_log_is_found() -> None:
    trust = a_trust().model_copy(update={"origin": "other.example"})

    codes = found(CHAIN, trust)

    assert [seq for code, seq in codes if code is FindingCode.WRONG_PLACE] == [1, 2, 3, 4, 5]


def test_a_log_with_another_name_begins_with_other_hashes() -> None:
    event, trust = CHAIN[0], a_trust().model_copy(update={"origin": "other.example"})

    codes = [f.code for f in check_event(event, first_link("other.example", TENANT, PROCESS), trust, verify)]

    assert codes == [FindingCode.WRONG_PLACE, FindingCode.LINK_BROKEN]


@pytest.mark.parametrize("moved", [{"tenant": "other"}, {"stream": "process/p-2"}])
def test_a_chain_that_was_moved_is_found_at_every_event(moved: dict[str, object]) -> None:
    codes = found([changed(event, **moved) for event in CHAIN])

    assert codes[:2] == [(FindingCode.WRONG_PLACE, 1), (FindingCode.LINK_BROKEN, 1)]
    assert codes[2:] == [(FindingCode.WRONG_PLACE, seq) for seq in range(2, 6)]


def test_an_event_of_another_process_of_the_same_actor_is_found() -> None:
    # ledger case 2
    other = a_chain(stream="process/p-2")[2]

    assert found(with_event(changed(other, stream=PROCESS))) == [
        (FindingCode.WRONG_PLACE, 3),
        (FindingCode.LINK_BROKEN, 3),
        (FindingCode.LINK_BROKEN, 4),
    ]


# What the engine countersigned although it should not have


@pytest.mark.parametrize(
    ("lie", "codes"),
    [
        ({"origin": "other.example"}, [FindingCode.WRONG_PLACE, FindingCode.MEMBERS_DIFFER]),
        ({"tenant": "other"}, [FindingCode.WRONG_PLACE, FindingCode.MEMBERS_DIFFER]),
        ({"stream": "process/p-2"}, [FindingCode.WRONG_PLACE, FindingCode.MEMBERS_DIFFER]),
        ({"seq": 4}, [FindingCode.WRONG_PLACE, FindingCode.MEMBERS_DIFFER]),
        ({"prev": ZEROS}, [FindingCode.LINK_BROKEN, FindingCode.MEMBERS_DIFFER]),
        ({"intent": ZEROS}, [FindingCode.INTENT_REPLACED]),
        ({"intent": None}, [FindingCode.INTENT_REPLACED]),
        ({"intent_sig": ZEROS * 2}, [FindingCode.INTENT_REPLACED]),
        ({"intent_sig": None}, [FindingCode.INTENT_REPLACED]),
        ({"actor": ANA.actor}, [FindingCode.MEMBERS_DIFFER]),
        ({"recorded_at": minute(1)}, [FindingCode.TIME_BACKWARDS]),
        ({"engine_key": ROBOT.actor}, [FindingCode.ENGINE_SIGNATURE, FindingCode.ENGINE_KEY]),
        ({"actors": {"tenant": 0, "system": 1}}, [FindingCode.CONTEXT_BACKWARDS, FindingCode.ACTOR_KEY]),
        ({"actors": {"tenant": 3, "system": 0}}, [FindingCode.CONTEXT_BACKWARDS, FindingCode.ENGINE_KEY]),
    ],
)
def test_a_countersigned_lie_is_found(lie: dict[str, object], codes: list[FindingCode]) -> None:
    event = resealed(CHAIN[2], ENGINE, **lie)

    assert [f.code for f in check_event(event, link_before(CHAIN, 2), a_trust(), verify)] == codes


@pytest.mark.parametrize(
    "lie",
    [
        {"depth": 3},
        {"state": {"name": "done", "sha256": ZEROS}},
        {"effects": [{"kind": "cancel", "id": "a"}]},
    ],
)
def test_another_countersigned_decision_breaks_the_next_link_and_no_more(
    lie: dict[str, object],
) -> None:
    assert found(with_event(resealed(CHAIN[2], ENGINE, **lie))) == [(FindingCode.LINK_BROKEN, 4)]


@pytest.mark.parametrize("actors", [{"tenant": 2, "system": 1}, {"tenant": 3, "system": 0}], ids=str)
def test_an_event_that_was_judged_by_older_actors_than_the_one_before_is_found(actors: dict[str, int]) -> None:
    event = resealed(CHAIN[2], actors=actors)

    assert (FindingCode.CONTEXT_BACKWARDS, 3) in found(with_event(event))


def test_an_event_that_was_judged_by_older_rules_than_the_one_before_is_found() -> None:
    newer = resealed(CHAIN[1], rules=1)

    assert (FindingCode.CONTEXT_BACKWARDS, 3) in found(with_event(newer, at=2))


@pytest.mark.parametrize("actors", [{"tenant": 99, "system": 1}, {"tenant": 3, "system": 99}], ids=str)
def test_a_position_that_the_registry_never_had_is_found(actors: dict[str, int]) -> None:
    event = resealed(CHAIN[2], actors=actors)

    assert (FindingCode.CONTEXT_UNKNOWN, 3) in found(with_event(event))
