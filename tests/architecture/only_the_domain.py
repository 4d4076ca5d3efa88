"""A pytest plugin: an interpreter in which nothing is installed but the domain and its pure libraries.

Source: layout.md, "Who may import whom"; C-001, C-013.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import hypothesis

_PURE = {
    "pydantic",
    "pydantic_core",
    "annotated_types",
    "typing_extensions",
    "typing_inspection",
    "rfc8785",
    "orjson",
}
_PURE |= {"cel_expr_python", "jsonschema_rs"}
_TESTING = {"pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments"}
_TESTING |= {"hypothesis", "_hypothesis_pytestplugin", "_hypothesis_ftz_detector", "sortedcontainers", "attr"}
_TESTS = {path.stem for path in Path(__file__).parents[1].iterdir()} | {"tests"}
_ALLOWED = frozenset(_PURE | _TESTING | _TESTS | sys.stdlib_module_names)


class _Refusing(MetaPathFinder):
    """Stands before all other finders."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Refuse what the domain may not need; leave the rest to the others."""
        top, *inner = fullname.split(".")
        if top == "sealwork" and inner[:1] in ([], ["domain"]):
            return None
        if top in _ALLOWED:
            return None
        raise ModuleNotFoundError(f"{fullname} is not there for the domain", name=fullname)


sys.meta_path.insert(0, _Refusing())

# What is imported does not depend on how many examples are tried.
hypothesis.settings.register_profile("imports", max_examples=5, database=None)
hypothesis.settings.load_profile("imports")
