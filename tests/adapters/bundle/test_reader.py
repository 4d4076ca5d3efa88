"""Bundles that somebody made to trouble their reader: only our words come out. Source: ledger cases 1, 3, 20."""

from __future__ import annotations

import json
import stat
import struct
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_LZMA, ZIP_STORED, ZipFile, ZipInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bundled import (
    Change,
    Files,
    a_bundle,
    chain_named,
    checked,
    files_of,
    lines_of,
    packed,
    repacked,
    reported,
)
from sealwork.adapters.bundle import reader, unpacking
from sealwork.adapters.bundle.reader import open_bundle
from sealwork.application.proof.bundle import BadBundle, BundleFlaw
from sealwork.application.proof.verify_bundle import BundleReport
from sealwork.domain.errors import Misconfigured, Unavailable
from sealwork.domain.json_value import JsonObject

B = BundleFlaw
CHAIN, WORK = "chains/00001.jsonl", "work/00002.jsonl"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return a_bundle(tmp_path_factory.mktemp("original"))


@pytest.fixture
def bundle(tmp_path: Path, original: Path) -> Path:
    path = tmp_path / "bundle.zip"
    path.write_bytes(original.read_bytes())
    return path


def bad(path: Path) -> tuple[BundleFlaw, str | None]:
    """Code and file of what is wrong with a bundle."""
    answer = checked(path)
    assert isinstance(answer, BadBundle), answer
    assert answer.detail
    return answer.code, answer.file


@pytest.mark.parametrize("body", (b"", b"PK", b"no archive", b"PK\x05\x06" + bytes(18), b"\0" * 70_000))
def test_what_is_no_archive_of_ours_is_no_bundle(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "bundle.zip"
    path.write_bytes(body)

    assert bad(path)[0] is B.NOT_A_BUNDLE


def test_a_file_that_is_not_there_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="cannot be read"):
        checked(tmp_path / "none.zip")


@pytest.mark.parametrize("change", (lambda body: body + b"\0", lambda body: b"\0" + body, lambda body: body[:-1]))
def test_nothing_stands_before_or_behind_the_archive(bundle: Path, change: Callable[[bytes], bytes]) -> None:
    bundle.write_bytes(change(bundle.read_bytes()))

    assert bad(bundle)[0] is B.NOT_A_BUNDLE


def test_the_64_bit_form_is_not_followed(bundle: Path) -> None:
    """It would say a second time where the list is, and how long."""
    body, end = bundle.read_bytes()[:-22], bytearray(bundle.read_bytes()[-22:])
    count, size, start = struct.unpack_from("<HLL", end, 10)
    record = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, start)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, len(body), 1)
    struct.pack_into("<L", end, 12, size + len(record) + len(locator))
    bundle.write_bytes(body + record + locator + end)

    assert len(files_of(bundle)) == count
    assert bad(bundle) == (B.NOT_A_BUNDLE, None)


@pytest.mark.parametrize(
    "name",
    (
        "../chains/00009.jsonl",
        "/etc/passwd",
        "chains\\00009.jsonl",
        "chains/../../00009.jsonl",
        "chains/",
        "chains/00009.jsonl/",
        "chains/00009.JSONL",
        "chains/00009.jsonl\n",
        "chains/\u0660\u0660\u0660\u0660\u0669.jsonl",
        "C:/chains/00009.jsonl",
        "documents/x",
    ),
)
def test_a_name_that_no_file_of_a_bundle_has_is_refused(bundle: Path, name: str) -> None:
    repacked(bundle, lambda files: files.update({name: b""}))

    assert bad(bundle) == (B.ALTERED, None)


def test_a_name_that_ends_early_is_refused(bundle: Path) -> None:
    repacked(bundle, lambda files: files.update({"chains/00009.jsonl": b"{}"}))
    body = bundle.read_bytes()
    bundle.write_bytes(body.replace(b"chains/00009.jsonl", b"report.html\x009.json"))

    assert bad(bundle) == (B.ALTERED, None)


