"""Definitions as an event found them, for whoever decides it again."""

from __future__ import annotations

from typing import NamedTuple

from sealwork.application.ports.chains import Chains
from sealwork.application.workflows.definitions import Definitions, commands
from sealwork.domain.ids import workflow_stream
from sealwork.domain.instants import instant_of
from sealwork.domain.ledger.record import Record
from sealwork.domain.proof.chain import DECISION_TIME
from sealwork.domain.workflows.compiled import CompiledWorkflow
from sealwork.domain.workflows.definition import DefinitionCommand, Publish, WorkflowDefinition, evolve


class _Move(NamedTuple):
    seq: int
    recorded_at: str
    command: DefinitionCommand


class _Folded(NamedTuple):
    moves: tuple[_Move, ...]
    definition: WorkflowDefinition


class DefinitionHistory:
    """Everything that was ever published and withdrawn, in order, read once."""

    def __init__(self, chains: Chains) -> None:
        self._chains = chains
        self._workflows: dict[tuple[str, str], CompiledWorkflow] = {}
        self._moves: dict[tuple[str, str], tuple[_Move, ...]] = {}
        self._newest: dict[tuple[str, str], _Folded] = {}
        self.timers: dict[tuple[str, str], frozenset[str]] = {}
        """By tenant and content hash, the timers of every version that was read so far."""

    def as_found_by(self, record: Record) -> Definitions:
        """Return the definitions as the event of `record` found them."""
        return _AsFound(self, record)

    @property
    def chains(self) -> Chains:
        """Return what the definitions are read from."""
        return self._chains

    @property
    def workflows(self) -> dict[tuple[str, str], CompiledWorkflow]:
        """Return what was compiled so far, for all moments: what a hash names never changes."""
        return self._workflows

    def after(self, tenant: str, path: str, moves: tuple[_Move, ...]) -> WorkflowDefinition:
        """Return a workflow after `moves`; asked for again with some more of them, only these are added."""
        known = self._newest.get((tenant, path))
        if known is None or moves[: len(known.moves)] != known.moves:
            known = _Folded((), WorkflowDefinition(path=path))
        definition = known.definition
        for move in moves[len(known.moves) :]:
            definition = evolve(definition, move.command)
        self._newest[tenant, path] = _Folded(moves, definition)
        return definition

    def moves(self, tenant: str, path: str) -> tuple[_Move, ...]:
        """Return what became of a workflow, oldest first.

        Raises:
            Misconfigured: its stream cannot be read.
            Unavailable: the log did not answer.
        """
        if (tenant, path) not in self._moves:
            stream = workflow_stream(path)
            self._moves[tenant, path] = self._chains.load(
                tenant,
                stream,
                lambda events: tuple(
                    _Move(event.seq, event.read_record.recorded_at, command)
                    for event, command in commands(path, events)
                    if isinstance(event.read_record, Record)
                ),
            )
        return self._moves[tenant, path]


class _AsFound(Definitions):
    """Definitions at one moment.

    Whatever was ever published counts: nobody can name it before, since its hash is in what is signed. What was
    withdrawn counts once that is longer ago than a decision may take.
    """

    def __init__(self, history: DefinitionHistory, record: Record) -> None:
        super().__init__(history.chains, history.workflows)
        self._timers = history.timers
        self._history = history
        self._record = record

    def of(self, tenant: str, path: str) -> WorkflowDefinition:
        """See `Definitions.of`."""
        seen = tuple(move for move in self._history.moves(tenant, path) if self._saw(move, path))
        return self._history.after(tenant, path, seen)

    def _saw(self, move: _Move, path: str) -> bool:
        if self._record.stream == workflow_stream(path):
            return move.seq < self._record.seq
        if isinstance(move.command, Publish):
            return True
        return instant_of(self._record.recorded_at) - instant_of(move.recorded_at) > DECISION_TIME
