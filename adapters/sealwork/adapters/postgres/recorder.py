"""Chains in PostgreSQL: one function call appends, one reads all that a decision needs (D-05)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any
from uuid import UUID, uuid4

import psycopg
from psycopg.pq import TransactionStatus

from sealwork.adapters.event_log.recorder import SealedRecorder
from sealwork.adapters.postgres.database import Connection, Connections, Role, query
from sealwork.adapters.postgres.work_rows import kept_work, work_of_json
from sealwork.application.ports.chains import StreamHead
from sealwork.application.ports.event_log import (
    AppendStatus,
    Commit,
    Item,
    Question,
    Snapshot,
    StoredIntent,
    Verdict,
)
from sealwork.application.ports.evidence import Misread
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ledger.listed_key import ListedKey
from sealwork.domain.ledger.record import Positions, Record, parse_record, record_hash
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.ledger.submission import Receipt
from sealwork.domain.work.work_row import StoredWork, UnreadableWork

_NO_ORIGIN = "this database has no origin yet: run `sealwork init`"
_LAST = 2**62
_PAGE = 500
_NO_LIMIT = 2**31 - 1


class PostgresRecorder(SealedRecorder):
    """A recorder that reads and appends with the rights of `role`; only ENGINE can append."""

    def __init__(self, database: Connections, role: Role) -> None:
        self._database = database
        self._role = role

    def events(
        self,
        tenant: str,
        stream: str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[SealedEvent]:
        """See `SealedRecorder.events`."""
        wanted = {
            "tenant": tenant,
            "stream": stream,
            "gt": -_LAST if gt is None else gt,
            "lte": _LAST if lte is None else lte,
            "limit": _NO_LIMIT if limit is None else limit,
        }
        statement = query("select_events_backwards" if desc else "select_events")
        with self._database.as_role(self._role) as connection:
            rows = connection.execute(statement, wanted, binary=True).fetchall()
        return [_event(tenant, stream, row) for row in rows]

    def head(self, question: Question) -> Snapshot:
        """See `EventLog.head`."""
        asked = (question.tenant, question.stream, question.intent_id, *_work_key(question.work))
        with self._database.as_role(self._role) as connection:
            row = connection.execute(query("read_head"), asked, binary=True).fetchone()
        if row is None:
            raise Misconfigured(_NO_ORIGIN)
        return _snapshot(question.tenant, row)

    def heads(self, questions: Sequence[Question]) -> Sequence[Snapshot]:
        """See `EventLog.heads`. A single question needs no arrays, which cost a quarter of its time."""
        if len(questions) < 2:
            return [self.head(question) for question in questions]
        with self._database.as_role(self._role) as connection:
            rows = connection.execute(query("read_heads"), _asked(questions), binary=True).fetchall()
        if not rows:
            raise Misconfigured(_NO_ORIGIN)
        return [_snapshot(question.tenant, row) for question, row in zip(questions, rows, strict=True)]

    def append(self, commits: Sequence[Commit]) -> Sequence[Verdict]:
        """See `EventLog.append`. What the database refuses as data is sent again, commit by commit."""
        answer = self._call(commits)
        if not isinstance(answer, str):
            return answer
        if len(commits) > 1:
            return [verdict for commit in commits for verdict in self.append([commit])]
        return [Verdict(status=AppendStatus.REFUSED, detail=answer) for _ in commits[0]]

    def streams(self, tenant: str | None) -> Iterator[StreamHead]:
        """See `Chains.streams`."""
        for owner, stream, seq, hash_, state in self._streamed("streams", {"tenant": tenant}):
            yield StreamHead(tenant=owner, stream=stream, seq=seq, hash=hash_.hex(), state=state)

    def document(self, tenant: str, sha256: str) -> bytes | None:
        """See `Chains.document`."""
        with self._database.as_role(self._role) as connection:
            row = connection.execute(query("document"), (tenant, sha256), binary=True).fetchone()
        return row[0] if row else None

    def work(self, tenant: str, stream: str) -> Iterator[StoredWork | UnreadableWork]:
        """See `Evidence.work`. Where there are many, inside one moment, they come as they are asked for."""
        asked = {"tenant": tenant, "stream": stream}
        with self._database.as_role(self._role) as connection:
            rows = connection.execute(query("kept_work"), {**asked, "limit": _PAGE}).fetchall()
        all_ = rows if len(rows) < _PAGE else self._streamed("kept_work", {**asked, "limit": _NO_LIMIT})
        yield from map(kept_work, all_)

    def listed_keys(self, tenant: str) -> Sequence[ListedKey]:
        """See `Evidence.listed_keys`."""
        with self._database.as_role(self._role) as connection:
            rows = connection.execute(query("listed_keys"), {"tenant": tenant}).fetchall()
        return [_listed_key(row) for row in rows]

    def misread(self, tenant: str | None) -> Iterator[Misread]:
        """See `Evidence.misread`."""
        for row in self._streamed("misread", {"tenant": tenant}):
            yield Misread(*row)

    def _streamed(self, name: str, asked: Mapping[str, str | int | None]) -> Iterator[Sequence[Any]]:
        """Give rows page by page, from a cursor of the server, inside the open transaction or one of its own."""
        with (
            self._database.as_role(self._role) as connection,
            connection.transaction() if _is_idle(connection) else nullcontext(),
            connection.cursor(f"{name}_{uuid4().hex}") as cursor,
        ):
            cursor.itersize = _PAGE
            yield from cursor.execute(query(name), asked)

    @contextmanager
    def as_of_now(self) -> Iterator[SealedRecorder]:
        """See `EventLog.as_of_now`: one transaction, whose snapshot stays while it is open."""
        with self._database.at_one_moment(self._role) as moment:
            yield PostgresRecorder(moment, self._role)

    def _call(self, commits: Sequence[Commit]) -> list[Verdict] | str:
        """Return the verdicts, or why the database refused all of this as data, and wrote nothing."""
        numbered = [(number, item) for number, commit in enumerate(commits) for item in commit]
        with self._database.as_role(self._role) as connection:
            try:
                rows = connection.execute(query("append"), _columns(numbered), binary=True).fetchall()
            except (psycopg.DataError, psycopg.IntegrityError) as error:
                return str(error).partition("\n")[0]
        return [
            Verdict(status=AppendStatus(status), seq=seq, hash=hash_.hex() if hash_ else None)
            for status, seq, hash_ in rows
        ]


def _asked(questions: Sequence[Question]) -> tuple[list[Any], ...]:
    """One array per column, as in `_columns`."""
    works = [_work_key(question.work) for question in questions]
    return (
        [question.tenant for question in questions],
        [question.stream for question in questions],
        [question.intent_id for question in questions],
        [work_id for work_id, _ in works],
        [occurrence for _, occurrence in works],
    )


def _columns(numbered: Sequence[tuple[int, Item]]) -> tuple[list[Any], ...]:
    """One array per column: arrays of composites cost a third of the time."""
    items = [item for _, item in numbered]
    return (
        [item.event.record for item in items],
        [item.event.record_sig for item in items],
        [item.event.intent for item in items],
        [item.event.intent_sig for item in items],
        [item.state for item in items],
        [item.lease for item in items],
        [item.document for item in items],
        [number for number, _ in numbered],
    )


def _event(tenant: str, stream: str, row: Sequence[Any]) -> SealedEvent:
    seq, intent, intent_sig, record, record_sig = row
    return SealedEvent(
        tenant=tenant,
        stream=stream,
        seq=seq,
        intent=intent,
        intent_sig=intent_sig,
        record=record,
        record_sig=record_sig,
    )


def _snapshot(tenant: str, row: Sequence[Any]) -> Snapshot:
    now, seq, hash_, state, head_record, head_intent, tenant_actors, system_actors, rules = row[:9]
    same_intent, same_record, same_sig, fired_record, fired_sig, work = row[9:]
    same = _receipt(same_record, same_sig)
    return Snapshot(
        now=now,
        seq=seq,
        hash=hash_.hex(),
        state=state,
        head_record=head_record,
        head_intent=head_intent,
        actors=Positions(tenant=tenant_actors, system=system_actors),
        rules=rules,
        same_id=StoredIntent(intent=same_intent, receipt=same) if same else None,
        fired=_receipt(fired_record, fired_sig),
        work=work_of_json(tenant, work) if work else None,
    )


def _is_idle(connection: Connection) -> bool:
    return connection.info.transaction_status is TransactionStatus.IDLE


def _listed_key(row: Sequence[Any]) -> ListedKey:
    key, key_class, label, roles, permissions, status, admitted_at, ended_at, compromised_since = row
    return ListedKey(
        key=key,
        key_class=key_class,
        label=label,
        roles=frozenset(map(str, roles)),
        permissions=frozenset(map(str, permissions)),
        status=status,
        admitted_at=admitted_at,
        ended_at=ended_at,
        compromised_since=compromised_since,
    )


def _receipt(record: bytes | None, signature: bytes | None) -> Receipt | None:
    if record is None or signature is None:
        return None
    value = parse_record(record)
    if not isinstance(value, Record):
        raise Misconfigured("a stored record cannot be read: run `sealwork verify`")
    return Receipt(
        tenant=value.tenant,
        stream=value.stream,
        seq=value.seq,
        hash=record_hash(record),
        record=record,
        record_sig=signature,
    )


def _work_key(work: tuple[str, int] | None) -> tuple[UUID | None, int | None]:
    """A claimed work id that is no UUID names no row."""
    try:
        return (UUID(work[0]), work[1]) if work else (None, None)
    except ValueError:
        return None, None
