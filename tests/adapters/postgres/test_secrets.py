"""No private key in any column of any table, and no signature that is only a placeholder."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator

import pytest

from sealing import Deployment, a_deployment, seed_of
from sealwork.adapters.postgres.database import Connection, Database


@pytest.fixture
def deployment(emptied: Database) -> Deployment:
    """A deployment where everybody has signed something."""
    deployment = a_deployment(emptied)
    for process_id in ("c-1", "c-2"):
        deployment.begin(process_id)
        deployment.take(process_id, "submit", "maria", {"note": "text"})
    deployment.fire_due()
    deployment.take("c-1", "clear", "ana")
    return deployment


def test_no_private_key_is_anywhere(deployment: Deployment, emptied: Database) -> None:
    names = ["root", "engine", "admin", "automation", "maria", "ana"]

    assert set(names) == set(deployment.keys)
    assert list(_leaks(emptied, map(seed_of, names))) == []


@pytest.mark.parametrize("form", ["hex", "upper case", "base64", "in a text"])
def test_a_private_key_that_somebody_wrote_would_be_found(
    deployment: Deployment, emptied: Database, form: str
) -> None:
    seed = seed_of("maria")
    written = {
        "hex": seed.hex(),
        "upper case": seed.hex().upper(),
        "base64": b64encode(seed).decode(),
        "in a text": f"key={urlsafe_b64encode(seed).decode().rstrip('=')};",
    }
    deployment.take("c-2", "clear", "ana", {"note": written[form]})

    assert ("events", "intent") in set(_leaks(emptied, [seed]))


def test_a_private_key_in_raw_bytes_would_be_found(database: Database) -> None:
    with database.owner() as owner:
        owner.execute("CREATE TABLE sealwork.keys (id int, secret bytea)")
        owner.execute("INSERT INTO sealwork.keys VALUES (1, %s)", (b"\x00" + seed_of("engine") + b"\x00",))

    assert list(_leaks(database, [seed_of("engine")])) == [("keys", "secret")]


def test_every_signature_is_one(deployment: Deployment, emptied: Database) -> None:
    with emptied.owner() as owner:
        rows = owner.execute("SELECT intent_sig, record_sig FROM sealwork.events").fetchall()
        signature_columns = owner.execute(
            "SELECT table_name, column_name FROM information_schema.columns"
            " WHERE table_schema = 'sealwork' AND column_name LIKE '%%sig%%' ORDER BY 1, 2"
        ).fetchall()

    signatures = [signature for row in rows for signature in row]
    assert {len(signature) for signature in signatures} == {64}
    assert min(len(set(signature)) for signature in signatures) > 16
    assert len(set(signatures)) == len(signatures)
    assert signature_columns == [("events", "intent_sig"), ("events", "record_sig")]
    assert deployment.verify().intact


def _leaks(database: Database, seeds: Iterable[bytes]) -> Iterator[tuple[str, str]]:
    """Every (table, column) in which a seed stands, as it is or in a usual writing."""
    forms = [form for seed in seeds for form in _forms(seed)]
    with database.owner() as owner:
        columns = owner.execute(
            "SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns"
            " WHERE table_schema NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        assert len(columns) > 80
        for schema, table, column, kind in columns:
            for value in _values(owner, f'{schema}."{table}"', column, kind):
                if any(form in value for form in forms):
                    yield table, column


def _forms(seed: bytes) -> Iterator[bytes]:
    yield seed
    yield seed.hex().encode()
    yield seed.hex().upper().encode()
    yield b64encode(seed).rstrip(b"=")
    yield urlsafe_b64encode(seed).rstrip(b"=")


def _values(owner: Connection, table: str, column: str, kind: str) -> Iterator[bytes]:
    shown = f'"{column}"' if kind == "bytea" else f'"{column}"::text'
    for (value,) in owner.execute(f'SELECT {shown} FROM {table} WHERE "{column}" IS NOT NULL'.encode()):
        yield value if isinstance(value, bytes) else str(value).encode()
