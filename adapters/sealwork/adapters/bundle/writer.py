"""Writing a bundle: the same evidence gives the same bytes."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from sealwork.application.ports.bundles import Archive
from sealwork.domain.errors import Misconfigured

_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNIX = 3


class ZipArchive:
    """A zip whose files tell neither when nor where they were written."""

    def __init__(self, zipped: ZipFile) -> None:
        self._zipped = zipped

    @contextmanager
    def part(self, name: str) -> Iterator[Callable[[bytes], object]]:
        """See `Archive.part`."""
        info = ZipInfo(name, _EPOCH)
        info.create_system = _UNIX
        info.compress_type = ZIP_DEFLATED
        info.external_attr = (stat.S_IFREG | 0o644) << 16
        with self._zipped.open(info, "w") as file:
            yield file.write


@contextmanager
def new_archive(path: Path, *, overwrite: bool) -> Iterator[Archive]:
    """Give an archive that stands at `path` when the block ends, and nowhere if it ends with an error.

    Only its owner may read it: what it tells may be about persons.

    Raises:
        Misconfigured: it cannot be written; or it exists, and is not to be overwritten.
    """
    if not overwrite and path.exists():
        raise _exists(path)
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as draft:
            name = Path(draft.name)
            try:
                with ZipFile(draft, "w") as zipped:
                    yield ZipArchive(zipped)
                draft.flush()
                os.fsync(draft.fileno())
                if overwrite:
                    name.replace(path)
                else:
                    os.link(name, path)
            finally:
                name.unlink(missing_ok=True)
    except FileExistsError as error:
        raise _exists(path) from error
    except OSError as error:
        raise Misconfigured(f"the bundle {path} cannot be written: {error}") from error


def _exists(path: Path) -> Misconfigured:
    return Misconfigured(f"{path} exists: write --force to replace it")
