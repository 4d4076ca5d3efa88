"""The page of a bundle for a reader without tools: who did what, when, and why the machine acted.

Everything that a person or a machine wrote goes through `shown`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from html import escape

from sealwork.application.ports.chains import StreamHead
from sealwork.application.proof.bundle import Manifest
from sealwork.application.proof.show_process import TimelineEntry, entry_of
from sealwork.domain.instants import instant_text
from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.ledger.actors import ActorRegistry
from sealwork.domain.ledger.listed_key import listed
from sealwork.domain.ledger.sealed_event import SealedEvent

_STYLE = """
body { font: 10pt/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em; color: #111 }
h1 { font-size: 1.5em } h2 { font-size: 1.15em; margin-top: 2em }
code { font-family: ui-monospace, monospace; font-size: .85em; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100% }
th, td { border: 1px solid #bbb; padding: .3em .5em; text-align: left; vertical-align: top }
thead { background: #eee } .note { border: 2px solid #111; padding: .6em .8em }
@media print { body { margin: 0; max-width: none } tr { break-inside: avoid }
  thead { display: table-header-group } }
"""
_NOTE = (
    "This page is a convenience for reading. It proves nothing: the proof is in the bytes of the files beside it. "
    "Check them with: sealwork verify --bundle FILE --trust trust.json, where trust.json comes from somebody else "
    "than this bundle, or with a program written from docs/reference/bundle.md."
)
_KEY_COLUMNS = ("tenant", "label", "class", "standing", "roles", "permissions", "key")
_COLUMNS = ("#", "recorded at (UTC)", "who", "what", "with", "why the machine acted", "state after", "made")


def shown(value: JsonValue) -> str:
    """Return a value as HTML text: nothing in it is markup, or turns or hides the text around it."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return escape("".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in text))


def opening(about: Manifest) -> str:
    """Return the page up to its first chapter; the files of `about` are not told."""
    facts = {
        "log": about.origin,
        "root key": about.root,
        "tenant": about.tenant,
        "processes": ", ".join(about.processes),
        "exported at": about.exported_at,
    }
    rows = "".join(
        f"<tr><th>{name}</th><td><code>{shown(value)}</code></td></tr>\n" for name, value in facts.items()
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>Sealwork: {shown(', '.join(about.processes))}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f'<h1>What happened, as it was signed</h1>\n<p class="note">{_NOTE}</p>\n<table>\n{rows}</table>\n'
    )


def keys(registries: Iterable[tuple[str, ActorRegistry]]) -> Iterator[str]:
    """Return the chapter of who may sign."""
    yield f"<h2>Keys</h2>\n<table>\n{_heading(_KEY_COLUMNS)}"
    for tenant, registry in registries:
        for actor in registry.keys.values():
            key = listed(actor)
            roles, permissions = (", ".join(sorted(names)) for names in (key.roles, key.permissions))
            told = (tenant, key.label, key.key_class, key.status, roles, permissions, key.key)
            yield _row(*map(shown, told))
    yield "</table>\n"


def chapter(head: StreamHead, registry: ActorRegistry, events: Iterable[SealedEvent]) -> Iterator[str]:
    """Return the chapter of one chain, oldest event first."""
    yield f"<h2>{shown(head.tenant)} <code>{shown(head.stream)}</code></h2>\n<table>\n{_heading(_COLUMNS)}"
    for event in events:
        entry = entry_of(event, registry)
        yield _told(entry) if entry else f'<tr><td>{event.seq}</td><td colspan="7">cannot be read</td></tr>\n'
    yield "</table>\n"


def closing() -> str:
    """Return the end of the page."""
    return "</body>\n</html>\n"


def _told(entry: TimelineEntry) -> str:
    given: JsonObject = {name: value for name, value in entry.input.items() if name != "meta" or not entry.why}
    return _row(
        str(entry.seq),
        f"<code>{shown(instant_text(entry.at))}</code>",
        f"{shown(entry.label)}<br><code>{shown(entry.actor)}</code>",
        f"{shown(entry.action)}<br><code>{shown(entry.hash)}</code>",
        _members(given),
        _members(entry.why or {}),
        shown(entry.state),
        "<br>".join(map(shown, entry.effects)),
    )


def _members(value: JsonObject) -> str:
    return "<br>".join(f"{shown(name)}: <code>{shown(member)}</code>" for name, member in value.items())


def _heading(names: Iterable[str]) -> str:
    return f"<thead><tr>{''.join(f'<th>{name}</th>' for name in names)}</tr></thead>\n"


def _row(*cells: str) -> str:
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"
