"""Submissions that nobody would send: sound ones, changed at random, then signed by somebody who may act.

So neither a parser nor a signature hides what stands behind it. `posts()` draws them; `at_the_edges()` are those
with one value on this or that side of a limit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from hashlib import sha256
from itertools import chain, count, product
from random import Random
from typing import TypeAlias, cast
from uuid import UUID

from hypothesis import strategies as st

from json_values import json_values
from mangling import mangled
from open_box import OpenBox, an_empty_box
from sealing import TENANT, Deployment, accepted, key_of
from sealwork.application.ports.event_log import Question
from sealwork.application.workflows.decide_process import pinned_definition
from sealwork.domain.ids import ACTOR_REGISTRY
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.actors import KeyClass, possession_bytes
from sealwork.domain.ledger.canonical import canonical
from sealwork.domain.ledger.intent import Intent, signed_intent_bytes
from sealwork.domain.ledger.members import document_of
from sealwork.domain.ledger.submission import Submission
from sealwork.domain.work.provenance import fired_input
from sealwork.domain.work.work_row import ClaimedWork

GIVEN: JsonObject = {"given": "${input}", "a/b~c": ["event.hash"]}
CHILD: JsonObject = {
    "path": "case/child",
    "states": {"open": {}},
    "actions": {
        "start": {"type": "create", "role": "intake", "to": "open", "mutate": {"$set": {"given": "${input}"}}},
    },
}
CASE: JsonObject = {
    "path": "case/any",
    "states": {"open": {}},
    "actions": {
        "start": {"type": "create", "role": "intake", "to": "open"},
        "wake": {
            "role": "intake",
            "from": "open",
            "schedule": [{"id": "first", "action": "tell", "at": "2026-01-01T00:00:00Z", "data": {}}],
        },
        "keep": {"role": "intake", "from": "open", "mutate": {"$set": {"kept": "${input.value}"}}},
        "count": {"role": "intake", "from": "open", "mutate": {"$inc": {"n": "${input.value}"}}},
        "plan": {
            "role": "intake",
            "from": "open",
            "schedule": [
                {"id": "once", "action": "tell", "at": "${input.value}", "data": GIVEN},
                {"id": "often", "action": "tell", "every": "100y", "until": "${input.value}", "data": GIVEN},
            ],
        },
        "beget": {
            "role": "intake",
            "from": "open",
            "spawn": [{"workflow": "case/child@1", "action": "start", "id": "child", "data": GIVEN}],
        },
        "tell": {"role": ["intake", "AUTOMATION"], "from": "open", "mutate": {"$set": {"told": "${input}"}}},
        "echo": {
            "role": "AUTOMATION",
            "from": "open",
            "when": "has(data.kept)",
            "mutate": {"$unset": ["kept"]},
            "auto": {"data": {"kept": "${data.kept}", "a/b~c": ["event.hash"]}},
        },
    },
}
"""Whatever the input holds goes into data, timers, queue rows and children."""

ACTIONS = ("keep", "plan", "count", "beget", "tell")
LEASE = UUID(int=7)
PROCESS = "process/c-1"


def nested(levels: int, around: JsonValue = None) -> JsonValue:
    """Return `levels` lists and objects, each in the other."""
    for level in range(levels):
        around = [around] if level % 2 else {"a": around}
    return around


FIRST_INSTANT, LAST_INSTANT = "0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z"
INSTANTS: Sequence[JsonValue] = (
    FIRST_INSTANT,
    LAST_INSTANT,
    "0001-01-01T00:00:00+23:59",
    "9999-12-31T23:59:59.999999-23:59",
    "9900-06-18T00:00:00Z",
    "1582-10-10T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-06-30T23:59:60Z",
    "0000-01-01T00:00:00.000000Z",
    "2026-06-18t10:00:00.5z",
    "infinity",
    "-infinity",
    "epoch",
    "now",
)
NUMBERS: Sequence[JsonValue] = (0, 1, -1, 0.1, 5e-324, 1e-7, 2**31, 2**53 - 1, -(2**53 - 1), 1e15 + 0.5)
UNFIT: Sequence[JsonValue] = (
    2**53,
    10**400,
    1e308,
    -0.0,
    float("nan"),
    float("inf"),
    "\x00",
    "\ud800",
    nested(40),
)
TEXTS: Sequence[JsonValue] = (
    "",
    "\x01\x1f\x7f",
    "\\u0000",
    "x" * 60_000,
    "é" * 30_000,
    "\U0010ffff\ufffe\u2028",
    "'",
)
LARGE: Sequence[JsonValue] = (
    *(nested(levels) for levels in (26, 27, 28, 29, 30, 31)),
    {str(number): number for number in range(4_000)},
    [0.1] * 9_000,
    {"": "", "__proto__": {}, "a/b~c": "~1", "\x01": "\x01"},
)
CLAIMS: Sequence[JsonValue] = (
    [],
    {"automation": []},
    {"automation": {}},
    {"_automation": 1},
    {"automation": {"work_id": "x", "occurrence": 1}},
    {"automation": {"work_id": str(LEASE), "occurrence": True}},
    {"automation": {"work_id": str(LEASE), "occurrence": 0}},
    {"automation": {"work_id": str(LEASE), "occurrence": 2**31 - 1}},
    {"automation": {"work_id": str(LEASE), "occurrence": 2**31}},
    {"automation": {"work_id": str(LEASE), "occurrence": 2**53 - 1}},
)

MEMBERS: Mapping[str, Sequence[JsonValue]] = {
    "origin": ["other.example/log", "x" * 201],
    "tenant": ["system", "globex", "a" * 63, "a" * 64],
    "stream": [
        "process/c-2",
        "process/prc_1",
        "process/a/b",
        "process/\n",
        "process/" + "x" * 128,
        "process/" + "x" * 192,
        "process/" + "x" * 193,
        "workflow/-",
        "workflow/" + "w" * 150,
        "workflow/" + "w" * 151,
        "actors/other",
        "rules/set",
    ],
    "seq": [1, 2, 2**31, 2**53 - 1, 2**53, 10**400],
    "prev": ["0" * 64, "F" * 64],
    "id": ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", "{}"],
    "definition": [
        {"path": "case/any", "version": version, "sha256": "0" * 64} for version in (1, 2, 2**31, 2**53 - 1)
    ],
    "action": ["a" * 64, "a.b", "start", "echo", "key.admit", "publish", "a\n"],
    "key": [
        "ed25519:" + "0" * 64,
        "ed25519:" + "f" * 64,
        *(key_of(name).actor for name in ("ana", "root", "engine")),
    ],
    "at": [*INSTANTS],
    "not_after": [*INSTANTS],
    "v": [2, True, 1.5],
}
"""For each member of an intent, what may stand there or nearly."""


@dataclass(frozen=True)
class Letter:
    """The members of an intent, and what travels with it."""

    members: JsonObject
    by: str = "maria"
    lease: UUID | None = None
    document: bytes | None = None

    @property
    def input(self) -> JsonObject:
        """Return the input of the intent."""
        return cast(JsonObject, self.members["input"])

    def with_members(self, **members: JsonValue) -> Letter:
        """Return the letter with other members."""
        return replace(self, members={**self.members, **members})

    def signed(self, body: bytes) -> Submission:
        """Return `body` as the sender signs it, whatever it is."""
        signature = key_of(self.by).sign(signed_intent_bytes(body))
        return Submission(intent=body, signature=signature, lease=self.lease, document=self.document)


@dataclass(frozen=True)
class Office:
    """A deployment where letters are written: `case/any` runs as c-1, and the machine holds two of its rows."""

    box: OpenBox
    held: Sequence[ClaimedWork]


Post: TypeAlias = Callable[[Office], Submission]


def an_office() -> Office:
    """Return an office in memory; `rewritten` and `claimed` make the same of an empty deployment."""
    box = an_empty_box()
    box.bootstrap()
    box.admit("maria", KeyClass.PERSON, "intake")
    box.admit("ana", KeyClass.PERSON, "analyst")
    for workflow in (CHILD, CASE):
        box.published(workflow)
    for process in ("c-1", "c-2"):
        box.begin(process, path="case/any")
    box.take("c-1", "wake", "maria")
    box.take("c-2", "keep", "maria", {"value": 1})
    return Office(box, claimed(box))


def rewritten(box: OpenBox, deployment: Deployment) -> None:
    """Submit all that stands in `box` to an empty deployment, whose clock stands where that of the box stands."""
    for event in chain.from_iterable(stored.events for stored in box.tables.chains.values()):
        intent = event.read_intent
        assert isinstance(intent, Intent) and event.intent is not None and event.intent_sig is not None
        document = box.log.document(event.tenant, str(intent.input.get("sha256")))
        submission = Submission(intent=event.intent, signature=event.intent_sig, document=document)
        accepted(deployment.process_event(submission))


def claimed(deployment: Deployment) -> Sequence[ClaimedWork]:
    """Claim what is due, under a token that every deployment shares."""
    works = deployment.store.claim([TENANT], limit=10, token=LEASE, lease=timedelta(days=1))
    return sorted(works, key=lambda work: work.row.stream)


def act(office: Office, number: int) -> Letter:
    """Maria takes an action of c-1."""
    action = ACTIONS[number % len(ACTIONS)]
    return _over(office, PROCESS, action, number, {"value": 1 if action == "count" else "2026-06-18T10:00:00Z"})


def begin(office: Office, number: int) -> Letter:
    """Maria begins another process."""
    letter = _over(office, f"process/n-{number}", "start", number, {})
    return letter.with_members(definition={**document_of(office.held[0].definition)})


def fire(office: Office, number: int) -> Letter:
    """The machine fires a row that it holds."""
    work = office.held[number % len(office.held)]
    input_ = fired_input(work.row, key_of("automation").actor)
    return replace(
        _over(office, work.row.stream, work.row.action, number, input_, by="automation"), lease=work.lease_token
    )


def command(office: Office, number: int) -> Letter:
    """An administrator changes what keys there are and may do."""
    ana, newcomer, label = key_of("ana").actor, key_of(f"newcomer {number}"), f"newcomer {number}"
    statement = possession_bytes(office.box.origin, TENANT, newcomer.actor, KeyClass.PERSON, label)
    admission: JsonObject = {"key": newcomer.actor, "class": "PERSON", "label": label, "roles": ["intake"]}
    commands: Sequence[tuple[str, JsonObject]] = (
        ("key.admit", {**admission, "proof": newcomer.sign(statement).hex()}),
        ("role.grant", {"key": ana, "role": f"role{number}"}),
        ("role.revoke", {"key": ana, "role": "analyst"}),
        ("permission.grant", {"key": ana, "permission": "a." + "b" * (number % 63)}),
        ("key.revoke", {"key": ana, "compromised_since": (FIRST_INSTANT, LAST_INSTANT)[number % 2]}),
    )
    action, input_ = commands[number % len(commands)]
    return _over(office, ACTOR_REGISTRY, action, number, input_, by="admin")


def publish(office: Office, number: int) -> Letter:
    """An administrator publishes a version, sound or mangled."""
    path = ("case/any", "case/child", "case/new")[number % 3]
    version = len(office.box.definitions.of(TENANT, path).versions) + 1
    sound: JsonObject = {**CHILD, "path": path, "version": version, "title": f"no. {number}"}
    document = written(mangled([sound], Random(number)) if number % 8 == 7 else sound)
    input_: JsonObject = {"version": version, "sha256": sha256(document).hexdigest()}
    return replace(_over(office, f"workflow/{path}", "publish", number, input_, by="admin"), document=document)


def _over(
    office: Office, stream: str, action: str, number: int, input_: JsonObject, *, by: str = "maria"
) -> Letter:
    """A letter over the present head of its stream."""
    head = office.box.log.head(Question(tenant=TENANT, stream=stream))
    pinned = pinned_definition(head) if stream.startswith("process/") else None
    members: JsonObject = {
        "v": 1,
        "origin": office.box.origin,
        "tenant": TENANT,
        "stream": stream,
        "seq": head.seq + 1,
        "prev": head.hash,
        "id": str(UUID(int=Random(number).getrandbits(128))),
        "action": action,
        "key": key_of(by).actor,
        "at": instant_text(head.now),
        "input": input_,
    }
    return Letter({**members, "definition": document_of(pinned)} if pinned else members, by)


Kind: TypeAlias = Callable[[Office, int], Letter]
KINDS: Sequence[Kind] = (act, begin, fire, command, publish)


def at_the_edges() -> Iterator[Post]:
    """Give what is sent with each value as what an action takes, and with each in the place of another member."""
    numbers = count(0, _ROUND)
    for action, value in product(range(len(ACTIONS)), (*INSTANTS, *NUMBERS, *UNFIT, *TEXTS, *LARGE)):
        yield partial(_sent, act, next(numbers) + action, {"input": {"value": value}})
    for kind, claim in product(KINDS, CLAIMS):
        yield partial(_sent, kind, next(numbers), {"input": {"meta": claim}})
    for kind, name in product(KINDS, MEMBERS):
        for value in MEMBERS[name]:
            yield partial(_sent, kind, next(numbers), {name: value})


def _sent(kind: Kind, number: int, members: JsonObject, office: Office) -> Submission:
    letter = kind(office, number).with_members(**members)
    return letter.signed(written(letter.members))


_ROUND = 120
"""Numbers so far apart give letters of one kind, each with an id of its own."""
SEEDS = st.integers(0, 2**32)
VALUES: st.SearchStrategy[JsonValue] = st.one_of(
    *(st.sampled_from(edges) for edges in (INSTANTS, NUMBERS, UNFIT, TEXTS, LARGE)), json_values()
)
INPUTS = st.dictionaries(st.sampled_from(["value", "meta", "_automation", "", "a/b~c"]), VALUES, max_size=3)


@st.composite
def changes(draw: st.DrawFn) -> Callable[[Letter], Letter]:
    """A change of the members of a letter, or none; most of it stays as it was."""
    seed, value, input_, claim = draw(SEEDS), draw(VALUES), draw(INPUTS), draw(st.sampled_from(CLAIMS))
    name = draw(st.sampled_from(sorted(MEMBERS)))
    edge = draw(st.sampled_from(MEMBERS[name]))
    kinds: Sequence[Callable[[Letter], Letter]] = (
        lambda letter: letter,
        lambda letter: letter.with_members(input={**letter.input, "value": value}),
        lambda letter: letter.with_members(input={**letter.input, "value": value}),
        lambda letter: letter.with_members(input={**letter.input, "meta": claim}),
        lambda letter: letter.with_members(input=input_),
        lambda letter: letter.with_members(input=mangled([letter.input], Random(seed))),
        lambda letter: letter.with_members(**{name: edge}),
        lambda letter: replace(letter, members=mangled([letter.members], Random(seed))),
    )
    return draw(st.sampled_from(kinds))


def written(members: JsonObject) -> bytes:
    """Return the canonical bytes, or if there are none the nearest that Python writes."""
    try:
        return canonical(members)
    except ValueError:
        return json.dumps(members, sort_keys=True, separators=(",", ":")).encode()


def respelt(body: bytes, random: Random) -> bytes:
    """Return the same value, or nearly, in other bytes."""
    at, text = random.randrange(len(body)), body.decode(errors="replace")
    others = (
        body[:at],
        body[:at] + random.choice(PIECES) + body[at:],
        body[:at] + random.randbytes(1) + body[at + 1 :],
        body.replace(b":1,", b":1.0,", 1),
        body.replace(b'"action"', b'"\\u0061ction"', 1),
        body.replace(b'{"', b'{"action":"start","', 1),
        text.encode("utf-8-sig"),
        text.encode("utf-16"),
        json.dumps(text).encode(),
    )
    return random.choice(others)


PIECES = (b" ", b"\n", b'"a":1,', b"\xff", b"\xed\xa0\x80", b"\\u0000", b"\\ud800", b"[" * 50_000)
RARELY = st.integers(0, 5).map(lambda number: number == 5)


@st.composite
def posts(draw: st.DrawFn) -> Post:
    """What somebody sends to an office, over whatever stands there when it is sent."""
    kind, number = draw(st.sampled_from((act, *KINDS))), draw(SEEDS)
    change, respell = draw(changes()), draw(RARELY)
    signature = draw(st.binary(max_size=70) | st.binary(min_size=64, max_size=64)) if draw(RARELY) else None

    def post(office: Office) -> Submission:
        letter = change(kind(office, number))
        body = written(letter.members)
        submission = letter.signed(respelt(body, Random(number)) if respell else body)
        return submission if signature is None else submission.model_copy(update={"signature": signature})

    return post
