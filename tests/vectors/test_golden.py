"""Our own vectors: written again to the same bytes, and sound when they are read as a stranger would read them."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from sealwork.adapters.signing import Ed25519Verifier
from sealwork.domain.ids import SYSTEM
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import ActorRegistry, command_of, decide, evolve
from sealwork.domain.ledger.canonical import canonical, parse_canonical
from sealwork.domain.ledger.effects import Auto, Cancel, Effect, RuleAction, Schedule, Spawn
from sealwork.domain.ledger.envelope import MediaType
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.members import document_of
from sealwork.domain.ledger.record import Record, state_hash
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.proof.chain import Trust, check_event, first_link, link_of
from sealwork.domain.proof.findings import FindingCode
from sealwork.domain.refusals import Refused
from vectors import histories, regenerate
from vectors.golden_chain import KEYS, label_of
from vectors.golden_files import files
from vectors.regenerate import GOLDEN

NAMES = ["canonical.json", "chain.json", "effects.json", "keys.json", "media_types.json"]
VERIFIER = Ed25519Verifier()


def golden(name: str) -> Any:
    return json.loads((GOLDEN / name).read_bytes())


# Written again


@pytest.mark.parametrize("name", NAMES)
def test_writing_a_file_again_gives_the_same_bytes(name: str) -> None:
    assert files()[name] == (GOLDEN / name).read_bytes()


def test_there_is_no_file_that_nobody_writes() -> None:
    assert sorted(path.name for path in GOLDEN.iterdir()) == NAMES == sorted(files())


def test_the_script_says_that_nothing_changed() -> None:
    script = Path(regenerate.__file__)

    ran = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stdout) == (0, "the golden vectors are unchanged\n"), ran.stderr


def test_the_script_names_what_differs_and_writes_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(regenerate, "GOLDEN", tmp_path / "golden")
    monkeypatch.setattr(histories, "HISTORIES", tmp_path / "histories")
    monkeypatch.setattr(sys, "path", [*sys.path])
    regenerate.main([])
    (tmp_path / "golden" / "keys.json").write_text("{}")
    (tmp_path / "golden" / "chain.json").unlink()
    capsys.readouterr()

    assert regenerate.main(["--check"]) == 1
    assert capsys.readouterr().out.splitlines() == ["keys.json differs", "chain.json differs"]
    assert regenerate.main([]) == 0
    assert regenerate.main(["--check"]) == 0


def test_the_files_are_plain_ascii() -> None:
    assert all((GOLDEN / name).read_bytes().isascii() for name in NAMES)


def test_the_files_hold_no_private_key() -> None:
    everything = "".join((GOLDEN / name).read_text() for name in NAMES)
    seeds = [sha256(label_of(name).encode()).digest() for name in KEYS]

    assert not any(seed.hex() in everything or base64.b64encode(seed).decode() in everything for seed in seeds)


def test_the_keys_come_from_their_labels() -> None:
    assert {key["name"]: key["actor"] for key in golden("keys.json")["keys"]} == {
        name: key.actor for name, key in KEYS.items()
    }
    assert all("for tests only" in key["label"] for key in golden("keys.json")["keys"])


# The chains


def streams() -> Iterator[tuple[JsonObject, list[SealedEvent]]]:
    for stream in golden("chain.json")["streams"]:
        yield stream, [event_of(stream, event) for event in stream["events"]]


def event_of(stream: Any, event: Any) -> SealedEvent:
    return SealedEvent(
        tenant=stream["tenant"],
        stream=stream["stream"],
        seq=event["seq"],
        intent=event["intent"].encode(),
        intent_sig=bytes.fromhex(event["intent_sig"]),
        record=event["record"].encode(),
        record_sig=bytes.fromhex(event["record_sig"]),
    )


def registry_of(events: list[SealedEvent]) -> ActorRegistry:
    """Fold a registry, each command of which must be acceptable."""
    registry = ActorRegistry()
    for event in events:
        intent = event.read_intent
        assert isinstance(intent, Intent)
        command = command_of(intent)
        assert not isinstance(command, Refused)
        assert decide(registry, intent.action, command, tenant=event.tenant) is None
        registry = evolve(registry, intent.action, command)
    return registry


def trust() -> Trust:
    chain = golden("chain.json")
    (_, system), (_, tenant), _ = streams()
    return Trust(
        origin=chain["origin"],
        root=chain["root"],
        tenant_actors=registry_of(tenant),
        system_actors=registry_of(system),
    )


def trust_in(tenant: object) -> Trust:
    """The trust for a stream of `tenant`; in the system tenant its own registry is the tenant's."""
    believed = trust()
    return believed.model_copy(update={"tenant_actors": believed.system_actors}) if tenant == SYSTEM else believed


def findings(events: list[SealedEvent], believed: Trust) -> list[tuple[FindingCode, int]]:
    link = first_link(believed.origin, events[0].tenant, events[0].stream)
    found = []
    for event in events:
        found += [(finding.code, finding.seq) for finding in check_event(event, link, believed, VERIFIER.verify)]
        link = link_of(event)
    return found


def test_the_chains_are_two_registries_and_a_process() -> None:
    assert [(stream["tenant"], stream["stream"], len(events)) for stream, events in streams()] == [
        ("system", "actors/registry", 1),
        ("acme", "actors/registry", 4),
        ("acme", "process/p-1", 6),
    ]


def test_every_chain_verifies() -> None:
    for stream, events in streams():
        assert findings(events, trust_in(stream["tenant"])) == []


