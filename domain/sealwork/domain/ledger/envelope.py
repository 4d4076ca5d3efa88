"""What is hashed and signed is never a bare body, but its pre-authentication encoding.

Source: DSSE 1.0.2, "PAE"; events.md. The media type fixes schema, encoding, hash and signature suite;
nothing in a message chooses an algorithm.
"""

from __future__ import annotations

from enum import StrEnum
from hashlib import sha256


class MediaType(StrEnum):
    """What a body is. v1 means RFC 8785, SHA-256 and Ed25519."""

    INTENT = "application/vnd.sealwork.intent.v1+json"
    RECORD = "application/vnd.sealwork.record.v1+json"
    GENESIS = "application/vnd.sealwork.genesis.v1"
    KEY_PROOF = "application/vnd.sealwork.key-proof.v1+json"
    TOKEN = "application/vnd.sealwork.token.v1+json"
    DEDUPE = "application/vnd.sealwork.dedupe.v1+json"
    WORK = "application/vnd.sealwork.work.v1+json"
    TRIGGER = "application/vnd.sealwork.trigger.v1+json"


def pae(kind: str, body: bytes) -> bytes:
    """Return the bytes that are signed for `body`; lengths make every boundary unambiguous."""
    media_type = kind.encode()
    return b"DSSEv1 %d %s %d %s" % (len(media_type), media_type, len(body), body)


def digest(kind: MediaType, body: bytes) -> str:
    """Return the SHA-256 of the pre-authentication encoding, hex."""
    return sha256(pae(kind, body)).hexdigest()


def genesis(origin: str, tenant: str, stream: str) -> str:
    """Return the hash that the first event of a stream names as its previous one."""
    return digest(MediaType.GENESIS, f"{origin}\n{tenant}\n{stream}".encode())
