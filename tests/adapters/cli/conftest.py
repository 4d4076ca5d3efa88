from __future__ import annotations

import pytest

from command_line import CommandLine
from open_box import an_open_box


@pytest.fixture
def command_line() -> CommandLine:
    """The command line over a deployment in memory where maria (intake) and ana (analyst) can work."""
    return CommandLine(an_open_box())
