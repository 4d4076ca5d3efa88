"""Which functions a piece of code calls, those of C libraries included."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def called_by(run: Callable[[], object]) -> set[str]:
    """Return the names of all functions that are called while `run` runs; the interpreter itself tells them."""
    names: set[str] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            names.add(frame.f_code.co_name)
        elif event == "c_call":
            names.add(f"{getattr(argument, '__module__', '')}.{getattr(argument, '__name__', '')}")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return names
