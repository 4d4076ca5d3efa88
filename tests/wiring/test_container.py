"""The container: a provider for every port, and each can be replaced."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from dependency_injector import providers

from sealwork.adapters.clocks import SteppingClock
from sealwork.adapters.entrypoints.compose import Application
from sealwork.adapters.entrypoints.container import Adapters
from sealwork.adapters.entrypoints.home import AUTOMATION, ENGINE, ROOT, Home, Trust
from sealwork.adapters.event_log.recorded_log import RecordedEventLog
from sealwork.adapters.memory.recorder import MemoryRecorder
from sealwork.adapters.memory.system_log import MemorySystemLog
from sealwork.adapters.memory.tables import Tables
from sealwork.adapters.memory.work_store import MemoryWorkStore
from sealwork.adapters.postgres.database import Database
from sealwork.application.ledger.manage_actors import Admission
from sealwork.application.ports.clock import Clock
from sealwork.application.ports.event_log import EventLog
from sealwork.application.ports.work_store import WorkStore
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import SYSTEM
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.actors import PUBLISH_WORKFLOWS, KeyClass
from sealwork.domain.ledger.intent import DefinitionRef
from sealwork.domain.ledger.submission import Appended

ORIGIN = "test.wiring"
TENANT = "acme"
NOON = datetime(2026, 6, 18, 12, tzinfo=UTC)
PROVIDERS = sorted(Adapters.providers)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with a pinned root key, and the keys that the container asks for."""
    home = Home(tmp_path)
    home.pin(Trust(origin=ORIGIN, root=home.key_or_new(ROOT).actor))
    home.key_or_new(ENGINE)
    home.key_or_new(AUTOMATION)
    return home


@pytest.fixture
def adapters(home: Home) -> Adapters:
    """The container as production uses it; nothing connects before it is used."""
    return Adapters(database=providers.Object(Database("host=nowhere.invalid")), home=providers.Object(home))


@pytest.fixture
def in_memory(adapters: Adapters) -> Adapters:
    """The same container, with chains and work rows in memory and a clock that stands still."""
    clock: Clock = SteppingClock(NOON)
    tables = Tables(origin=ORIGIN, clock=clock)
    log: EventLog = RecordedEventLog(MemoryRecorder(tables))
    store: WorkStore = MemoryWorkStore(tables)
    adapters.clock.override(providers.Object(clock))
    for logs in (adapters.engine_log, adapters.reader_log):
        logs.override(providers.Object(log))
    for stores in (adapters.worker_store, adapters.reader_store):
        stores.override(providers.Object(store))
    for system_logs in (adapters.worker_system_log, adapters.reader_system_log):
        system_logs.override(providers.Object(MemorySystemLog(tables)))
    return adapters


@pytest.mark.parametrize("name", PROVIDERS)
def test_every_provider_builds_its_adapter(adapters: Adapters, name: str) -> None:
    provider: providers.Provider[Any] = getattr(adapters, name)

    assert provider() is not None


@pytest.mark.parametrize("name", PROVIDERS)
def test_an_adapter_is_built_once(adapters: Adapters, name: str) -> None:
    provider: providers.Provider[Any] = getattr(adapters, name)

    assert provider() is provider()


def test_an_adapter_can_be_replaced(adapters: Adapters) -> None:
    stopped: Clock = SteppingClock(NOON)

    adapters.clock.override(providers.Object(stopped))

    assert adapters.clock().now() == NOON


def test_without_a_trust_file_nothing_is_composed(tmp_path: Path) -> None:
    adapters = Adapters(database=providers.Object(Database("")), home=providers.Object(Home(tmp_path / "new")))

    with pytest.raises(Misconfigured, match="no Sealwork home"):
        Application(adapters, tenant=TENANT)


def test_an_engine_whose_key_is_not_admitted_does_not_start(in_memory: Adapters, home: Home) -> None:
    bootstrap(Application(in_memory, tenant=TENANT), home)
    in_memory.engine_key.override(providers.Object(home.key_or_new("another")))

    with pytest.raises(Misconfigured, match="ENGINE key"):
        _ = Application(in_memory, tenant=TENANT).process_event


def test_a_worker_whose_key_is_not_admitted_does_not_start(in_memory: Adapters, home: Home) -> None:
    bootstrap(Application(in_memory, tenant=TENANT), home)
    in_memory.automation_key.override(providers.Object(home.key_or_new("another")))

    with pytest.raises(Misconfigured, match="AUTOMATION key"):
        _ = Application(in_memory, tenant=TENANT).fire_work


def test_the_use_cases_work_together_over_adapters_in_memory(in_memory: Adapters, home: Home) -> None:
    app = Application(in_memory, tenant=TENANT)
    bootstrap(app, home)
    maria = home.key_or_new("maria")

    app.publish_definition(TENANT, REVIEW, home.key("admin"))
    version = app.definitions.find(TENANT, "review")
    assert isinstance(version, DefinitionRef)
    started = app.start_process(TENANT, "case-1", version, maria, input_={})
    handed_in = app.submit_action(TENANT, "case-1", "hand_in", maria, input_={})
    fired = app.fire_work([TENANT])

    assert isinstance(started, Appended) and isinstance(handed_in, Appended)
    assert [attempt.became for attempt in fired] == ["completed"]
    timeline = app.show_process.timeline(TENANT, "case-1")
    assert isinstance(timeline, tuple)
    assert [(entry.action, entry.label) for entry in timeline] == [
        ("start", "maria"),
        ("hand_in", "maria"),
        ("read", AUTOMATION),
    ]
    assert app.verify().intact


REVIEW: JsonObject = {
    "path": "review",
    "actions": {
        "start": {"type": "create", "role": "clerk", "to": "open"},
        "hand_in": {"role": "clerk", "from": "open", "to": "handed_in"},
        "read": {"role": "AUTOMATION", "from": "handed_in", "to": "done", "auto": True},
    },
}


def bootstrap(app: Application, home: Home) -> None:
    """Admit the engine, an administrator who may publish, the worker, and maria, a clerk."""
    root, admin = home.key(ROOT), home.key_or_new("admin")
    admissions = (
        (Admission(tenant=SYSTEM, key_class=KeyClass.ENGINE, label=ENGINE), home.key(ENGINE), root),
        (Admission(tenant=TENANT, key_class=KeyClass.ACTOR_ADMIN, label="admin"), admin, root),
        (Admission(tenant=TENANT, key_class=KeyClass.AUTOMATION, label=AUTOMATION), home.key(AUTOMATION), admin),
        (
            Admission(tenant=TENANT, key_class=KeyClass.PERSON, label="maria", roles=("clerk",)),
            home.key_or_new("maria"),
            admin,
        ),
    )
    for admission, key, by in admissions:
        assert isinstance(app.manage_actors.admit(admission, key, by), Appended)
    app.manage_actors.grant_permission(TENANT, admin.actor, PUBLISH_WORKFLOWS, admin)
