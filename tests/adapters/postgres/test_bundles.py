"""Bundles of a log in PostgreSQL: the same log gives the same bytes wherever it is kept."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from bundled import exported, reported, with_a_long_story
from open_box import OpenBox, an_empty_box
from rewriting import rewriting
from sealing import TENANT, Deployment
from sealwork.adapters.memory.tables import Chain, Work
from sealwork.adapters.postgres.database import Database
from sealwork.domain.proof.findings import FindingCode
from sealwork.domain.work.work_row import StoredWork


def in_memory(deployment: Deployment) -> OpenBox:
    """Return a copy of the log of `deployment`, event by event and row by row."""
    box = an_empty_box()
    with deployment.log.as_of_now() as log:
        for head in log.streams():
            events = log.load(head.tenant, head.stream, list)
            box.tables.chains[head.tenant, head.stream] = Chain(events, head.state or b"")
            for stored in log.work(head.tenant, head.stream):
                assert isinstance(stored, StoredWork)
                every, until, count, misfire = (value for _, value in stored.recurrence)
                goes_on = timedelta(seconds=every) if every else None
                box.tables.work[head.tenant, stored.row.id] = Work(
                    row=stored.row, seq=stored.seq, every=goes_on, until=until, count=count, misfire=misfire
                )
        for definition in deployment.list(TENANT):
            for version in definition.versions:
                document = log.document(TENANT, version.ref.sha256)
                assert document is not None
                box.tables.documents[TENANT, version.ref.sha256] = document
    return box


def test_the_same_log_gives_the_same_bytes(deployment: Deployment, tmp_path: Path) -> None:
    with_a_long_story(deployment)
    deployment.take("c-2", "submit", "maria")
    here, there = tmp_path / "postgres.zip", tmp_path / "memory.zip"

    done = exported(deployment, here, "c-1", "c-2", "o-1")
    exported(in_memory(deployment), there, "c-1", "c-2", "o-1")

    assert here.read_bytes() == there.read_bytes()
    assert (done.related, done.work_rows) == (2, 5)
    assert reported(here).report.intact


def test_a_chain_without_its_head_row_is_exported_and_missed(
    deployment: Deployment, emptied: Database, tmp_path: Path
) -> None:
    with_a_long_story(deployment)
    with rewriting(emptied) as owner:
        owner.execute("DELETE FROM sealwork.heads WHERE stream = 'process/c-1'")

    exported(deployment, tmp_path / "b.zip", "c-1")

    findings = {(finding.code, finding.stream) for finding in reported(tmp_path / "b.zip").report.findings}
    assert (FindingCode.HEAD_DIFFERS, "process/c-1") in findings
