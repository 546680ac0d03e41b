"""One run of the audit: what is new is read, judged against what is kept, told once, and kept in its turn."""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from forensics.audit import analysis, coverage, databases, drift, hooks, keep, news, night, outputs, pages, planted
from forensics.audit.config import AuditConfig
from forensics.audit.fingerprints import Key
from forensics.audit.inputs import Listing, listed
from forensics.audit.result import Result
from forensics.audit.store import Seen, Store, Watermark, publish, run_name
from forensics.case.config import CaseConfig, load_config
from forensics.case.folder import publish_text
from forensics.case.moments import iso
from forensics.errors import ForensicsError

Row = dict[str, Any]


@dataclass(frozen=True)
class Audit:
    """An audit's declarations, and the folder that their paths are relative to.

    Without ``with_controls``, which is for tests of other things, nothing is planted.
    """

    config: AuditConfig
    base: Path
    with_controls: bool = True

    @property
    def store(self) -> Store:
        """The audit's store, made if there is none."""
        return Store.open((self.base / self.config.store).absolute())

    def run(self, *, now_ns: int | None = None) -> list[Result]:
        """Does one run and returns its result, after those of earlier runs that ended before they could tell theirs.

        ``now_ns`` stands for the clock. Raises if another run has the store, or this one cannot be done.
        """
        now = time.time_ns() if now_ns is None else now_ns
        declared = load_config(self.base / self.config.case)
        store = self.store
        with store.lock():
            mark = store.load()
            store.tidy(mark)
            untold = [Result.load(store.runs / run_name(number)) for number in mark.untold]
            result = _Run(self, declared, store, mark, now).result()
            self._publish(store, mark, result)
            return [*untold, result]

    def tell(self, results: Sequence[Result]) -> list[str]:
        """Tells the hooks, notes that these results were told, and returns what went wrong.

        A result that a hook did not take is told again by the next run.
        """
        faults: list[str] = []
        done = []
        for result in results:
            found = hooks.tell(self.config.hook, result)
            faults += found
            done += [] if found else [result.run]
        with self.store.lock():
            mark = self.store.load()
            mark.untold = [number for number in mark.untold if number not in done]
            self.store.commit(mark)
        return faults

    def _publish(self, store: Store, mark: Watermark, result: Result) -> None:
        """Writes what follows from the store's state and is written anew by every run."""
        numbers = range(max(1, mark.run - pages.LATEST + 1), mark.run + 1)
        past = [Result.load(store.runs / run_name(number)) for number in numbers]
        publish_text(store.root / "trend.html", pages.trend(past))
        output = self.config.output
        figures = {"known": len(mark.reported), "open_holes": len(mark.holes)}
        for place, text in (
            (output.prometheus, outputs.prometheus(result, exit_code=result.exit_code(), **figures)),
            (output.jsonl, outputs.lines(outputs.news(result))),
            (output.ocsf, outputs.lines(outputs.ocsf(result))),
        ):
            if place:
                publish_text(self.base / place, text)
                (self.base / place).chmod(0o644 if place == output.prometheus else 0o600)


