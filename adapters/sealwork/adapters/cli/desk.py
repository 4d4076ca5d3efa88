"""What commands need: the composed application, opened for one command and closed after it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sealwork.application.ledger.check_own_key import CheckOwnKey
from sealwork.application.ledger.hold_key import HoldKey
from sealwork.application.ledger.manage_actors import ManageActors
from sealwork.application.ledger.show_actors import ShowActors
from sealwork.application.ports.bundles import Archive
from sealwork.application.ports.signatures import Signer
from sealwork.application.proof.bundle import BadBundle
from sealwork.application.proof.explain import Explain
from sealwork.application.proof.export_bundle import ExportBundle
from sealwork.application.proof.show_process import ShowProcess
from sealwork.application.proof.verify import Report
from sealwork.application.proof.verify_bundle import BundleReport
from sealwork.application.stories.stage import Stage
from sealwork.application.upkeep.diagnosis import Diagnosis, Difference
from sealwork.application.work.fire_work import FireWork
from sealwork.application.work.list_attempts import ListAttempts
from sealwork.application.work.list_work import ListWork
from sealwork.application.workflows.definitions import Definitions
from sealwork.application.workflows.list_definitions import ListDefinitions
from sealwork.application.workflows.publish_definition import PublishDefinition
from sealwork.application.workflows.submit_action import StartProcess, SubmitAction
from sealwork.application.workflows.withdraw_definition import WithdrawDefinition
from sealwork.domain.json_value import JsonObject


class Verification(Protocol):
    """Checking a log, perhaps with several processes."""

    def size(self, tenant: str | None = None, processes: Collection[str] = ()) -> int:
        """Return how many events there are to check."""
        ...

    def __call__(
        self,
        tenant: str | None = None,
        *,
        processes: Collection[str] = (),
        shares: int | None = None,
        heard: Callable[[int], object] = ...,
    ) -> Report:
        """Check them all; `heard` is told now and then how many more were checked."""
        ...


class Desk(Protocol):
    """The use cases, over one database and one home folder."""

    @property
    def tenant(self) -> str:
        """Return whose processes are meant."""
        ...

    @property
    def check_own_key(self) -> CheckOwnKey:
        """Return the use case of asking whether a key is in order."""
        ...

    @property
    def manage_actors(self) -> ManageActors:
        """Return the use case of actors and their keys."""
        ...

    @property
    def show_actors(self) -> ShowActors:
        """Return the actors, to read."""
        ...

    @property
    def publish_definition(self) -> PublishDefinition:
        """Return the use case of workflow versions."""
        ...

    @property
    def withdraw_definition(self) -> WithdrawDefinition:
        """Return the use case that ends them."""
        ...

    @property
    def list_definitions(self) -> ListDefinitions:
        """Return what is published, to read."""
        ...

    @property
    def definitions(self) -> Definitions:
        """Return the use case of published workflows, to read."""
        ...

    @property
    def start_process(self) -> StartProcess:
        """Return the use case of beginning processes."""
        ...

    @property
    def submit_action(self) -> SubmitAction:
        """Return the use case of acting on them."""
        ...

    @property
    def fire_work(self) -> FireWork:
        """Return the use case of the worker."""
        ...

    @property
    def show_process(self) -> ShowProcess:
        """Return the use case of looking."""
        ...

    @property
    def list_work(self) -> ListWork:
        """Return the use case of those who look after the machine."""
        ...

    @property
    def list_attempts(self) -> ListAttempts:
        """Return the use case of those who ask what the worker tried."""
        ...

    @property
    def explain(self) -> Explain:
        """Return the use case of those who ask why."""
        ...

    @property
    def verify(self) -> Verification:
        """Return the use case of checking."""
        ...

    @property
    def export_bundle(self) -> ExportBundle:
        """Return the use case of handing evidence on."""
        ...

    def key(self, name: str) -> Signer:
        """Return the key of somebody who acts from this home."""
        ...

    def holds(self, name: str) -> bool:
        """Return whether somebody's key lies here."""
        ...

    def new_key(self, name: str) -> Signer:
        """Make a key where there was none."""
        ...

    def discard_key(self, name: str) -> None:
        """Let a key be as if it had never been made."""
        ...


@dataclass(frozen=True)
class Place:
    """Where a command works, as far as flags say; None leaves it to the environment."""

    home: Path | None
    tenant: str | None


class Keyring(Protocol):
    """The keys of a home, without any database."""

    @property
    def tenant(self) -> str:
        """Return where the keys are, or are to be, admitted."""
        ...

    @property
    def hold_key(self) -> HoldKey:
        """Return what the holder of a key does alone."""
        ...

    def key(self, name: str) -> Signer:
        """Return the key of somebody who acts from this home."""
        ...

    def new_key(self, name: str) -> Signer:
        """Make a key where there was none."""
        ...


class OpenDesk(Protocol):
    """Opens the application."""

    def __call__(self, place: Place) -> AbstractContextManager[Desk]:
        """Give the desk; leaving the block closes database and server."""
        ...


class Initialise(Protocol):
    """Makes keys, schema and first admissions."""

    def __call__(self, place: Place, origin: str | None) -> JsonObject:
        """Return what stands now."""
        ...


class Migrate(Protocol):
    """Brings the database to this version."""

    def __call__(self, place: Place) -> list[str]:
        """Return the names of the migrations that were applied."""
        ...


class Examine(Protocol):
    """Looks a deployment over."""

    def __call__(self, place: Place) -> Sequence[Diagnosis]:
        """Return one line for each thing."""
        ...


class CheckSchema(Protocol):
    """Compares the schema with the migrations."""

    def __call__(self, place: Place) -> Sequence[Difference]:
        """Return what differs."""
        ...


class RunDemo(Protocol):
    """Runs the demonstration."""

    def __call__(self, place: Place) -> None:
        """Print it as it happens."""
        ...


class NewArchive(Protocol):
    """Begins a bundle."""

    def __call__(self, path: Path, *, overwrite: bool) -> AbstractContextManager[Archive]:
        """Give an archive that stands at `path` when the block ends, and nowhere if it ends with an error."""
        ...


class CheckBundle(Protocol):
    """Checks a bundle, without database and home."""

    def __call__(self, path: Path, trust: Path | None) -> BundleReport | BadBundle:
        """Return what was found in the bundle at `path`, judged by the trust file, if there is one."""
        ...


@dataclass(frozen=True)
class Entrances:
    """The ways in, handed to the command line by the composition root: it composes nothing itself."""

    open: OpenDesk
    keyring: Callable[[Place], Keyring]
    initialise: Initialise
    migrate: Migrate
    examine: Examine
    check_schema: CheckSchema
    demo: RunDemo
    stage: Callable[[], Stage]
    """An empty stage in memory, for one story."""
    new_archive: NewArchive
    check_bundle: CheckBundle
