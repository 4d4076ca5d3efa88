"""A verifier that knows only the pages of the reference comes to the same end. Source: bundle.md."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import another_verifier
from bundled import (
    Files,
    a_box_to_export,
    a_bundle,
    chain_named,
    checked,
    invoice_of,
    lines_of,
    repacked,
    reported,
    with_member,
)
from open_box import OpenBox
from sealing import ORIGIN, TENANT, key_of
from sealwork.application.proof.bundle import BadBundle
from sealwork.application.proof.verify_bundle import Pin
from sealwork.domain.ids import SYSTEM
from tampering import PARTS, flipped

ROOT = key_of("root").actor
PLACES = (
    (TENANT, "process/c-1"),
    (TENANT, "workflow/parcel"),
    (TENANT, "actors/registry"),
    (SYSTEM, "actors/registry"),
)


@pytest.fixture(scope="module")
def box() -> OpenBox:
    return a_box_to_export()


@pytest.fixture
def bundle(tmp_path: Path, box: OpenBox) -> Path:
    return a_bundle(tmp_path, box=box)


def both_find_something(bundle: Path) -> bool:
    """Return whether both verifiers object."""
    ours = checked(bundle, Pin(ORIGIN, ROOT))
    return bool(another_verifier.check(bundle, ORIGIN, ROOT)) and (
        isinstance(ours, BadBundle) or not ours.report.intact
    )


def test_it_imports_nothing_of_ours() -> None:
    nodes = [*ast.walk(ast.parse(Path(another_verifier.__file__).read_text()))]
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported = plain | {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}

    assert {name.partition(".")[0] for name in imported} <= {*sys.stdlib_module_names, "nacl"}


def test_it_finds_nothing_in_a_sound_bundle(bundle: Path) -> None:
    assert reported(bundle, Pin(ORIGIN, ROOT)).report.intact
    assert another_verifier.check(bundle, ORIGIN, ROOT) == []


@pytest.mark.parametrize(("origin", "root"), (("other.example", ROOT), (ORIGIN, key_of("eve").actor)))
def test_it_does_not_take_another_log_for_this_one(bundle: Path, origin: str, root: str) -> None:
    assert another_verifier.check(bundle, origin, root)


@pytest.mark.parametrize(
    "kind", ("manifest.json", "report.html", "chains/00001.jsonl", "work/00002.jsonl", "documents/")
)
def test_one_changed_byte_in_a_file_of_any_kind_is_found(bundle: Path, kind: str) -> None:
    def change(files: Files) -> None:
        name = next(name for name in sorted(files) if name.startswith(kind))
        files[name] = flipped(files[name], len(files[name]) // 2)

    assert both_find_something(repacked(bundle, change, honest=True))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("place", PLACES)
def test_one_changed_byte_of_an_event_is_found_though_the_manifest_was_made_to_fit(
    bundle: Path, place: tuple[str, str], part: str
) -> None:
    def change(files: Files) -> None:
        name = chain_named(files, place[1], place[0])
        head, first, *rest = lines_of(files[name])
        changed = with_member(first, part, lambda body: flipped(body, len(body) // 3))
        files[name] = b"".join((head, changed, *rest))

    assert both_find_something(repacked(bundle, change))


@pytest.mark.parametrize(
    "change",
    (
        lambda lines: lines[:2] + lines[3:],
        lambda lines: lines[:-1],
        lambda lines: lines[:1],
        lambda lines: [with_member(lines[0], "state", lambda body: flipped(body, 3)), *lines[1:]],
        lambda lines: [lines[0].replace(b'"seq":4', b'"seq":5'), *lines[1:]],
    ),
)
def test_events_left_out_and_changed_heads_are_found(
    bundle: Path, change: Callable[[list[bytes]], list[bytes]]
) -> None:
    def in_chain(files: Files) -> None:
        name = chain_named(files, "process/c-1")
        lines = lines_of(files[name])
        assert change(lines) != lines
        files[name] = b"".join(change(lines))

    assert both_find_something(repacked(bundle, in_chain))


def test_another_document_and_a_missing_parent_are_found(bundle: Path, box: OpenBox, tmp_path: Path) -> None:
    def replace(files: Files) -> None:
        files[next(name for name in sorted(files) if name.startswith("documents/"))] = b"{}"

    assert both_find_something(repacked(bundle, replace))

    orphaned = a_bundle(tmp_path, invoice_of(box), box=box)
    assert both_find_something(repacked(orphaned, lambda files: files.pop(chain_named(files, "process/o-1"))))
