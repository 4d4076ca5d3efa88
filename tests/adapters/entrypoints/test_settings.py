"""Settings: flags before the environment before what is built in."""

from __future__ import annotations

from pathlib import Path

import pytest

from sealwork.adapters.entrypoints.settings import Settings, read_settings
from sealwork.domain.errors import Misconfigured


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"SEALWORK_{name.upper()}", raising=False)


def test_nothing_need_be_set() -> None:
    assert read_settings(home=None, tenant=None) == Settings(home=Path(".sealwork"), dsn=None, tenant="main")


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEALWORK_HOME", "over/there")
    monkeypatch.setenv("SEALWORK_DSN", "dbname=x")
    monkeypatch.setenv("SEALWORK_TENANT", "acme")

    assert read_settings() == Settings(home=Path("over/there"), dsn="dbname=x", tenant="acme")


def test_flags_come_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEALWORK_HOME", "over/there")
    monkeypatch.setenv("SEALWORK_TENANT", "acme")

    settings = read_settings(home=Path("here"), tenant="globex")

    assert (settings.home, settings.tenant) == (Path("here"), "globex")


@pytest.mark.parametrize("tenant", ["", "Acme", "a_b", "-a", "a" * 64, "a/b"])
def test_a_tenant_is_a_short_name(tenant: str) -> None:
    with pytest.raises(Misconfigured, match=r"the setting tenant \(SEALWORK_TENANT\) is unusable"):
        read_settings(tenant=tenant)


def test_a_dsn_says_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEALWORK_DSN", "")

    with pytest.raises(Misconfigured, match=r"\(SEALWORK_DSN\)"):
        read_settings()
