"""When something is wrong with the surroundings: exit codes 5, 69 and 78, and no row is touched."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from flows.commands import Place, a_place, contents
from sealwork.adapters.signing import new_key_file
from sealwork.domain.json_value import JsonObject


@pytest.fixture(scope="module")
def waiting(workplace: Place, served: str) -> Place:
    """The workplace, where `c-9` waits to be screened by the machine."""
    workplace.does("start", "customer/onboarding", "c-9", "--as", "maria")
    workplace.does("act", "c-9", "submit", "--as", "maria")
    return workplace


def edit(conninfo: str, old: str, new: str) -> None:
    """What somebody with every right can do to what maria signed."""
    with psycopg.connect(conninfo) as superuser:
        superuser.execute("ALTER TABLE sealwork.events DISABLE TRIGGER USER")
        edited = superuser.execute(
            "UPDATE sealwork.events "
            "SET intent = convert_to(replace(convert_from(intent, 'UTF8'), %s, %s), 'UTF8') "
            "WHERE tenant_id = 'main' AND stream = 'process/c-9' AND seq = 2",
            (old, new),
        )
        superuser.execute("ALTER TABLE sealwork.events ENABLE TRIGGER USER")
    assert edited.rowcount == 1


@pytest.fixture
def tampered(waiting: Place, served: str) -> Iterator[Place]:
    """The workplace while an intent is not what was signed."""
    edit(served, '"submit"', '"remit"')
    yield waiting
    edit(served, '"remit"', '"submit"')
    assert waiting.document("verify")["intact"] is True


def test_tampering_is_found_told_and_stops_the_process(tampered: Place) -> None:
    told, document = tampered.run("verify"), tampered.document("verify", code=5)
    refused = tampered.document("act", "c-9", "screen", "--as", "ana", code=5)["refused"]

    assert told.code == 5
    assert "TAMPERING intent_replaced: main process/c-9 event 2: " in told.out
    assert "TAMPERING actor_signature: main process/c-9 event 2: " in told.out
    assert "not proven:" in told.out
    assert document["intact"] is False
    assert isinstance(refused, dict)
    assert refused["code"] == "chain_broken"


def test_a_database_that_does_not_answer_is_unavailable(waiting: Place) -> None:
    done = waiting.run("show", "c-9", env={"SEALWORK_DSN": "postgresql://127.0.0.1:1/nowhere"})

    assert (done.code, done.out) == (69, "")
    assert done.err.startswith("unavailable: the database did not answer")


@pytest.mark.parametrize(
    ("arguments", "env", "code"),
    [
        ((), {}, 0),
        (("--shares", "0"), {}, 2),
        (("--bundle", "workflow.json"), {}, 78),
        (("--bundle", "none.zip"), {}, 78),
        ((), {"SEALWORK_DSN": "postgresql://127.0.0.1:1/nowhere"}, 69),
        ((), {"SEALWORK_DSN": "no such setting"}, 78),
        ((), {"SEALWORK_HOME": "no such home"}, 78),
    ],
    ids=["intact", "usage", "no bundle", "no file", "no server", "no DSN", "no home"],
)
def test_where_verify_could_not_look_its_code_is_not_that_of_tampering(
    waiting: Place, arguments: tuple[str, ...], env: dict[str, str], code: int
) -> None:
    assert waiting.run("verify", *arguments, env=env).code == code


def test_a_folder_that_is_no_home_is_a_matter_of_configuration(waiting: Place) -> None:
    done = waiting.run("--home", "no such home", "show", "c-9")

    assert (done.code, done.out) == (78, "")
    told = "no such home is no Sealwork home yet: run `sealwork init`, or copy the trust.json of a log here"
    assert done.err == f"configuration: {told}\n"
    assert not waiting.home.parent.joinpath("no such home").exists()


@pytest.mark.parametrize(
    "command",
    [
        ("act", "c-9", "screen", "--as", "ana"),
        ("show", "c-9"),
        ("verify",),
        ("keys", "list"),
        ("worker", "--once"),
        ("doctor",),
        ("db", "check"),
        ("db", "migrate"),
        ("init",),
    ],
    ids=" ".join,
)
def test_a_home_with_nothing_but_a_trust_file_says_where_the_log_is_and_makes_no_database(
    command: tuple[str, ...], waiting: Place
) -> None:
    with a_place("elsewhere") as place:
        place.home.mkdir()
        shutil.copy(waiting.home / "trust.json", place.home)

        done = place.run(*command)

        assert (done.code, done.out) == (78, "")
        told = "pins the log test.example/log, but has no database: set SEALWORK_DSN to the one where it lies"
        assert done.err == f"configuration: {place.home} {told}\n"
        assert [path.name for path in place.home.iterdir()] == ["trust.json"]


def test_an_init_that_did_not_come_to_its_database_is_to_be_ended(waiting: Place) -> None:
    with a_place("begun") as place:
        place.home.mkdir()
        shutil.copy(waiting.home / "trust.json", place.home)
        new_key_file(place.home / "keys" / "root.key")

        done = place.run("show", "c-9")

        assert done.code == 78
        assert done.err.endswith("has no database: run `sealwork init` to its end\n")
        assert not place.home.joinpath("postgres").exists()


def a_new_key(folder: Path) -> str:
    """A key that nobody admitted, as a variable holds it."""
    new_key_file(folder / "new.key")
    return (folder / "new.key").read_text()


@pytest.mark.parametrize("name", ["ENGINE_SK", "AUTOMATION_ACTOR_SK"])
def test_with_a_wrong_key_the_worker_does_not_start_and_touches_no_row(
    name: str, waiting: Place, served: str, tmp_path: Path
) -> None:
    before = contents(served)

    done = waiting.run("worker", "--once", env={name: a_new_key(tmp_path)})

    assert (done.code, done.out) == (78, "")
    assert "no such key is admitted here" in done.err
    assert contents(served) == before


@pytest.mark.parametrize("text", ["", "no key", "c2hvcnQ="])
def test_a_variable_without_a_key_is_told_by_its_name(text: str, waiting: Place) -> None:
    done = waiting.run("worker", "--once", env={"AUTOMATION_ACTOR_SK": text})

    assert (done.code, done.out) == (78, "")
    assert done.err.startswith("configuration: AUTOMATION_ACTOR_SK ")


def test_a_key_that_others_can_read_is_not_used(waiting: Place) -> None:
    file = waiting.home / "keys" / "ana.key"
    file.chmod(0o644)
    try:
        done = waiting.run("act", "c-9", "screen", "--as", "ana")
    finally:
        file.chmod(0o600)

    assert (done.code, done.out) == (78, "")
    assert "can be read by others: chmod 600" in done.err


def test_a_home_that_pins_another_log_writes_nothing_into_this_one(
    waiting: Place, served: str, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    shutil.copytree(waiting.home / "keys", home / "keys")
    trust: JsonObject = json.loads((waiting.home / "trust.json").read_text())
    (home / "trust.json").write_text(json.dumps({**trust, "origin": "other.example/log"}))
    env = {"SEALWORK_DSN": served, "SEALWORK_HOME": str(home)}
    before = contents(served)

    acted = waiting.run("act", "c-9", "screen", "--as", "ana", env=env)
    fired = waiting.run("worker", "--once", env=env)
    verified = waiting.run("verify", env=env)

    assert (acted.code, fired.code, verified.code) == (78, 78, 5)
    assert "this database holds the log test.example/log, but other.example/log is pinned" in acted.err
    assert contents(served) == before
