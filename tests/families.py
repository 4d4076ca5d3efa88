"""Workflows whose processes begin others, and deployments where people work by them."""

from __future__ import annotations

from collections.abc import Mapping

from open_box import OpenBox, an_empty_box
from sealing import TENANT, Deployment
from sealwork.application.proof.show_process import ProcessView
from sealwork.domain.ids import process_stream
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.effects import Spawn
from sealwork.domain.ledger.record import Record
from sealwork.domain.ledger.sealed_event import SealedEvent

INVOICE: JsonObject = {
    "path": "billing/invoice",
    "states": {"open": {}, "sent": {}, "paid": {"terminal": True}},
    "data": {"type": "object", "properties": {"amount": {"type": "number", "maximum": 1000}}},
    "actions": {
        "open": {
            "type": "create",
            "role": "bookkeeper",
            "to": "open",
            "input": {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "number"}}},
            "when": "input.amount > 0.0",
            "mutate": {"$set": {"amount": "${input.amount}", "given": "${input}"}},
            "schedule": [{"id": "overdue", "action": "remind", "in": "30d", "data": {}}],
        },
        "send": {"role": "AUTOMATION", "auto": {"data": {"of": "process.id"}}, "from": "open", "to": "sent"},
        "remind": {"role": "AUTOMATION", "from": "sent"},
        "pay": {"role": "analyst", "from": "sent", "to": "paid", "cancel": ["overdue"]},
    },
}
"""Nobody here is a bookkeeper: only a parent may open an invoice. `send` follows by itself."""

PARCEL: JsonObject = {
    "path": "parcel",
    "states": {"packed": {}},
    "actions": {
        "pack": {"type": "create", "role": "packer", "to": "packed", "mutate": {"$set": {"by": "event.actor"}}}
    },
}

BILL: JsonObject = {
    "workflow": "billing/invoice@1",
    "action": "open",
    "id": "bill",
    "data": {
        "amount": "${input.amount}",
        "for": "Order ${process.id} of ${data.customer}",
        "order": {"id": "process.id", "approved_by": "event.hash"},
        "at": "event.at",
    },
}
SHIP: JsonObject = {"workflow": "parcel@1", "action": "pack", "id": "ship"}


def an_order(
    *spawn: JsonObject, path: str = "sales/order", start: JsonObject | None = None, **approve: JsonValue
) -> JsonObject:
    """Return a workflow where maria begins an order, and approving it begins its children."""
    return {
        "path": path,
        "states": {"draft": {}, "approved": {}},
        "actions": {
            "start": {
                "type": "create",
                "role": "intake",
                "to": "draft",
                "mutate": {"$set": {"customer": "Ada"}},
                **(start or {}),
            },
            "hold": {"role": "intake", "from": "draft"},
            "approve": {"role": "intake", "from": "draft", "to": "approved", "spawn": [*spawn], **approve},
        },
    }


ORDER = an_order(SHIP, BILL)


def with_families(deployment: Deployment, *workflows: JsonObject) -> None:
    """Make an empty deployment one where maria (intake) and ana (analyst) can work by these, and by all above."""
    deployment.bootstrap()
    deployment.admit("maria", KeyClass.PERSON, "intake")
    deployment.admit("ana", KeyClass.PERSON, "analyst")
    for workflow in (INVOICE, PARCEL, *(workflows or (ORDER,))):
        deployment.published(workflow)


def a_box_with_families(*workflows: JsonObject) -> OpenBox:
    """Return an open deployment where people can work by all workflows above, or by these instead of orders."""
    box = an_empty_box()
    with_families(box, *workflows)
    return box


def chain_of(deployment: Deployment, process_id: str) -> list[SealedEvent]:
    """Return the events of a process."""
    return deployment.log.load(TENANT, process_stream(process_id), list)


def last_record(deployment: Deployment, process_id: str) -> Record:
    """Return what was countersigned last in a process."""
    record = chain_of(deployment, process_id)[-1].read_record
    assert isinstance(record, Record)
    return record


def children_of(deployment: Deployment, process_id: str) -> Mapping[str, str]:
    """Return the processes that the last event of a process began, by their ids in the workflow, in order."""
    effects = last_record(deployment, process_id).effects
    return {effect.id: effect.process for effect in effects if isinstance(effect, Spawn)}


def data_of(deployment: Deployment, process_id: str) -> JsonObject:
    """Return the data of a process."""
    return shown(deployment, process_id).data


def shown(deployment: Deployment, process_id: str) -> ProcessView:
    """Return a process as it stands."""
    view = deployment.show(TENANT, process_id)
    assert isinstance(view, ProcessView), view
    return view


def links(length: int) -> list[JsonObject]:
    """Return versions of one workflow: each begins a process of the version before it, the first nothing."""
    return [_link(version) for version in range(1, length + 1)]


def _link(version: int) -> JsonObject:
    below: JsonObject = {"workflow": f"chain/link@{version - 1}", "action": "start", "id": "next"}
    spawn: list[JsonValue] = [below] if version > 1 else []
    return {
        "path": "chain/link",
        "states": {"begun": {}},
        "actions": {"start": {"type": "create", "role": "intake", "to": "begun", "spawn": spawn}},
    }
