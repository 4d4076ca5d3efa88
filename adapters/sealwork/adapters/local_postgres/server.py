"""Sharing one server among all who need it: the first starts it, the last stops it.

Three locks in `home` say everything, and the kernel frees them whatever dies:

    turn      held alone while somebody starts or stops the server
    users     shared by all who use it
    server    inherited by the server, held while any process of it lives: no pid need be trusted
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from sealwork.adapters.local_postgres.account import Account, explained, server_account
from sealwork.adapters.local_postgres.binaries import find_binaries, runnable
from sealwork.adapters.local_postgres.cluster import Cluster, short_name
from sealwork.adapters.local_postgres.locks import FileLock, alone, is_held, within
from sealwork.domain.errors import Unavailable

_START_SECONDS = 60
_STOP_SECONDS = 30
_POLL_SECONDS = 0.02
_TURN_SECONDS = 2 * (_START_SECONDS + _STOP_SECONDS)
_FOR_ROOT = Path("/var/lib/sealwork")
_SHELL_CHARACTERS = frozenset('"$`\\')


class LocalPostgres:
    """A PostgreSQL of our own, which runs while anybody is inside.

    All who enter with the same `home` share it, threads and processes alike. Who is killed inside leaves it
    running: the next who enters takes it over, and stops it if alone.
    """

    def __init__(self, home: Path, *, binaries: Path | None = None) -> None:
        self._home = home.resolve()
        self._binaries = binaries
        self._inside: list[tuple[FileLock, Cluster]] = []

    @property
    def folder(self) -> Path:
        """Where the data lie: `home`, or a folder of the machine if root's `home` is closed to the server."""
        return _server_folder(self._home, server_account())

    def has_data(self) -> bool:
        """Return whether there are data; none are made.

        Raises:
            Misconfigured: nobody can tell, since the folder is closed to us.
        """
        with _explaining(self._home):
            return (self.folder / "data").exists()

    def __enter__(self) -> str:
        """Return how to connect, as superuser, to the database `postgres` of a server that answers.

        Raises:
            Misconfigured: there is no PostgreSQL, or `home` is not for us, or not for this version.
            Unavailable: the server did not start in time.
        """
        with _explaining(self._home):
            account = server_account()
            _make_folder(self._home, account)
            with self._turn() as turn:
                cluster = self._cluster(account)
                cluster.create(turn.descriptor)
                user = FileLock(self._home / "users")
                try:
                    user.take_shared(_STOP_SECONDS)
                    self._bring_up(cluster)
                    conninfo = cluster.conninfo
                    self._inside.append((user, cluster))
                except BaseException:
                    self._leave(user, cluster, turn)
                    raise
                return conninfo

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the server unless somebody else uses it.

        Raises:
            Unavailable: it would not stop.
        """
        user, cluster = self._inside.pop()
        try:
            with _explaining(self._home), self._turn() as turn:
                self._leave(user, cluster, turn)
        finally:
            user.give_back()

    def _turn(self) -> contextlib.AbstractContextManager[FileLock]:
        return alone(self._home / "turn", _TURN_SECONDS)

    def _cluster(self, account: Account) -> Cluster:
        folder = _server_folder(self._home, account)
        if folder != self._home:
            _make_folder(folder.parent, account)
            _make_folder(folder, account)
        binaries = runnable(self._binaries or find_binaries(), account, folder)
        cluster = Cluster(folder, binaries, account)
        cluster.check()
        return cluster

    def _bring_up(self, cluster: Cluster) -> None:
        if self._settles(cluster):
            return
        with alone(self._home / "server", seconds=1) as life:
            cluster.start(life.descriptor)
        if not self._settles(cluster):
            raise Unavailable(f"PostgreSQL did not start. {cluster.last_words()}")

    def _settles(self, cluster: Cluster) -> bool:
        """Wait while a server is starting, stopping or dying; return whether one answers in the end."""
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            if cluster.answers():
                return True
            if not self._lives():
                return False
            time.sleep(_POLL_SECONDS)
        raise Unavailable(f"PostgreSQL did not answer in {_START_SECONDS} seconds. {cluster.last_words()}")

    def _lives(self) -> bool:
        return is_held(self._home / "server")

    def _leave(self, user: FileLock, cluster: Cluster, turn: FileLock) -> None:
        try:
            if user.try_alone():
                self._stop(cluster, turn)
        finally:
            user.give_back()

    def _stop(self, cluster: Cluster, turn: FileLock) -> None:
        for mode in ("fast", "immediate"):
            for _ in range(_STOP_SECONDS):
                if not self._lives():
                    return cluster.forget_sockets()
                cluster.ask_to_stop(mode, turn.descriptor)
                within(1, lambda: not self._lives())
        raise Unavailable(f"PostgreSQL did not stop. {cluster.last_words()}")


def _server_folder(home: Path, account: Account) -> Path:
    if not account.is_lowered:
        return home
    elsewhere = _FOR_ROOT / short_name(home)
    for folder in (elsewhere, home):
        if (folder / "data").exists():
            return folder
    there = next(path for path in (home, *home.parents) if path.exists())
    # The programs may be copied into the folder, and initdb hands their path to a shell.
    fits = account.may_enter(there) and not _SHELL_CHARACTERS & set(str(home))
    return home if fits else elsewhere


def _make_folder(path: Path, account: Account) -> None:
    """Make `path` for the server to pass, whatever the umask; leave it as it is if it is there."""
    try:
        path.mkdir(parents=True)
    except FileExistsError:
        if not path.is_dir():
            raise
        return
    path.chmod(0o711 if account.is_lowered else 0o700)


@contextlib.contextmanager
def _explaining(subject: Path) -> Iterator[None]:
    try:
        yield
    except OSError as e:
        raise explained(e, subject) from e
