from contracts.born_failed import BornFailedContract
from contracts.commits import CommitsContract
from contracts.effects import EffectsContract
from contracts.event_log import EventLogContract


class TestEventLog(EventLogContract):
    """Chains keep the promise of the port."""


class TestCommits(CommitsContract):
    """Also those that begin together."""


class TestEffects(EffectsContract):
    """And so do the rows that they make."""


class TestBornFailed(BornFailedContract):
    """Even rows that can never be fired."""
