"""What stands in the schema of a database, to be compared with what the migrations make."""

from __future__ import annotations

from collections.abc import Mapping

import psycopg

from sealwork.adapters.postgres.database import Database, query
from sealwork.domain.errors import Misconfigured


def catalog(database: Database) -> Mapping[str, str]:
    """Return every object of the schema `sealwork`, every right and every role, and how it is, for any login.

    Raises:
        Misconfigured: there is no such schema, or there are no such roles.
        Unavailable: the server did not answer.
    """
    with database.owner() as connection:
        connection.execute("SET search_path = ''")
        try:
            rows = connection.execute(query("catalog")).fetchall()
        except (psycopg.errors.UndefinedObject, psycopg.errors.InvalidSchemaName) as error:
            raise Misconfigured("this database has no Sealwork schema: run `sealwork db migrate`") from error
        return {str(name): str(how) for name, how in rows}
