"""Handing evidence on, and checking it without the database. Source: ledger cases 1, 6, 18, 20."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from bundled import (
    Files,
    a_box_to_export,
    a_bundle,
    chain_named,
    checked,
    exported,
    files_of,
    invoice_of,
    lines_of,
    manifest_of,
    opened,
    repacked,
    reported,
    with_member,
)
from open_box import OpenBox
from process_forger import appended
from scribe import HOUR
from sealing import ORIGIN, TENANT, key_of
from sealwork.adapters.bundle.reader import BundleEvidence
from sealwork.adapters.bundle.writer import new_archive
from sealwork.adapters.clocks import SteppingClock
from sealwork.application.proof import bundle as bundle_format
from sealwork.application.proof import export_bundle
from sealwork.application.proof.bundle import BadBundle, BundleFlaw
from sealwork.application.proof.export_bundle import ExportBundle
from sealwork.application.proof.verify_bundle import NOT_IN_A_BUNDLE, BundleReport, Pin
from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import SYSTEM
from sealwork.domain.ledger.canonical import canonical
from sealwork.domain.ledger.sealed_event import SealedEvent
from sealwork.domain.proof.findings import FindingCode
from sealwork.domain.refusals import RefusalCode, Refused
from tampering import PARTS, Part, flipped

C_1 = "process/c-1"
F = FindingCode


@pytest.fixture
def box() -> OpenBox:
    return a_box_to_export()


@pytest.fixture
def bundle(tmp_path: Path, box: OpenBox) -> Path:
    return a_bundle(tmp_path, box=box)


def found(answer: BundleReport | BadBundle) -> set[tuple[str, str, int]]:
    """Code, stream and position of each finding."""
    assert isinstance(answer, BundleReport), answer
    return {(finding.code, finding.stream, finding.seq) for finding in answer.report.findings}


def streams_of(path: Path) -> list[str]:
    """The chains in a bundle, those of the deployment itself with its name before them."""
    known: list[str] = []
    opened(path, lambda bundle: known.extend(f"{head.tenant} {head.stream}" for head in bundle.streams()))
    return [stream.removeprefix(f"{TENANT} ") for stream in known]


def test_a_bundle_that_nobody_touched_proves_its_processes(bundle: Path) -> None:
    answer = reported(bundle, Pin(ORIGIN, key_of("root").actor))

    assert answer.report.intact
    assert answer.report.decided == answer.report.events
    assert answer.pinned
    assert answer.about.processes == ("c-1", "o-1")
    assert answer.report.streams == len(streams_of(bundle))


def test_a_bundle_holds_what_proves_its_processes_and_no_others(bundle: Path, box: OpenBox) -> None:
    family = [f"process/{name}" for name in ("c-1", "o-1", *sorted(_children(box)))]
    workflows = [
        f"workflow/{path}" for path in ("billing/invoice", "customer/onboarding", "parcel", "sales/order")
    ]

    assert streams_of(bundle) == ["actors/registry", *sorted(family), *workflows, f"{SYSTEM} actors/registry"]


def test_a_child_brings_its_parent_and_its_siblings(tmp_path: Path, box: OpenBox) -> None:
    done = exported(box, tmp_path / "b.zip", invoice_of(box))

    assert (done.processes, done.related) == ((invoice_of(box),), 2)
    assert {"process/o-1", *(f"process/{name}" for name in _children(box))} <= {*streams_of(tmp_path / "b.zip")}
    assert reported(tmp_path / "b.zip").report.intact


def test_what_may_be_spawned_is_there_though_nothing_was(tmp_path: Path, box: OpenBox) -> None:
    box.begin("o-2", path="sales/order")

    exported(box, tmp_path / "b.zip", "o-2")

    assert {"workflow/billing/invoice", "workflow/parcel"} <= {*streams_of(tmp_path / "b.zip")}


def test_the_evidence_in_a_bundle_is_that_of_the_log(bundle: Path, box: OpenBox) -> None:
    def compare(read: BundleEvidence) -> None:
        with box.log.as_of_now() as log:
            for head in read.streams():
                place = head.tenant, head.stream
                events = log.load(*place, list)
                assert head in list(log.streams(head.tenant))
                assert read.load(*place, list) == events
                assert [read.event(*place, seq) for seq in range(len(events) + 2)] == [None, *events, None]
                assert list(read.work(*place)) == list(log.work(*place))
            for name in files_of(bundle):
                folder, _, named = name.partition("/")
                if folder == "documents":
                    assert read.document(TENANT, named) == log.document(TENANT, named)
        assert read.load(TENANT, "process/c-2", list) == []
        assert read.event(TENANT, "process/c-2", 1) is None
        assert list(read.work(TENANT, "process/c-2")) == []
        assert read.document(SYSTEM, "0" * 64) is read.document(TENANT, "0" * 64) is None
        assert list(read.misread()) == []

    opened(bundle, compare)


def test_a_lease_is_not_handed_on(tmp_path: Path, box: OpenBox) -> None:
    box.take("c-2", "submit", "maria")
    (claimed,) = box.store.claim([TENANT], limit=1, token=uuid4(), lease=HOUR)

    exported(box, tmp_path / "b.zip", "c-2")

    written = b"".join(files_of(tmp_path / "b.zip").values())
    assert b'"status":"claimed"' in written
    assert str(claimed.lease_token).encode() not in written


def test_the_same_evidence_gives_the_same_bytes(tmp_path: Path, box: OpenBox) -> None:
    one, two = (
        a_bundle(tmp_path, *names, box=box).read_bytes() for names in (("c-1", "o-1"), ("o-1", "c-1", "o-1"))
    )

    assert one == two


def test_a_process_that_is_not_there_is_not_exported(tmp_path: Path, box: OpenBox) -> None:
    answer = _asked(box, tmp_path, "c-1", "c-9")

    assert isinstance(answer, Refused)
    assert (answer.code, "process/c-9" in answer.detail) == (RefusalCode.NO_PROCESS, True)


def test_a_family_without_end_is_not_exported(
    tmp_path: Path, box: OpenBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_bundle, "MAX_CHAINS", 2)

    answer = _asked(box, tmp_path, "o-1")

    assert isinstance(answer, Refused)
    assert answer.code is RefusalCode.TOO_LARGE


@pytest.mark.parametrize("limit", ("MAX_FILE_BYTES", "MAX_TOTAL_BYTES", "MAX_LINE_BYTES"))
def test_what_no_reader_would_take_is_not_written(
    tmp_path: Path, box: OpenBox, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(bundle_format, limit, 1000)

    answer = _asked(box, tmp_path, "c-1")

    assert isinstance(answer, Refused)
    assert answer.code is RefusalCode.TOO_LARGE


@pytest.mark.parametrize("part", PARTS)
def test_a_changed_byte_in_an_event_is_found_at_its_place(bundle: Path, part: Part) -> None:
    def change(files: Files) -> None:
        name = chain_named(files, C_1)
        lines = lines_of(files[name])
        lines[2] = with_member(lines[2], part, lambda body: flipped(body, len(body) // 2))
        files[name] = b"".join(lines)

    answer = reported(repacked(bundle, change))

    expected = {
        "intent": {F.INTENT_REPLACED, F.ACTOR_SIGNATURE, F.INTENT_UNREADABLE},
        "intent_sig": {F.INTENT_REPLACED, F.ACTOR_SIGNATURE},
        "record": {F.ENGINE_SIGNATURE, F.RECORD_UNREADABLE},
        "record_sig": {F.ENGINE_SIGNATURE},
    }
    at_event = {code for code, stream, seq in found(answer) if (stream, seq) == (C_1, 2)}
    assert at_event & expected[part]


def test_an_event_taken_out_of_the_middle_is_found(bundle: Path) -> None:
    answer = reported(repacked(bundle, lambda files: _cut(files, C_1, 2)))

    assert (F.EVENTS_MISSING, C_1, 3) in found(answer)


def test_an_event_cut_off_at_the_end_differs_from_the_head(bundle: Path) -> None:
    answer = reported(repacked(bundle, lambda files: _cut(files, C_1, -1)))

    assert (F.HEAD_DIFFERS, C_1, 4) in found(answer)


def test_events_of_another_chain_are_found(bundle: Path) -> None:
    def swap(files: Files) -> None:
        one, two = (chain_named(files, stream) for stream in (C_1, "process/o-1"))
        first, second = lines_of(files[one]), lines_of(files[two])
        files[one], files[two] = first[0] + b"".join(second[1:]), second[0] + b"".join(first[1:])

    answer = found(reported(repacked(bundle, swap)))

    assert {(F.WRONG_PLACE, C_1, 1), (F.WRONG_PLACE, "process/o-1", 1)} <= answer


def test_a_replaced_document_is_found_at_the_event_that_published_it(bundle: Path, box: OpenBox) -> None:
    ref = box.definitions.of(TENANT, "customer/onboarding").versions[0].ref

    answer = reported(repacked(bundle, lambda files: files.update({f"documents/{ref.sha256}": b"{}"})))

    assert (F.DOCUMENT_DIFFERS, "workflow/customer/onboarding", 1) in found(answer)


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (lambda line: line.replace(b'"reason":"sla"', b'"reason":"no"'), F.ROW_DIFFERS),
        (lambda line: line.replace(b'"schedule_id":"deadline"', b'"schedule_id":"other"'), F.ROW_DIFFERS),
        (lambda line: line.replace(b'"seq":3', b'"seq":2'), F.ROW_UNFOUNDED),
        (lambda line: b"" if b"deadline" in line else line, F.ROW_MISSING),
    ],
    ids=["its data", "its timer", "its cause", "taken out"],
)
def test_an_edited_work_row_is_found_though_the_manifest_fits(
    bundle: Path, edit: Callable[[bytes], bytes], code: FindingCode
) -> None:
    def change(files: Files) -> None:
        name = chain_named(files, C_1).replace("chains", "work")
        before = files[name]
        files[name] = b"".join(map(edit, lines_of(before)))
        assert files[name] != before

    answer = reported(repacked(bundle, change))

    assert (code, C_1) in {(finding, stream) for finding, stream, _ in found(answer)}


def test_what_an_engine_made_against_the_rules_is_found_in_a_bundle(tmp_path: Path, box: OpenBox) -> None:
    appended(box, "process/c-2", "clear", by="maria")

    answer = reported(a_bundle(tmp_path, "c-2", box=box))

    assert found(answer) == {(F.NOT_PERMITTED, "process/c-2", 2)}


def test_a_child_that_was_left_out_is_found(bundle: Path, box: OpenBox) -> None:
    invoice = f"process/{invoice_of(box)}"

    def leave_out(files: Files) -> None:
        name = chain_named(files, invoice)
        del files[name], files[name.replace("chains", "work")]

    assert (F.EVENTS_MISSING, invoice, 1) in found(reported(repacked(bundle, leave_out)))


def test_a_process_that_was_asked_for_cannot_be_left_out(bundle: Path) -> None:
    def leave_out(files: Files) -> None:
        name = chain_named(files, C_1)
        del files[name], files[name.replace("chains", "work")]

    answer = checked(repacked(bundle, leave_out))

    assert isinstance(answer, BadBundle)
    assert (answer.code, "c-1" in answer.detail) == (BundleFlaw.ALTERED, True)


def test_a_bundle_of_nothing_proves_nothing(bundle: Path) -> None:
    answer = checked(repacked(bundle, lambda files: None, says={"processes": []}))

    assert isinstance(answer, BadBundle)
    assert answer.code is BundleFlaw.ALTERED


@pytest.mark.parametrize("pin", (Pin("other.example", key_of("root").actor), Pin(ORIGIN, key_of("eve").actor)))
def test_a_bundle_of_another_log_than_the_pinned_one_is_told(bundle: Path, pin: Pin) -> None:
    answer = checked(bundle, pin)

    assert isinstance(answer, BadBundle)
    assert answer.code is BundleFlaw.OTHER_LOG
    assert pin.origin in answer.detail
    assert pin.root in answer.detail


def test_a_manifest_that_lies_about_the_log_does_not_help(bundle: Path) -> None:
    lie = Pin("other.example", key_of("eve").actor)
    forged = repacked(bundle, lambda files: None, says={"origin": lie.origin, "root": lie.root})

    answer = found(reported(forged, lie))

    assert {(F.WRONG_PLACE, C_1, 1), (F.ACTOR_KEY, "actors/registry", 1)} <= answer


def test_without_a_pin_the_report_says_whose_word_was_taken(bundle: Path) -> None:
    unpinned, pinned = reported(bundle), reported(bundle, Pin(ORIGIN, key_of("root").actor))

    assert not unpinned.pinned
    assert unpinned.report.intact
    (said,) = {*unpinned.not_proven} - {*pinned.not_proven}
    assert ORIGIN in said
    assert key_of("root").actor in said
    assert "taken from the bundle itself" in said
    assert "elsewhere" in said
    assert {*NOT_IN_A_BUNDLE} <= {*pinned.not_proven}


def test_a_tampered_log_is_exported_as_it_stands(tmp_path: Path, box: OpenBox) -> None:
    box.alter(C_1, 2, record=b"{}")
    box.alter("actors/registry", 2, intent=b"\xff")

    exported(box, tmp_path / "b.zip", "c-1")

    assert {(F.RECORD_UNREADABLE, C_1, 2), (F.INTENT_UNREADABLE, "actors/registry", 2)} <= found(
        reported(tmp_path / "b.zip")
    )
    assert "cannot be read" in files_of(tmp_path / "b.zip")["report.html"].decode()


def test_a_document_that_is_gone_is_missed_in_the_bundle_too(tmp_path: Path, box: OpenBox) -> None:
    (version,) = box.definitions.of(TENANT, "customer/onboarding").versions
    del box.tables.documents[TENANT, version.ref.sha256]

    exported(box, tmp_path / "b.zip", "c-1")

    assert (F.DOCUMENT_DIFFERS, "workflow/customer/onboarding", 1) in found(reported(tmp_path / "b.zip"))


def test_a_work_row_that_no_worker_can_have_written_is_told_at_the_export(tmp_path: Path, box: OpenBox) -> None:
    work = next(work for work in box.tables.work.values() if work.row.stream == C_1)
    work.change(data={"n": float("inf")})

    with pytest.raises(Misconfigured, match="sealwork verify"):
        _asked(box, tmp_path, "c-1")
    assert list(tmp_path.iterdir()) == []


def test_the_page_tells_who_did_what_and_why_and_no_word_of_it_is_markup(bundle: Path, box: OpenBox) -> None:
    page = files_of(bundle)["report.html"].decode()

    assert page.startswith("<!doctype html>")
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\u202e" in page
    assert "\u202e" not in page
    for told in (*(event.hash for event in _events(box)), box.key("maria").actor, "scheduled_by_action", "engine"):
        assert told in page
    assert "It proves nothing" in page


def test_the_manifest_lists_every_other_file(bundle: Path) -> None:
    files = manifest_of(bundle)["files"]

    assert isinstance(files, list)
    assert {"manifest.json", *(str(file["name"]) for file in files if isinstance(file, dict))} == {
        *files_of(bundle)
    }
    assert canonical(json.loads(files_of(bundle)["manifest.json"])) == files_of(bundle)["manifest.json"]


def _children(box: OpenBox) -> Iterator[str]:
    return (stream.partition("/")[2] for _, stream in box.tables.chains if stream.startswith("process/prc_"))


def _events(box: OpenBox) -> Iterator[SealedEvent]:
    for (_, stream), chain in box.tables.chains.items():
        if stream != "process/c-2":
            yield from chain.events


def _asked(box: OpenBox, folder: Path, *processes: str) -> object:
    export = ExportBundle(box.log, SteppingClock(box.clock.now()), origin=ORIGIN, root=box.key("root").actor)
    with new_archive(folder / "bundle.zip", overwrite=False) as archive:
        return export(TENANT, processes, archive)


def _cut(files: Files, stream: str, line: int) -> None:
    name = chain_named(files, stream)
    lines = lines_of(files[name])
    del lines[line]
    files[name] = b"".join(lines)
