from contracts.effects import EffectsContract
from contracts.event_log import EventLogContract


class TestEventLog(EventLogContract):
    """Chains keep the promise of the port."""


class TestEffects(EffectsContract):
    """And so do the rows that they make."""
