"""Exporting processes with everything that proves them, as of one moment."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from itertools import chain
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from sealwork.application.ledger.actor_registries import folded
from sealwork.application.ports.bundles import Archive
from sealwork.application.ports.chains import StreamHead
from sealwork.application.ports.clock import Clock
from sealwork.application.ports.evidence import Evidence, EvidenceSource
from sealwork.application.proof import bundle, bundle_report
from sealwork.application.proof.bundle import FileEntry, Manifest
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import ACTOR_REGISTRY, RULE_SET, SYSTEM, process_stream, stream_kind, workflow_stream
from sealwork.domain.instants import instant_text
from sealwork.domain.ledger.actors import ActorRegistry
from sealwork.domain.ledger.canonical import MAX_DOCUMENT_BYTES, read_json
from sealwork.domain.ledger.effects import Spawn
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.record import Record
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.work.work_row import StoredWork, UnreadableWork
from sealwork.domain.workflows.workflow import read_workflow

MAX_CHAINS = 2_000
"""With their documents and work rows they stay below the number of files that a bundle may have."""
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)
Write = Callable[[bytes], object]


class Exported(BaseModel):
    """What a bundle holds now."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tenant: str
    processes: tuple[str, ...]
    related: int
    """Processes beside these: those that began them, that they began, and so on."""
    chains: int
    events: int
    documents: int
    work_rows: int


class _TooLarge(Exception):
    """What is written would be refused by its readers."""


class _Relations(NamedTuple):
    """What cannot be left out where a process is proven."""

    streams: frozenset[str]
    paths: frozenset[str]


