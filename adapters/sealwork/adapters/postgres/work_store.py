"""Work rows in PostgreSQL, behind the functions that a worker may execute (S1-060)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from sealwork.adapters.postgres.database import Connections, Role, query, sendable
from sealwork.adapters.postgres.work_rows import claimed_work, listed_work, stored_work
from sealwork.application.ports.work_store import Settlement
from sealwork.domain.work.listing import ListedWork, Rank, rank_of
from sealwork.domain.work.work_row import ClaimedWork, WorkRow, WorkStatus

_BEFORE_ALL, _AFTER_ALL = ("-infinity", UUID(int=0)), ("infinity", UUID(int=2**128 - 1))


class PostgresWorkStore:
    """A work store with the rights of `role`; only WORKER can claim and settle, all can read."""

    def __init__(self, database: Connections, role: Role) -> None:
        self._database = database
        self._role = role

    def claim(self, tenants: Sequence[str], *, limit: int, token: UUID, lease: timedelta) -> Sequence[ClaimedWork]:
        """See `WorkStore.claim`."""
        asked = (list(tenants), limit, token, lease.total_seconds())
        with self._database.as_role(self._role) as connection:
            rows = connection.execute(query("claim"), asked, binary=True).fetchall()
        return [claimed_work(row, token) for row in rows]

    def settle(self, token: UUID, settlements: Sequence[Settlement]) -> Sequence[str]:
        """See `WorkStore.settle`."""
        rows = [settlement.work.row for settlement in settlements]
        columns = (
            token,
            [row.tenant for row in rows],
            [row.id for row in rows],
            [row.occurrence for row in rows],
            [settlement.end.value for settlement in settlements],
            [settlement.wait.total_seconds() for settlement in settlements],
            [sendable(settlement.error) for settlement in settlements],
        )
        with self._database.as_role(self._role) as connection:
            return [result for (result,) in connection.execute(query("settle"), columns).fetchall()]

    def renew(self, token: UUID, works: Sequence[ClaimedWork], *, lease: timedelta) -> Sequence[UUID]:
        """See `WorkStore.renew`."""
        asked = (
            token,
            [work.row.tenant for work in works],
            [work.row.id for work in works],
            lease.total_seconds(),
        )
        statement = "SELECT sealwork.renew_lease(%s, %s::text[], %s::uuid[], %s)"
        with self._database.as_role(self._role) as connection:
            return [id_ for (id_,) in connection.execute(statement, asked).fetchall()]

    def next_due(self, tenants: Sequence[str]) -> datetime | None:
        """See `WorkStore.next_due`."""
        with self._database.as_role(self._role) as connection:
            row = connection.execute("SELECT sealwork.next_due(%s::text[])", (list(tenants),)).fetchone()
        return row[0] if row else None

    def of_process(self, tenant: str, stream: str) -> Sequence[WorkRow]:
        """See `WorkStore.of_process`."""
        asked = {"tenant": tenant, "stream": stream}
        with self._database.as_role(self._role) as connection:
            rows = connection.execute(query("work_of_process"), asked).fetchall()
        return [stored_work(row) for row in rows]

    def listing(
        self,
        tenant: str,
        statuses: Collection[WorkStatus],
        *,
        stream: str | None = None,
        limit: int,
        after: ListedWork | None = None,
    ) -> Sequence[ListedWork]:
        """See `WorkStore.listing`. It is planned anew each time: a plan for any process is good for none."""
        asked = {"tenant": tenant, "stream": stream, "limit": limit} | _asked(statuses, after)
        statement = query("work_listing") + query("listed_rows")
        with self._database.as_role(self._role) as connection:
            rows = connection.execute(statement, asked, prepare=False).fetchall()
        return [listed_work(row) for row in rows]

    def find(self, tenant: str, work_id: UUID) -> ListedWork | None:
        """See `WorkStore.find`."""
        statement = query("work_by_id") + query("listed_rows")
        with self._database.as_role(self._role) as connection:
            row = connection.execute(statement, {"tenant": tenant, "id": work_id}).fetchone()
        return listed_work(row) if row else None


def _asked(statuses: Collection[WorkStatus], after: ListedWork | None) -> dict[str, object]:
    """Return the statuses, and of each rank whether it is read, and behind which instant and id."""
    asked: dict[str, object] = {"statuses": [*statuses]}
    for rank in Rank:
        name, first = rank.name.lower(), _BEFORE_ALL if rank is Rank.LIVE else _AFTER_ALL
        wanted = any(rank_of(status) is rank for status in statuses)
        asked[name] = wanted and (after is None or after.rank <= rank)
        at, id_ = (after.at, after.row.id) if after and after.rank is rank else first
        asked |= {f"{name}_at": at, f"{name}_id": id_}
    return asked
