"""What must never stand in the repository: private keys, placeholder signatures, places of one machine."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from architecture.sources import MODULES, ROOT, name, texts

_SECRET_WORD = re.compile(r"seed|secret|private|_SK\b|signing.?key", re.IGNORECASE)
_KEY = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{43}=(?!=)|(?<![0-9A-Za-z])[0-9a-f]{64}(?![0-9A-Za-z])")
_PUBLISHED = "tests/vectors/"
"""Keys of published test vectors are no secrets."""
_MACHINE = re.compile(r"(?<![\w.*})\]])/(?:root|work|home/\w+|Users/\w+)/|[A-Z]:\\\\?Users")
_REGISTRY = re.compile(r"pypi\.org|pythonhosted\.|npmjs\.|\.debian\.org|index[-_]url|/sim[p]le/")


def keys_in(text: str) -> list[str]:
    """Return what has the form of a 32 byte key near a word that makes it a private one."""
    lines = text.splitlines()
    around = ("\n".join(lines[max(at - 1, 0) : at + 2]) for at in range(len(lines)))
    return [
        line
        for line, context in zip(lines, around, strict=True)
        if _KEY.search(line) and _SECRET_WORD.search(context)
    ]


def placeholders_in(source: str) -> list[str]:
    """Return the literals that could stand for a signature nobody made: zeros."""
    return [ast.unparse(node) for node in ast.walk(ast.parse(source)) if _is_zeros(node)]


def test_no_private_key_is_in_the_repository() -> None:
    found = {file: keys for file, text in texts() if not file.startswith(_PUBLISHED) and (keys := keys_in(text))}

    assert not found


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_no_signature_is_a_placeholder(path: Path) -> None:
    assert not placeholders_in(path.read_text())


def test_no_file_knows_a_developers_machine() -> None:
    found = {file: match[0] for file, text in texts() if (match := _MACHINE.search(text))}

    assert not found


def test_no_file_names_a_package_registry() -> None:
    found = {file: match[0] for file, text in texts() if (match := _REGISTRY.search(text))}

    assert not found


def test_a_key_would_be_found() -> None:
    seed = "A" * 43 + "="

    assert keys_in(f"# the seed\nENGINE = '{seed}'")
    assert keys_in(f"secret_key = '{'ab' * 32}'")


def test_a_hash_is_no_key() -> None:
    assert not keys_in(f"the genesis hash is {'ab' * 32}")


@pytest.mark.parametrize(
    "source", ("s = '0000'", "s = b'\\x00\\x00\\x00\\x00'", "s = bytes(64)", "s = b'\\0' * 64", "s = 128 * '0'")
)
def test_a_placeholder_would_be_found(source: str) -> None:
    assert placeholders_in(source)


def test_a_machine_would_be_found() -> None:
    assert _MACHINE.search("see " + "/ro" + "ot/project")
    assert not _MACHINE.search("domain/work/outcomes.py")


def _is_zeros(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=str() | bytes() as value):
            return len(value) >= 4 and set(value) <= {"0", 0, 48}
        case ast.Call(func=ast.Name(id="bytes" | "bytearray"), args=[ast.Constant(value=int() as size)]):
            return size >= 4
        case ast.BinOp(left=ast.Constant() as left, op=ast.Mult(), right=ast.Constant() as right):
            times, text = (left.value, right.value) if isinstance(left.value, int) else (right.value, left.value)
            zero = isinstance(text, str | bytes) and len(text) > 0 and set(text) <= {"0", 0, 48}
            return zero and isinstance(times, int) and times >= 4
        case _:
            return False


def test_the_gitignore_keeps_local_keys_out() -> None:
    assert ".sealwork/" in (ROOT / ".gitignore").read_text().split()