def test_a_file_that_stands_twice_is_refused(bundle: Path) -> None:
    files = files_of(bundle)
    with pytest.warns(UserWarning, match="Duplicate"), ZipFile(bundle, "w") as zipped:
        for name, body in (*files.items(), (CHAIN, files[CHAIN])):
            zipped.writestr(name, body)

    assert bad(bundle) == (B.ALTERED, CHAIN)


@pytest.mark.parametrize("kind", (stat.S_IFLNK, stat.S_IFIFO, stat.S_IFDIR))
def test_links_and_other_files_that_are_none_are_refused(bundle: Path, kind: int) -> None:
    def info(name: str) -> ZipInfo:
        made = ZipInfo(name)
        made.external_attr = kind << 16 if name == CHAIN else 0
        return made

    assert bad(packed(bundle, files_of(bundle), info)) == (B.ALTERED, CHAIN)


def test_other_ways_to_pack_are_refused(bundle: Path) -> None:
    with ZipFile(bundle, "a") as zipped:
        zipped.writestr("chains/00099.jsonl", b"x", ZIP_LZMA)

    assert bad(bundle) == (B.ALTERED, "chains/00099.jsonl")


def test_an_encrypted_file_is_refused(bundle: Path) -> None:
    body = bytearray(bundle.read_bytes())
    body[body.index(b"PK\x01\x02") + 8] |= 1
    bundle.write_bytes(body)

    assert bad(bundle) == (B.ALTERED, CHAIN)


def test_a_claim_of_many_gigabytes_is_refused_before_a_byte_is_unpacked(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ZipFile, "open", lambda *_, **__: pytest.fail("it was unpacked"))
    body = bytearray(bundle.read_bytes())
    struct.pack_into("<L", body, body.index(b"PK\x01\x02") + 24, 4_000_000_000)
    bundle.write_bytes(body)

    assert bad(bundle) == (B.TOO_LARGE, CHAIN)


