"""One PostgreSQL data folder, and the programs that create it and start, ask and stop its server."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
import shutil
import stat
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from psycopg.conninfo import make_conninfo

from sealwork.adapters.local_postgres.account import Account
from sealwork.adapters.local_postgres.binaries import server_version
from sealwork.domain.errors import Misconfigured, Unavailable

_PORT = "5432"
_SOCKET = f".s.PGSQL.{_PORT}"
_LONGEST_SOCKET_PATH = 103  # bytes; Linux would take 107
_LONGEST_LOG = 1_000_000  # bytes
_SETTINGS = """
max_connections = 50
shared_buffers = 64MB
timezone = 'UTC'
log_timezone = 'UTC'
log_checkpoints = off
"""


def short_name(path: Path) -> str:
    """Return a name of 16 letters that stands for `path`."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]


@dataclass(frozen=True)
class Cluster:
    """A data folder in `folder`, served by `account` with the programs in `binaries`."""

    folder: Path
    binaries: Path
    account: Account

    @property
    def data(self) -> Path:
        """Where PostgreSQL's files lie."""
        return self.folder / "data"

    @property
    def log(self) -> Path:
        """What the server and its programs have said."""
        return self.folder / "log"

    @property
    def conninfo(self) -> str:
        """How the superuser connects; nothing in it is left to the PG* variables of the environment."""
        return make_conninfo(
            host=str(self._socket_folder()), hostaddr="", port=_PORT, user="postgres", dbname="postgres"
        )

    def check(self) -> None:
        """Do nothing if there are no data yet, or data that this server can serve.

        Raises:
            Misconfigured: they belong to another user, or root's lower user may not enter them, or another
                major version has written them.
        """
        if not self.data.exists():
            return
        if (owner := self.data.stat().st_uid) != self.account.uid:
            raise Misconfigured(
                f"{self.data} belongs to the user with the number {owner}, not {self.account.uid}: run Sealwork "
                "as that user, or move the folder away, or set SEALWORK_DSN to a server of your own."
            )
        if self.account.is_lowered and not self.account.may_enter(self.data):
            raise Misconfigured(
                f"PostgreSQL does not run as root, and its user, number {owner}, may not enter {self.data}: "
                "open the folders above it for passing (chmod o+x), or set SEALWORK_DSN to a server of your own."
            )
        written_by = (self.data / "PG_VERSION").read_text().strip()
        if written_by != str(ours := server_version(self.binaries)):
            raise Misconfigured(
                f"PostgreSQL {written_by} has written {self.data}, and the one in {self.binaries} is {ours}: set "
                f"SEALWORK_DSN to a server of version {written_by} with these data, or move the folder away."
            )

    def create(self, turn: int) -> None:
        """Create the data unless they are there: whole or not at all, and on disk when this returns.

        initdb holds the lock `turn` with us, so that nobody clears its work away under it if we are killed.

        Raises:
            Unavailable: initdb failed.
        """
        fresh = self.folder / "data.new"
        shutil.rmtree(fresh, ignore_errors=True)
        if self.data.exists():
            return
        try:
            fresh.mkdir(mode=0o700)
            os.chown(fresh, self.account.uid, self.account.gid, follow_symlinks=False)
            trusting = ("-A", "trust", "-U", "postgres")
            if self._run(
                "initdb", *trusting, "-E", "UTF8", "--locale=C", "--data-checksums", at=fresh, keep=[turn]
            ):
                raise Unavailable(f"PostgreSQL could not create {self.data}. {self.last_words()}")
            with (fresh / "postgresql.conf").open("a") as settings:
                settings.write(_SETTINGS)
                settings.flush()
                os.fsync(settings.fileno())
            fresh.rename(self.data)
            _sync_folder(self.folder)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

    def start(self, life: int) -> None:
        """Ask the server to start; it and every process of it hold the lock `life` as long as they live.

        Only for data that no process serves: what a killed server has left behind is cleared away, because
        its number may be that of a stranger today, whom PostgreSQL would take for the server.

        Raises:
            Misconfigured: the folder for a short socket path belongs to somebody else.
        """
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        sockets = self._socket_folder()
        if sockets != self.data:
            self._own_folder(sockets)
        for left_behind in (_SOCKET, f"{_SOCKET}.lock"):
            (sockets / left_behind).unlink(missing_ok=True)
        if self.log.exists() and self.log.stat().st_size > _LONGEST_LOG:
            self.log.replace(self.log.with_name("log.old"))
        listed = str(sockets).replace('"', '""')
        settings = (
            f"port={_PORT}",
            "listen_addresses=",
            f'unix_socket_directories="{listed}"',
            "unix_socket_permissions=0700",
        )
        # pg_ctl hands this to a shell; the data folder goes through PGDATA, which it does not.
        options = shlex.join(word for setting in settings for word in ("-c", setting))
        self._run("pg_ctl", "start", "-s", "-W", "-o", options, keep=[life])

    def answers(self) -> bool:
        """Whether the server takes connections now."""
        if not (self.data / "postmaster.pid").exists():
            return False
        where = ("-h", str(self._socket_folder()), "-p", _PORT, "-U", "postgres", "-d", "postgres")
        return self._run("pg_isready", "-q", "-t", "2", *where) == 0

    def ask_to_stop(self, mode: str, turn: int) -> None:
        """Tell the server to stop; the program that tells it holds the lock `turn` with us."""
        self._run("pg_ctl", "stop", "-s", "-W", "-m", mode, keep=[turn])

    def forget_sockets(self) -> None:
        """Remove the folder for a short socket path, if there is one, and it is ours and empty."""
        sockets = self._socket_folder()
        with contextlib.suppress(OSError):
            if sockets != self.data and self._is_ours(sockets):
                sockets.rmdir()

    def last_words(self) -> str:
        """Return the end of the log, for the person who has to find out why."""
        lines = self.log.read_text(errors="replace").splitlines()[-10:]
        return "\n".join([f"The last lines of {self.log}:", *lines])

    def _run(self, program: str, *arguments: str, at: Path | None = None, keep: Sequence[int] = ()) -> int:
        log = os.open(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            return self.account.run(
                self.binaries / program, *arguments, pgdata=at or self.data, output=log, keep_open=keep
            )
        finally:
            os.close(log)

    def _socket_folder(self) -> Path:
        """Return where the running server says its socket is, else where the next one shall put it."""
        with contextlib.suppress(OSError, IndexError):
            if said := (self.data / "postmaster.pid").read_text().splitlines()[4]:
                return Path(said)
        # A comma would make two hosts of it.
        if len(os.fsencode(self.data / _SOCKET)) <= _LONGEST_SOCKET_PATH and "," not in str(self.data):
            return self.data
        return Path(tempfile.gettempdir()) / f"sealwork-{short_name(self.folder)}"

    def _own_folder(self, path: Path) -> None:
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=0o700)
        if path.lstat().st_uid == os.geteuid():
            os.chown(path, self.account.uid, self.account.gid, follow_symlinks=False)
        if not self._is_ours(path):
            raise Misconfigured(
                f"{path}, where the socket has to go because {self.data} is too long a name for it, belongs to "
                "somebody else: remove it, or use a folder with a shorter name."
            )

    def _is_ours(self, folder: Path) -> bool:
        found = folder.lstat()
        return stat.S_ISDIR(found.st_mode) and found.st_uid == self.account.uid and not found.st_mode & 0o077


def _sync_folder(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