class _Shelf:
    """An archive that keeps the list of what was put in."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self.files: list[FileEntry] = []

    @contextmanager
    def part(self, name: str) -> Iterator[Write]:
        """Give what takes the bytes of one file."""
        size, digest = 0, sha256()
        before = sum(file.size for file in self.files)
        with self._archive.part(name) as write:

            def counted(piece: bytes) -> None:
                nonlocal size
                size += len(piece)
                if size > bundle.MAX_FILE_BYTES or before + size > bundle.MAX_TOTAL_BYTES:
                    raise _TooLarge(f"{name} grows beyond what one bundle may hold: export fewer processes")
                digest.update(piece)
                write(piece)

            yield counted
        self.files.append(FileEntry(name=name, size=size, sha256=digest.hexdigest()))


class ExportBundle:
    """Write processes and all that proves them: families, registries, definitions, documents, work rows."""

    def __init__(self, log: EvidenceSource, clock: Clock, *, origin: str, root: str) -> None:
        self._log = log
        self._clock = clock
        self._origin = origin
        self._root = root

    def __call__(self, tenant: str, process_ids: Sequence[str], archive: Archive) -> Exported | Refused:
        """Write a bundle; refused, what was written is none. Memory does not grow with the length of a chain.

        What was tampered with is exported as it stands: whoever verifies the bundle finds it.

        Raises:
            Unavailable: the log did not answer.
            Misconfigured: the archive cannot be written; or a work row holds what no worker wrote.
        """
        about = Manifest(
            origin=self._origin,
            root=self._root,
            tenant=tenant,
            exported_at=instant_text(self._clock.now()),
            processes=tuple(sorted({*process_ids})),
            files=(),
        )
        with self._log.as_of_now() as log:
            try:
                return _export(log, about, archive)
            except _TooLarge as error:
                return refused(RefusalCode.TOO_LARGE, str(error))


def _export(log: Evidence, about: Manifest, archive: Archive) -> Exported | Refused:
    tenant, asked = about.tenant, {process_stream(process) for process in about.processes}
    named = (log.head_of(*place) for place in sorted(_wanted(log, tenant, asked)))
    heads = [head for head in named if head is not None]
    missing = sorted(asked - {head.stream for head in heads})
    if missing:
        return refused(RefusalCode.NO_PROCESS, f"there is no {missing[0]} in {tenant}", "/stream")
    shelf = _Shelf(archive)
    events = sum(_chain(log, shelf, f"chains/{at:05}.jsonl", head) for at, head in enumerate(heads, start=1))
    rows = sum(_work(log, shelf, f"work/{at:05}.jsonl", head) for at, head in enumerate(heads, start=1))
    documents = sorted({*chain.from_iterable(_published(log, head.tenant, head.stream) for head in heads)})
    stored = sum(_document(log, shelf, tenant, document) for document in documents)
    _report(log, shelf, about, heads)
    with archive.part(bundle.MANIFEST) as write:
        write(
            about.model_copy(update={"files": tuple(sorted(shelf.files, key=lambda file: file.name))}).to_bytes()
        )
    return Exported(
        tenant=tenant,
        processes=about.processes,
        related=sum(stream_kind(head.stream) == "process" for head in heads) - len(asked),
        chains=len(heads),
        events=events,
        documents=stored,
        work_rows=rows,
    )


def _wanted(log: Evidence, tenant: str, asked: Iterable[str]) -> set[tuple[str, str]]:
    """Return the chains without which these processes cannot be decided again."""
    streams, paths = _families(log, tenant, asked)
    workflows = {workflow_stream(path) for path in _workflows(log, tenant, paths)}
    own = {(tenant, stream) for stream in (ACTOR_REGISTRY, RULE_SET, *streams, *workflows)}
    return {(SYSTEM, ACTOR_REGISTRY), *own}


def _families(log: Evidence, tenant: str, asked: Iterable[str]) -> _Relations:
    known: set[str] = set()
    paths: set[str] = set()
    waiting = [*asked]
    while waiting:
        stream = waiting.pop()
        if stream not in known:
            known.add(stream)
            _bounded(known, "processes that began each other")
            related, pinned = log.load(tenant, stream, _relations)
            waiting.extend(related)
            paths.update(pinned)
    return _Relations(frozenset(known), frozenset(paths))


def _relations(events: Iterable[SealedEvent]) -> _Relations:
    streams: set[str] = set()
    paths: set[str] = set()
    for event in events:
        record, intent = event.read_record, event.read_intent
        if isinstance(intent, Intent) and intent.definition is not None:
            paths.add(intent.definition.path)
        if isinstance(record, Record):
            streams.update(
                process_stream(effect.process) for effect in record.effects if isinstance(effect, Spawn)
            )
            if record.cause is not None and stream_kind(record.cause.stream) == "process":
                streams.add(record.cause.stream)
            if record.definition is not None:
                paths.add(record.definition.path)
    return _Relations(frozenset(streams), frozenset(paths))


def _workflows(log: Evidence, tenant: str, paths: Iterable[str]) -> set[str]:
    """Return these and all that they may spawn: what may be spawned is part of what was decided."""
    known: set[str] = set()
    waiting = [*paths]
    while waiting:
        path = waiting.pop()
        if path not in known:
            known.add(path)
            _bounded(known, "workflows that name each other")
            for named in _published(log, tenant, workflow_stream(path)):
                waiting.extend(_named_by(log.document(tenant, named)))
    return known


def _named_by(document: bytes | None) -> Iterator[str]:
    value = read_json(document or b"", limit=MAX_DOCUMENT_BYTES)
    workflow = None if isinstance(value, Refused) else read_workflow(value)[0]
    for action in workflow.actions.values() if workflow else ():
        yield from (child.workflow.partition("@")[0] for child in action.spawn)


def _bounded(known: set[str], what: str) -> None:
    if len(known) > MAX_CHAINS:
        raise _TooLarge(f"more than {MAX_CHAINS} {what} would have to go into one bundle")


def _published(log: Evidence, tenant: str, stream: str) -> tuple[str, ...]:
    if stream_kind(stream) != "workflow":
        return ()
    return log.load(tenant, stream, lambda events: tuple(_documents_named_by(events)))


def _documents_named_by(events: Iterable[SealedEvent]) -> Iterator[str]:
    for event in events:
        intent = event.read_intent
        named = intent.input.get("sha256") if isinstance(intent, Intent) and intent.action == "publish" else None
        if isinstance(named, str) and _DIGEST.fullmatch(named):
            yield named


def _chain(log: Evidence, shelf: _Shelf, name: str, head: StreamHead) -> int:
    with shelf.part(name) as write:
        write(bundle.head_line(head))
        return log.load(head.tenant, head.stream, lambda events: _lines(write, map(bundle.event_line, events)))


def _work(log: Evidence, shelf: _Shelf, name: str, head: StreamHead) -> int:
    rows = log.work(head.tenant, head.stream)
    first = next(rows, None)
    if first is None:
        return 0
    with shelf.part(name) as write:
        try:
            return _lines(write, map(_row_line, chain((first,), rows)))
        except ValueError as error:
            raise Misconfigured(f"a work row of {head.stream} was changed: run `sealwork verify`") from error


def _row_line(work: StoredWork | UnreadableWork) -> bytes:
    if isinstance(work, UnreadableWork):
        raise ValueError(work.detail)
    return bundle.work_line(work)


def _lines(write: Write, lines: Iterable[bytes]) -> int:
    count = 0
    for line in lines:
        if len(line) > bundle.MAX_LINE_BYTES:
            raise _TooLarge("an event or a work row is larger than the engine lets any be")
        write(line)
        count += 1
    return count


def _document(log: Evidence, shelf: _Shelf, tenant: str, named: str) -> int:
    document = log.document(tenant, named)
    if document is None:
        return 0
    with shelf.part(f"documents/{named}") as write:
        write(document)
    return 1


def _report(log: Evidence, shelf: _Shelf, about: Manifest, heads: Sequence[StreamHead]) -> None:
    registries = {tenant: _registry(log, tenant) for tenant in sorted({about.tenant, SYSTEM})}
    first = sorted(heads, key=lambda head: stream_kind(head.stream) != "process")
    with shelf.part(bundle.REPORT) as write:
        write(bundle_report.opening(about).encode())
        for head in first:
            registry = registries[head.tenant]
            log.load(head.tenant, head.stream, partial(_tell, write, head, registry))
        for piece in bundle_report.keys(registries.items()):
            write(piece.encode())
        write(bundle_report.closing().encode())


def _tell(write: Write, head: StreamHead, registry: ActorRegistry, events: Iterable[SealedEvent]) -> None:
    for piece in bundle_report.chapter(head, registry, events):
        write(piece.encode())


def _registry(log: Evidence, tenant: str) -> ActorRegistry:
    """An unreadable registry names nobody."""
    try:
        return log.load(tenant, ACTOR_REGISTRY, folded)
    except Misconfigured:
        return ActorRegistry()
