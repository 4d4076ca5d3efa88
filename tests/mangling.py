"""Definitions that nobody would write: whole documents, mangled at random, the same for the same seed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import TypeAlias, cast

import dsl_words as words
from sealwork.domain.json_value import JsonObject, JsonValue
from workflow_documents import EVERYTHING, story_workflows

_ROOT = Path(__file__).resolve().parents[1]
_FILES = ("docs/examples/*.json", "adapters/sealwork/adapters/entrypoints/onboarding.json")

Spot: TypeAlias = tuple[JsonObject | list[JsonValue], str | int]
"""A place in a document: the object or the list, and the name or the index in it."""

TEXTS = (
    "",
    " ",
    "a",
    "state",
    "start",
    "AUTOMATION",
    "automation",
    "${",
    "${}",
    "${data}",
    "${data.n + 1}",
    "${input}",
    "${event.hash}",
    "event.hash",
    "event.hsah",
    "process.id",
    "$${raw}",
    "x ${data.a} y ${input.b}",
    "${'}'}",
    "data.n = 1",
    "data.a.b.c.d = input.e",
    "event.at > timestamp('2026-01-01T00:00:00Z')",
    "data.list.all(x, x.all(y, y = x))",
    "not state = 'draft'",
    "true",
    "1 < 2 < 3",
    "duration('2d') > duration('1h')",
    "((((((((((((((((((((1))))))))))))))))))))",
    "-" * 60 + "1 = 1",
    "!" * 60 + "true",
    "[" * 200 + "]" * 200,
    "'" * 7,
    "a." * 200,
    "data.text.matches('(a+)+$')",
    "48h",
    "0h",
    "999999y",
    "3bd",
    "1m",
    "PT1H",
    "9999-12-31T23:59:59.999999-23:59",
    "0001-01-01T00:00:00+23:59",
    "2026-02-30T00:00:00Z",
    "billing/invoice@2",
    "@1",
    "a@0",
    "#/$defs/a",
    "#/$defs/A/b",
    "https://example.com/schema",
    "(?=look)",
    "(a{1000}){1000}",
    "\\p{L}+",
    "date-time",
    "object",
    "\u0130",
    "\u00df\u1e9e",
    "e\u0301\u0327",
    "\U0001f600" * 3,
    "\u202e\u2066abc",
    "\ud800",
    "\x00",
    "\x1f\x7f\u2028",
    "a/b~c~1",
    "__proto__",
    "x" * 64,
    "x" * 2_001,
    "${data." + "a" * 300 + "}",
    "<b>\"'&%s{0}",
)
NUMBERS = (0, 1, -1, 2, 1.0, 0.5, -0.0, 1e308, 2**53 - 1, 2**53, -(2**53), 10**400, 10_001, 1e-320, float("inf"))
NAMES = (
    *("path", "version", "title", "states", "roles", "data", "actions", "terminal", "description", "type", "role"),
    *("from", "to", "when", "input", "not_actor", "mutate", "spawn", "schedule", "cancel", "auto", "start"),
    *("$set", "$append", "$unset", "$inc", "id", "action", "in", "every", "at", "until", "count", "calendar"),
    *("adjust", "misfire", "workflow", "state", "n", "a.b", "in_", "from_", "set_", "__class__", "model_config"),
    *("properties", "required", "additionalProperties", "items", "anyOf", "not", "$ref", "$defs", "pattern"),
    *("format", "enum", "const", "minimum", "multipleOf", "patternProperties", "uniqueItems", "if", "meta"),
)
MAX_PLACES = 5_000
"""A document that has grown so far is mangled no further."""


def sound_documents() -> list[JsonObject]:
    """Whole documents to begin from: those at hand, and the one that uses everything that can be executed."""
    found = [path for pattern in _FILES for path in sorted(_ROOT.glob(pattern))]
    written = [cast(JsonObject, json.loads(path.read_text())) for path in found]
    return [executable(document) for document in (EVERYTHING, *story_workflows(), *written)]


def executable(document: JsonObject) -> JsonObject:
    """Return `document` without what is not executed yet: business calendars."""
    copy = deepcopy(document)
    for timer in [*_timers(copy)]:
        timer.pop("adjust", None)
        if timer.pop("calendar", None) and "in" in timer:
            timer["in"] = "3d"
    return copy


def _timers(document: JsonObject) -> Iterator[JsonObject]:
    for value in [value_of(spot) for spot in spots(document)]:
        if isinstance(value, dict) and {"id", "action"} <= value.keys():
            yield value


def spots(value: JsonValue) -> list[Spot]:
    """Return every place below the root, parents first."""
    found: list[Spot] = []
    _collect(value, found)
    return found


def _collect(value: JsonValue, found: list[Spot]) -> None:
    if isinstance(value, dict):
        for name, item in value.items():
            found.append((value, name))
            _collect(item, found)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found.append((value, index))
            _collect(item, found)


def value_of(spot: Spot) -> JsonValue:
    holder, step = spot
    return holder[cast(str, step)] if isinstance(holder, dict) else holder[cast(int, step)]


def put(spot: Spot, value: JsonValue) -> None:
    holder, step = spot
    if isinstance(holder, dict):
        holder[cast(str, step)] = value
    else:
        holder[cast(int, step)] = value


def delete(document: JsonObject, spot: Spot, random: Random) -> None:
    holder, step = spot
    if isinstance(holder, dict):
        holder.pop(cast(str, step))
    else:
        holder.pop(cast(int, step))


def duplicate(document: JsonObject, spot: Spot, random: Random) -> None:
    holder, step = spot
    copy = deepcopy(value_of(spot))
    if isinstance(holder, dict):
        holder[f"{step}{random.choice(['_2', '2', '.b', ''])}"] = copy
    else:
        holder.extend([copy] * random.choice([1, 1, 2, 60]))


def swap(document: JsonObject, spot: Spot, random: Random) -> None:
    other = random.choice(spots(document))
    one, two = deepcopy(value_of(spot)), deepcopy(value_of(other))
    put(other, one)
    # What stood around the first place may be gone with it: then the change is lost, and nothing else.
    put(spot, two)


def rename(document: JsonObject, spot: Spot, random: Random) -> None:
    holder, step = spot
    if isinstance(holder, dict):
        name = random.choice([*NAMES, random.choice(TEXTS), *map(str, (n for _, n in spots(document)))])
        holder[name] = holder.pop(cast(str, step))


def reword(document: JsonObject, spot: Spot, random: Random) -> None:
    """Put another text here: one of the list, or one that stands elsewhere."""
    texts = [value for value in map(value_of, spots(document)) if isinstance(value, str)]
    put(spot, random.choice([*TEXTS, *texts, *NAMES]))


def splice(document: JsonObject, spot: Spot, random: Random) -> None:
    value = value_of(spot)
    if isinstance(value, str):
        cut = random.randrange(len(value) + 1)
        put(spot, value[:cut] + random.choice(TEXTS) + value[cut + random.choice([0, 0, 1, 3]) :])


def retype(document: JsonObject, spot: Spot, random: Random) -> None:
    value = value_of(spot)
    others: list[JsonValue] = [None, True, False, [], {}, [value], {"a": value}, str(value)[:100], [value, value]]
    put(spot, random.choice([*others, *NUMBERS]))


def add(document: JsonObject, spot: Spot, random: Random) -> None:
    value = value_of(spot)
    item: JsonValue = random.choice([random.choice(TEXTS), random.choice(NUMBERS), True, {}, [], None])
    if isinstance(value, dict):
        value[random.choice(NAMES)] = item
    elif isinstance(value, list):
        value.insert(random.randrange(len(value) + 1), item)


def deepen(document: JsonObject, spot: Spot, random: Random) -> None:
    value = value_of(spot)
    for _ in range(random.choice([1, 2, 3, 20, 28, 30, 31, 40])):
        value = {random.choice("ab"): value} if random.random() < 0.5 else [value]
    put(spot, value)


def transplant(document: JsonObject, spot: Spot, random: Random) -> None:
    """Put here what stands somewhere else under the same name, or anywhere."""
    alike = [value_of(other) for other in spots(document) if other[1] == spot[1]]
    anywhere = [value_of(random.choice(spots(document)))]
    put(spot, deepcopy(random.choice(alike if random.random() < 0.7 else anywhere)))


def mean(document: JsonObject, spot: Spot, random: Random) -> None:
    """Write into an action what it may well mean: the field is right, and what stands in it possible or odd."""
    actions = document.get("actions")
    found = [each for each in actions.values() if isinstance(each, dict)] if isinstance(actions, dict) else []
    if found:
        field, values = random.choice(_MEANT)
        random.choice(found)[field] = deepcopy(random.choice(values))


def template(document: JsonObject, spot: Spot, random: Random) -> None:
    """Put a template where something is written or queued."""
    places = [place for place in spots(document) if isinstance(place[0], dict) and place[1] in _TEMPLATED]
    inner = [(holder, name) for place in places if isinstance(holder := value_of(place), dict) for name in holder]
    if inner:
        put(random.choice(inner), deepcopy(random.choice([*words.VALUES, *words.HASHES, *words.ODD_VALUES])))


_TEMPLATED = frozenset({"$set", "$append", "$inc", "data", "input"})
_MEANT: Sequence[tuple[str, Sequence[JsonValue]]] = (
    ("when", words.WHENS),
    ("when", words.WHENS),
    ("when", words.ODD_WHENS),
    ("input", words.SCHEMAS),
    ("input", words.ODD_SCHEMAS),
    ("not_actor", ("who", "a.b", "n", "_", "a.")),
    ("mutate", [{"$set": {"n": value}} for value in words.VALUES]),
    ("mutate", [{"$append": {"list": value}} for value in words.VALUES]),
    ("mutate", [{"$inc": {"n": value}} for value in words.AMOUNTS]),
    ("mutate", [{"$unset": [value]} for value in ("n", "customer.name", "a.b.c")]),
    ("auto", [True]),
    ("auto", [{"data": {"a": value}} for value in (*words.VALUES, *words.HASHES)]),
    ("schedule", [[{"id": "t", "action": "close", "data": {}, "in": value}] for value in words.DURATIONS]),
    ("schedule", [[{"id": "t", "action": "remind", "data": {}, "at": value}] for value in words.ATS]),
    ("spawn", [[{"workflow": "b@1", "action": "start", "id": "c", "data": {"a": each}}] for each in words.HASHES]),
)

Mangle: TypeAlias = Callable[[JsonObject, Spot, Random], None]
MANGLES: Sequence[Mangle] = (
    delete,
    duplicate,
    swap,
    rename,
    reword,
    reword,
    splice,
    splice,
    retype,
    add,
    deepen,
    transplant,
    transplant,
    mean,
    mean,
    mean,
    template,
    template,
)


def mangled(documents: Sequence[JsonObject], random: Random) -> JsonObject:
    """Return one of `documents` with one change, or a few."""
    document = deepcopy(random.choice(documents))
    for _ in range(random.choice([1, 1, 1, 2, 2, 3, 5, 12])):
        places = spots(document)
        if 0 < len(places) < MAX_PLACES:
            random.choice(MANGLES)(document, random.choice(places), random)
    return document
