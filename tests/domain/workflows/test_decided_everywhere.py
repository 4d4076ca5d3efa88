"""The same verdicts on every machine: whatever its clock, zone, language, and the seeds of its hashes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vectors import verdicts

SCRIPT = Path(verdicts.__file__)


@pytest.mark.parametrize(
    "machine",
    [
        {"TZ": "Pacific/Kiritimati", "LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "1"},
        {"TZ": "America/St_Johns", "LC_ALL": "C", "PYTHONHASHSEED": "2", "PYTHONUTF8": "0"},
        {"TZ": "Europe/Berlin", "LANG": "de_DE.UTF-8", "PYTHONHASHSEED": "3", "TZDIR": "/nonexistent"},
    ],
    ids=lambda machine: machine["TZ"],
)
def test_every_machine_decides_the_same(machine: dict[str, str]) -> None:
    path = os.pathsep.join([str(SCRIPT.parents[1]), *filter(None, sys.path)])
    environment = {**os.environ, **machine, "PYTHONPATH": path}

    ran = subprocess.run([sys.executable, SCRIPT], env=environment, capture_output=True, text=True, check=True)

    assert ran.stdout.strip() == verdicts.fingerprint_of_everything()
