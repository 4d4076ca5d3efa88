"""Ed25519 keys."""

from __future__ import annotations

from typing import Protocol


class Signer(Protocol):
    """One private key, which never leaves its adapter."""

    @property
    def actor(self) -> str:
        """Return the actor that this key is."""
        ...

    def sign(self, message: bytes) -> bytes:
        """Return the 64 bytes of the signature over `message`."""
        ...


class SignatureVerifier(Protocol):
    """The one rule set for signatures: two libraries disagree on crafted ones, and would split history."""

    def verify(self, actor: str, message: bytes, signature: bytes) -> bool:
        """Return whether `actor` signed `message`. Never raises, whatever the bytes are."""
        ...

    def admissible(self, actor: str) -> bool:
        """Return whether `actor` is a key that may be admitted: canonical, on the curve, of the prime-order group.

        Source: events.md, "Keys" (of the 22 CCTV keys exactly one).
        """
        ...
