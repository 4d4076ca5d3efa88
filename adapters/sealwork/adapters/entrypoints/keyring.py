"""The keys of a home, for those who only hold them: no database is opened."""

from __future__ import annotations

from functools import cached_property

from sealwork.adapters.clocks import SystemClock
from sealwork.adapters.entrypoints.home import Home
from sealwork.adapters.signing import SecretKey
from sealwork.application.ledger.hold_key import HoldKey


class HomeKeys:
    """The keys of one home, for one tenant."""

    def __init__(self, home: Home, *, tenant: str) -> None:
        self._home = home
        self.tenant = tenant

    @cached_property
    def hold_key(self) -> HoldKey:
        """Return what the holder of a key does alone.

        Raises:
            Misconfigured: no log is pinned here.
        """
        return HoldKey(SystemClock(), origin=self._home.trust().origin)

    def key(self, name: str) -> SecretKey:
        """See `Home.key`."""
        return self._home.key(name)

    def new_key(self, name: str) -> SecretKey:
        """See `Home.new_key`."""
        return self._home.new_key(name)
