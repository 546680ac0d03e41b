"""One run of the audit: what is new is read, judged against what is kept, told once, and kept in its turn."""

import json
import time
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from forensics.audit import analysis, keep, news, night
from forensics.audit.config import AuditConfig
from forensics.audit.inputs import Listing, listed
from forensics.audit.store import Seen, Store, Watermark, publish, run_name
from forensics.case.config import CaseConfig, load_config
from forensics.case.database import connect
from forensics.case.folder import publish_text
from forensics.errors import ForensicsError

Row = dict[str, Any]


@dataclass
class Result:
    """What one run told. ``stamp`` is its time; all lists are of what is new."""

    run: int
    stamp: str
    exchanges: int = 0
    delivered: int = 0
    files: int = 0
    copies: int = 0
    too_old: int = 0
    expired: int = 0
    findings: list[Row] = field(default_factory=list)
    changed: list[Row] = field(default_factory=list)
    accepted: list[Row] = field(default_factory=list)
    holes: list[Row] = field(default_factory=list)
    healed: list[Row] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def exit_code(self, *, strict: bool = False) -> int:
        """0 clean, 1 new findings, 2 too little was seen to say; findings beside holes are 1, or 2 if ``strict``."""
        incomplete = bool(self.holes or self.problems)
        if self.findings:
            return 2 if incomplete and strict else 1
        return 2 if incomplete else 0


@dataclass(frozen=True)
class Audit:
    """An audit's declarations, and the folder that their paths are relative to."""

    config: AuditConfig
    base: Path

    def run(self, *, now_ns: int | None = None) -> list[Result]:
        """Does one run and returns its result, after those of earlier runs that ended before they could tell theirs.

        ``now_ns`` stands for the clock. Raises if another run has the store, or this one cannot be done.
        """
        now = time.time_ns() if now_ns is None else now_ns
        declared = load_config(self.base / self.config.case)
        store = Store.open((self.base / self.config.store).absolute())
        with store.lock():
            mark = store.load()
            store.tidy(mark)
            untold = [_load(store, number) for number in range(1, mark.run + 1) if number not in mark.told]
            return [*untold, _Run(self, declared, store, mark, now).result()]

    def told(self, results: list[Result]) -> None:
        """Notes that these results have reached whoever started the run."""
        store = Store.open((self.base / self.config.store).absolute())
        with store.lock():
            mark = store.load()
            mark.told = sorted({*mark.told, *(each.run for each in results)})
            store.commit(mark)


class _Run:
    def __init__(self, audit: Audit, declared: CaseConfig, store: Store, mark: Watermark, now_ns: int) -> None:
        self.config, self.base, self.declared = audit.config, audit.base, declared
        self.store, self.mark, self.now_ns = store, mark, now_ns
        self.number = mark.run + 1
        self.told = Result(self.number, _stamp(now_ns))

    def result(self) -> Result:
        """Does everything up to the commit."""
        listing = listed(self.config.inputs, self.base, self.store.root, self.mark)
        home = (self.base / self.config.case).absolute().parent
        case = night.begin(self.store, self.declared, home)
        found = night.read(case, listing.fresh, self.mark, self.now_ns, self.config.keep.days)
        if found.new:
            night.assemble(found, self.store, self.mark, self.config.keep.lookback_s * 10**9)
            self._judge(found)
        self._account(listing, found)
        keep.keep(found, self.store, self.mark, self.number, texts=self.config.keep.retention == "plaintext")
        horizon_ns = night.horizon(self.now_ns, self.mark.latest_ns, self.config.keep.days)
        self.told.expired = keep.expire(self.mark, horizon_ns, listing.present)
        self._commit()
        return self.told

    def _judge(self, found: night.Night) -> None:
        judged = analysis.analyze(found, self.store, self.mark)
        self.told.exchanges, self.told.delivered = judged.exchanges, judged.delivered
        with connect(found.case) as con:
            present = frozenset(row[0] for row in con.execute("SELECT exchange_id FROM known_exchange").fetchall())
        baseline = news.accepted(self.base / self.config.accepted)
        sorted_out = news.sort_out(judged.findings, self.mark, present, baseline)
        self.told.findings, self.told.accepted = sorted_out.findings, sorted_out.accepted
        self.told.changed = sorted_out.changed

    def _account(self, listing: Listing, found: night.Night) -> None:
        """Notes what became of every input."""
        self.told.files, self.told.copies, self.told.too_old = len(found.new), found.copies, found.too_old
        self.told.problems = [str(each) for each in (*listing.problems, *found.problems)]
        for each in listing.fresh:
            self.mark.seen[each.label] = Seen(each.signature, found.refused.get(each.label, ""))

    def _commit(self) -> None:
        folder = self.store.work / "told"
        folder.mkdir(mode=0o700)
        publish_text(folder / "result.json", json.dumps(asdict(self.told), indent=1, sort_keys=True) + "\n")
        lines = (json.dumps(each, sort_keys=True, ensure_ascii=True) + "\n" for each in self.told.findings)
        publish_text(folder / "findings.jsonl", "".join(lines))
        publish(folder, self.store.runs / run_name(self.number))
        self.mark.run, self.mark.stamp_ns = self.number, self.now_ns
        self.store.commit(self.mark)
        self.store.tidy(self.mark)


def _load(store: Store, number: int) -> Result:
    path = store.runs / run_name(number) / "result.json"
    try:
        return Result(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise ForensicsError(
            "what an earlier run found cannot be read", where=str(path), fix="Restore it from a backup"
        ) from error


def _stamp(ns: int) -> str:
    return f"{datetime.fromtimestamp(ns // 10**9, UTC):%Y-%m-%dT%H:%M:%SZ}"
