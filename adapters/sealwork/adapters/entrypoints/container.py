"""The composition root, part one: which adapter stands behind each port."""

from __future__ import annotations

from dependency_injector import containers, providers

from sealwork.adapters.clocks import SystemClock
from sealwork.adapters.entrypoints.home import Home
from sealwork.adapters.event_log.recorded_log import RecordedEventLog
from sealwork.adapters.postgres.database import Database, Role
from sealwork.adapters.postgres.recorder import PostgresRecorder
from sealwork.adapters.postgres.system_log import PostgresSystemLog
from sealwork.adapters.postgres.work_store import PostgresWorkStore
from sealwork.adapters.signing import Ed25519Verifier
from sealwork.application.ports.clock import Clock
from sealwork.application.ports.event_log import EventLog
from sealwork.application.ports.signatures import SignatureVerifier, Signer
from sealwork.application.ports.system_log import SystemLog
from sealwork.application.ports.work_store import WorkStore


class Adapters(containers.DeclarativeContainer):
    """One provider per port, typed as the port: overriding one is all that a test needs."""

    database: providers.Provider[Database] = providers.Dependency(instance_of=Database)
    home: providers.Provider[Home] = providers.Dependency(instance_of=Home)

    clock: providers.Provider[Clock] = providers.ThreadSafeSingleton(SystemClock)
    verifier: providers.Provider[SignatureVerifier] = providers.ThreadSafeSingleton(Ed25519Verifier)
    engine_log: providers.Provider[EventLog] = providers.ThreadSafeSingleton(
        RecordedEventLog, providers.ThreadSafeSingleton(PostgresRecorder, database, Role.ENGINE)
    )
    reader_log: providers.Provider[EventLog] = providers.ThreadSafeSingleton(
        RecordedEventLog, providers.ThreadSafeSingleton(PostgresRecorder, database, Role.READER)
    )
    worker_store: providers.Provider[WorkStore] = providers.ThreadSafeSingleton(
        PostgresWorkStore, database, Role.WORKER
    )
    reader_store: providers.Provider[WorkStore] = providers.ThreadSafeSingleton(
        PostgresWorkStore, database, Role.READER
    )
    worker_system_log: providers.Provider[SystemLog] = providers.ThreadSafeSingleton(
        PostgresSystemLog, database, Role.WORKER
    )
    reader_system_log: providers.Provider[SystemLog] = providers.ThreadSafeSingleton(
        PostgresSystemLog, database, Role.READER
    )
    engine_key: providers.Provider[Signer] = providers.ThreadSafeSingleton(lambda home: home.engine_key(), home)
    automation_key: providers.Provider[Signer] = providers.ThreadSafeSingleton(
        lambda home: home.automation_key(), home
    )


def adapters_over(database: Database, home: Home) -> Adapters:
    """Return the adapters of one deployment: its database, which is open, and its home folder."""
    return Adapters(database=providers.Object(database), home=providers.Object(home))
