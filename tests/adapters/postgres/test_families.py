"""Families in PostgreSQL: what the port does not show, and several at once."""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest

from contracts.families import FamiliesContract
from families import chain_of, children_of, with_families
from scribe import DEFINITION, Scribe, auto, spawn, timer
from sealing import TENANT, Deployment
from sealwork.adapters.postgres.database import Database
from sealwork.application.ports.event_log import AppendStatus
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.ledger.submission import Appended
from sealwork.domain.refusals import RefusalCode
from together import all_at_once

AMOUNT: JsonObject = {"amount": 12.5}


class TestFamilies(FamiliesContract):
    """Processes begin others."""


def test_the_rows_of_a_child_name_its_workflow_and_version(scribe: Scribe, emptied: Database) -> None:
    other = DefinitionRef(path="billing/invoice", version=7, sha256="b" * 64)
    parent = scribe.item("process/p-1", spawn(definition=other), timer("t"), auto())
    child = scribe.child(parent, timer("t"), auto())

    scribe.log.append([(parent, child)])

    for table in (b"scheduled_actions", b"automation_queue"):
        with emptied.owner() as owner:
            select = b"SELECT stream, workflow_path, workflow_version FROM sealwork." + table
            rows = {stream: (path, version) for stream, path, version in owner.execute(select)}
        assert rows == {
            "process/p-1": (DEFINITION.path, DEFINITION.version),
            child.event.stream: ("billing/invoice", 7),
        }


def test_of_two_families_over_one_head_one_stands(scribe: Scribe) -> None:
    for number in range(20):
        parents = [scribe.item(f"process/p-{number}", spawn("a"), spawn("b"), action=name) for name in "xyz"]
        families = [
            (parent, scribe.child(parent, auto(), timer()), scribe.child(parent, index=1)) for parent in parents
        ]

        answers = all_at_once([partial(scribe.log.append, [family]) for family in families])

        told = Counter(tuple(verdict.status for verdict in verdicts) for verdicts in answers)
        assert told == {(AppendStatus.APPENDED,) * 3: 1, (AppendStatus.STALE,) * 3: 2}
        (winner,) = (
            family for family, verdicts in zip(families, answers, strict=True) if verdicts[0].hash is not None
        )
        assert [scribe.events(item.event.stream) for item in winner] == [[item.event] for item in winner]
        assert len(scribe.rows(winner[1].event.stream)) == 2
    assert len(list(scribe.log.streams())) == 60


def test_families_of_many_parents_do_not_wait_for_each_other_in_a_circle(deployment: Deployment) -> None:
    with_families(deployment)
    names = [f"o-{number}" for number in range(8)]
    for name in names:
        deployment.begin(name, path="sales/order")

    def approve(name: str) -> RefusalCode | None:
        answer = deployment.act(TENANT, name, "approve", deployment.key("maria"), input_=AMOUNT)
        return None if isinstance(answer, Appended) else answer.code

    answers = all_at_once([partial(approve, name) for name in names for _ in range(2)])

    assert Counter(answers)[None] == len(names)
    assert set(answers) <= {None, RefusalCode.STALE_HEAD, RefusalCode.WRONG_STATE}
    children = [child for name in names for child in children_of(deployment, name).values()]
    assert [len(chain_of(deployment, child)) for child in children] == [1] * 16
    assert deployment.verify().intact


@pytest.mark.parametrize("ways", [2, 6])
def test_one_intent_of_several_connections_begins_one_family(deployment: Deployment, ways: int) -> None:
    with_families(deployment)
    deployment.begin("o-1", path="sales/order")
    order = deployment.definitions.find(TENANT, "sales/order")
    approval = deployment.submission("process/o-1", "approve", "maria", definition=order, input=AMOUNT)

    answers = all_at_once([partial(deployment.process_event, approval)] * ways)

    assert Counter(isinstance(answer, Appended) and answer.duplicate for answer in answers) == {
        False: 1,
        True: ways - 1,
    }
    assert {answer.receipt.seq for answer in answers if isinstance(answer, Appended)} == {2}
    assert len([head for head in deployment.log.streams(TENANT) if head.stream.startswith("process/prc_")]) == 2
    assert deployment.verify().intact