class _Run:
    def __init__(self, audit: Audit, declared: CaseConfig, store: Store, mark: Watermark, now_ns: int) -> None:
        self.config, self.base, self.declared = audit.config, audit.base, declared
        self.with_controls = audit.with_controls
        self.store, self.mark, self.now_ns = store, mark, now_ns
        self.number = mark.run + 1
        self.told = Result(self.number, iso(now_ns))
        if now_ns < mark.stamp_ns:
            self.told.notes.append(f"The clock went back: the run before was at {iso(mark.stamp_ns)}.")
        self.secret = audit.config.key(audit.base)
        self.key = Key.of(self.secret)
        if mark.key_id not in ("", self.key.name):
            raise ForensicsError(
                "the store's fingerprints were made with another key",
                where=str(store.root),
                fix="Give the key that it was begun with, or begin a new store",
            )
        mark.key_id = self.key.name
        self.baseline = news.accepted(audit.base / audit.config.accepted)

    def result(self) -> Result:
        """Does everything up to the commit."""
        listing = listed(self.config.inputs, self.base, self.store.root, self.mark)
        tables, faults = databases.copied(self.config.postgres, self.store.work / "postgres", self.mark)
        listing = replace(listing, fresh=(*listing.fresh, *tables), problems=(*listing.problems, *faults))
        home = (self.base / self.config.case).absolute().parent
        case = night.begin(self.store, self.declared, home)
        found = night.read(case, listing.fresh, self.mark, self.now_ns, self.config.keep.days)
        judged = self._judged(found) if found.new else analysis.NOTHING
        self._account(listing, found)
        settings = self.config.keep
        keep.keep(
            found, judged, self.store, self.mark, self.number,
            key=self.key, window=settings.window, with_texts=not self.secret,
        )  # fmt: skip
        horizon_ns = night.horizon(self.now_ns, self.mark.latest_ns, settings.days)
        self.told.expired = keep.expire(self.mark, horizon_ns, listing.present)
        self._cover(horizon_ns)
        self._commit()
        return self.told

    def _judged(self, found: night.Night) -> analysis.Judged:
        """Runs the stages and tells what is new of what they found."""
        if self.secret:
            night.seal(found, self.secret)
        lookback_ns = self.config.keep.lookback_s * 10**9
        night.assemble(found, self.store, self.mark, lookback_ns)
        if self.with_controls:
            planted.watch(self.store.work / "planted", self.key, self.config.keep.window)
        judged = analysis.analyze(
            found, self.store, self.mark, self.key, lookback_ns=lookback_ns, with_controls=self.with_controls
        )
        self.told.controls = asdict(judged.controls)
        self.told.exchanges, self.told.delivered = judged.exchanges, judged.delivered
        self.told.undetermined = list(judged.undetermined)
        sorted_out = news.sort_out(judged.findings, self.mark, judged.present, self.baseline)
        self.told.findings, self.told.accepted = sorted_out.findings, sorted_out.accepted
        self.told.changed = sorted_out.changed
        kept = [self.store.kept / name for name in sorted(self.mark.runs)]
        drifts = [
            *drift.worse(judged.answers, self.mark.answers),
            *drift.drifted(judged.timing, kept, self.config.timing),
        ]
        self.mark.answers |= {name: row["answer"] for name, row in judged.answers.items()}
        self.told.drifts = [each for each in drifts if not self._accepts(each)]
        self.told.accepted += [each for each in drifts if self._accepts(each)]
        return judged

    def _cover(self, horizon_ns: int) -> None:
        """Tells hours that are below their floor since this run, and those that are no longer."""
        ledger = coverage.HourLedger.of([self.store.evidence / key for key in sorted(self.mark.contents)])
        until_ns = self.now_ns - self.config.settle_s * 10**9
        lacking = coverage.holes(
            self.config.expect, ledger, began_ns=self.mark.began_ns, since_ns=horizon_ns, until_ns=until_ns
        )
        told = {(who, hour) for who, hour in self.mark.holes}
        fresh = coverage.told(set(lacking) - told, lacking)
        self.told.holes += [each for each in fresh if not self._accepts(each)]
        self.told.accepted += [each for each in fresh if self._accepts(each)]
        healed = {place for place in told - set(lacking) if self._still_due(place[1], horizon_ns, until_ns)}
        self.told.healed = [
            {"kind": "healed", "worker": who, "hour": coverage.stamp(hour)} for who, hour in sorted(healed)
        ]
        self.mark.holes = [list(place) for place in sorted(lacking)]
        share = 1000 * sum(each["responses"] for each in self.told.undetermined)
        if share > self.config.floor.undetermined_milli * self.told.delivered:
            self.told.holes += [{"kind": "undetermined", **each} for each in self.told.undetermined]

    @staticmethod
    def _still_due(hour: int, since_ns: int, until_ns: int) -> bool:
        """Whether a hole that is gone was filled, and did not expire or stand in a future that a wrong clock made."""
        return since_ns <= hour * coverage.HOUR_NS < until_ns

    def _accepts(self, row: Row) -> bool:
        return any(news.accepts(each, row) for each in self.baseline)

    def _account(self, listing: Listing, found: night.Night) -> None:
        """Notes what became of every input."""
        self.told.files, self.told.copies, self.told.too_old = len(found.new), found.copies, found.too_old
        known = {seen.refused for seen in self.mark.seen.values()}
        self.told.problems = [str(each) for each in listing.problems]
        self.told.problems += [str(each) for each in found.problems if str(each) not in known]
        for each in listing.fresh:
            if each.label.startswith(databases.SCHEME):
                continue  # a copy of this run's own
            self.mark.seen[each.label] = Seen(each.signature, found.refused.get(each.label, ""))

    def _commit(self) -> None:
        folder = self.store.work / "told"
        folder.mkdir(mode=0o700)
        for name, text in (
            ("result.json", json.dumps(asdict(self.told), indent=1, sort_keys=True) + "\n"),
            ("news.jsonl", outputs.lines(outputs.news(self.told))),
            ("news.ocsf.jsonl", outputs.lines(outputs.ocsf(self.told))),
            ("run.html", pages.page(self.told)),
        ):
            publish_text(folder / name, text)
        publish(folder, self.store.runs / run_name(self.number))
        self.mark.run, self.mark.stamp_ns = self.number, self.now_ns
        self.mark.untold = [*self.mark.untold, self.number]
        self.store.commit(self.mark)
        self.store.tidy(self.mark)
