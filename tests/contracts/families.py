"""Processes that begin others, told to a whole deployment: real keys, every decision, any adapters.

Fixture: `deployment`, empty.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from families import (
    BILL,
    SHIP,
    an_order,
    chain_of,
    children_of,
    data_of,
    last_record,
    links,
    shown,
    with_families,
)
from sealing import TENANT, Deployment, accepted
from sealwork.application.proof.show_process import TimelineEntry
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.ledger.record import Cause
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.refusals import RefusalCode, Refused
from sealwork.domain.work.work_row import WorkKind, WorkRow, WorkStatus

AMOUNT: JsonObject = {"amount": 12.5}


class FamiliesContract:
    """An order that is approved begins an invoice and a parcel."""

    def test_the_children_take_what_the_parent_gives_them(self, deployment: Deployment) -> None:
        with_families(deployment)
        deployment.begin("o-1", path="sales/order")

        approved = deployment.take("o-1", "approve", "maria", AMOUNT)

        children = children_of(deployment, "o-1")
        assert list(children) == ["bill", "ship"]
        assert data_of(deployment, children["bill"]) == {
            "amount": 12.5,
            "given": {
                "amount": 12.5,
                "for": "Order o-1 of Ada",
                "order": {"id": "o-1", "approved_by": approved.hash},
                "at": last_record(deployment, "o-1").recorded_at,
            },
        }
        assert data_of(deployment, children["ship"]) == {"by": deployment.key("maria").actor}
        assert deployment.verify().intact

    def test_a_child_begins_with_a_record_that_names_its_cause(self, deployment: Deployment) -> None:
        with_families(deployment)
        deployment.begin("o-1", path="sales/order")
        approved = deployment.take("o-1", "approve", "maria", AMOUNT)
        child = children_of(deployment, "o-1")["bill"]

        (event,), record, parent = (
            chain_of(deployment, child),
            last_record(deployment, child),
            last_record(deployment, "o-1"),
        )

        assert (event.seq, event.intent, event.intent_sig, record.intent) == (1, None, None, None)
        assert record.cause == Cause(stream="process/o-1", seq=2, hash=approved.hash)
        assert record.definition == deployment.definitions.find(TENANT, "billing/invoice", 1)
        assert (record.action, record.actor, record.depth) == ("open", deployment.key("maria").actor, 1)
        assert (record.recorded_at, record.actors) == (parent.recorded_at, parent.actors)
        assert (record.state.name, [effect.kind for effect in record.effects]) == ("open", ["schedule", "auto"])

    def test_a_child_is_a_process_like_any_other(self, deployment: Deployment) -> None:
        with_families(deployment)
        deployment.begin("o-1", path="sales/order")
        deployment.take("o-1", "approve", "maria", AMOUNT)
        child = children_of(deployment, "o-1")["bill"]

        fired = [(one.work.row.stream, one.work.row.action, one.became) for one in deployment.fire_due()]
        deployment.wait(timedelta(days=31))
        reminded = [(one.work.row.action, one.became) for one in deployment.fire_due()]
        deployment.take(child, "pay", "ana")

        assert fired == [(f"process/{child}", "send", "completed")]
        assert reminded == [("remind", "exhausted")]
        assert [event.seq for event in chain_of(deployment, child)] == [1, 2, 3, 4]
        assert (shown(deployment, child).state, shown(deployment, child).seq) == ("paid", 4)
        assert deployment.verify().intact

    def test_the_work_of_a_child_names_its_first_event(self, deployment: Deployment) -> None:
        with_families(deployment)
        deployment.begin("o-1", path="sales/order")
        deployment.take("o-1", "approve", "maria", AMOUNT)
        child = children_of(deployment, "o-1")["bill"]
        (event,) = chain_of(deployment, child)

        rows = {row.kind: row for row in deployment.store.of_process(TENANT, f"process/{child}")}

        causes = {(row.caused_by.event_hash, row.caused_by.action) for row in rows.values()}
        assert causes == {(event.hash, "open")}
        assert rows[WorkKind.AUTO_ACTION].data == {"of": child}
        assert {kind: row.depth for kind, row in rows.items()} == {
            WorkKind.AUTO_ACTION: 2,
            WorkKind.SCHEDULED_ACTION: 0,
        }

    def test_a_child_is_shown_with_the_version_that_it_runs(self, deployment: Deployment) -> None:
        with_families(deployment)
        deployment.begin("o-1", path="sales/order")
        approved = deployment.take("o-1", "approve", "maria", AMOUNT)
        child = children_of(deployment, "o-1")["bill"]

        view, entries = shown(deployment, child), deployment.show.timeline(TENANT, child)

        assert view.workflow == deployment.definitions.find(TENANT, "billing/invoice", 1)
        assert (view.state, view.seq, len(view.work)) == ("open", 1, 2)
        assert not isinstance(entries, Refused)
        assert [self._told(entry) for entry in entries] == [
            (1, "maria", "open", {"kind": "spawn", "stream": "process/o-1", "seq": 2, "hash": approved.hash})
        ]
        parents = deployment.show.timeline(TENANT, "o-1")
        assert not isinstance(parents, Refused)
        assert [effect.partition(" as prc_")[0] for effect in parents[-1].effects] == ["spawn bill", "spawn ship"]

    def test_a_child_that_is_refused_refuses_the_whole_event(self, deployment: Deployment) -> None:
        with_families(deployment)
        deployment.begin("o-1", path="sales/order")
        before = _everything(deployment)

        answer = deployment.act(TENANT, "o-1", "approve", deployment.key("maria"), input_={"amount": -1.0})

        assert isinstance(answer, Refused)
        assert (answer.code, answer.pointer) == (RefusalCode.GUARD, "/action")
        assert answer.detail.startswith("the child 'bill' cannot begin: open may be taken when input.amount > 0.0")
        assert _everything(deployment) == before

    def test_the_same_intent_again_begins_no_second_family(self, deployment: Deployment) -> None:
        with_families(deployment)
        deployment.begin("o-1", path="sales/order")
        order = deployment.definitions.find(TENANT, "sales/order")
        approval = deployment.submission("process/o-1", "approve", "maria", definition=order, input=AMOUNT)
        receipt = accepted(deployment.process_event(approval))
        before = _everything(deployment)

        again = deployment.process_event(approval)

        assert again == Appended(receipt=receipt, duplicate=True)
        assert _everything(deployment) == before

    def test_children_have_children_in_the_same_commit(self, deployment: Deployment) -> None:
        order = an_order(start={"spawn": [SHIP]})
        case = an_order({"workflow": "sales/order@1", "action": "start", "id": "order"}, path="case")
        with_families(deployment, order, case)
        deployment.begin("k-1", path="case")

        deployment.take("k-1", "approve", "maria")

        child = children_of(deployment, "k-1")["order"]
        grandchild = children_of(deployment, child)["ship"]
        assert [last_record(deployment, process).depth for process in ("k-1", child, grandchild)] == [0, 1, 2]
        assert last_record(deployment, grandchild).cause == Cause(
            stream=f"process/{child}", seq=1, hash=chain_of(deployment, child)[0].hash
        )
        assert deployment.verify().intact

    def test_the_25th_hop_stands_and_the_26th_refuses(self, deployment: Deployment) -> None:
        with_families(deployment, *links(27))
        deepest, too_deep = (deployment.definitions.find(TENANT, "chain/link", version) for version in (26, 27))
        assert isinstance(deepest, DefinitionRef)
        assert isinstance(too_deep, DefinitionRef)
        maria = deployment.key("maria")
        accepted(deployment.start(TENANT, "deep", deepest, maria, input_={}))
        before = _everything(deployment)

        answer = deployment.start(TENANT, "too-deep", too_deep, maria, input_={})

        assert isinstance(answer, Refused)
        assert (answer.code, _everything(deployment) == before) == (RefusalCode.CASCADE_LIMIT, True)
        assert answer.detail == "the child 'next' cannot begin: more than 25 hops without delay"
        process = "deep"
        for depth in range(25):
            assert last_record(deployment, process).depth == depth
            process = children_of(deployment, process)["next"]
        assert (last_record(deployment, process).depth, children_of(deployment, process)) == (25, {})
        assert deployment.verify().intact

    @pytest.mark.parametrize(("by", "depth"), [("an automatic action", 1), ("a timer", 0)])
    def test_the_machine_begins_children_too(self, deployment: Deployment, by: str, depth: int) -> None:
        with_families(deployment, an_automatic_order(by))
        deployment.begin("o-1", path="sales/order")
        deployment.wait(timedelta(hours=2))

        fired = [(one.work.row.action, one.became) for one in deployment.fire_due()]

        ended = "completed" if depth else "exhausted"
        assert fired == [("approve", ended), ("send", "completed")]
        child = children_of(deployment, "o-1")["bill"]
        (row,) = (row for row in deployment.store.of_process(TENANT, f"process/{child}") if row.action == "send")
        first, *_ = chain_of(deployment, child)
        assert (last_record(deployment, "o-1").depth, row.depth) == (depth, depth + 2)
        assert last_record(deployment, child).depth == depth + 2
        assert (row.caused_by.event_hash, row.status) == (first.hash, WorkStatus.COMPLETED)
        assert row.caused_by.actor == deployment.key("automation").actor
        assert data_of(deployment, child)["given"] == {
            "amount": 5.0,
            "at": instant_text(row.caused_by.at),
        }
        assert deployment.verify().intact

    def test_what_the_machine_cannot_begin_is_refused_whole(self, deployment: Deployment) -> None:
        with_families(deployment, an_automatic_order("an automatic action", amount=5000.0))
        deployment.begin("o-1", path="sales/order")

        (fired,) = deployment.fire_due()

        assert isinstance(fired.answer, Refused)
        assert (fired.answer.code, fired.became) == (RefusalCode.INVALID_RESULT, "skipped")
        (row,) = deployment.store.of_process(TENANT, "process/o-1")
        assert (row.status, len(chain_of(deployment, "o-1"))) == (WorkStatus.SKIPPED, 1)
        assert str(row.last_error).startswith("invalid_result: the child 'bill' cannot begin: after open the data")

    def test_nobody_may_begin_a_child(self, deployment: Deployment) -> None:
        with_families(deployment)
        deployment.begin("o-1", path="sales/order")
        deployment.take("o-1", "approve", "maria", AMOUNT)
        order = deployment.definitions.find(TENANT, "sales/order")
        before = _everything(deployment)

        answers = [
            deployment.process_event(deployment.submission(f"process/{name}", "start", "maria", definition=order))
            for name in ("prc_" + "0" * 32, "prc_mine")
        ]

        for answer in answers:
            assert isinstance(answer, Refused)
            assert (answer.code, answer.pointer) == (RefusalCode.INVALID_INPUT, "/stream")
        assert _everything(deployment) == before

    @staticmethod
    def _told(entry: TimelineEntry) -> tuple[int, str, str, JsonObject | None]:
        return entry.seq, entry.label, entry.action, entry.why


def an_automatic_order(by: str, amount: float = 5.0) -> JsonObject:
    """An order that the machine approves: at once, or an hour after it began."""
    data: JsonObject = {"amount": amount, "at": "event.at"}
    bill: JsonObject = {**BILL, "data": data}
    if by != "a timer":
        return an_order(bill, role="AUTOMATION", auto=True)
    timer: JsonObject = {"id": "wait", "action": "approve", "in": "1h", "data": {}}
    return an_order(bill, role="AUTOMATION", start={"schedule": [timer]})


def _everything(deployment: Deployment) -> list[tuple[str, int, str, list[WorkRow]]]:
    """Every head of the tenant, and the work rows under it."""
    return [
        (head.stream, head.seq, head.hash, list(deployment.store.of_process(TENANT, head.stream)))
        for head in deployment.log.streams(TENANT)
    ]
