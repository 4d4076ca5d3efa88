"""Bundles: evidence that travels without its database."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from sealwork.application.ports.evidence import Evidence, EvidenceSource
from sealwork.application.proof.bundle import Manifest


class Archive(Protocol):
    """A new bundle, written part by part."""

    def part(self, name: str) -> AbstractContextManager[Callable[[bytes], object]]:
        """Give what takes the bytes of one file, piece by piece. One part is open at a time.

        Raises:
            Misconfigured: it cannot be written.
        """
        ...


class Bundle(Evidence, EvidenceSource, Protocol):
    """A bundle whose every file is what its manifest says, as evidence. It stays as it was when it was opened."""

    @property
    def manifest(self) -> Manifest:
        """Return what the bundle says about itself."""
        ...
