"""The same verdicts and bytes on every machine: whatever its clock, zone, language, and seeds of hashes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from sealwork.domain.json_value import JsonObject
from sealwork.domain.processes.process import ProcessState, decide
from sealwork.domain.refusals import Refused
from surviving import an_act
from vectors import histories, verdicts
from workflow_documents import a_workflow, compiled, submitting

MACHINES = [
    {"TZ": "Pacific/Kiritimati", "LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "1"},
    {"TZ": "America/St_Johns", "LC_ALL": "C", "PYTHONHASHSEED": "2", "PYTHONUTF8": "0"},
    {"TZ": "Europe/Berlin", "LANG": "de_DE.UTF-8", "PYTHONHASHSEED": "3", "TZDIR": "/nonexistent"},
]


def printed_by(script: str, machine: dict[str, str], *arguments: str) -> str:
    """What `script` of the vectors prints on a machine that is set up so."""
    path = os.pathsep.join([str(Path(script).parents[1]), *filter(None, sys.path)])
    environment = {**os.environ, **machine, "PYTHONPATH": path}
    command = [sys.executable, script, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine["TZ"])
def test_every_machine_decides_the_same(machine: dict[str, str]) -> None:
    assert printed_by(verdicts.__file__, machine) == verdicts.fingerprint_of_everything()


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine["TZ"])
def test_every_machine_makes_the_same_bytes_in_whatever_order_names_come(machine: dict[str, str]) -> None:
    assert printed_by(histories.__file__, machine, machine["PYTHONHASHSEED"]) == histories.fingerprint()


@pytest.mark.parametrize("name", sorted(histories.stored()))
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_names_changes_nothing_in_a_history(name: str, seed: int) -> None:
    history = histories.stored()[name]

    assert histories.replayed(history, Random(seed)) == history


@pytest.mark.parametrize("fields", [["a.x", "b.x"], ["b.x", "a.x"]])
def test_the_first_field_that_cannot_be_written_is_the_first_by_name(fields: list[str]) -> None:
    mutate: JsonObject = {"$set": dict.fromkeys(fields, 1)}
    workflow = compiled(a_workflow(submitting(mutate=mutate)))
    act = an_act(workflow.workflow, "submit", Random(1))

    answer = decide(workflow, ProcessState(state="draft", data={"a": 1, "b": 1}), act)

    assert isinstance(answer, Refused)
    assert answer.pointer == "/data/a"
