"""Where published test vectors lie: beside the repository, or where SEALWORK_VECTORS says.

They are not ours to keep, so a checkout alone does not have them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

_BESIDE = Path(__file__).resolve().parents[2].parent / "shared" / "vectors"


def path_of(name: str) -> Path:
    """Return the path of a file or folder of vectors; without it the test is skipped."""
    path = Path(os.environ.get("SEALWORK_VECTORS") or _BESIDE) / name
    if not path.exists():
        pytest.skip(f"no published vectors at {path}: set SEALWORK_VECTORS to the folder that holds them")
    return path


def json_of(name: str) -> Any:
    """Return what a file of vectors says, read by Python's own reader."""
    return json.loads(path_of(name).read_bytes())
