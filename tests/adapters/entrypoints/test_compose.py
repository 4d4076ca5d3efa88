"""The composition root: what each use case needs before it starts. Adapters in memory stand behind the ports."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from dependency_injector import providers

from open_box import OpenBox, an_empty_box, an_open_box
from sealing import TENANT, accepted, key_of, seed_of
from sealwork.adapters.entrypoints.compose import Application
from sealwork.adapters.entrypoints.container import Adapters
from sealwork.adapters.entrypoints.home import Home, Trust
from sealwork.adapters.postgres.database import Database
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import SYSTEM
from sealwork.domain.ledger.actors import KeyClass
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.work.work_row import WorkStatus


@pytest.fixture(autouse=True)
def _no_keys_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ENGINE_SK", "ENGINE_SK_FILE", "AUTOMATION_ACTOR_SK", "AUTOMATION_ACTOR_SK_FILE"):
        monkeypatch.delenv(name, raising=False)


def a_home(folder: Path, *names: str, origin: str = "test.example/log", **others: str) -> Home:
    """A home that pins the log of the tests and holds these keys; `others` are files with somebody else's key."""
    home = Home(folder)
    home.pin(Trust(origin=origin, root=key_of("root").actor))
    (folder / "keys").mkdir()
    for file, owner in ({name: name for name in names} | others).items():
        path = folder / "keys" / f"{file}.key"
        path.write_bytes(base64.b64encode(seed_of(owner)))
        path.chmod(0o600)
    return home


def an_application(box: OpenBox, home: Home) -> Application:
    """The application as it is composed, but over the tables of `box`."""
    adapters = Adapters(database=providers.Object(Database("")), home=providers.Object(home))
    for log in (adapters.engine_log, adapters.reader_log):
        log.override(providers.Object(box.log))
    for store in (adapters.worker_store, adapters.reader_store):
        store.override(providers.Object(box.store))
    for system_log in (adapters.worker_system_log, adapters.reader_system_log):
        system_log.override(providers.Object(box.system_log))
    adapters.clock.override(providers.Object(box.clock))
    return Application(adapters, tenant=TENANT)


def a_box_with_work() -> OpenBox:
    """A deployment where c-1 waits to be screened."""
    box = an_open_box()
    box.begin("c-1")
    box.take("c-1", "submit", "maria")
    return box


def test_all_use_cases_work_together(tmp_path: Path) -> None:
    app = an_application(an_open_box(), a_home(tmp_path, "engine", "automation", "maria"))
    workflow = app.definitions.find(TENANT, "customer/onboarding")
    assert isinstance(workflow, DefinitionRef)

    begun = app.start_process(TENANT, "c-1", workflow, app.key("maria"), input_={})
    handed_in = app.submit_action(TENANT, "c-1", "submit", app.key("maria"), input_={})

    assert (accepted(begun).seq, accepted(handed_in).seq) == (1, 2)
    assert [fired.became for fired in app.fire_work([TENANT])] == ["completed"]
    assert app.verify().intact


def test_a_version_is_withdrawn_and_still_listed(tmp_path: Path) -> None:
    app = an_application(an_open_box(), a_home(tmp_path, "engine", "admin"))

    accepted(app.withdraw_definition(TENANT, "customer/onboarding", 1, app.key("admin")))

    (definition,) = app.list_definitions(TENANT)
    assert [version.withdrawn for version in definition.versions] == [True]


def test_who_only_looks_needs_no_key(tmp_path: Path) -> None:
    app = an_application(a_box_with_work(), a_home(tmp_path))

    assert app.verify().intact
    assert app.show_process(TENANT, "c-1")
    assert app.definitions.of(TENANT, "customer/onboarding").versions


def test_an_engine_works_without_the_key_of_the_worker(tmp_path: Path) -> None:
    app = an_application(a_box_with_work(), a_home(tmp_path, "engine", "ana"))

    assert accepted(app.submit_action(TENANT, "c-1", "screen", app.key("ana"), input_={})).seq == 3


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({}, "there is no key of 'engine'"),
        ({"engine": "stranger"}, "no such key is admitted here"),
        ({"engine": "maria"}, "no such key is admitted here"),
    ],
    ids=["none", "a stranger's", "a person's"],
)
def test_the_engine_does_not_start_without_its_key(keys: dict[str, str], reason: str, tmp_path: Path) -> None:
    app = an_application(an_open_box(), a_home(tmp_path, "maria", **keys))

    with pytest.raises(Misconfigured, match=reason):
        app.submit_action(TENANT, "c-1", "submit", app.key("maria"), input_={})


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({}, "there is no key of 'automation'"),
        ({"automation": "stranger"}, "no such key is admitted here"),
        ({"automation": "maria"}, "is admitted as PERSON"),
    ],
    ids=["none", "a stranger's", "a person's"],
)
def test_the_worker_does_not_start_without_its_key_and_touches_no_row(
    keys: dict[str, str], reason: str, tmp_path: Path
) -> None:
    box = a_box_with_work()
    before = box.picture()
    app = an_application(box, a_home(tmp_path, "engine", **keys))

    with pytest.raises(Misconfigured, match=reason):
        app.fire_work([TENANT])

    assert box.picture() == before


