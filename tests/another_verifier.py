"""Another verifier of bundles, written from docs/reference/bundle.md and events.md alone, without our code.

It checks links, both signatures, keys at their positions, heads, states, causes and documents.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from base64 import b64decode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from nacl.exceptions import CryptoError
from nacl.signing import VerifyKey

REGISTRY = "actors/registry"
PLACE = ("origin", "tenant", "stream", "seq", "prev")
UNREADABLE = (OSError, ValueError, LookupError, TypeError, zipfile.BadZipFile, zlib.error)


def check(path: Path, origin: str, root: str) -> list[str]:
    """Return what is wrong with a bundle, in words; nothing if nothing is."""
    try:
        return [*_Bundle(path, origin, root).faults()]
    except UNREADABLE as error:
        return [f"unreadable: {type(error).__name__} {error}"]


class _Bundle:
    def __init__(self, path: Path, origin: str, root: str) -> None:
        self.origin, self.root = origin, root
        with zipfile.ZipFile(path) as archive:
            self.files = {name: archive.read(name) for name in archive.namelist()}
        self.manifest = json.loads(self.files.pop("manifest.json"))
        self.chains: dict[tuple[str, str], tuple[Any, list[Any]]] = {}
        for name in sorted(self.files):
            if name.startswith("chains/"):
                head, *lines = (json.loads(line) for line in self.files[name].splitlines())
                self.chains[head["tenant"], head["stream"]] = head, [_event(line) for line in lines]
        registries = {
            tenant: events for (tenant, stream), (_, events) in self.chains.items() if stream == REGISTRY
        }
        self.keys = {tenant: _keys(events) for tenant, events in registries.items()}

    def faults(self) -> Iterator[str]:
        listed = {entry["name"]: (entry["size"], entry["sha256"]) for entry in self.manifest["files"]}
        if listed != {name: (len(body), sha256(body).hexdigest()) for name, body in self.files.items()}:
            yield "the files are not those of the manifest"
        if (self.manifest["v"], self.manifest["origin"], self.manifest["root"]) != (1, self.origin, self.root):
            yield "another version or another log"
        for process in self.manifest["processes"]:
            if (self.manifest["tenant"], f"process/{process}") not in self.chains:
                yield f"{process} is not there"
        for (tenant, stream), (head, events) in self.chains.items():
            yield from (f"{tenant} {stream} {fault}" for fault in self.chain(tenant, stream, head, events))

    def chain(self, tenant: str, stream: str, head: Any, events: list[Any]) -> Iterator[str]:
        seq, prev = 0, _hash("genesis.v1", f"{self.origin}\n{tenant}\n{stream}".encode())
        for event in events:
            seq += 1
            place = (self.origin, tenant, stream, seq, prev)
            if event["seq"] != seq or place != tuple(event["made"][name] for name in PLACE):
                yield f"{seq}: does not follow"
            yield from (f"{seq}: {fault}" for fault in self.engine(event))
            yield from (f"{seq}: {fault}" for fault in self.actor(event, place))
            prev = _hash("record.v1+json", event["record"])
        if not events or (head["seq"], head["hash"]) != (seq, prev):
            yield "does not end with its head"
        elif sha256(b64decode(head["state"])).hexdigest() != events[-1]["made"]["state"]["sha256"]:
            yield "has another state"

    def engine(self, event: Any) -> Iterator[str]:
        record = event["made"]
        first = (record["tenant"], record["stream"], record["seq"]) == ("system", REGISTRY, 1)
        key = self.keys["system"].get(record["engine_key"])
        if not _valid(key, 1 if first else record["actors"]["system"], "ENGINE"):
            yield "no engine"
        if not _signed(record["engine_key"], "record.v1+json", event["record"], event["record_sig"]):
            yield "the engine did not sign"

    def actor(self, event: Any, place: tuple[object, ...]) -> Iterator[str]:
        record, intent = event["made"], event["said"]
        tenant, stream = record["tenant"], record["stream"]
        if "cause" in record:
            cause = self.chains[tenant, record["cause"]["stream"]][1][record["cause"]["seq"] - 1]
            if _hash("record.v1+json", cause["record"]) != record["cause"]["hash"]:
                yield "its cause is not there"
            return
        if (*place, record["actor"]) != tuple(intent[name] for name in (*PLACE, "key")):
            yield "intent and record differ"
        sealed = (record["intent"], record["intent_sig"])
        if (_hash("intent.v1+json", event["intent"]), event["intent_sig"].hex()) != sealed:
            yield "another intent"
        if not _signed(intent["key"], "intent.v1+json", event["intent"], event["intent_sig"]):
            yield "the actor did not sign"
        by_root = intent["key"] == self.root and stream == REGISTRY
        if not by_root and not _valid(self.keys[tenant].get(intent["key"]), record["actors"]["tenant"]):
            yield "no valid actor"
        if stream.startswith("workflow/") and intent["action"] == "publish":
            named = intent["input"]["sha256"]
            if sha256(self.files[f"documents/{named}"]).hexdigest() != named:
                yield "the document is not the one that was published"


def _event(line: dict[str, Any]) -> dict[str, Any]:
    event = {name: value if name == "seq" else b64decode(value, validate=True) for name, value in line.items()}
    said = json.loads(event["intent"]) if "intent" in event else None
    return event | {"made": json.loads(event["record"]), "said": said}


def _keys(events: list[Any]) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for event in events:
        action, given = event["said"]["action"], event["said"]["input"]
        if action == "key.admit":
            known[given["key"]] = {"class": given["class"], "from": event["seq"], "until": float("inf")}
        elif action in ("key.retire", "key.revoke"):
            known[given["key"]]["until"] = min(event["seq"], known[given["key"]]["until"])
    return known


def _valid(key: Any, position: int, class_: str | None = None) -> bool:
    return key is not None and key["from"] <= position < key["until"] and class_ in (None, key["class"])


def _signed(actor: str, kind: str, body: bytes, signature: bytes) -> bool:
    try:
        VerifyKey(bytes.fromhex(actor.removeprefix("ed25519:"))).verify(_pae(kind, body), signature)
    except (CryptoError, ValueError):
        return False
    return True


def _hash(kind: str, body: bytes) -> str:
    return sha256(_pae(kind, body)).hexdigest()


def _pae(kind: str, body: bytes) -> bytes:
    media_type = f"application/vnd.sealwork.{kind}".encode()
    return b"DSSEv1 %d %s %d %s" % (len(media_type), media_type, len(body), body)
