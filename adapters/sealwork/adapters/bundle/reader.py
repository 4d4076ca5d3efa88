"""A bundle as evidence: the port that verification reads, over what was unpacked."""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple

from sealwork.adapters.bundle.unpacking import Flawed, Span, unpack
from sealwork.application.ports.chains import Folded, StreamHead
from sealwork.application.ports.evidence import Evidence, Misread
from sealwork.application.proof.bundle import (
    MAX_LINE_BYTES,
    BadBundle,
    BundleFlaw,
    Manifest,
    read_event,
    read_head,
    read_work,
)
from sealwork.domain.ids import SYSTEM
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.refusals import Refused
from sealwork.domain.work.work_row import StoredWork

_PIECE = 65_536


class _Lines:
    """The lines of one unpacked file: only where they begin is kept in memory."""

    def __init__(self, copy: IO[bytes], span: Span, name: str) -> None:
        self._copy = copy.fileno()
        self._starts = array("Q", [span.start])
        self.name = name
        end = span.start + span.size
        for at in range(span.start, end, _PIECE):
            piece = os.pread(self._copy, min(_PIECE, end - at), at)
            found = -1
            while (found := piece.find(b"\n", found + 1)) >= 0:
                self._starts.append(at + found + 1)
            if at + len(piece) - self._starts[-1] > MAX_LINE_BYTES:
                raise Flawed(BundleFlaw.TOO_LARGE, f"line {len(self._starts)} is too long", name)
        if self._starts[-1] != end:
            raise Flawed(BundleFlaw.ALTERED, "ends in the middle of a line", name)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, at: int) -> bytes:
        """Return a line, counted from 0, without its end."""
        start, end = self._starts[at], self._starts[at + 1]
        return os.pread(self._copy, end - 1 - start, start)

    def taken(self, at: int, read: Folded | Refused) -> Folded:
        """Return what line `at` was read as.

        Raises:
            Flawed: it is no such line.
        """
        if isinstance(read, Refused):
            detail = f"line {at + 1}: {read.pointer or ''} {read.detail}"
            raise Flawed(BundleFlaw.ALTERED, detail, self.name)
        return read


class _Chain(NamedTuple):
    head: StreamHead
    lines: _Lines
    seqs: array[int]
    work: _Lines | None

    def event(self, at: int) -> SealedEvent:
        """Return the event in line `at`; the head stands in line 0."""
        return self.lines.taken(at, read_event(self.head, self.lines[at]))

    def rows(self) -> Iterator[StoredWork]:
        """Return the work rows, in the order of the file."""
        for at in range(len(self.work or ())):
            assert self.work is not None
            yield self.work.taken(at, read_work(self.work[at]))


class BundleEvidence:
    """What a bundle holds. It stays as it was when it was opened."""

    def __init__(self, manifest: Manifest, spans: Mapping[str, Span], copy: IO[bytes]) -> None:
        self._copy = copy
        self._manifest = manifest
        self._spans = spans
        self._chains: dict[tuple[str, str], _Chain] = {}
        for name in sorted(spans):
            folder, _, file = name.partition("/")
            if folder == "chains":
                self._take(name, f"work/{file}")
            elif folder == "work" and f"chains/{file}" not in spans:
                raise Flawed(BundleFlaw.ALTERED, f"belongs to chains/{file}, which is not there", name)

    @property
    def manifest(self) -> Manifest:
        """See `Bundle.manifest`."""
        return self._manifest

    @contextmanager
    def as_of_now(self) -> Iterator[Evidence]:
        """See `Bundle.as_of_now`."""
        yield self

    def load(self, tenant: str, stream: str, fold: Callable[[Iterable[SealedEvent]], Folded]) -> Folded:
        """See `Chains.load`."""
        chain = self._chains.get((tenant, stream))
        return fold(map(chain.event, range(1, len(chain.lines))) if chain else ())

    def streams(self, tenant: str | None = None) -> Iterator[StreamHead]:
        """See `Chains.streams`."""
        return (chain.head for key, chain in sorted(self._chains.items()) if tenant in (None, key[0]))

    def document(self, tenant: str, sha256: str) -> bytes | None:
        """See `Chains.document`."""
        span = self._spans.get(f"documents/{sha256}") if tenant == self._manifest.tenant else None
        return os.pread(self._copy.fileno(), span.size, span.start) if span else None

    def head_of(self, tenant: str, stream: str) -> StreamHead | None:
        """See `Evidence.head_of`."""
        chain = self._chains.get((tenant, stream))
        return chain.head if chain else None

    def event(self, tenant: str, stream: str, seq: int) -> SealedEvent | None:
        """See `Evidence.event`."""
        chain = self._chains.get((tenant, stream))
        at = bisect_left(chain.seqs, seq) if chain else 0
        return chain.event(at + 1) if chain and at < len(chain.seqs) and chain.seqs[at] == seq else None

    def work(self, tenant: str, stream: str) -> Iterator[StoredWork]:
        """See `Evidence.work`."""
        chain = self._chains.get((tenant, stream))
        return chain.rows() if chain else iter(())

    def listed_keys(self, tenant: str) -> None:
        """See `Evidence.listed_keys`: the table of actors is not in a bundle."""

    def misread(self, tenant: str | None = None) -> Iterator[Misread]:
        """See `Evidence.misread`: no columns stand beside the bytes here."""
        return iter(())

    def _take(self, name: str, work: str) -> None:
        """Read every line of a chain and of its work rows once: afterwards nothing is malformed any more."""
        lines = _Lines(self._copy, self._spans[name], name)
        if not lines:
            raise Flawed(BundleFlaw.ALTERED, "is empty", name)
        head = lines.taken(0, read_head(lines[0]))
        if head.tenant not in (self._manifest.tenant, SYSTEM) or (head.tenant, head.stream) in self._chains:
            raise Flawed(BundleFlaw.ALTERED, "is a chain of another tenant, or the second of its name", name)
        rows = _Lines(self._copy, self._spans[work], work) if work in self._spans else None
        chain = _Chain(head, lines, array("Q"), rows)
        for at in range(1, len(lines)):
            seq = chain.event(at).seq
            if chain.seqs and seq <= chain.seqs[-1]:
                raise Flawed(BundleFlaw.ALTERED, f"line {at + 1}: event {seq} stands behind a later one", name)
            chain.seqs.append(seq)
        if any((stored.row.tenant, stored.row.stream) != (head.tenant, head.stream) for stored in chain.rows()):
            raise Flawed(BundleFlaw.ALTERED, f"holds a row of another process than {name}", work)
        self._chains[head.tenant, head.stream] = chain


@contextmanager
def open_bundle(path: Path) -> Iterator[BundleEvidence | BadBundle]:
    """Give a bundle whose every file was read and is well formed, or why it is not read any further.

    Raises:
        Misconfigured: there is no such file, or it may not be read.
        Unavailable: there is no room to unpack it.
    """
    with TemporaryFile() as copy:
        try:
            bundle: BundleEvidence | BadBundle = BundleEvidence(*unpack(path, copy), copy)
        except Flawed as flawed:
            bundle = flawed.bad
        yield bundle
