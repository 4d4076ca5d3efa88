"""Golden histories: what was decided once is decided again, byte for byte, for ever."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sealwork.domain.json_value import JsonObject, JsonValue
from sealwork.domain.workflows.definition import issues_of
from vectors import histories, regenerate
from vectors.histories import HISTORIES, replayed, stored, written

NAMES = [
    "banking_onboarding.json",
    "billing_subscription.json",
    "clinic_appointment.json",
    "cold_chain.json",
    "grant_review.json",
    "kiln_batch.json",
    "meter_reading.json",
    "order_parcels.json",
    "support_ticket.json",
    "travel_booking.json",
    "treasury_payment.json",
    "warehouse_stock.json",
]
OPERATORS = {"$set", "$append", "$unset", "$inc"}
TIMER_FORMS = {"in", "every", "at", "until", "count", "misfire"}
REFUSALS = {
    *("definition_withdrawn", "guard", "invalid_input", "invalid_result", "no_action", "no_process", "same_actor"),
    *("wrong_role", "wrong_state"),
}


def acts(history: JsonObject) -> list[JsonObject]:
    listed = history["acts"]
    assert isinstance(listed, list)
    return [act for act in listed if isinstance(act, dict)]


def decided(name: str) -> list[JsonObject]:
    return [each for act in acts(stored()[name]) if isinstance(each := act.get("decided"), dict)]


def effects() -> list[JsonObject]:
    texts = [str(each["effects"]) for name in NAMES for each in decided(name)]
    return [effect for text in texts for effect in json.loads(text)]


def names_in(value: JsonValue) -> set[str]:
    match value:
        case dict():
            return set(value).union(*map(names_in, value.values()))
        case list():
            return set().union(*map(names_in, value))
        case _:
            return set()


def test_every_history_is_there() -> None:
    assert sorted(path.name for path in HISTORIES.iterdir()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_history_replays_to_the_same_bytes(name: str) -> None:
    assert written(replayed(stored()[name])) == (HISTORIES / name).read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_the_workflows_of_a_history_can_be_published(name: str) -> None:
    workflows = stored()[name]["workflows"]
    assert isinstance(workflows, list)

    issues = [issue for document in workflows for issue in issues_of(document)[1]]

    assert [issue for issue in issues if issue.level == "error"] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_history_is_short_and_is_refused_now_and_then(name: str) -> None:
    answers = ["refused" in act for act in acts(stored()[name])]

    assert 4 <= len(answers) <= 12
    assert set(answers) == {True, False}


def test_the_histories_use_what_there_is() -> None:
    used = names_in([stored()[name]["workflows"] for name in NAMES])
    refused = [act["refused"] for name in NAMES for act in acts(stored()[name]) if "refused" in act]

    assert used >= OPERATORS | TIMER_FORMS | {"not_actor", "spawn", "cancel", "auto", "when", "input", "data"}
    assert {effect["kind"] for effect in effects()} == {"cancel", "schedule", "spawn", "auto"}
    assert names_in([*effects()]) >= {"hash_at", "failed", "every", "until", "count", "misfire"}
    assert {each["code"] for each in refused if isinstance(each, dict)} == REFUSALS


def test_no_history_holds_the_words_of_a_refusal() -> None:
    refusals = [act["refused"] for name in NAMES for act in acts(stored()[name]) if "refused" in act]

    assert all(isinstance(each, dict) and each.keys() == {"code", "pointer"} for each in refusals)


def test_the_files_are_plain_ascii() -> None:
    assert all((HISTORIES / name).read_bytes().isascii() for name in NAMES)


def test_the_script_writes_a_history_again_that_was_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right = (HISTORIES / "kiln_batch.json").read_bytes()
    changed = tmp_path / "kiln_batch.json"
    changed.write_bytes(right.replace(b'\\"heat\\":470', b'\\"heat\\":471'))
    monkeypatch.setattr(histories, "HISTORIES", tmp_path)
    monkeypatch.setattr(regenerate, "GOLDEN", tmp_path / "golden")
    monkeypatch.setattr("sys.path", [])

    assert changed.read_bytes() != right
    assert regenerate.main(["--check"]) == 1
    assert "kiln_batch.json differs" in capsys.readouterr().out
    assert regenerate.main([]) == 0
    assert changed.read_bytes() == right
