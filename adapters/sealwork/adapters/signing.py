"""Ed25519 by PyNaCl: the one library that signs and verifies (events.md, "Keys")."""

from __future__ import annotations

import base64
import os
from functools import lru_cache
from pathlib import Path
from tempfile import NamedTemporaryFile

from nacl.bindings import crypto_core_ed25519_is_valid_point
from nacl.exceptions import CryptoError
from nacl.signing import SigningKey, VerifyKey

from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import actor_id, public_key_of

SEED_BYTES = 32


class SecretKey:
    """A private key in memory. Its text form says nothing of it."""

    def __init__(self, seed: bytes) -> None:
        if len(seed) != SEED_BYTES:
            raise Misconfigured(f"a private key is the base64 of {SEED_BYTES} bytes, not of {len(seed)}")
        self._key = SigningKey(seed)
        self._actor = actor_id(bytes(self._key.verify_key))

    def __repr__(self) -> str:
        return f"SecretKey({self._actor})"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a private key is not serialised")

    @property
    def actor(self) -> str:
        """See `Signer.actor`."""
        return self._actor

    def sign(self, message: bytes) -> bytes:
        """See `Signer.sign`."""
        return self._key.sign(message).signature


class Ed25519Verifier:
    """The rule set of libsodium ≥ 1.0.20: cofactorless, S below the group order, no small-order keys."""

    def verify(self, actor: str, message: bytes, signature: bytes) -> bool:
        """See `SignatureVerifier.verify`."""
        try:
            _verify_key(actor).verify(message, signature)
        except (CryptoError, ValueError, TypeError):
            return False
        return True

    def admissible(self, actor: str) -> bool:
        """See `SignatureVerifier.admissible`."""
        try:
            return bool(crypto_core_ed25519_is_valid_point(_key_of(actor)))
        except (CryptoError, ValueError, TypeError):
            return False


@lru_cache(maxsize=1_000)
def _verify_key(actor: str) -> VerifyKey:
    return VerifyKey(_key_of(actor))


def _key_of(actor: str) -> bytes:
    """An actor has one spelling: hex in capitals or without its prefix is nobody."""
    key = public_key_of(actor)
    if len(key) != SEED_BYTES or actor_id(key) != actor:
        raise ValueError("not an actor")
    return key


def new_secret_key() -> SecretKey:
    """Return a key that nobody had before."""
    return SecretKey(os.urandom(SEED_BYTES))


def key_from_text(text: str, *, source: str) -> SecretKey:
    """Return the key whose seed `text` is, in base64; `source` names the place in the message.

    Raises:
        Misconfigured: `text` is no key. The message does not repeat it.
    """
    seed = _decoded(text)
    if seed is not None and len(seed) == SEED_BYTES:
        return SecretKey(seed)
    found = "is not base64 of" if seed is None else f"holds {len(seed)} bytes instead of"
    del text, seed  # nearly a key: a crash report may print the values in this frame
    raise Misconfigured(f"{source} {found} a {SEED_BYTES} byte seed")


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text.strip(), validate=True)
    except ValueError:
        return None


def key_from_environment(name: str) -> SecretKey | None:
    """Return the key in the variable `name`, or in the file that `name`_FILE names; None if neither is set.

    The variable is deleted once read, so that no child process and no crash report carries it.

    Raises:
        Misconfigured: a variable is set and holds no key.
    """
    if name in os.environ:
        return key_from_text(os.environ.pop(name), source=name)
    path = os.environ.get(f"{name}_FILE")
    return key_from_file(Path(path)) if path else None


def key_from_file(path: Path) -> SecretKey:
    """Return the key in a file.

    Raises:
        Misconfigured: the file cannot be read, is open to others, or holds no key.
    """
    try:
        if path.stat().st_mode & 0o077:
            raise Misconfigured(f"{path} can be read by others: chmod 600 {path}")
        return key_from_text(path.read_text(errors="replace"), source=str(path))
    except OSError as error:
        raise Misconfigured(f"the key file {path} cannot be read: {error}") from error


def new_key_file(path: Path) -> SecretKey:
    """Make a key and keep it in a new file that only its owner reads. The file is there whole, or not at all.

    Raises:
        Misconfigured: the file exists, or cannot be written.
    """
    seed = os.urandom(SEED_BYTES)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=".") as draft:  # mode 0600, a name that nobody has
            draft.write(base64.b64encode(seed) + b"\n")
            draft.flush()
            os.fsync(draft.fileno())
            os.link(draft.name, path)
    except FileExistsError as error:
        raise Misconfigured(f"{path} exists: a key is never overwritten") from error
    except OSError as error:
        raise Misconfigured(f"the key file {path} cannot be written: {error}") from error
    return SecretKey(seed)
