from __future__ import annotations

import psycopg
import pytest

from contracts.system_log import SystemLogContract, an_attempt
from sealing import TENANT
from sealwork.adapters.postgres.database import Database
from sealwork.application.ports.system_log import SystemLog
from together import all_at_once


class TestSystemLog(SystemLogContract):
    """Attempts are kept as the port promises."""


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE sealwork.system_log SET result = 'accepted'",
        "DELETE FROM sealwork.system_log",
        "TRUNCATE sealwork.system_log",
    ],
)
def test_not_even_the_owner_changes_what_is_kept(
    emptied: Database, system_log: SystemLog, readable_log: SystemLog, statement: str
) -> None:
    system_log.write([an_attempt(1), an_attempt(2)])
    before = readable_log.newest(TENANT, limit=10)

    with (
        emptied.owner() as owner,
        pytest.raises(psycopg.errors.RaiseException, match="is append-only"),
        owner.transaction(),
    ):
        owner.execute("SET session_replication_role = replica")
        owner.execute(statement.encode())

    assert readable_log.newest(TENANT, limit=10) == before


def test_two_writers_of_one_tenant_lose_nothing(
    emptied: Database, system_log: SystemLog, readable_log: SystemLog
) -> None:
    def write() -> None:
        for number in range(20):
            system_log.write([an_attempt(number)] * 5)

    all_at_once([write] * 4)

    assert len(readable_log.newest(TENANT, limit=1_000)) == 400
