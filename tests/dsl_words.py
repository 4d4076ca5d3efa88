"""What authors write into the fields of a definition: good, odd, and of no use at all."""

from __future__ import annotations

from collections.abc import Sequence

from sealwork.domain.json_value import JsonObject, JsonValue

WHENS: Sequence[str] = (
    "true",
    "false",
    "state = 's1'",
    "state in ['s0', 's1', 's2']",
    "data.n < 3",
    "has(data.n) and data.n >= 0",
    "not (has(data.done))",
    "data.who = 'maria' or input.b = true",
    "input.n > data.n",
    "'clerk' in actor.roles",
    "size(actor.roles) > 1",
    "process.id.startsWith('p-')",
    "event.at < timestamp('2026-06-19T00:00:00Z')",
    "event.at - timestamp(data.due) < duration('48h')",
    "event.at + duration('876000h') > timestamp(input.when)",
    "timestamp(data.due).getFullYear() > 2000",
    "event.at.getDayOfWeek() < 6",
    "data.list.all(x, x > 0)",
    "data.list.exists(x, data.list.exists(y, x = y))",
    "size(data.list.map(x, [x, x])) < 9",
    "data.deep.inner.a = null",
    "data['n'] = 1",
    "data.list[0] = data.list[1]",
    "string(data.n) = '1'",
    "int(data.text) > 0",
    "double(data.n) / 0.0 > 1.0",
    "data.text.matches('^(a+)+$')",
    "data.n % 2 = 0 ? data.n > 1 : input.b",
    "type(data.n) = int",
    "data.n = 1 and data.n = 2",
    "data = {'n': 1}",
    "input = data",
)
"""Conditions that can be published; many are undecided for most data."""

ODD_WHENS: Sequence[str] = (
    "data.n",
    "state",
    "state = 'redy'",
    "not state = 's1'",
    "data.n <> 1",
    "sttate = 's1'",
    "event.hash = 'x'",
    "duration('2d') > duration('1h')",
    "1 = true",
    "((",
    "",
    "facts.amount > 1",
    "b'x' = b'x'",
    "data.n * 2 = 2.5",
    "9" * 40 + " > 1",
    "!" * 500 + "true",
)

VALUES: Sequence[JsonValue] = (
    None,
    True,
    0,
    -1,
    2.5,
    1e-300,
    2**53 - 1,
    "text",
    "",
    "e\u0301\U0001f600\u2028",
    [],
    {},
    [1, [2, [3, {"a": None}]]],
    {"a/b": {"~": 1}, "": ["x"]},
    "event.at",
    "event.actor",
    "event.action",
    "process.id",
    "$${raw}",
    "${data.n}",
    "${data}",
    "${input}",
    "${input.x}",
    "${data.list}",
    "${has(data.n) ? data.n : 0}",
    "${has(data.n) ? data.n + 1 : 0}",
    "${has(input.n) ? input.n : null}",
    "${event.at}",
    "${event.at - duration('24h')}",
    "${event.at + duration('1m')}",
    "${duration('90m')}",
    "${timestamp(data.due)}",
    "${state}",
    "${actor.roles}",
    "${1.0 / 0.0}",
    "${0.0 * -1.0}",
    "${9007199254740991 + 1}",
    "${[1, 2.0, 'a', null, data]}",
    "${{'a': data.n, 'b': [input]}}",
    "${data.text + data.text}",
    "${data.list + data.list}",
    "${data.list.map(x, {'x': x})}",
    "case ${process.id} of ${state}, ${data.n}",
    "${string(event.at)}",
    "${{1: 2}}",
    {"by": "${event.actor}", "all": ["${data}", {"in": "${input}"}]},
)
"""What may be written to a field, constant or resolved from the event."""

HASHES: Sequence[JsonValue] = (
    "event.hash",
    "${event.hash}",
    ["event.hash", {"a~/b": "event.hash"}],
    [None, "event.hash"],
)
"""What may stand in the data of timers, children and automatic actions only."""

ODD_VALUES: Sequence[JsonValue] = (
    "event.hsah",
    "data.n",
    "${data.n",
    "${}",
    "x ${data.list} y ${[1]}",
    "${b'x'}",
    "${type(1)}",
    "${facts.n}",
    "x ${event.hash}",
    {"meta": {"automation": 1}},
    {"_automation": 1},
    {"${data.n}": 1},
)

AMOUNTS: Sequence[JsonValue] = (
    1,
    -1,
    0,
    0.1,
    2**53 - 1,
    -1.5,
    "${input.n}",
    "${data.n}",
    "${has(data.n) ? 1 : 0.5}",
)
DURATIONS = ("1m", "48h", "30d", "2w", "1y", "100y", "999999m")
ODD_DURATIONS = ("0h", "101y", "30s", "PT1H", "1 h", "3bd", "", "\u0661h")
ATS = (
    "2026-07-01T00:00:00Z",
    "2026-07-01T00:00:00.5+02:00",
    "9999-12-31T23:59:59.999999Z",
    "0001-01-01T00:00:00Z",
    "event.at",
    "${event.at + duration('1h')}",
    "${data.due}",
    "${input.when}",
    "${timestamp(data.due) - duration('1h')}",
    "2026-07-${has(data.n) ? '1' : '2'}0T00:00:00Z",
    "${data}",
)
ODD_ATS = ("soon", "2026-02-30T00:00:00Z", "9999-12-31T23:59:59-01:00", "event.hash", "${", "2026-07-01")

SCHEMAS: Sequence[JsonObject] = (
    {},
    {"type": "object"},
    {"type": "object", "properties": {"n": {"type": "number"}, "b": {"type": "boolean"}}},
    {"required": ["n"]},
    {"properties": {"when": {"format": "date-time"}, "text": {"pattern": "^a*$", "maxLength": 9}}},
    {"maxProperties": 5, "propertyNames": {"maxLength": 20}},
    {
        "$defs": {"item": {"type": ["integer", "null"]}},
        "properties": {"list": {"items": {"$ref": "#/$defs/item"}}},
    },
    {"anyOf": [{"required": ["b"]}, {"not": {"required": ["n"]}}]},
    {"properties": {"list": {"uniqueItems": True, "contains": {"const": 1}}}},
    {"if": {"required": ["n"]}, "then": {"properties": {"n": {"multipleOf": 0.1}}}},
    {"additionalProperties": True, "patternProperties": {"^d": {}}, "dependentRequired": {"n": ["b"]}},
)
ODD_SCHEMAS: Sequence[JsonObject] = (
    {"type": "objekt"},
    {"$ref": "https://example.com/s"},
    {"$defs": {"a": {"$ref": "#/$defs/a"}}},
    {"pattern": "(?=x)"},
    {"format": "ipv4"},
    {"additionalProperties": False},
)
