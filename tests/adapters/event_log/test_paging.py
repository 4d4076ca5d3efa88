"""A stream is read page by page: whatever its length, once and in order."""

from __future__ import annotations

import pytest

from scribe import Scribe
from sealing import Deployment
from sealwork.adapters.event_log import recorded_log


@pytest.mark.parametrize("length", [0, 1, 2, 3, 4, 6, 7])
def test_a_chain_of_any_length_is_read_once_and_in_order(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_log, "PAGE", 3)
    scribe = Scribe(Deployment.in_memory())
    for _ in range(length):
        scribe.write("process/p-1")

    assert [event.seq for event in scribe.events("process/p-1")] == list(range(1, length + 1))


def test_no_more_pages_are_read_than_the_fold_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_log, "PAGE", 2)
    scribe = Scribe(Deployment.in_memory())
    for _ in range(3):
        scribe.write("process/p-1")

    def first_then_append(events: object) -> list[int]:
        assert hasattr(events, "__iter__")
        seen = []
        for event in events:
            if event.seq == 1:
                scribe.write("process/p-1")  # read with a later page, since nothing was read ahead
            seen.append(event.seq)
        return seen

    assert scribe.log.load("acme", "process/p-1", first_then_append) == [1, 2, 3, 4]
