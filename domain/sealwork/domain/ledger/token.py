"""Tokens: who asks over HTTP shows that they hold a key, for a short while, to read.

A token is a canonical statement and the key's signature over it, each in base64url without padding, joined by a
dot. It changes nothing: whoever acts signs an intent. Source: events.md, "Tokens".
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from sealwork.domain.ids import ActorId, Origin, Tenant
from sealwork.domain.instants import InstantText, instant_of
from sealwork.domain.ledger.canonical import canonical
from sealwork.domain.ledger.envelope import MediaType, pae
from sealwork.domain.ledger.members import document_of, parse_model
from sealwork.domain.refusals import RefusalCode, Refused, refused

MAX_TOKEN_TIME = timedelta(hours=24)
MAX_TOKEN_CHARACTERS = 1024
_FORM = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})", re.ASCII)

Verify: TypeAlias = Callable[[str, bytes, bytes], bool]
"""(actor, message, signature) → whether the actor signed the message."""


class Token(BaseModel):
    """What a token says."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    v: Literal[1] = 1
    origin: Origin
    tenant: Tenant
    key: ActorId
    not_after: InstantText

    def to_bytes(self) -> bytes:
        """Return the canonical bytes, which are what is signed."""
        return canonical(document_of(self))


def signed_token_bytes(body: bytes) -> bytes:
    """Return what the signature of a token covers."""
    return pae(MediaType.TOKEN, body)


def token_text(body: bytes, signature: bytes) -> str:
    """Return the token as it travels."""
    return f"{_encoded(body)}.{_encoded(signature)}"


def read_token(text: str, now: datetime, *, origin: str, tenant: str, verify: Verify) -> str | Refused:
    """Return the actor who made this token for this log and tenant, if it counts at `now`.

    Whether that key is valid there is for its registry to say.
    """
    found = _FORM.fullmatch(text) if len(text) <= MAX_TOKEN_CHARACTERS else None
    body, signature = (_decoded(part) for part in found.groups()) if found else (None, None)
    if body is None or signature is None:
        detail = "a token is base64url(statement).base64url(signature), as `sealwork keys token` prints it"
        return refused(RefusalCode.NOT_CANONICAL, detail)
    token = parse_model(Token, body)
    if isinstance(token, Refused):
        return token
    if token.origin != origin:
        return refused(RefusalCode.WRONG_ORIGIN, f"this log is {origin}", "/origin")
    if token.tenant != tenant:
        return refused(RefusalCode.WRONG_TENANT, f"this is the door of tenant {tenant}", "/tenant")
    if not verify(token.key, signed_token_bytes(body), signature):
        return refused(RefusalCode.BAD_SIGNATURE, "the signature is not this key's over this token", "/key")
    return _in_time(token, now) or token.key


def _in_time(token: Token, now: datetime) -> Refused | None:
    end = instant_of(token.not_after)
    if now > end:
        return refused(RefusalCode.EXPIRED_TOKEN, f"it ended at {token.not_after}: make another", "/not_after")
    return too_long(end - now)


def too_long(lasting: timedelta) -> Refused | None:
    """Return the refusal of a token that would count for longer than a day."""
    if lasting <= MAX_TOKEN_TIME:
        return None
    return refused(RefusalCode.INVALID_INPUT, "a token counts for 24 h at most: make a shorter one", "/not_after")


def _encoded(part: bytes) -> str:
    return urlsafe_b64encode(part).rstrip(b"=").decode()


def _decoded(part: str) -> bytes | None:
    """A part has one spelling: bits that decoding would drop are refused."""
    try:
        decoded = urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except ValueError:
        return None
    return decoded if _encoded(decoded) == part else None
