"""The worker: claim, sign, submit, settle. Source: worker.md; S1-010, S1-071, S1-080, S1-088..094."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import repeat

import pytest

from open_box import OpenBox, an_open_box
from sealing import ONBOARDING, TENANT, accepted, key_of
from sealwork.adapters.signing import SecretKey
from sealwork.adapters.submitting import InProcess
from sealwork.application.ports.event_submitter import EventSubmitter
from sealwork.application.stories.faults import WorkerDied
from sealwork.application.work.fire_work import LEASE, MAX_SIGNATURES, MOMENT, RETRY_AFTER, USUAL, Fired, FireWork
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import process_stream
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.record import state_bytes
from sealwork.domain.ledger.submission import Appended, Submission
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.work.provenance import fired_input
from sealwork.domain.work.work_row import WorkRow, WorkStatus

ACTIONS = ONBOARDING["actions"]
assert isinstance(ACTIONS, dict)
WORK: JsonObject = {
    **ONBOARDING,
    "actions": {
        **ACTIONS,
        "note": {"role": "intake", "from": "screening"},
        "leave": {"role": "analyst", "from": "screening", "to": "done"},
    },
}
"""As ONBOARDING; `note` moves only the head of the chain, `leave` forgets to cancel the deadline."""
TWO_DAYS = timedelta(hours=48)


class Road:
    """The way to the engine; before each submission one of `events` happens, as long as there are any."""

    def __init__(self, way: EventSubmitter, events: Iterator[Callable[[], object]]) -> None:
        self._way = way
        self._events = events
        self.submitted: list[Submission] = []

    def submit(self, submissions: Sequence[Submission]) -> Sequence[Appended | Refused]:
        """See `EventSubmitter.submit`."""
        self.submitted += submissions
        for happens in self._events:
            happens()
            break
        return self._way.submit(submissions)


def a_worker(
    box: OpenBox, events: Iterable[Callable[[], object]] = (), *, by: SecretKey | None = None
) -> tuple[FireWork, Road]:
    """A worker, by default with the admitted key, and the road that its submissions take."""
    road = Road(InProcess(box.process_event), iter(events))
    key = by or box.key("automation")
    return box.worker(submitter=road, signer=key), road


def a_box_with_work(*processes: str) -> OpenBox:
    """A deployment where each process waits to be screened."""
    box = an_open_box(WORK)
    for process in processes or ("c-1",):
        box.begin(process)
        box.take(process, "submit", "maria")
    return box


def a_box_with_a_timer() -> OpenBox:
    """A deployment where c-1 was screened, and its deadline is due now."""
    box = a_box_with_work()
    box.fire_due()
    box.wait(TWO_DAYS)
    return box


def the_row(box: OpenBox, action: str = "screen", process: str = "c-1") -> WorkRow:
    """The one row of a process for an action."""
    (row,) = (row for row in box.rows(process) if row.action == action)
    return row


def told(fired: Iterable[Fired]) -> list[tuple[str, str, str]]:
    """Process, action and what became of the row."""
    return [(fire.work.row.stream.removeprefix("process/"), fire.work.row.action, fire.became) for fire in fired]


def code_of(fired: Fired) -> RefusalCode:
    """Why the engine refused it."""
    assert isinstance(fired.answer, Refused), fired
    return fired.answer.code


def test_what_is_due_is_fired_by_the_machine_with_what_the_row_says() -> None:
    box = a_box_with_work()
    row, key = the_row(box), box.key("automation")

    fired = box.fire_due()

    event = box.events("process/c-1")[-1]
    assert told(fired) == [("c-1", "screen", "completed")]
    assert isinstance(event.read_intent, Intent)
    assert (event.read_intent.key, event.read_intent.input) == (key.actor, fired_input(row, key.actor))
    assert (the_row(box).status, the_row(box).fired_event_hash) == (WorkStatus.COMPLETED, event.hash)
    assert box.verify().intact


def test_a_second_round_fires_nothing() -> None:
    box = a_box_with_work()
    box.fire_due()
    before = box.picture()

    assert box.fire_due() == []
    assert box.picture() == before


def test_work_of_other_tenants_is_left_alone() -> None:
    box = a_box_with_work()
    before = box.picture()

    assert list(box.fire(["globex"])) == []
    assert box.picture() == before


def test_a_timer_fires_at_its_time_and_not_before() -> None:
    box = a_box_with_work()
    box.fire_due()
    box.wait(TWO_DAYS - timedelta(microseconds=1))

    assert box.fire_due() == []
    box.wait(timedelta(microseconds=1))
    assert told(box.fire_due()) == [("c-1", "escalate", "exhausted")]


def test_all_that_is_due_is_fired_however_much_it_is() -> None:
    box = a_box_with_work(*(f"c-{number}" for number in range(60)))

    fired = told(box.fire_due())

    assert sorted(fired) == sorted((f"c-{number}", "screen", "completed") for number in range(60))


def test_an_automatic_action_that_a_person_took_first_is_skipped_with_the_reason() -> None:
    box = a_box_with_work()
    box.take("c-1", "screen", "ana")

    (fired,) = box.fire_due()

    row = the_row(box)
    assert (code_of(fired), row.status, row.fired_event_hash) == (
        RefusalCode.WRONG_STATE,
        WorkStatus.SKIPPED,
        None,
    )
    assert row.last_error == "wrong_state: screen needs ready; the process is in screening"


def test_a_timer_that_is_stale_is_attempted_and_skipped_with_the_reason() -> None:
    box = a_box_with_a_timer()
    box.take("c-1", "leave", "ana")
    worker, road = a_worker(box)

    (fired,) = worker([TENANT])

    row = the_row(box, "escalate")
    assert len(road.submitted) == 1
    assert (code_of(fired), row.status, row.attempts) == (RefusalCode.WRONG_STATE, WorkStatus.SKIPPED, 1)
    assert row.last_error == "wrong_state: escalate needs screening; the process is in done"
    assert len(box.events("process/c-1")) == 4


def test_one_bad_row_costs_the_others_nothing() -> None:
    box = a_box_with_work("c-1", "c-2", "c-3", "c-4")
    box.take("c-2", "screen", "ana")
    box.chain("process/c-3").state = state_bytes("ready", {"vip": True})

    fired = box.fire_due()

    assert sorted(told(fired)) == [
        ("c-1", "screen", "completed"),
        ("c-2", "screen", "skipped"),
        ("c-3", "screen", "failed"),
        ("c-4", "screen", "completed"),
    ]
    assert (the_row(box, process="c-3").last_error or "").startswith("chain_broken: ")


def test_a_row_that_cannot_be_signed_fails_and_the_others_go_on() -> None:
    box = a_box_with_work("c-1", "c-2")
    row = the_row(box)
    box.tables.work[(TENANT, row.id)].change(data={"amount": 10**300})

    fired = box.fire_due()

    assert sorted(told(fired)) == [("c-1", "screen", "failed"), ("c-2", "screen", "completed")]
    assert "cannot be signed" in (the_row(box).last_error or "")


def test_a_head_that_moved_is_read_and_signed_again() -> None:
    box = a_box_with_a_timer()
    worker, road = a_worker(box, [lambda: box.take("c-1", "note", "maria")])

    fired = worker([TENANT])

    late, again = (submission.intent for submission in road.submitted)
    assert told(fired) == [("c-1", "escalate", "exhausted")]
    assert len(box.events("process/c-1")) == 5
    assert box.events("process/c-1")[-1].intent == again != late
    assert the_row(box, "escalate").attempts == 1


def test_a_head_that_keeps_moving_is_tried_again_later() -> None:
    box = a_box_with_a_timer()
    worker, road = a_worker(box, repeat(lambda: box.take("c-1", "note", "maria"), 1 + MAX_SIGNATURES))

    (fired,) = worker([TENANT])

    row = the_row(box, "escalate")
    assert len(road.submitted) == 1 + MAX_SIGNATURES
    assert (code_of(fired), fired.became, row.status) == (RefusalCode.STALE_HEAD, "retry", WorkStatus.CLAIMED)
    assert list(worker([TENANT])) == []
    box.wait(USUAL.first)
    assert told(worker([TENANT])) == [("c-1", "escalate", "exhausted")]


def test_who_signs_again_and_again_waits_a_moment_each_time_but_the_first() -> None:
    box = a_box_with_a_timer()
    road = Road(InProcess(box.process_event), repeat(lambda: box.take("c-1", "note", "maria"), 1 + MAX_SIGNATURES))
    pauses: list[timedelta] = []

    box.worker(submitter=road, pause=pauses.append)([TENANT])

    assert len(pauses) == MAX_SIGNATURES - 1
    assert all(timedelta(0) <= pause <= nth * MOMENT for nth, pause in enumerate(pauses, start=1))
    assert len(set(pauses)) > 1


def test_a_timer_that_is_cancelled_under_the_worker_is_dropped() -> None:
    box = a_box_with_a_timer()
    worker, _ = a_worker(box, [lambda: box.take("c-1", "clear", "ana")])

    (fired,) = worker([TENANT])

    assert (code_of(fired), fired.became) == (RefusalCode.NOT_CLAIMED, "lost")
    assert the_row(box, "escalate").status is WorkStatus.CANCELLED


def test_a_row_that_was_taken_over_meanwhile_is_fired_once() -> None:
    box = a_box_with_a_timer()

    def another_worker_is_faster() -> None:
        box.wait(LEASE)
        assert told(box.fire_due()) == [("c-1", "escalate", "exhausted")]

    worker, _ = a_worker(box, [another_worker_is_faster])

    (fired,) = worker([TENANT])

    assert fired.answer == Appended(receipt=box.events("process/c-1")[3].receipt, duplicate=True)
    assert len(box.events("process/c-1")) == 4


def test_a_crash_after_the_append_is_made_good_by_the_next_worker() -> None:
    box = a_box_with_a_timer()
    crashing = Crashing(InProcess(box.process_event))
    worker = box.worker(submitter=crashing)
    with pytest.raises(WorkerDied):
        worker([TENANT])
    assert the_row(box, "escalate").status is WorkStatus.CLAIMED

    assert box.fire_due() == []
    box.wait(LEASE)
    (fired,) = box.fire_due()

    assert fired.answer == Appended(receipt=box.events("process/c-1")[3].receipt, duplicate=True)
    row = the_row(box, "escalate")
    assert (row.status, row.fired_event_hash) == (WorkStatus.EXHAUSTED, box.events("process/c-1")[3].hash)
    assert len(box.events("process/c-1")) == 4


class Crashing:
    """A way to the engine on which the worker dies before it hears the answer."""

    def __init__(self, way: EventSubmitter) -> None:
        self._way = way

    def submit(self, submissions: Sequence[Submission]) -> Sequence[Appended | Refused]:
        """See `EventSubmitter.submit`."""
        self._way.submit(submissions)
        raise WorkerDied


@pytest.mark.parametrize("how", ["retire", "revoke"])
def test_a_key_that_has_ended_stops_the_worker_and_gives_the_rows_back(how: str) -> None:
    box = a_box_with_work("c-1", "c-2")
    end = getattr(box.actors, how)
    accepted(end(TENANT, box.key("automation").actor, box.key("admin")))

    with pytest.raises(Misconfigured, match="does not take the automation key: the key of automation was"):
        box.fire_due()

    for process in ("c-1", "c-2"):
        row = the_row(box, process=process)
        assert (row.status, row.lease_token, row.attempts) == (WorkStatus.CLAIMED, None, 0)
        assert (row.last_error, row.fired_event_hash) == (None, None)


def test_rows_that_were_given_back_are_fired_by_the_next_key() -> None:
    box = a_box_with_work()
    with pytest.raises(Misconfigured):
        a_worker(box, by=key_of("stranger"))[0]([TENANT])

    assert box.fire_due() == []
    box.wait(RETRY_AFTER)

    assert told(box.fire_due()) == [("c-1", "screen", "completed")]


def test_a_key_that_ends_in_the_middle_of_a_batch_keeps_what_it_has_fired() -> None:
    box = a_box_with_work("c-1", "c-2")
    events = [lambda: None, lambda: box.actors.retire(TENANT, box.key("automation").actor, box.key("admin"))]
    worker, _ = a_worker(box, events)

    with pytest.raises(Misconfigured):
        worker([TENANT])

    states = sorted(the_row(box, process=process).status for process in ("c-1", "c-2"))
    assert states == [WorkStatus.CLAIMED, WorkStatus.COMPLETED]


class Scrawling:
    """The admitted key, whose signatures are worth nothing."""

    def __init__(self, actor: str) -> None:
        self.actor = actor

    def sign(self, message: bytes) -> bytes:
        """Return no signature."""
        return bytes(64)


def test_a_signature_that_does_not_verify_stops_the_worker_and_gives_the_rows_back() -> None:
    box = a_box_with_work("c-1", "c-2")
    signer = Scrawling(box.key("automation").actor)
    worker = box.worker(signer=signer)

    with pytest.raises(Misconfigured, match="the signature is not this key's"):
        worker([TENANT])

    for process in ("c-1", "c-2"):
        row = the_row(box, process=process)
        assert (row.status, row.lease_token, row.attempts) == (WorkStatus.CLAIMED, None, 0)
        assert (row.last_error, row.deaths) == (None, 0)
    box.wait(RETRY_AFTER)
    assert sorted(told(box.fire_due())) == [("c-1", "screen", "completed"), ("c-2", "screen", "completed")]


def test_a_person_who_plays_the_worker_fails_the_row_not_the_process() -> None:
    box = a_box_with_work()
    worker, _ = a_worker(box, by=box.key("ana"))

    (fired,) = worker([TENANT])

    assert (code_of(fired), fired.became) == (RefusalCode.RESERVED_INPUT, "failed")
    assert len(box.events("process/c-1")) == 2
    assert box.take("c-1", "screen", "ana").seq == 3


def test_every_event_of_the_machine_names_a_row_of_its_own() -> None:
    box = a_box_with_a_timer()
    box.fire_due()
    automation = box.key("automation").actor
    rows = {str(row.id): row for row in box.rows("c-1")}

    events = [event for event in box.events(process_stream("c-1")) if event.read_intent]

    fired = {}
    for event in events:
        intent = event.read_intent
        assert isinstance(intent, Intent)
        if intent.key == automation:
            meta = intent.input["meta"]
            assert isinstance(meta, dict)
            claim = meta["automation"]
            assert isinstance(claim, dict)
            fired[claim["work_id"]] = event.hash
    assert fired == {id_: row.fired_event_hash for id_, row in rows.items()}
