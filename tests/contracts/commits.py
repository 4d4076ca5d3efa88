"""What every `EventLog` makes of a parent and the children that it begins: one commit, and rows for each of them.

Fixtures: `deployment`, empty, and its `scribe`.
"""

from __future__ import annotations

import pytest

from scribe import DEFINITION, HOUR, Scribe, auto, spawn, timer
from sealing import Deployment
from sealwork.application.ports.event_log import AppendStatus, Item, Question
from sealwork.application.ports.work_store import SettleAs
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.effects import Cancel, Effect
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.ledger.record import Record
from sealwork.domain.work.work_row import WorkKind, WorkRow, WorkStatus

PARENT = "process/p-1"
APPENDED, DUPLICATE, STALE = AppendStatus.APPENDED, AppendStatus.DUPLICATE, AppendStatus.STALE
OTHER = DefinitionRef(path="billing/invoice", version=7, sha256="b" * 64)


class CommitsContract:
    """Parents and children: whole, or not at all."""

    def test_a_parent_and_its_children_stand_together(self, scribe: Scribe) -> None:
        commit = _family(scribe)

        verdicts = scribe.log.append([commit])

        assert [(verdict.status, verdict.hash) for verdict in verdicts] == [
            (APPENDED, item.event.hash) for item in commit
        ]
        assert [scribe.events(item.event.stream) for item in commit] == [[item.event] for item in commit]

    def test_a_child_that_stands_already_lets_the_whole_commit_fall(self, scribe: Scribe) -> None:
        parent, first, second = _family(scribe)
        scribe.append(second)
        before = _everything(scribe)

        verdicts = scribe.log.append([(parent, first, second)])

        assert [verdict.status for verdict in verdicts] == [STALE, STALE, STALE]
        assert _everything(scribe) == before

    def test_a_stale_parent_begins_no_child(self, scribe: Scribe) -> None:
        commit = _family(scribe)
        scribe.write(PARENT)
        before = _everything(scribe)

        verdicts = scribe.log.append([commit])

        assert [verdict.status for verdict in verdicts] == [STALE, STALE, STALE]
        assert _everything(scribe) == before

    def test_a_parent_that_was_decided_by_other_actors_begins_no_child(
        self, scribe: Scribe, deployment: Deployment
    ) -> None:
        commit = _family(scribe)
        deployment.admit("admin", KeyClass.ACTOR_ADMIN, by="root")
        before = _everything(scribe)

        verdicts = scribe.log.append([commit])

        assert {verdict.status for verdict in verdicts} == {AppendStatus.CONTEXT_MOVED}
        assert _everything(scribe) == before

    def test_a_row_that_is_no_longer_claimed_begins_no_child(self, scribe: Scribe) -> None:
        scribe.write(PARENT, auto())
        (work,) = scribe.claim()
        parent = scribe.firing(work, spawn())
        scribe.settle(work, SettleAs.FAIL, error="no")
        before = _everything(scribe)

        verdicts = scribe.log.append([(parent, scribe.child(parent, auto()))])

        assert {verdict.status for verdict in verdicts} == {AppendStatus.NOT_CLAIMED}
        assert _everything(scribe) == before

    def test_the_same_commit_again_is_told_the_parent_that_stands(self, scribe: Scribe) -> None:
        commit = _family(scribe)
        scribe.log.append([commit])
        before = _everything(scribe)

        verdicts = scribe.log.append([commit])

        assert [verdict.status for verdict in verdicts] == [DUPLICATE] * 3
        assert [verdict.hash for verdict in verdicts] == [commit[0].event.hash, None, None]
        assert _everything(scribe) == before

    def test_a_family_that_falls_leaves_another_one_standing(self, scribe: Scribe) -> None:
        falls, stands = _family(scribe), _family(scribe, "process/p-2")
        scribe.append(falls[1])

        verdicts = scribe.log.append([falls, stands])

        assert [verdict.status for verdict in verdicts] == [STALE] * 3 + [APPENDED] * 3

    def test_the_rows_of_a_child_are_its_own(self, scribe: Scribe) -> None:
        parent = scribe.item(PARENT, spawn(definition=OTHER), auto("screen"), action="approve")
        child = scribe.child(parent, timer("t", HOUR), auto("send", {"a": None}, hash_at=("/a",)))

        scribe.log.append([(parent, child)])

        by_kind = {row.kind: row for row in scribe.rows(child.event.stream)}
        record = _record(child)
        for row in by_kind.values():
            cause = row.caused_by
            assert (cause.event_hash, cause.action) == (child.event.hash, "open")
            assert cause.actor == record.actor == scribe.actor.actor
        queued, waiting = by_kind[WorkKind.AUTO_ACTION], by_kind[WorkKind.SCHEDULED_ACTION]
        assert (queued.action, queued.data, queued.depth) == ("send", {"a": child.event.hash}, 2)
        assert (queued.available_state, queued.status) == ("open", WorkStatus.PENDING)
        assert (waiting.schedule_id, waiting.depth, waiting.status) == ("t", 0, WorkStatus.ACTIVE)
        assert [row.action for row in scribe.rows(PARENT)] == ["screen"]

    def test_a_child_does_not_reach_the_timers_of_its_parent(self, scribe: Scribe) -> None:
        scribe.write(PARENT, timer("t", HOUR))
        parent = scribe.item(PARENT, spawn())
        child = scribe.child(parent, Cancel(id="t"), timer("t", 2 * HOUR))

        scribe.log.append([(parent, child)])

        statuses = [row.status for stream in (PARENT, child.event.stream) for row in scribe.rows(stream)]
        assert statuses == [WorkStatus.ACTIVE, WorkStatus.ACTIVE]

    @pytest.mark.parametrize("depth", [23, 24])
    def test_the_rows_of_a_child_are_one_hop_deeper(self, scribe: Scribe, depth: int) -> None:
        parent = scribe.resealed(scribe.item(PARENT, spawn()), depth=depth)
        child = scribe.child(parent, auto())

        scribe.log.append([(parent, child)])

        (row,) = scribe.rows(child.event.stream)
        failed = depth + 2 > 25
        assert (row.depth, row.status) == (depth + 2, WorkStatus.FAILED if failed else WorkStatus.PENDING)
        assert row.last_error == ("cascade_limit" if failed else None)

    @pytest.mark.parametrize("effect", [auto("send"), timer("t", -HOUR)], ids=["queue row", "timer"])
    def test_a_row_of_a_child_is_claimed_and_fired_over_its_first_event(
        self, scribe: Scribe, effect: Effect
    ) -> None:
        parent = scribe.item(PARENT, spawn(definition=OTHER))
        child = scribe.child(parent, effect)
        scribe.log.append([(parent, child)])

        (work,) = scribe.claim()

        assert (work.row.stream, work.seq, work.hash) == (child.event.stream, 1, child.event.hash)
        assert work.definition == OTHER
        event = scribe.fire(work)
        assert (event.stream, event.seq) == (child.event.stream, 2)
        assert scribe.settle(work, SettleAs.COMPLETE) in ("completed", "exhausted")

    def test_a_child_that_went_on_is_claimed_with_the_definition_of_its_last_intent(self, scribe: Scribe) -> None:
        parent = scribe.item(PARENT, spawn(definition=OTHER))
        child = scribe.child(parent, auto())
        scribe.log.append([(parent, child)])
        scribe.write(child.event.stream)

        (work,) = scribe.claim()

        assert (work.seq, work.definition) == (2, DEFINITION)

    def test_the_head_of_a_child_has_a_record_and_no_intent(self, scribe: Scribe, deployment: Deployment) -> None:
        parent, child, _ = _family(scribe)
        scribe.log.append([(parent, child, _)])

        head = deployment.log.head(Question(tenant=scribe.tenant, stream=child.event.stream))

        assert (head.seq, head.hash, head.state) == (1, child.event.hash, child.state)
        assert (head.head_record, head.head_intent) == (child.event.record, None)

    def test_an_event_has_an_intent_or_a_cause_and_never_both(self, scribe: Scribe) -> None:
        parent = scribe.item(PARENT, spawn())
        child = scribe.child(parent)
        neither = scribe.resealed(child, cause=None)
        both = scribe.resealed(scribe.item("process/p-2"), cause=_record(child).cause)

        assert [scribe.append(item).status for item in (neither, both)] == [AppendStatus.REFUSED] * 2
        assert list(scribe.log.streams()) == []


def _family(scribe: Scribe, stream: str = PARENT) -> tuple[Item, Item, Item]:
    """A parent over the present head, and two children with work of their own."""
    parent = scribe.item(stream, spawn("a"), spawn("b"), auto("screen"))
    return parent, scribe.child(parent, auto("send")), scribe.child(parent, timer("t"), index=1)


def _everything(scribe: Scribe) -> list[tuple[str, int, str, list[WorkRow]]]:
    """Every head, and the work rows under it."""
    return [(head.stream, head.seq, head.hash, list(scribe.rows(head.stream))) for head in scribe.log.streams()]


def _record(item: Item) -> Record:
    record = item.event.read_record
    assert isinstance(record, Record)
    return record
