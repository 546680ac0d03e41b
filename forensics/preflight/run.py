"""Files in, answers out: logs and saved answers go through ingest into a scratch case, the others are declarations."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb

from forensics.case.database import connect, dicts
from forensics.case.folder import Case
from forensics.errors import ForensicsError
from forensics.ingest.run import ingest
from forensics.preflight import declared, process, statements
from forensics.preflight.answers import Answers, Row
from forensics.preflight.process import Process
from forensics.preflight.statements import Stated
from forensics.resources import queries, query

_DECLARATIONS = '[[source]]\nfiles = "*"\nzone = "UTC"\nyear = 1970\n'
"""Times do not count here, only the order of lines."""
_YAML = {".yaml", ".yml"}


def preflight(paths: Sequence[Path]) -> Answers:
    """Returns the checklist's answers for the processes that files and folders tell of.

    ``paths`` hold engine logs, saved ``/server_info``, Helm values, manifests, command lines, and statement files
    (``.toml``). A file that says nothing of a process becomes a problem of the answers. Raises if a path does not exist
    or a statement file is wrong.
    """
    files = sorted({file for path in paths for file in _files(path)})
    stated = Stated()
    for file in files:
        if file.suffix.lower() == ".toml":
            statements.read(file, stated)
    speaking, silent, problems = _running([file for file in files if file.suffix.lower() not in {".toml", *_YAML}])
    found: list[Process] = [*speaking]
    for file in files:
        if file.suffix.lower() in _YAML or file in silent:
            try:
                found += _declared(file, silent.get(file))
            except ForensicsError as error:
                problems.append(error)
    return Answers(_rows(found, stated), sorted(problems, key=lambda each: (each.where or "", each.what)))


def answers_in(con: duckdb.DuckDBPyConnection) -> Answers:
    """Returns the checklist's answers for the processes that speak in a database with ``record`` and ``file``."""
    return Answers(_rows(dicts(con.execute(query("preflight/shared/running").sql)), Stated()))


def _declared(file: Path, known_as: str | None) -> list[Process]:
    """Returns the processes that a file declares. ``known_as`` is its format, if it is a log that tells of none."""
    told: list[Process] = []
    try:
        told = declared.read(file, str(file))
    except ForensicsError:
        if not known_as:
            raise
    if not told:
        read_as = f" (read as {known_as})" if known_as else ""
        raise ForensicsError(
            f"it tells of no engine process{read_as}",
            where=str(file),
            fix="Give a log that holds the start, /server_info, a manifest, Helm values or a command line",
        )
    return told


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise ForensicsError("no such file or folder", where=str(path), fix="Check the path")
    if not path.is_dir():
        return [path]
    below = (each for each in path.rglob("*") if each.is_file())
    return [each for each in below if not any(part.startswith(".") for part in each.relative_to(path).parts)]


def _running(files: list[Path]) -> tuple[list[Process], dict[Path, str | None], list[ForensicsError]]:
    """Returns the processes that speak in these files; the other files, with their format if any; and problems."""
    if not files:
        return [], {}, []
    with tempfile.TemporaryDirectory(prefix="forensics-preflight-") as scratch:
        case = Case.create(Path(scratch) / "case", _DECLARATIONS)
        report = ingest(case, files, threads=1)
        formats = {each.path: each.format for each in report.files}
        rows: list[Process] = []
        if formats:
            with connect(case) as con:
                rows = dicts(con.execute(query("preflight/shared/running").sql))
    speaking = {str(row["path"]) for row in rows}
    silent = {
        file: formats.get(str(file))
        for file in files
        if str(file) not in speaking and not _member_speaks(file, speaking)
    }
    left = {str(file) for file in silent}
    return rows, silent, [each for each in report.problems if (each.where or "") not in left]


def _member_speaks(file: Path, speaking: set[str]) -> bool:
    return any(each.startswith(f"{file}!") for each in speaking)


def _rows(processes: list[Process], stated: Stated) -> list[Row]:
    with duckdb.connect(config={"threads": 1}) as con:
        process.create(con, sorted(processes, key=lambda each: str(each["process"])))
        con.execute(
            "CREATE TABLE expected AS SELECT $prefill::BIGINT AS prefill, $decode::BIGINT AS decode, "
            "$per_minute::BIGINT AS aborts_per_minute, $tokens::BIGINT AS aborted_tokens",
            {
                **{name: stated.workers.get(name) for name in ("prefill", "decode")},
                **{name: stated.aborts.get(name) for name in ("per_minute", "tokens")},
            },
        )
        con.execute(f"CREATE TABLE subject AS {query('preflight/shared/subject').sql}")
        versions = {str(version) for (version,) in con.execute("SELECT DISTINCT version FROM subject").fetchall()}
        found: list[Row] = []
        for check in queries("preflight"):
            name = Path(check.name).name
            rows = [_row(values, name) for values in dicts(con.execute(check.sql))]
            if check.header["statement"] == "yes":
                rows = [_as_stated(row, stated, versions) for row in rows]
            found += rows
    return sorted(found, key=lambda row: (row.check, row.subject))


def _row(values: dict[str, Any], name: str) -> Row:
    path, line = values.get("path") or "", values.get("line")
    where = f"{path}:{line}" if path and line else path
    fix = "" if values["answer"] == "pass" else values["fix"]
    check = values.get("check_name") or name
    return Row(check, values["subject"], values["answer"], values["reason"], values["setting"], fix, where)


def _as_stated(row: Row, stated: Stated, versions: set[str]) -> Row:
    """Returns the row as a statement has it, which fills in what cannot be told, or fails; it mends no failure."""
    statement = stated.answers.get(row.check)
    if statement is None:
        return row
    if row.answer != "cannot_tell" and statement.answer == "pass":
        kept = f"{row.reason}; the statement of {statement.on} does not change that"
        return replace(row, reason=kept) if row.answer == "fail" else row
    if statement.version is not None and versions != {statement.version}:
        shown = ", ".join(sorted(versions))
        return replace(
            row, reason=f"{row.reason}; the statement of {statement.on} is for {statement.version}, not {shown}"
        )
    reason = f"stated by {statement.by} on {statement.on}: {statement.how}"
    fix = "" if statement.answer == "pass" else row.fix
    return replace(row, answer=statement.answer, reason=reason, fix=fix, where=statement.where)
