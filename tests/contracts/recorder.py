"""What `eventsourcing` expects of a recorder, so far as it applies to chains that are sealed.

From the library's own `AggregateRecorderTestCase`. It also writes two events of one sequence at once, which a
chain does not allow here, and bytes of any kind, which are no sealed events. Fixtures: `recorder`, and the
`scribe` who writes into the same log.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from eventsourcing.application import AggregateNotFoundError, Repository
from eventsourcing.persistence import AggregateRecorder, EventStore, IntegrityError, StoredEvent

from scribe import Scribe
from sealwork.adapters.event_log.mapper import SealedMapper
from sealwork.adapters.event_log.recorder import SealedRecorder
from sealwork.domain.ledger.sealed_event import SealedEvent

STREAM = "process/p-1"
ID = f"acme:{STREAM}"


class RecorderContract:
    """Inserting, selecting, rebuilding."""

    def test_it_is_a_recorder_of_the_library(self, recorder: SealedRecorder) -> None:
        assert isinstance(recorder, AggregateRecorder)

    def test_an_empty_list_inserts_nothing(self, recorder: SealedRecorder) -> None:
        assert recorder.insert_events([]) is None
        assert list(recorder.select_events(ID, desc=True, limit=1)) == []

    def test_what_was_inserted_is_selected(self, recorder: SealedRecorder, scribe: Scribe) -> None:
        stored, state = _next(scribe)

        assert recorder.insert_events([stored], states=[state]) is None
        (found,) = recorder.select_events(ID)
        assert found == stored
        assert type(found.state) is bytes

    def test_inserting_the_same_event_again_is_an_integrity_error(
        self, recorder: SealedRecorder, scribe: Scribe
    ) -> None:
        stored, state = _next(scribe)
        recorder.insert_events([stored], states=[state])

        with pytest.raises(IntegrityError, match="duplicate"):
            recorder.insert_events([stored], states=[state])

    def test_a_list_with_one_event_that_conflicts_inserts_nothing(
        self, recorder: SealedRecorder, scribe: Scribe
    ) -> None:
        late, late_state = _next(scribe)
        first, first_state = _next(scribe)
        recorder.insert_events([first], states=[first_state])
        other, other_state = _next(scribe, "process/p-2")

        for conflict, state in ((first, first_state), (late, late_state), (other, other_state)):
            with pytest.raises(IntegrityError):
                recorder.insert_events([other, conflict], states=[other_state, state])

        assert list(recorder.select_events(ID)) == [first]
        assert list(recorder.select_events("acme:process/p-2")) == []

    def test_events_of_several_sequences_are_inserted_together(
        self, recorder: SealedRecorder, scribe: Scribe
    ) -> None:
        (one, state_one), (two, state_two) = _next(scribe), _next(scribe, "process/p-2")

        recorder.insert_events([one, two], states=[state_one, state_two])

        assert list(recorder.select_events(ID)) == [one]
        assert list(recorder.select_events("acme:process/p-2")) == [two]

    def test_selections_are_bounded_and_ordered(self, recorder: SealedRecorder, scribe: Scribe) -> None:
        for _ in range(5):
            scribe.write(STREAM)

        def versions(**bounds: int | bool | None) -> list[int]:
            gt, lte, limit = (_int(bounds.get(name)) for name in ("gt", "lte", "limit"))
            found = recorder.select_events(ID, gt=gt, lte=lte, desc=bool(bounds.get("desc")), limit=limit)
            return [stored.originator_version for stored in found]

        assert versions() == [1, 2, 3, 4, 5]
        assert versions(gt=2) == [3, 4, 5]
        assert versions(lte=2) == [1, 2]
        assert versions(gt=1, lte=3) == [2, 3]
        assert versions(limit=2) == [1, 2]
        assert versions(gt=1, limit=2) == [2, 3]
        assert versions(desc=True) == [5, 4, 3, 2, 1]
        assert versions(desc=True, limit=1) == [5]
        assert versions(desc=True, lte=3, limit=1) == [3]
        assert versions(desc=True, gt=2, lte=4) == [4, 3]
        assert versions(gt=5) == versions(lte=0) == versions(limit=0) == []

    def test_the_library_rebuilds_an_aggregate(self, recorder: SealedRecorder, scribe: Scribe) -> None:
        for action in ("start", "submit", "clear"):
            scribe.write(STREAM, action=action)
        repository = Repository[str](EventStore(mapper=SealedMapper(), recorder=recorder))

        whole = repository.get(ID, projector_func=_project)
        part = repository.get(ID, version=2, projector_func=_project)

        assert whole == Deeds(id=ID, version=3, actions=("start", "submit", "clear"))
        assert part == Deeds(id=ID, version=2, actions=("start", "submit"))
        with pytest.raises(AggregateNotFoundError):
            repository.get("acme:process/unknown", projector_func=_project)


@dataclass(frozen=True)
class Deeds:
    """The simplest aggregate: what was done."""

    id: str
    version: int
    actions: tuple[str, ...] = ()


def _project(deeds: Deeds | None, events: object) -> Deeds | None:
    assert hasattr(events, "__iter__")
    for event in events:
        assert isinstance(event, SealedEvent)
        done = getattr(event.read_intent, "action", "")
        before = deeds or Deeds(id=event.originator_id, version=0)
        deeds = replace(before, version=event.originator_version, actions=(*before.actions, done))
    return deeds


def _next(scribe: Scribe, stream: str = STREAM) -> tuple[StoredEvent, bytes]:
    item = scribe.item(stream)
    return SealedMapper().to_stored_event(item.event), item.state


def _int(value: int | bool | None) -> int | None:
    return None if value is None else int(value)
