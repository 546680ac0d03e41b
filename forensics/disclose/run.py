"""Makes one report run: everything into a temporary folder, checked, guarded, then published by one rename."""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import duckdb

from forensics import __version__
from forensics.case import custody, database, moments
from forensics.case.folder import Case
from forensics.disclose import exports, incident, letters
from forensics.disclose.addressees import Addressee, addressees, untold
from forensics.disclose.commitments import commit, evidence_digest
from forensics.disclose.guard import Screened, guard
from forensics.disclose.headline import headline
from forensics.disclose.keys import Keys, open_keys
from forensics.disclose.summary import summary
from forensics.disclose.tables import Row, prepare, rows
from forensics.errors import ForensicsError

REQUIRED: Final = (
    "verdict",
    "exchange",
    "suspicion",
    "candidate",
    "match_span",
    "scan",
    "source",
    "finding",
    "possible_source",
    "control",
    "unexplained_answer",
    "sighting",
    "isolation",
    "sign_search",
)


def report(case: Case, *, now: str | None = None) -> Path:
    """Writes a report run and returns its folder ``CASE/runs/<run id>``.

    ``now`` (ISO 8601 with a zone) stands in for the clock. Raises if the case was not analyzed, a count does not add
    up, the guard finds foreign text, or ``now`` names a run that exists.
    """
    moment = datetime.now(UTC) if now is None else moments.moment(now)
    with case.lock():
        _clean(case)
        con = database.connect(case)
        try:
            return _publish(con, case, moment, given=now is not None)
        finally:
            con.close()


def read_summary(run: Path) -> dict[str, Any]:
    """Returns the ``summary.json`` of a published run."""
    found: dict[str, Any] = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    return found


def require_analyzed(con: duckdb.DuckDBPyConnection, case: Case) -> None:
    """Raises unless the database holds what ``analyze`` writes."""
    present = {name for (name,) in con.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if missing := [name for name in REQUIRED if name not in present]:
        raise ForensicsError(
            f"this case was not analyzed yet (no table {missing[0]!r})",
            where=str(case.root),
            fix=f"Run `forensics analyze {case.root}` first",
        )


def _publish(con: duckdb.DuckDBPyConnection, case: Case, moment: datetime, *, given: bool) -> Path:
    require_analyzed(con, case)
    prepare(con, case)
    case.runs.mkdir(mode=0o700, exist_ok=True)
    target = _target(case.runs, moment, given=given)
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=case.runs))
    try:
        facts = _write(con, case, draft, run_id=target.name, moment=moment)
        _write_json(draft / "run.json", facts | {"files": _hashes(draft)})
        draft.rename(target)
    except OSError as error:
        raise ForensicsError(
            f"cannot write the report ({error.strerror})", where=str(case.runs), fix="Free some space and run it again"
        ) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    custody.record(case, "report", run=target.name, letters=facts["letters"], affected=facts["affected"])
    return target


def _write(con: duckdb.DuckDBPyConnection, case: Case, draft: Path, *, run_id: str, moment: datetime) -> dict[str, Any]:
    counts = summary(con, case)
    sentence = headline(counts)
    _write_json(draft / "summary.json", {"headline": sentence, **counts})
    _write_text(draft / "headline.txt", sentence + "\n")
    _write_exports(con, case, draft, counts)
    run = {"id": run_id, "made_at": f"{moment:%Y-%m-%dT%H:%M:%SZ}"}
    for name, text in incident.documents(con, case, counts, sentence, run).items():
        _write_text(draft / name, text)
    told = _write_letters(con, case, draft, counts, date=f"{moment:%Y-%m-%d}")
    return {
        "run": run_id,
        "made_at": f"{moment:%Y-%m-%dT%H:%M:%SZ}",
        "version": __version__,
        "detector": counts["detector"],
        "manifest_hash": counts["manifest_hash"],
        "case_toml_sha256": _sha256(case.root / "case.toml"),
        "affected": counts["affected"],
        "affected_by_class": counts["affected_by_class"],
        "examined": counts["examined"],
        "letters": len(told),
    }


