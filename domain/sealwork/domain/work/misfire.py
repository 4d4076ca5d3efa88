"""Misfires: what becomes of an occurrence for which nobody was awake.

Source: worker.md, "Timers"; X-19.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import assert_never

GRACE = timedelta(seconds=60)
"""How late an occurrence whose misfire policy is `skip` may still fire."""


class Misfire(StrEnum):
    """What a timer does about instants that were missed."""

    FIRE_ONCE = "fire_once"
    SKIP = "skip"


def too_late(policy: Misfire, planned: datetime, first_claimed: datetime) -> bool:
    """Return whether the occurrence planned for `planned` is skipped.

    Its first claim decides, not the present one: what was claimed in time still fires after a takeover.
    """
    match policy:
        case Misfire.FIRE_ONCE:
            return False
        case Misfire.SKIP:
            return first_claimed - planned > GRACE
        case _:
            assert_never(policy)
