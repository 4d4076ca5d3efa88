from __future__ import annotations

from hashlib import sha256
from uuid import RFC_4122, UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from builders import AN_ID, AT, ZEROS
from laws import law
from sealwork.domain.ledger.effects import Auto, CalendarRef, Cancel, Place, RuleAction, Schedule, derived_id
from sealwork.domain.ledger.members import document_of

PLACE = Place(origin="test.example/log", tenant="acme", stream="process/p-1", seq=1)
PLACES = st.builds(
    Place,
    origin=st.text(max_size=3),
    tenant=st.text(max_size=3),
    stream=st.text(max_size=3),
    seq=st.integers(1, 2**53 - 1),
)


def test_a_derived_id_is_the_beginning_of_a_hash_over_the_place_and_the_index() -> None:
    body = b'["test.example/log","acme","process/p-1",1,7]'
    beginning = sha256(b"DSSEv1 37 application/vnd.sealwork.work.v1+json 45 " + body).hexdigest()[:32]

    hex_ = derived_id(PLACE, 7).hex

    kept = slice(0, 12), slice(13, 16), slice(17, 32)  # all but the digits of version and variant
    assert [hex_[part] for part in kept] == [beginning[part] for part in kept]


@law
@given(PLACES, st.integers(0, 10_000))
def test_a_derived_id_is_a_uuid_of_version_8(place: Place, index: int) -> None:
    id_ = derived_id(place, index)

    assert (id_.version, id_.variant) == (8, RFC_4122)


@law
@given(PLACES, st.integers(0, 9), PLACES, st.integers(0, 9))
def test_two_effects_never_share_an_id(one: Place, index: int, other: Place, other_index: int) -> None:
    same = (one, index) == (other, other_index)

    assert (derived_id(one, index) == derived_id(other, other_index)) == same


@pytest.mark.parametrize(
    "change", [{"origin": "test.example"}, {"tenant": "acm"}, {"stream": "process/p-2"}, {"seq": 2}]
)
def test_another_place_gives_another_id(change: dict[str, object]) -> None:
    assert derived_id(PLACE.model_copy(update=change), 0) != derived_id(PLACE, 0)


def test_another_index_gives_another_id() -> None:
    assert len({derived_id(PLACE, index) for index in range(50)}) == 50


def test_text_moved_between_origin_and_tenant_gives_another_id() -> None:
    one = PLACE.model_copy(update={"origin": "ab", "tenant": "c"})
    other = PLACE.model_copy(update={"origin": "a", "tenant": "bc"})

    assert derived_id(one, 0) != derived_id(other, 0)


def test_the_kind_of_an_effect_is_written_with_it() -> None:
    assert document_of(Cancel(id="deadline")) == {"kind": "cancel", "id": "deadline"}


def test_a_timer_that_fires_once_has_no_member_of_a_recurrence() -> None:
    effect = Schedule(id="deadline", work=AN_ID, action="escalate", data={}, run_at=AT)

    assert document_of(effect).keys() == {"kind", "id", "work", "action", "data", "run_at"}


def test_places_of_the_event_hash_are_written_as_a_list() -> None:
    effect = Auto(work=AN_ID, action="screen", data={"cause": None}, hash_at=("/cause",))

    assert document_of(effect) == {
        "kind": "auto",
        "work": AN_ID,
        "action": "screen",
        "data": {"cause": None},
        "hash_at": ["/cause"],
    }


@pytest.mark.parametrize(
    "wrong",
    [
        {"every": 0},
        {"every": -1},
        {"every": 1.0},
        {"every": True},
        {"count": 0},
        {"until": "tomorrow"},
        {"run_at": "2026-06-18"},
        {"adjust": "none"},
        {"misfire": "fire_all"},
        {"work": "1"},
        {"work": UUID(AN_ID)},
        {"hash_at": "/a"},
        {"hash_at": [1]},
        {"calendar": {"id": "cal_1", "version": 0, "sha256": ZEROS}},
        {"calendar": {"id": "cal_1", "version": 1}},
        {"in": "48h"},
    ],
)
def test_a_schedule_with_a_member_of_another_form_is_refused(wrong: dict[str, object]) -> None:
    usual = {"id": "t", "work": AN_ID, "action": "tick", "data": {}, "run_at": AT}

    with pytest.raises(ValidationError):
        Schedule.model_validate(usual | wrong)


def test_a_rule_names_a_version_from_1() -> None:
    with pytest.raises(ValidationError):
        RuleAction(work=AN_ID, rule="rul_1", version=0, action="remind", data={})


def test_an_effect_cannot_be_changed() -> None:
    calendar = CalendarRef(id="cal_1", version=1, sha256=ZEROS)

    with pytest.raises(ValidationError):
        calendar.__setattr__("version", 2)
