"""Evidence on its way from one machine to another. Source: docs/reference/bundle.md."""

from __future__ import annotations

import json
import shutil

from another_verifier import check
from bundled import repacked
from flows.commands import Place, a_place


def test_a_bundle_is_checked_where_there_is_no_home_and_no_database(workplace: Place) -> None:
    workplace.does("export", "c-1", "-o", "c-1.zip")
    bundle = workplace.home.parent / "c-1.zip"
    pinned = json.loads((workplace.home / "trust.json").read_text())

    with a_place() as auditor:
        folder = auditor.home.parent
        shutil.copy(bundle, folder)
        shutil.copy(workplace.home / "trust.json", folder)
        report = auditor.document("verify", "--bundle", "c-1.zip", "--trust", "trust.json")
        unpinned = auditor.does("verify", "--bundle", "c-1.zip")
        repacked(folder / "c-1.zip", lambda files: files.update({"chains/00002.jsonl": b"{}\n"}))
        forged = auditor.run("verify", "--bundle", "c-1.zip", "--trust", "trust.json")
        (folder / "c-1.zip").write_bytes(bundle.read_bytes()[:-1])
        cut = auditor.run("verify", "--bundle", "c-1.zip")
        missing = auditor.run("verify", "--bundle", "none.zip")
        assert sorted(path.name for path in folder.iterdir()) == ["c-1.zip", "trust.json"]

    assert report["intact"] is True
    assert check(bundle, pinned["origin"], pinned["root"]) == []
    assert "taken from the bundle itself" in unpinned
    assert (forged.code, forged.err.startswith("refused: bundle_altered at chains/00002.jsonl\n")) == (5, True)
    assert (cut.code, cut.err.startswith("refused: not_a_bundle\n")) == (78, True)
    assert (missing.code, missing.err.startswith("configuration: ")) == (78, True)


def test_a_bundle_is_not_overwritten_and_no_draft_is_left(workplace: Place) -> None:
    folder = workplace.home.parent
    (folder / "old.zip").write_text("old")

    kept = workplace.run("export", "c-1", "-o", "old.zip")
    unknown = workplace.run("export", "c-99", "-o", "new.zip")

    assert (kept.code, (folder / "old.zip").read_text()) == (78, "old")
    assert (unknown.code, (folder / "new.zip").exists()) == (3, False)
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]
