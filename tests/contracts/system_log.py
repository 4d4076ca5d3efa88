"""What every `SystemLog` promises. Fixtures: `deployment`, empty; its `system_log`; `readable_log`, to read it."""

from __future__ import annotations

from uuid import UUID

import pytest

from sealing import START, TENANT, Deployment
from sealwork.application.ports.system_log import Attempt, AttemptResult, SystemLog


def an_attempt(number: int = 1, process: str = "c-1", tenant: str = TENANT, reason: str | None = None) -> Attempt:
    return Attempt(
        tenant=tenant,
        work_id=UUID(int=7),
        stream=f"process/{process}",
        action="screen",
        occurrence=2,
        number=number,
        result=AttemptResult.TRANSIENT_ERROR,
        reason=reason,
    )


class SystemLogContract:
    """Attempts are only added, and the newest are told first."""

    def test_an_attempt_is_told_as_it_was_written_with_its_instant(
        self, deployment: Deployment, system_log: SystemLog, readable_log: SystemLog
    ) -> None:
        done = {"result": AttemptResult.ACCEPTED, "fired_event_hash": "ab" * 32}
        accepted = an_attempt().model_copy(update=done)

        system_log.write([accepted])

        (told,) = readable_log.newest(TENANT, limit=10)
        assert START <= told.at <= deployment.clock.now()
        assert told.model_dump(exclude={"at"}) == accepted.model_dump()

    def test_the_newest_come_first_also_within_one_call(
        self, system_log: SystemLog, readable_log: SystemLog
    ) -> None:
        system_log.write([an_attempt(1), an_attempt(2)])
        system_log.write([an_attempt(3)])

        assert [told.number for told in readable_log.newest(TENANT, limit=10)] == [3, 2, 1]
        assert [told.number for told in readable_log.newest(TENANT, limit=2)] == [3, 2]

    def test_tenants_and_processes_are_told_apart(self, system_log: SystemLog, readable_log: SystemLog) -> None:
        system_log.write([an_attempt(1), an_attempt(2, process="c-2"), an_attempt(3, tenant="globex")])

        assert [told.number for told in readable_log.newest(TENANT, limit=10)] == [2, 1]
        assert [told.number for told in readable_log.newest(TENANT, stream="process/c-1", limit=10)] == [1]
        assert [told.number for told in readable_log.newest("globex", limit=10)] == [3]
        assert readable_log.newest("nobody", limit=10) == []

    def test_nothing_written_is_nothing_told(self, system_log: SystemLog, readable_log: SystemLog) -> None:
        system_log.write([])

        assert readable_log.newest(TENANT, limit=10) == []

    @pytest.mark.parametrize(
        ("reason", "kept"),
        [("no\nway\x1b[31m", "no way [31m"), ("ä" * 2000, "ä" * 1000), ("", ""), ("half a \ud800", "half a ?")],
        ids=["controls", "long", "empty", "surrogate"],
    )
    def test_a_reason_is_one_readable_line_of_bounded_length(
        self, system_log: SystemLog, readable_log: SystemLog, reason: str, kept: str
    ) -> None:
        system_log.write([an_attempt(reason=reason)])

        (told,) = readable_log.newest(TENANT, limit=10)
        assert told.reason == kept

    def test_the_newest_hundred_thousand_are_kept(self, system_log: SystemLog, readable_log: SystemLog) -> None:
        attempt = an_attempt()
        system_log.write([attempt.model_copy(update={"number": number}) for number in range(1, 100_001)])
        system_log.write([an_attempt(100_001), an_attempt(100_002)])

        told = readable_log.newest(TENANT, limit=200_000)
        assert len(told) == 100_000
        assert (told[0].number, told[-1].number) == (100_002, 3)
