"""The key of the worker is replaced while it works: nothing is lost, nothing is done twice. Source: X-54."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest

from open_box import OpenBox, an_open_box
from sealing import TENANT, accepted
from sealwork.application.ports.event_submitter import EventSubmitter
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import Refused


class EndingFirst:
    """A way to the engine on which the old key ends once work was claimed and signed with it."""

    def __init__(self, box: OpenBox, how: str) -> None:
        self._box, self._how = box, how

    def submit(self, submissions: Sequence[Submission]) -> Sequence[Appended | Refused]:
        """See `EventSubmitter.submit`."""
        box = self._box
        accepted(getattr(box.actors, self._how)(TENANT, box.key("automation").actor, box.key("admin")))
        return box.submitter.submit(submissions)


@pytest.mark.parametrize("how", ["retire", "revoke"])
def test_what_an_ended_key_had_claimed_its_successor_fires_once(how: str) -> None:
    box = an_open_box()
    box.begin("c-1")
    box.take("c-1", "submit", "maria")
    box.admit("automation 2", KeyClass.AUTOMATION)
    on_its_way: EventSubmitter = EndingFirst(box, how)

    with pytest.raises(Misconfigured, match=f"the key of automation was {how}d"):
        box.worker(submitter=on_its_way)([TENANT])
    assert len(box.events("process/c-1")) == 2
    box.wait(timedelta(hours=1))
    fired = box.worker(signer=box.key("automation 2"))([TENANT])

    assert [attempt.became for attempt in fired] == ["completed"]
    *_, screened = box.events("process/c-1")
    assert isinstance(screened.read_intent, Intent)
    assert (screened.seq, screened.read_intent.key) == (3, box.key("automation 2").actor)
    assert box.verify().intact


def test_what_the_old_key_fired_stands_beside_what_the_new_one_fires() -> None:
    box = an_open_box()
    box.begin("c-1")
    box.take("c-1", "submit", "maria")
    box.fire_due()
    box.admit("automation 2", KeyClass.AUTOMATION)
    accepted(box.actors.retire(TENANT, box.key("automation").actor, box.key("admin")))
    box.wait(timedelta(hours=49))

    fired = box.worker(signer=box.key("automation 2"))([TENANT])

    assert [attempt.became for attempt in fired] == ["exhausted"]
    assert box.verify().intact