def test_every_key_of_the_chains_may_be_admitted() -> None:
    assert all(VERIFIER.admissible(key["actor"]) for key in golden("keys.json")["keys"])


def test_every_stream_begins_with_its_genesis() -> None:
    for stream, events in streams():
        assert first_link(trust().origin, events[0].tenant, events[0].stream).hash == stream["genesis"]


def test_every_event_has_the_hash_and_the_state_that_the_file_tells() -> None:
    for stream in golden("chain.json")["streams"]:
        for event in stream["events"]:
            record = event_of(stream, event).read_record
            assert isinstance(record, Record)
            assert event_of(stream, event).hash == event["hash"]
            assert state_hash(event["state"].encode()) == event["state_sha256"] == record.state.sha256
            assert parse_canonical(event["state"].encode()) == json.loads(event["state"])


@pytest.mark.parametrize("part", ["intent", "intent_sig", "record", "record_sig"])
@pytest.mark.parametrize("index", range(6))
def test_a_changed_byte_of_the_process_does_not_verify(index: int, part: str) -> None:
    (*_, (_, events)) = streams()
    body = getattr(events[index], part)
    middle = len(body) // 2
    changed = body[:middle] + bytes([body[middle] ^ 1]) + body[middle + 1 :]

    members = {name: getattr(events[index], name) for name in SealedEvent.model_fields}
    events[index] = SealedEvent(**(members | {part: changed}))

    assert findings(events, trust())


def test_each_row_that_the_robot_fired_is_an_effect_of_the_event_that_it_names() -> None:
    (*_, (_, events)) = streams()
    by_hash = {event.hash: event.read_record for event in events}
    intents = [event.read_intent for event in events]
    claims: list[Any] = [
        intent.input["meta"] for intent in intents if isinstance(intent, Intent) and "meta" in intent.input
    ]

    assert [claim["automation"]["kind"] for claim in claims] == ["auto_action", "scheduled_action"]
    for claim in (claim["automation"] for claim in claims):
        cause = by_hash[claim.get("queued_by_event_hash") or claim["scheduled_by_event_hash"]]
        assert isinstance(cause, Record)
        assert claim["work_id"] in {getattr(effect, "work", None) for effect in cause.effects}


# Media types


def test_every_media_type_has_a_body() -> None:
    assert {body["media_type"] for body in golden("media_types.json")["bodies"]} == {*MediaType}


def test_hashes_and_encodings_can_be_worked_out_by_hand() -> None:
    for body in golden("media_types.json")["bodies"]:
        type_, text = body["media_type"].encode(), body["body"].encode()
        encoded = b"DSSEv1 " + b" ".join([b"%d" % len(type_), type_, b"%d" % len(text), text])

        assert body["pae"].encode() == encoded
        assert body["sha256"] == sha256(encoded).hexdigest()


def test_every_signature_is_over_the_encoding() -> None:
    signed = [body for body in golden("media_types.json")["bodies"] if "signature" in body]

    assert [body["signer"] for body in signed] == ["robot", "engine", "maria", "maria"]
    for body in signed:
        actor, signature = KEYS[body["signer"]].actor, bytes.fromhex(body["signature"])
        assert VERIFIER.verify(actor, body["pae"].encode(), signature)
        assert not VERIFIER.verify(actor, body["body"].encode(), signature)


def test_every_json_body_is_canonical() -> None:
    bodies = golden("media_types.json")["bodies"]

    assert all(
        not isinstance(parse_canonical(body["body"].encode()), Refused)
        for body in bodies
        if body["media_type"] != MediaType.GENESIS
    )


def test_a_letter_moved_to_the_next_field_gives_another_dedupe_key() -> None:
    # X-45; ledger case 28
    one, other = (body for body in golden("media_types.json")["bodies"] if body["media_type"] == MediaType.DEDUPE)

    assert "".join(json.loads(one["body"])) == "".join(json.loads(other["body"]))
    assert one["sha256"] != other["sha256"]


# Effects


def effects() -> list[Effect]:
    adapter: TypeAdapter[Effect] = TypeAdapter(Effect)
    return [adapter.validate_python(case["effect"]) for case in golden("effects.json")["effects"]]


def test_every_kind_of_effect_is_there() -> None:
    assert {type(effect) for effect in effects()} == {Cancel, Schedule, Spawn, Auto, RuleAction}


@pytest.mark.parametrize("kind", [Schedule, Spawn, Auto])
def test_every_member_of_an_effect_has_a_value_in_one_of_them(kind: type[Schedule | Spawn | Auto]) -> None:
    made = [{*document_of(effect)} for effect in effects() if isinstance(effect, kind)]

    assert set().union(*made) == {*kind.model_fields}


def test_effects_are_written_as_the_file_tells() -> None:
    cases = golden("effects.json")["effects"]

    written = [canonical(document_of(effect)).decode() for effect in effects()]

    assert written == [case["canonical"] for case in cases]


def test_derived_ids_can_be_worked_out_by_hand() -> None:
    for case in golden("effects.json")["effects"]:
        body = case["work_body"].encode()
        type_ = b"application/vnd.sealwork.work.v1+json"
        digits = sha256(b"DSSEv1 %d %s %d %s" % (len(type_), type_, len(body), body)).hexdigest()
        variant = f"{int(digits[16], 16) & 3 | 8:x}"

        octets = digits[:12] + "8" + digits[13:16] + variant + digits[17:32]

        assert case["derived_id"].replace("-", "") == octets
        assert case["effect"].get("work", case["derived_id"]) == case["derived_id"]
