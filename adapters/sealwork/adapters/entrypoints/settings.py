"""Settings: from flags, then the environment, then the files of the home folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from sealwork.domain.errors import Misconfigured
from sealwork.domain.ids import Tenant


class Settings(BaseSettings):
    """Where this deployment lies. Private keys are no settings: see `keys`."""

    model_config = SettingsConfigDict(env_prefix="SEALWORK_", frozen=True, extra="ignore")

    home: Path = Path(".sealwork")
    """Keys, trust file and, without a DSN, the database."""
    dsn: Annotated[str, Field(min_length=1)] | None = None
    """A PostgreSQL of your own, as a libpq URI or keyword string."""
    tenant: Tenant = "main"

    @property
    def demo_home(self) -> Path:
        """Where the demo works: its clock is moved, so nobody's own work lies there unless `home` was chosen."""
        return self.home if "home" in self.model_fields_set else Path(".sealwork-demo")


def read_settings(**flags: object) -> Settings:
    """Return the settings; a flag that is None was not given.

    Raises:
        Misconfigured: a value is unusable.
    """
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = "_".join(str(step) for step in first["loc"])
        raise Misconfigured(f"the setting {name} (SEALWORK_{name.upper()}) is unusable: {first['msg']}") from error
