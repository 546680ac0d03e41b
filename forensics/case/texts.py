"""Message bodies, which live outside the database. Letters' templates never get at this module (import contract)."""

import duckdb

from forensics.case.folder import Case

_EMPTY = """
CREATE OR REPLACE TEMP VIEW text AS
SELECT NULL::VARCHAR AS record_id, NULL::VARCHAR AS side, NULL::INTEGER AS part, NULL::INTEGER AS message_index,
       NULL::VARCHAR AS role, NULL::VARCHAR AS field, NULL::VARCHAR AS fragment, NULL::VARCHAR AS text,
       NULL::VARCHAR AS file_id, NULL::BIGINT AS byte_offset
WHERE false
"""


def attach(con: duckdb.DuckDBPyConnection, case: Case) -> None:
    """Creates the temporary view ``text`` (contract: ``docs/architecture.md``) over all ingested contents."""
    con.execute(_EMPTY)
    segments = sorted(str(path) for path in case.evidence.glob("*/text.parquet"))
    if segments:
        listed = ", ".join("'" + path.replace("'", "''") + "'" for path in segments)
        con.execute(f"""
            CREATE OR REPLACE TEMP VIEW text AS
            SELECT file_id || ':' || byte_offset || ':' || item AS record_id,
                   side, part, message_index, role, field, fragment, text, file_id, byte_offset
            FROM read_parquet([{listed}])
        """)  # noqa: S608 - paths of our own making; a view's definition takes no bound values
