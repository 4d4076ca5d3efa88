"""Write the golden vectors of Sealwork: `python tests/vectors/regenerate.py`, or `--check` to compare only.

They are fixed for ever: what must change gets a new version of its media type, and vectors beside these. Of a
history what is decided is written again, by the definition and the acts that its file holds.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent / "golden"


def main(arguments: Sequence[str]) -> int:
    """Write the files, or with `--check` name those that differ; the exit code is 1 then."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from vectors import histories
    from vectors.golden_files import files

    bodies = {GOLDEN / name: body for name, body in files().items()}
    bodies |= {histories.HISTORIES / name: body for name, body in histories.files().items()}
    if "--check" in arguments:
        differing = [path.name for path, body in bodies.items() if _stored(path) != body]
        print("\n".join(f"{name} differs" for name in differing) or "the golden vectors are unchanged")
        return 1 if differing else 0
    GOLDEN.mkdir(exist_ok=True)
    for path, body in bodies.items():
        path.write_bytes(body)
        print(f"wrote {path.name}")
    return 0


def _stored(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