def _write_exports(con: duckdb.DuckDBPyConnection, case: Case, draft: Path, counts: dict[str, Any]) -> None:
    found = rows(con, case, "verdicts")
    with (draft / "verdicts.csv").open("w", encoding="utf-8", newline="") as out:
        exports.require("verdicts.csv", exports.write_csv(found, out), counts["examined"])
    with (draft / "verdicts.jsonl").open("w", encoding="utf-8", newline="\n") as out:
        exports.require("verdicts.jsonl", exports.write_jsonl(found, out), counts["examined"])
    exports.require("the list of affected rows", sum(row["counted"] for row in found), counts["affected"])


def _write_letters(
    con: duckdb.DuckDBPyConnection, case: Case, draft: Path, counts: dict[str, Any], *, date: str
) -> list[Addressee]:
    """Renders all letters, then lets the guard look at the files as they were written."""
    keys = open_keys(case, lambda: evidence_digest(con, case))
    digests = commit(con, case, keys)
    told = addressees(con, case, summary_hash=counts["manifest_hash"], commitments=digests, keys=keys, date=date)
    for each in told:
        folder = draft / each.folder
        folder.mkdir(parents=True)
        for name, text in letters.render_letter(each.letter).items():
            _write_text(folder / name, text)
    guard(con, case, [_screened(draft, each) for each in told], letters.fixed_words())
    _require_letters(told, counts)
    _write_json(draft / "letters.json", _index(told, untold(con, case, told), keys))
    return told


def _screened(draft: Path, each: Addressee) -> Screened:
    files = {path.name: path.read_text(encoding="utf-8") for path in sorted((draft / each.folder).iterdir())}
    return Screened(each.tenant, each.folder, list(letters.values(each.letter)), files)


def _require_letters(told: Iterable[Addressee], counts: dict[str, Any]) -> None:
    """Customers' letters list the headline's responses, but for those of unresolved tenants, who have no address."""
    listed = sum(
        each.letter.received.total for each in told if each.tenant_class == "customer" and each.letter.received
    )
    exports.require("the recipients' letters", listed, counts["affected"] - counts["affected_unresolved"])


def _index(told: list[Addressee], silent: list[Row], keys: Keys) -> dict[str, Any]:
    """Who was told what: internal, never part of a letter."""
    return {
        "letters": [
            {
                "tenant": each.tenant,
                "tenant_class": each.tenant_class,
                "folder": each.folder,
                "roles": list(each.letter.roles),
                "received": each.letter.received.total if each.letter.received else 0,
                "owned": each.letter.owned.responses if each.letter.owned else 0,
                "possible": each.letter.possible.responses if each.letter.possible else 0,
                "undetermined": each.letter.undetermined,
                "key_id": keys.id_of(each.tenant),
            }
            for each in told
        ],
        "not_told": silent,
    }


def _target(runs: Path, moment: datetime, *, given: bool) -> Path:
    """Returns a folder that does not exist yet; two runs in one second are told apart by a number."""
    name = f"{moment:%Y%m%dT%H%M%SZ}"
    for n in range(1, 1000):
        target = runs / (name if n == 1 else f"{name}-{n}")
        if not target.exists():
            return target
        if given:
            raise ForensicsError("this run exists already", where=str(target), fix="Give another time, or move it away")
    raise ForensicsError("too many runs in one second", where=str(runs), fix="Wait a second")


def _clean(case: Case) -> None:
    """Removes drafts that a killed run left behind; the lock is held, so nobody is writing one."""
    for leftover in case.runs.glob(".draft-*") if case.runs.is_dir() else ():
        shutil.rmtree(leftover, ignore_errors=True)


def _hashes(draft: Path) -> dict[str, dict[str, Any]]:
    return {
        path.relative_to(draft).as_posix(): {"sha256": _sha256(path), "bytes": path.stat().st_size}
        for path in sorted(draft.rglob("*"))
        if path.is_file()
    }


def _sha256(path: Path) -> str:
    with path.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def _write_json(path: Path, value: Any) -> None:
    _write_text(path, json.dumps(value, ensure_ascii=True, indent=1, sort_keys=False) + "\n")


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="replace", newline="\n")
