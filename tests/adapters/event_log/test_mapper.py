"""The mapper keeps signed bytes verbatim, and takes nothing else for them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from eventsourcing.persistence import MapperDeserialisationError, StoredEvent
from eventsourcing.utils import resolve_topic
from hypothesis import given, settings
from hypothesis import strategies as st

from laws import law
from sealwork.adapters.event_log.mapper import TOPIC, SealedMapper, framed
from sealwork.domain.ledger.sealed_event import SealedEvent

MAPPER = SealedMapper()
PARTS = st.none() | st.binary(max_size=300)
EVENTS = st.builds(
    SealedEvent,
    tenant=st.from_regex(r"[a-z0-9-]{1,63}", fullmatch=True),
    stream=st.from_regex(r"[a-z]+/[A-Za-z0-9._:/-]{1,40}", fullmatch=True),
    seq=st.integers(1, 2**63 - 1),
    intent=PARTS,
    intent_sig=PARTS,
    record=st.binary(max_size=300),
    record_sig=st.binary(max_size=64),
)


@law
@given(EVENTS)
def test_an_event_comes_back_as_it_went(event: SealedEvent) -> None:
    stored = MAPPER.to_stored_event(event)

    assert MAPPER.to_domain_event(stored) == event
    assert (stored.originator_id, stored.originator_version) == (event.originator_id, event.seq)


@law
@given(EVENTS)
def test_the_signed_bytes_stand_there_verbatim(event: SealedEvent) -> None:
    state = MAPPER.to_stored_event(event).state

    assert event.record in state
    assert event.intent is None or event.intent in state


@law
@given(EVENTS, st.data())
def test_an_event_that_was_cut_off_is_no_event(event: SealedEvent, data: st.DataObject) -> None:
    stored = MAPPER.to_stored_event(event)
    cut = data.draw(st.integers(0, len(stored.state) - 1))

    with pytest.raises(MapperDeserialisationError):
        MAPPER.to_domain_event(replace(stored, state=stored.state[:cut]))


@law
@given(EVENTS, st.binary(min_size=1, max_size=9))
def test_an_event_with_something_behind_it_is_no_event(event: SealedEvent, more: bytes) -> None:
    stored = MAPPER.to_stored_event(event)

    with pytest.raises(MapperDeserialisationError):
        MAPPER.to_domain_event(replace(stored, state=stored.state + more))


FRAMES = st.one_of(
    st.binary(max_size=40),
    st.tuples(PARTS, PARTS, st.binary(), st.binary()).map(lambda parts: framed(*parts)),
    st.lists(PARTS, max_size=6).map(lambda parts: framed(*parts)),
    st.lists(st.sampled_from([framed(b"ab"), framed(b""), framed(None), b"\0\0\0", b"\xff\xff\xff\xfe"])).map(
        b"".join
    ),
)
STORED = st.builds(
    StoredEvent,
    originator_id=st.sampled_from(["acme:process/p", "acme", "", ":", "acme:", ":process/p", "a:b:c", "\0"])
    | st.uuids(),
    originator_version=st.integers(),
    topic=st.just(TOPIC) | st.text(max_size=9),
    state=FRAMES,
)


@settings(law, max_examples=400)
@given(STORED)
def test_whatever_is_stored_is_an_event_that_is_stored_so_or_refused(stored: StoredEvent) -> None:
    try:
        event = MAPPER.to_domain_event(stored)
    except MapperDeserialisationError:
        return
    assert MAPPER.to_stored_event(event) == stored


def test_an_event_needs_a_record_and_its_signature() -> None:
    for parts in ((b"i", b"s", None, b"s"), (b"i", b"s", b"r", None)):
        stored = StoredEvent(
            originator_id="acme:process/p", originator_version=1, topic=TOPIC, state=framed(*parts)
        )
        with pytest.raises(MapperDeserialisationError):
            MAPPER.to_domain_event(stored)


def test_bytes_under_another_topic_are_refused() -> None:
    state = framed(b"i", b"s", b"r", b"s")
    stored = StoredEvent(originator_id="acme:process/p", originator_version=1, topic="elsewhere", state=state)

    with pytest.raises(MapperDeserialisationError):
        MAPPER.to_domain_event(stored)


def test_the_topic_names_the_class_of_the_event() -> None:
    assert resolve_topic(TOPIC) is SealedEvent


def test_only_sealed_events_are_stored() -> None:
    class Other:
        originator_id = "acme:process/p"
        originator_version = 1

    with pytest.raises(TypeError, match="Other is no sealed event"):
        MAPPER.to_stored_event(Other())
