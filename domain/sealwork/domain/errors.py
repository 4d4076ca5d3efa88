"""Every error that Sealwork raises on purpose.

    SealworkError
    ├── Unavailable      the world did not answer; nothing was written; trying again may help
    └── Misconfigured    a setting, a key or an installation is wrong; trying again will not help

A refusal of a decision is not an error: see `refusals`.
"""

from __future__ import annotations


class SealworkError(Exception):
    """Root of all errors raised on purpose; its text is written for the person who reads it."""


class Unavailable(SealworkError):
    """A database, a server or a network did not answer."""


class Misconfigured(SealworkError):
    """A setting, a key or an installation is wrong."""
