"""One private key that tests may know, and whether a text gives it away."""

from __future__ import annotations

import base64
import traceback
from hashlib import sha256

import pytest

from sealwork.adapters.signing import SecretKey

SEED = sha256(b"sealwork test key").digest()
TEXT = base64.b64encode(SEED).decode()
KEY = SecretKey(SEED)


def shows_the_seed(text: str) -> bool:
    """Whether a text holds the private half in any form that somebody could use."""
    forms = [
        SEED.hex(),
        TEXT,
        TEXT.rstrip("="),
        base64.urlsafe_b64encode(SEED).decode(),
        repr(SEED),
        str(list(SEED)),
    ]
    return any(form.lower() in text.lower() for form in forms)


def traceback_of(raised: pytest.ExceptionInfo[BaseException], *, with_values: bool = False) -> str:
    """What a crash report prints of the frames below the test, with the values of their variables if asked."""
    assert raised.tb.tb_next is not None
    told = traceback.TracebackException(raised.type, raised.value, raised.tb.tb_next, capture_locals=with_values)
    return "".join(told.format())
