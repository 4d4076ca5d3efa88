"""Who runs the server's programs, and how they are run.

PostgreSQL refuses root, so root steps down to an account that may do less.
"""

from __future__ import annotations

import contextlib
import errno
import os
import pwd
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sealwork.domain.errors import Misconfigured, SealworkError, Unavailable

_PASSING = {errno.EAGAIN, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT}
_RUN_SECONDS = 120


def explained(error: OSError, subject: Path | str) -> SealworkError:
    """Return what the operating system's refusal means to the person who reads it."""
    kind = Unavailable if error.errno in _PASSING else Misconfigured
    return kind(f"{subject} cannot be used: {error}.")


@dataclass(frozen=True)
class Account:
    """The account that owns the data and runs the server; never root."""

    uid: int
    gid: int

    @property
    def is_lowered(self) -> bool:
        """Whether we step down to it."""
        return os.geteuid() != self.uid

    def may_enter(self, path: Path) -> bool:
        """Whether the kernel lets it search the folder, or run the file, at `path`."""
        return self.run("/bin/sh", "-c", 'test -x "$1"', "sh", path) == 0

    def run(
        self,
        *command: str | Path,
        pgdata: Path | None = None,
        output: int = subprocess.DEVNULL,
        keep_open: Sequence[int] = (),
    ) -> int:
        """Run `command` to its end and return its exit status.

        In a session of its own, so that a Ctrl-C reaches only us; then we end it and its children.
        `keep_open` are descriptors it inherits: a lock on one is held until it and its children have ended.

        Raises:
            Misconfigured: it cannot be run.
            Unavailable: it did not end in time.
        """
        try:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd="/",
                env=_environment(pgdata),
                start_new_session=True,
                pass_fds=keep_open,
                user=self.uid if self.is_lowered else None,
                group=self.gid if self.is_lowered else None,
                extra_groups=[] if self.is_lowered else None,
            )
        except OSError as e:
            raise explained(e, command[0]) from e
        try:
            return child.wait(_RUN_SECONDS)
        except BaseException as e:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            if isinstance(e, subprocess.TimeoutExpired):
                raise Unavailable(f"{command[0]} did not end in {_RUN_SECONDS} seconds.") from e
            raise


def server_account() -> Account:
    """Return our own account; for root `postgres`, else `nobody`.

    Raises:
        Misconfigured: we are root and there is nobody to step down to.
    """
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid())
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return Account(entry.pw_uid, entry.pw_gid)
    raise Misconfigured(
        "PostgreSQL does not run as root, and this machine has neither a user postgres nor a user nobody: "
        "run Sealwork as an ordinary user, or set SEALWORK_DSN to a server of your own."
    )


def _environment(pgdata: Path | None) -> dict[str, str]:
    ours = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "LC_", "LANG"))}
    return ours | {"LC_ALL": "C", "TZ": "UTC"} | ({"PGDATA": str(pgdata)} if pgdata else {})