ENDS = ("retired", "revoked")


def end(box: OpenBox, tenant: str, name: str, how: str) -> None:
    """Let a key end."""
    change = box.actors.retire if how == "retired" else box.actors.revoke
    accepted(change(tenant, key_of(name).actor, key_of("root")))


@pytest.mark.parametrize("how", ENDS)
def test_an_engine_whose_key_has_ended_does_not_start(how: str, tmp_path: Path) -> None:
    box = a_box_with_work()
    box.admit("engine 2", KeyClass.ENGINE, tenant=SYSTEM, by="root")
    end(box, SYSTEM, "engine", how)
    before = box.picture()
    app = an_application(box, a_home(tmp_path, "engine", "automation", "ana"))

    with pytest.raises(Misconfigured, match=f"the ENGINE key .*the key of engine was {how}"):
        app.submit_action(TENANT, "c-1", "screen", app.key("ana"), input_={})
    with pytest.raises(Misconfigured, match=f"the ENGINE key .*the key of engine was {how}"):
        app.fire_work([TENANT])

    assert box.picture() == before


@pytest.mark.parametrize("key_class", [KeyClass.LOG, KeyClass.WITNESS, KeyClass.ACTOR_ADMIN])
def test_an_engine_does_not_start_with_a_key_of_another_class(key_class: KeyClass, tmp_path: Path) -> None:
    box = a_box_with_work()
    box.admit("other", key_class, tenant=SYSTEM, by="root")
    before = box.picture()
    app = an_application(box, a_home(tmp_path, "automation", engine="other"))

    with pytest.raises(Misconfigured, match=f"the ENGINE key of this process is admitted as {key_class}"):
        app.fire_work([TENANT])

    assert box.picture() == before


@pytest.mark.parametrize("how", ENDS)
def test_a_worker_whose_key_has_ended_does_not_start(how: str, tmp_path: Path) -> None:
    box = a_box_with_work()
    end(box, TENANT, "automation", how)
    before = box.picture()
    app = an_application(box, a_home(tmp_path, "engine", "automation"))

    with pytest.raises(Misconfigured, match=f"the AUTOMATION key .*the key of automation was {how}"):
        app.fire_work([TENANT])

    assert box.picture() == before


def test_a_worker_does_not_start_with_the_automation_key_of_another_tenant(tmp_path: Path) -> None:
    box = a_box_with_work()
    box.admit("their admin", KeyClass.ACTOR_ADMIN, tenant="globex", by="root")
    box.admit("theirs", KeyClass.AUTOMATION, tenant="globex", by="their admin")
    before = box.picture()
    app = an_application(box, a_home(tmp_path, "engine", automation="theirs"))

    with pytest.raises(Misconfigured, match="cannot be used in acme: no such key is admitted here"):
        app.fire_work([TENANT])

    assert box.picture() == before


def test_nothing_starts_over_another_log_than_the_pinned_one(tmp_path: Path) -> None:
    box = a_box_with_work()
    app = an_application(box, a_home(tmp_path, "engine", "automation", "ana", origin="other.example/log"))

    with pytest.raises(Misconfigured, match=r"this database holds the log test\.example/log"):
        app.submit_action(TENANT, "c-1", "screen", app.key("ana"), input_={})
    with pytest.raises(Misconfigured, match=r"this database holds the log test\.example/log"):
        app.fire_work([TENANT])

    assert [row.status for row in box.rows("c-1")] == [WorkStatus.PENDING]


def test_an_engine_starts_over_an_empty_log_to_take_its_own_admission(tmp_path: Path) -> None:
    app = an_application(an_empty_box(), a_home(tmp_path, "engine"))

    assert app.process_event is app.process_event


def test_a_home_that_pins_nothing_composes_nothing(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="is no Sealwork home yet"):
        an_application(an_open_box(), Home(tmp_path))
