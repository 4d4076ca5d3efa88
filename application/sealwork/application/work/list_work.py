"""Listing work: what failed, what waits for the machine, and what it has done."""

from __future__ import annotations

from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from sealwork.application.ports.work_store import WorkStore
from sealwork.application.proof.explain import Explain, Ladder
from sealwork.domain.ids import process_stream, stream_key
from sealwork.domain.refusals import RefusalCode, Refused, refused
from sealwork.domain.work.listing import ListedWork
from sealwork.domain.work.work_row import WorkStatus

PAGE = 500
"""Rows that are asked for at once."""


class WorkWanted(BaseModel):
    """Which rows are wanted; without statuses all, without a process those of the whole tenant."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    statuses: frozenset[WorkStatus] = frozenset(WorkStatus)
    process_id: str | None = None
    limit: int = Field(ge=1)


class WorkListing(BaseModel):
    """The first rows of those that were wanted; `more` tells that others follow."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    work: tuple[ListedWork, ...]
    more: bool


class ListWork:
    """The work rows of a tenant, to read."""

    def __init__(self, work: WorkStore, explain: Explain) -> None:
        self._work = work
        self._explain = explain

    def __call__(self, tenant: str, wanted: WorkWanted) -> WorkListing:
        """Return them in the order of `Rank`, read page by page.

        Raises:
            Unavailable: the store did not answer.
        """
        stream = None if wanted.process_id is None else process_stream(wanted.process_id)
        listed: list[ListedWork] = []
        while len(listed) <= wanted.limit:
            size = min(PAGE, wanted.limit + 1 - len(listed))
            after = listed[-1] if listed else None
            page = self._work.listing(tenant, wanted.statuses, stream=stream, limit=size, after=after)
            listed.extend(page)
            if len(page) < size:
                break
        return WorkListing(work=tuple(listed[: wanted.limit]), more=len(listed) > wanted.limit)

    def find(self, tenant: str, work_id: UUID) -> ListedWork | Refused:
        """Return one row by its id.

        Raises:
            Unavailable: the store did not answer.
        """
        found = self._work.find(tenant, work_id)
        return found or refused(RefusalCode.NO_PROCESS, f"there is no work row {work_id} in {tenant}", "/work_id")

    def why(self, listed: ListedWork) -> Ladder | Refused:
        """Return what led to a row.

        Raises:
            Misconfigured: an event cannot be read.
        """
        return self._explain.work(listed.row.tenant, stream_key(listed.row.stream), listed.row.id)
