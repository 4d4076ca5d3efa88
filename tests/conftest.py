from __future__ import annotations

import pytest

# Before they are imported, which the fixtures do: their assertions explain themselves, like those of tests.
pytest.register_assert_rewrite("contracts", "promises", "scribe", "sealing")
pytest_plugins = ("common_fixtures",)
