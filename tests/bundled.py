"""A story with people, the machine, timers and children; bundles of it; and what can be done to a bundle."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from families import children_of, with_families
from open_box import OpenBox, an_empty_box
from sealing import ONBOARDING, START, TENANT, Deployment
from sealwork.adapters.bundle.reader import BundleEvidence, open_bundle
from sealwork.adapters.bundle.writer import new_archive
from sealwork.adapters.clocks import SteppingClock
from sealwork.adapters.signing import Ed25519Verifier
from sealwork.application.proof.bundle import MANIFEST, BadBundle
from sealwork.application.proof.export_bundle import ExportBundle, Exported
from sealwork.application.proof.verify_bundle import BundleReport, Pin, VerifyBundle
from sealwork.domain.json_value import JsonObject
from sealwork.domain.ledger.canonical import canonical

Files = dict[str, bytes]
Change = Callable[[Files], object]


def with_a_long_story(deployment: Deployment) -> None:
    """O-1 begins an invoice and a parcel, the machine sends the invoice, its timer waits; c-1 was escalated."""
    with_families(deployment)
    deployment.published(ONBOARDING)
    deployment.begin("o-1", path="sales/order")
    deployment.take("o-1", "hold", "maria", {"note": "<script>alert(1)</script>\u202e"})
    deployment.take("o-1", "approve", "maria", {"amount": 12.5})
    deployment.begin("c-1")
    deployment.take("c-1", "submit", "maria", {"country": "SE"})
    deployment.fire_due()
    deployment.wait(timedelta(hours=49))
    deployment.fire_due()
    deployment.begin("c-2")


def a_box_to_export() -> OpenBox:
    """Return an open deployment with the long story."""
    box = an_empty_box()
    with_a_long_story(box)
    return box


def invoice_of(deployment: Deployment) -> str:
    """Return the invoice that o-1 began."""
    return children_of(deployment, "o-1")["bill"]


def exported(deployment: Deployment, path: Path, *processes: str) -> Exported:
    """Write a bundle that says it was exported at `START`."""
    root = deployment.key("root").actor
    export = ExportBundle(deployment.log, SteppingClock(START), origin=deployment.origin, root=root)
    with new_archive(path, overwrite=True) as archive:
        done = export(TENANT, processes, archive)
    assert isinstance(done, Exported), done
    return done


def a_bundle(path: Path, *processes: str, box: OpenBox | None = None) -> Path:
    """Return a bundle of o-1 and c-1, or of these."""
    exported(box or a_box_to_export(), path / "bundle.zip", *(processes or ("o-1", "c-1")))
    return path / "bundle.zip"


def checked(path: Path, pin: Pin | None = None) -> BundleReport | BadBundle:
    """Check a bundle."""
    with open_bundle(path) as bundle:
        return bundle if isinstance(bundle, BadBundle) else VerifyBundle(Ed25519Verifier())(bundle, pin)


def reported(path: Path, pin: Pin | None = None) -> BundleReport:
    """Check a bundle that can be read."""
    answer = checked(path, pin)
    assert isinstance(answer, BundleReport), answer
    return answer


def opened(path: Path, use: Callable[[BundleEvidence], object]) -> None:
    """Use what a bundle holds."""
    with open_bundle(path) as bundle:
        assert isinstance(bundle, BundleEvidence), bundle
        use(bundle)


def files_of(path: Path) -> Files:
    """Return what is in a bundle."""
    with ZipFile(path) as zipped:
        return {info.filename: zipped.read(info) for info in zipped.infolist()}


def manifest_of(path: Path) -> JsonObject:
    """Return what a bundle says about itself."""
    manifest: JsonObject = json.loads(files_of(path)[MANIFEST])
    return manifest


def repacked(path: Path, change: Change, *, honest: bool = False, says: JsonObject | None = None) -> Path:
    """Change the files of a bundle; unless it is `honest` the manifest is made to fit, and to say `says`."""
    files = files_of(path)
    change(files)
    if not honest:
        about = json.loads(files.pop(MANIFEST)) | (says or {})
        about["files"] = [
            {"name": name, "size": len(body), "sha256": sha256(body).hexdigest()}
            for name, body in sorted(files.items())
        ]
        files[MANIFEST] = canonical(about)
    packed(path, files)
    return path


def packed(path: Path, files: Mapping[str, bytes], info: Callable[[str], ZipInfo] = ZipInfo) -> Path:
    """Write an archive with these files."""
    with ZipFile(path, "w", ZIP_DEFLATED) as zipped:
        for name, body in files.items():
            zipped.writestr(info(name), body, ZIP_DEFLATED)
    return path


def chain_named(files: Mapping[str, bytes], stream: str, tenant: str = TENANT) -> str:
    """Return the name of the file with this chain."""
    wanted = f'"stream":"{stream}","tenant":"{tenant}"}}'
    return next(name for name, body in files.items() if wanted in body.partition(b"\n")[0].decode())


def lines_of(body: bytes) -> list[bytes]:
    """Return the lines of a file, each with its end."""
    return body.splitlines(keepends=True)


def with_member(line: bytes, member: str, change: Callable[[bytes], bytes]) -> bytes:
    """Return a line of a chain with the bytes of one member changed."""
    event = json.loads(line)
    event[member] = base64.b64encode(change(base64.b64decode(event[member]))).decode()
    return canonical(event) + b"\n"
