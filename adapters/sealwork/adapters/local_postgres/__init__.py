"""A PostgreSQL that lives in a folder and runs only while some command needs it."""

from sealwork.adapters.local_postgres.binaries import debian_binaries, find_binaries, server_version
from sealwork.adapters.local_postgres.server import LocalPostgres

__all__ = ["LocalPostgres", "debian_binaries", "find_binaries", "server_version"]