def test_files_that_are_too_large_together_are_refused(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MAX_TOTAL_BYTES", bundle.stat().st_size)

    assert bad(bundle) == (B.TOO_LARGE, None)


def test_an_archive_that_is_too_large_itself_is_refused(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MAX_TOTAL_BYTES", 1)
    monkeypatch.setattr(unpacking, "_MAX_LISTING_BYTES", 1)

    assert bad(bundle) == (B.TOO_LARGE, None)


def test_too_many_files_are_refused(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MAX_FILES", 3)

    assert bad(bundle) == (B.TOO_LARGE, None)


def test_a_bomb_unpacks_to_no_more_than_it_claims(bundle: Path) -> None:
    """Its list claims a few bytes; what is packed are sixty million."""
    repacked(bundle, lambda files: files.update({"report.html": bytes(60_000_000)}))
    body = bytearray(bundle.read_bytes())
    at = next(at for at in _places(body, b"PK\x01\x02") if body[at + 46 :].startswith(b"report.html"))
    struct.pack_into("<L", body, at + 24, 10)
    bundle.write_bytes(body)

    assert bad(bundle) == (B.ALTERED, "report.html")


def test_a_line_without_end_is_refused(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_LINE_BYTES", 1000)
    repacked(bundle, lambda files: files.update({CHAIN: b"x" * 200_000}))

    assert bad(bundle) == (B.TOO_LARGE, CHAIN)


def test_a_missing_manifest_makes_it_no_bundle(bundle: Path) -> None:
    assert bad(repacked(bundle, lambda files: files.pop("manifest.json"), honest=True))[0] is B.NOT_A_BUNDLE


@pytest.mark.parametrize(
    "manifest", (b"", b"null", b"[]", b"{}", b"{", b"\xff", b'{"v":1}', b"[" * 100_000, b'{"v":1e999}')
)
def test_a_manifest_that_is_none_makes_it_no_bundle(bundle: Path, manifest: bytes) -> None:
    repacked(bundle, lambda files: files.update({"manifest.json": manifest}), honest=True)

    assert bad(bundle) == (B.NOT_A_BUNDLE, "manifest.json")


@pytest.mark.parametrize("members", ({"v": 2}, {"v": True}, {"more": 1}, {"origin": "NO"}, {"root": None}))
def test_another_version_of_the_format_is_not_read(bundle: Path, members: JsonObject) -> None:
    assert bad(repacked(bundle, lambda files: None, says=members)) == (B.NOT_A_BUNDLE, "manifest.json")


@pytest.mark.parametrize(
    ("change", "file"),
    (
        (lambda files: files.pop(CHAIN), CHAIN),
        (lambda files: files.update({"chains/00099.jsonl": b""}), "chains/00099.jsonl"),
        (lambda files: files.update({CHAIN: files[CHAIN][:-1] + b" "}), CHAIN),
        (lambda files: files.update({CHAIN: files[CHAIN] + b"\n"}), CHAIN),
        (lambda files: files.update({"report.html": b""}), "report.html"),
        (lambda files: files.update({WORK: files[WORK].replace(b"completed", b"cancelled")}), WORK),
    ),
)
def test_what_is_not_as_the_manifest_says_is_refused(bundle: Path, change: Change, file: str) -> None:
    assert bad(repacked(bundle, change, honest=True)) == (B.ALTERED, file)


def test_a_manifest_that_names_a_file_twice_is_refused(bundle: Path) -> None:
    def twice(files: Files) -> None:
        about = json.loads(files["manifest.json"])
        about["files"].append(about["files"][0])
        files["manifest.json"] = json.dumps(about, sort_keys=True, separators=(",", ":")).encode()

    assert bad(repacked(bundle, twice, honest=True)) == (B.ALTERED, "manifest.json")


@pytest.mark.parametrize(
    "line",
    (
        b"",
        b"null\n",
        b"{}\n",
        b"\xff\n",
        b'{"seq":9}\n',
        b"[" * 50_000 + b"\n",
        b'{"record":"AB==","record_sig":"AA==","seq":9}\n',
        b'{"record":"AA==","record_sig":"AA==","seq":9,"seq":9}\n',
        b'{"record":"A A==","record_sig":"AA==","seq":9}\n',
        b'{"record":"AA==","record_sig":"AA==","seq":0}\n',
        b'{"record":"AA==","record_sig":"AA==","seq":9.0}\n',
        b'{"record":"AA==","record_sig":"AA==","seq": 9}\n',
        b'{"record":"AA==","record_sig":"AA==","seq":1}\n',
        b'{"record":"AA==","record_sig":"AA==","seq":9}',
    ),
)
def test_a_line_that_is_no_event_is_refused(bundle: Path, line: bytes) -> None:
    if line:
        repacked(bundle, lambda files: files.update({CHAIN: files[CHAIN] + line}))
    else:
        repacked(bundle, lambda files: files.update({CHAIN: b""}))

    assert bad(bundle) == (B.ALTERED, CHAIN)


@pytest.mark.parametrize(
    "change",
    (
        lambda line: line.replace(b'"seq":', b'"seq": '),
        lambda line: line.replace(b'"attempts":1', b'"attempts":1.5'),
        lambda line: line.replace(b'"status":"completed"', b'"status":"done"'),
        lambda line: line.replace(b'.000000Z"', b'+23:00"'),
        lambda line: line.replace(b'"run_at":"2026', b'"run_at":"0000'),
        lambda line: line.replace(b'"run_at":"2026-', b'"run_at":"0001-01-01T00:00:00+23:59","x":"'),
        lambda line: line.replace(b'"row":{', b'"row":{"lease_token":null,'),
        lambda line: b"[]\n",
    ),
)
def test_a_line_that_is_no_work_row_is_refused(bundle: Path, change: Callable[[bytes], bytes]) -> None:
    def in_first(files: Files) -> None:
        first, *rest = lines_of(files[WORK])
        assert change(first) != first
        files[WORK] = b"".join((change(first), *rest))

    assert bad(repacked(bundle, in_first)) == (B.ALTERED, WORK)


def test_work_rows_stand_beside_the_chain_that_they_belong_to(bundle: Path) -> None:
    elsewhere = repacked(bundle, lambda files: files.update({"work/00001.jsonl": files[WORK]}))
    assert bad(elsewhere) == (B.ALTERED, "work/00001.jsonl")

    nowhere = repacked(bundle, lambda files: files.update({"work/00099.jsonl": files.pop("work/00001.jsonl")}))
    assert bad(nowhere) == (B.ALTERED, "work/00099.jsonl")


@pytest.mark.parametrize(("now", "then"), ((b'"acme"}', b'"globex"}'), (b"process/c-1", b"process/o-1")))
def test_a_chain_of_another_tenant_and_a_second_of_one_name_are_refused(
    bundle: Path, now: bytes, then: bytes
) -> None:
    def rename(files: Files) -> None:
        name = chain_named(files, "process/c-1")
        files[name] = files[name].replace(now, then, 1)
        files.pop(name.replace("chains", "work"))

    code, file = bad(repacked(bundle, rename))

    assert (code, file in ("chains/00002.jsonl", "chains/00003.jsonl")) == (B.ALTERED, True)


def test_what_was_checked_is_what_is_read(bundle: Path) -> None:
    with open_bundle(bundle) as read:
        assert not isinstance(read, BadBundle)
        before = [read.load(head.tenant, head.stream, list) for head in read.streams()]
        bundle.write_bytes(b"something else")

        assert [read.load(head.tenant, head.stream, list) for head in read.streams()] == before


def test_an_archive_tells_neither_when_nor_where_it_was_written(bundle: Path) -> None:
    with ZipFile(bundle) as zipped:
        told = {(info.date_time, info.create_system, info.external_attr) for info in zipped.infolist()}

    assert told == {((1980, 1, 1, 0, 0, 0), 3, (stat.S_IFREG | 0o644) << 16)}


def test_no_room_to_unpack_is_no_flaw_of_the_bundle(bundle: Path) -> None:
    with Path("/dev/full").open("wb") as full, pytest.raises(Unavailable):
        unpacking.unpack(bundle, full)


def test_names_in_a_stored_archive_are_as_good(bundle: Path) -> None:
    files = files_of(bundle)
    with ZipFile(bundle, "w", ZIP_STORED) as zipped:
        for name, body in files.items():
            zipped.writestr(name, body)

    assert reported(bundle).report.intact


LAWS = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@LAWS
@given(data=st.data())
def test_whatever_becomes_of_its_bytes_only_our_words_come_out(
    bundle: Path, original: Path, data: st.DataObject
) -> None:
    body = bytearray(original.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] ^= data.draw(st.integers(1, 255))
    bundle.write_bytes(body[: data.draw(st.integers(0, len(body)) | st.just(len(body)))])

    assert isinstance(checked(bundle), BadBundle | BundleReport)


@LAWS
@given(data=st.data())
def test_whatever_a_forger_makes_of_its_files_only_our_words_come_out(
    bundle: Path, original: Path, data: st.DataObject
) -> None:
    def forge(files: Files) -> None:
        name, other = (data.draw(st.sampled_from(sorted(files))) for _ in range(2))
        at = data.draw(st.integers(0, len(files[name])))
        match data.draw(st.sampled_from(("swap", "flip", "cut", "insert", "lines"))):
            case "swap":
                files[name], files[other] = files[other], files[name]
            case "flip":
                files[name] = files[name][:at] + data.draw(st.binary(max_size=3)) + files[name][at + 1 :]
            case "cut":
                files[name] = files[name][:at]
            case "insert":
                files[name] = files[name][:at] + files[other][:200] + files[name][at:]
            case _:
                files[name] = b"".join(data.draw(st.permutations(lines_of(files[name]))))

    files = files_of(original)
    packed(bundle, files)
    honest = data.draw(st.booleans())
    change: Change = forge if honest else lambda files: _but_the_manifest(files, forge)

    assert isinstance(checked(repacked(bundle, change, honest=honest)), BadBundle | BundleReport)


def _but_the_manifest(files: Files, forge: Change) -> None:
    about = files.pop("manifest.json")
    forge(files)
    files["manifest.json"] = about


def _places(body: bytearray, of: bytes) -> list[int]:
    return [at for at in range(len(body)) if body.startswith(of, at)]
