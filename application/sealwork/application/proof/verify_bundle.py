"""Verifying a bundle: the same checks as over a log, without its database."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from sealwork.application.ports.bundles import Bundle
from sealwork.application.ports.signatures import SignatureVerifier
from sealwork.application.proof.bundle import BadBundle, BundleFlaw, Manifest
from sealwork.application.proof.verify import Report, Verify
from sealwork.domain.ids import process_stream

NOT_IN_A_BUNDLE = (
    "anything about other processes, or that no process was left out: those outside the bundle were not looked at",
    "that the columns and tables of the database agree with the signed bytes: they are not in a bundle",
    "that report.html says what the bytes say: it is for reading only",
)


class Pin(NamedTuple):
    """What is known of the log from elsewhere."""

    origin: str
    root: str


class BundleReport(BaseModel):
    """What was found in a bundle; `pinned` says whether origin and root were known from elsewhere."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    about: Manifest
    pinned: bool
    report: Report

    @property
    def not_proven(self) -> tuple[str, ...]:
        """Return what this does not show, in the words that are printed each time."""
        return (*(() if self.pinned else (_unpinned(self.about),)), *NOT_IN_A_BUNDLE, *self.report.not_proven)


class VerifyBundle:
    """Check a bundle by what is pinned, else by what it says itself."""

    def __init__(self, verifier: SignatureVerifier) -> None:
        self._verifier = verifier

    def __call__(self, bundle: Bundle, pin: Pin | None) -> BundleReport | BadBundle:
        """Return what was checked, found and not proven, or why the bundle is not the one that is meant."""
        about = bundle.manifest
        own = Pin(about.origin, about.root)
        if pin is not None and pin != own:
            detail = f"it says log {own.origin} with root {own.root}; pinned are {pin.origin} and {pin.root}"
            return BadBundle(code=BundleFlaw.OTHER_LOG, detail=detail)
        missing = [id_ for id_ in about.processes if not bundle.head_of(about.tenant, process_stream(id_))]
        if missing or not about.processes:
            detail = f"there is no chain of the process {missing[0]}" if missing else "it names no process"
            return BadBundle(code=BundleFlaw.ALTERED, detail=detail)
        report = Verify(bundle, self._verifier, origin=own.origin, root=own.root)()
        return BundleReport(about=about, pinned=pin is not None, report=report)


def _unpinned(about: Manifest) -> str:
    return (
        f"that this is the log you mean: its origin {about.origin} and root key {about.root} were taken from the "
        "bundle itself, and whoever makes a bundle can make these too. Compare them with a copy that you obtained "
        "elsewhere, or give that copy with --trust"
    )
