"""Unpacking an archive that anybody may have made: nothing that it says is believed, and its size is bounded.

What was read is kept in one nameless file, so that nobody changes afterwards what was checked.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import zlib
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import IO, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from sealwork.application.proof.bundle import (
    MANIFEST,
    MAX_FILE_BYTES,
    MAX_FILES,
    MAX_MANIFEST_BYTES,
    MAX_TOTAL_BYTES,
    BadBundle,
    BundleFlaw,
    Manifest,
)
from sealwork.domain.errors import Misconfigured, Unavailable
from sealwork.domain.ledger.members import parse_model
from sealwork.domain.refusals import Refused

NAMES = re.compile(
    r"manifest\.json|report\.html|chains/[0-9]{5}\.jsonl|work/[0-9]{5}\.jsonl|documents/[0-9a-f]{64}", re.ASCII
)
"""All that a file may be called: no name leads anywhere."""
_PIECE = 65_536
_END = struct.Struct("<4s4H2LH")
_MAX_LISTING_BYTES = 300 * (MAX_FILES + 1)
"""The list at the end of the archive: 46 bytes and a name of at most 74 for each file."""
_UNREADABLE = (BadZipFile, zlib.error, EOFError, RuntimeError, OSError, ValueError, LookupError, struct.error)
"""What the standard library raises over an archive that was made to trouble it."""


class Flawed(Exception):
    """Carries why a bundle is not read any further to where it is returned."""

    def __init__(self, code: BundleFlaw, detail: str, file: str | None = None) -> None:
        self.bad = BadBundle(code=code, detail=detail, file=file)
        super().__init__(detail)


class Span(NamedTuple):
    """Where something stands in the copy."""

    start: int
    size: int


def unpack(path: Path, copy: IO[bytes]) -> tuple[Manifest, Mapping[str, Span]]:
    """Return the manifest, and where in `copy` each file stands that has the hash which the manifest says.

    Raises:
        Flawed: it is no bundle, is too large, or is not what its manifest says.
        Misconfigured: there is no such file, or it may not be read.
        Unavailable: there is no room for the copy.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise Misconfigured(f"the bundle {path} cannot be read: {error.strerror}") from error
    with file:
        try:
            return _unpacked(file, copy)
        except _UNREADABLE as error:
            raise Flawed(BundleFlaw.NOT_A_BUNDLE, f"the archive cannot be read: {error}") from error


def _unpacked(file: IO[bytes], copy: IO[bytes]) -> tuple[Manifest, Mapping[str, Span]]:
    _check_end(file)
    with ZipFile(file) as zipped:
        infos = _checked_list(zipped.infolist())
        if MANIFEST not in infos:
            raise Flawed(BundleFlaw.NOT_A_BUNDLE, f"there is no {MANIFEST} in it")
        manifest = _manifest(zipped, infos.pop(MANIFEST))
        listed = {entry.name: entry for entry in manifest.files}
        if len(listed) < len(manifest.files) or MANIFEST in listed:
            raise Flawed(BundleFlaw.ALTERED, "the manifest names a file twice, or itself", MANIFEST)
        for name in sorted(listed.keys() ^ infos.keys()):
            what = "is not in the archive" if name in listed else "is not in the manifest"
            raise Flawed(BundleFlaw.ALTERED, what, name)
        spans: dict[str, Span] = {}
        for name, entry in listed.items():
            digest, start, size = sha256(), copy.tell(), 0
            for piece in _pieces(zipped, infos[name]):
                digest.update(piece)
                size += len(piece)
                _keep(copy, piece)
            if (size, digest.hexdigest()) != (entry.size, entry.sha256):
                raise Flawed(BundleFlaw.ALTERED, "has not the size and the hash that the manifest says", name)
            spans[name] = Span(start, size)
    return manifest, spans


def _check_end(file: IO[bytes]) -> None:
    """The archive must end with its list and nothing else: then the list is read whole, once, and is small."""
    size = file.seek(0, os.SEEK_END)
    if size > MAX_TOTAL_BYTES + _MAX_LISTING_BYTES:
        raise Flawed(BundleFlaw.TOO_LARGE, f"{size} bytes; at most {MAX_TOTAL_BYTES} are read")
    file.seek(max(0, size - _END.size - 20))
    tail = file.read()
    end = tail[-_END.size :]
    if len(end) < _END.size or not end.startswith(b"PK\x05\x06"):
        raise Flawed(
            BundleFlaw.NOT_A_BUNDLE, "it is no zip archive, or was cut off, or something was put behind it"
        )
    _, disk, first, _, count, listing, start, comment = _END.unpack(end)
    if (disk, first, comment) != (0, 0, 0) or tail.startswith(b"PK\x06\x07"):
        raise Flawed(BundleFlaw.NOT_A_BUNDLE, "a form of archive that no bundle has")
    if count > MAX_FILES + 1 or listing > _MAX_LISTING_BYTES:
        raise Flawed(BundleFlaw.TOO_LARGE, f"{count} files; at most {MAX_FILES} are read")
    if start + listing + _END.size != size:
        raise Flawed(BundleFlaw.NOT_A_BUNDLE, "something stands before or between the parts of the archive")


def _checked_list(infos: list[ZipInfo]) -> dict[str, ZipInfo]:
    known: dict[str, ZipInfo] = {}
    for info in infos:
        name = info.orig_filename
        if not NAMES.fullmatch(name):
            raise Flawed(BundleFlaw.ALTERED, f"no file of a bundle is called {name[:200]!r}")
        if name in known:
            raise Flawed(BundleFlaw.ALTERED, "is there twice", name)
        if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
            raise Flawed(BundleFlaw.ALTERED, "is no plain file", name)
        if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise Flawed(BundleFlaw.ALTERED, "is packed in another way than bundles are", name)
        if info.file_size > (MAX_MANIFEST_BYTES if name == MANIFEST else MAX_FILE_BYTES):
            raise Flawed(BundleFlaw.TOO_LARGE, f"claims {info.file_size} bytes", name)
        known[name] = info
    if sum(info.file_size for info in infos) > MAX_TOTAL_BYTES:
        raise Flawed(BundleFlaw.TOO_LARGE, f"its files claim more than {MAX_TOTAL_BYTES} bytes together")
    return known


def _manifest(zipped: ZipFile, info: ZipInfo) -> Manifest:
    body = b"".join(_pieces(zipped, info))
    manifest = parse_model(Manifest, body, limit=MAX_MANIFEST_BYTES)
    if isinstance(manifest, Refused):
        detail = f"no manifest of version 1: {manifest.pointer or ''} {manifest.detail}"
        raise Flawed(BundleFlaw.NOT_A_BUNDLE, detail, MANIFEST)
    return manifest


def _pieces(zipped: ZipFile, info: ZipInfo) -> Iterator[bytes]:
    """Give the bytes of one file: the library stops where it claims to end, whatever is packed in it."""
    try:
        with zipped.open(info) as packed:
            while piece := packed.read(_PIECE):
                yield piece
    except _UNREADABLE as error:
        raise Flawed(BundleFlaw.ALTERED, f"cannot be unpacked: {error}", info.orig_filename) from error


def _keep(copy: IO[bytes], piece: bytes) -> None:
    try:
        copy.write(piece)
        copy.flush()
    except OSError as error:
        raise Unavailable(f"no room to unpack the bundle: {error}") from error
