from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from click.testing import Result
from typer.testing import CliRunner

from sealing import TENANT, Deployment, a_deployment
from sealwork.adapters.cli.app import app
from sealwork.adapters.cli.desk import Desk, Entrances, Place
