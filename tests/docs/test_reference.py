"""Documents cannot drift: every name that the code publishes is in the reference."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import get_args

import pytest
from pydantic import BaseModel

import sealwork.application.ports as ports
from docs.documents import ROOT, code_words, reference, text
from sealwork.adapters.cli.exit_codes import ExitCode, exit_code_of, exit_code_of_bundle
from sealwork.adapters.cli.located_issues import issues_in, told
from sealwork.adapters.cli.source_text import Source
from sealwork.adapters.entrypoints.settings import Settings
from sealwork.adapters.postgres.database import Role
from sealwork.application.ports.event_log import AppendStatus
from sealwork.application.ports.work_store import SettleAs
from sealwork.application.proof.bundle import (
    MAX_FILE_BYTES,
    MAX_FILES,
    MAX_LINE_BYTES,
    MAX_MANIFEST_BYTES,
    MAX_TOTAL_BYTES,
    BundleFlaw,
    FileEntry,
    Manifest,
)
from sealwork.domain.ledger.actors import ActorAction, KeyClass
from sealwork.domain.ledger.effects import Auto, Cancel, Place, RuleAction, Schedule, Spawn, derived_id
from sealwork.domain.ledger.envelope import MediaType, digest, genesis, pae
from sealwork.domain.ledger.intent import Intent
from sealwork.domain.ledger.record import Record, state_bytes, state_hash
from sealwork.domain.proof.findings import FindingCode
from sealwork.domain.refusals import RefusalCode
from sealwork.domain.work.outcomes import Outcome, outcome_of
from sealwork.domain.work.work_row import StoredWork, WorkStatus

_VARIABLE = re.compile(r"(SEALWORK|ENGINE|AUTOMATION)_[A-Z_]+")
_CREATED = re.compile(r"CREATE (?:OR REPLACE )?(?:TABLE|FUNCTION|VIEW|TYPE)(?: IF NOT EXISTS)? sealwork\.(\w+)")
_CHANNEL = re.compile(r"announce\('(\w+)'")


def _protocols() -> Iterator[type]:
    for module in pkgutil.iter_modules(ports.__path__):
        published = importlib.import_module(f"{ports.__name__}.{module.name}")
        for value in vars(published).values():
            if getattr(value, "_is_protocol", False) and value.__module__ == published.__name__:
                yield value


_PORTS = sorted(_protocols(), key=lambda port: port.__name__)


def _migrations() -> str:
    return "\n".join(path.read_text() for path in (ROOT / "adapters").rglob("migrations/*.sql"))


def _variables() -> set[str]:
    fields = {f"SEALWORK_{name.upper()}" for name in Settings.model_fields}
    trees = (ast.parse(path.read_text()) for path in (ROOT / "adapters").rglob("*.py"))
    constants = (node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant))
    named = {value for value in constants if isinstance(value, str) and _VARIABLE.fullmatch(value)}
    return fields | named | {f"{name}_FILE" for name in named if name.endswith("_SK")}


def _members(model: type[Intent | Record | Cancel | Schedule | Spawn | Auto | RuleAction]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


def _row_of(code: str) -> list[str]:
    """Return the cells of the row of `code` in the table of refusals."""
    _, _, table = reference("codes").partition("## Refusals")
    row = next(line for line in table.splitlines() if line.startswith(f"| `{code}` | "))
    return [cell.strip() for cell in row.strip("|").split("|")]


@pytest.mark.parametrize("port", _PORTS, ids=lambda port: port.__name__)
@pytest.mark.parametrize("page", ("architecture.md", "docs/reference/ports.md"))
def test_every_port_is_explained(port: type, page: str) -> None:
    assert port.__name__ in code_words(text(page))


@pytest.mark.parametrize("port", _PORTS, ids=lambda port: port.__name__)
def test_every_method_of_a_port_is_named(port: type) -> None:
    (row,) = (line for line in reference("ports").splitlines() if line.startswith(f"| `{port.__name__}` |"))
    methods = {name for name in vars(port) if not name.startswith("_")}

    assert methods == set(re.findall(r"`(\w+)`", row.split("|")[2]))


@pytest.mark.parametrize("codes", (RefusalCode, FindingCode, BundleFlaw, Outcome, AppendStatus, SettleAs))
def test_every_code_is_explained(codes: type[StrEnum]) -> None:
    assert {code.value for code in codes} <= code_words(reference("codes"))


@pytest.mark.parametrize("code", RefusalCode)
def test_a_refusal_is_documented_with_its_exit_code_and_outcome(code: RefusalCode) -> None:
    assert _row_of(code)[1:3] == [str(exit_code_of(code).value), outcome_of(code).value]


@pytest.mark.parametrize("flaw", BundleFlaw)
def test_a_flaw_of_a_bundle_is_documented_with_its_exit_code(flaw: BundleFlaw) -> None:
    assert f"| `{flaw.value}` | {exit_code_of_bundle(flaw).value} | " in reference("bundle")


@pytest.mark.parametrize("model", (Manifest, FileEntry, StoredWork))
def test_every_member_of_a_bundle_is_explained(model: type[BaseModel]) -> None:
    words = {word for phrase in code_words(reference("bundle")) for word in re.findall(r"\w+", phrase)}

    assert {*model.model_fields} <= words


@pytest.mark.parametrize("limit", (MAX_FILES, MAX_MANIFEST_BYTES, MAX_LINE_BYTES, MAX_FILE_BYTES, MAX_TOTAL_BYTES))
def test_every_limit_of_a_bundle_is_told(limit: int) -> None:
    assert f" {limit:,} " in " ".join(reference("bundle").split())


@pytest.mark.parametrize("code", ExitCode)
def test_every_exit_code_is_explained(code: ExitCode) -> None:
    assert f"\n| {code.value} | " in reference("codes")


@pytest.mark.parametrize("variable", sorted(_variables()))
def test_every_setting_is_explained(variable: str) -> None:
    assert variable in code_words(reference("settings"))


@pytest.mark.parametrize("name", sorted({*_CREATED.findall(_migrations()), *_CHANNEL.findall(_migrations())}))
def test_every_object_of_the_database_is_explained(name: str) -> None:
    assert name in code_words(reference("database"))


@pytest.mark.parametrize("name", (*Role, *WorkStatus))
def test_every_role_and_status_is_explained(name: StrEnum) -> None:
    assert name.value in code_words(reference("database"))


@pytest.mark.parametrize("model", (Intent, Record, Cancel, Schedule, Spawn, Auto, RuleAction))
def test_every_signed_member_is_explained(model: type[Intent | Record]) -> None:
    assert _members(model) <= code_words(reference("events"))


@pytest.mark.parametrize("words", (MediaType, KeyClass, FindingCode))
def test_every_signed_word_is_explained(words: type[StrEnum]) -> None:
    assert {word.value for word in words} <= {*code_words(reference("events")), *_media_types()}


@pytest.mark.parametrize("action", get_args(ActorAction))
def test_every_command_of_a_registry_is_explained(action: str) -> None:
    assert action in code_words(reference("events"))


def test_the_examples_of_the_bytes_are_true() -> None:
    page = reference("events")
    stream = ("demo.example", "main", "process/case-1")
    place = Place(origin=stream[0], tenant=stream[1], stream=stream[2], seq=1)

    assert pae(MediaType.INTENT, b'{"v":1}').decode() in page
    assert digest(MediaType.INTENT, b'{"v":1}') in page
    assert genesis(*stream) in page
    assert str(derived_id(place, 0)) in page
    assert state_hash(state_bytes("open", {})) in page


def test_the_example_of_an_issue_in_a_file_is_true() -> None:
    text_ = text("docs/examples/expense.json").replace('"action": "remind"', '"action": "remid"')
    issues = issues_in(Source("expense.json", text_.encode()))

    (issue,) = (each for each in issues if each.issue.level == "error")

    assert "```\n" + "\n".join(told(issue)) + "\n```\n" in reference("cli")


def _media_types() -> set[str]:
    return set(re.findall(r"`(application/[^`]+)`", reference("events")))
