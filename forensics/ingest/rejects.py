"""What was not understood in a case: the account of every file, and lines of one shape told together."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import pyarrow.parquet as pq

from forensics.case.database import connect
from forensics.case.folder import Case
from forensics.ingest import manifest
from forensics.ingest.account import NOTE, OTHERS

_SIMILAR = 0.5
"""Share of words that two lines must have in common to be of one template."""


@dataclass(frozen=True)
class Example:
    """One rejected line: its place, its length in bytes, and how it begins."""

    line: int
    byte_offset: int
    length: int
    text: str


@dataclass
class FileAccount:
    """The account of one evidence path: framed = kept + duplicate + rejected (records), and bytes of both kinds."""

    path: str
    format: str
    raw_bytes: int
    decoded_bytes: int
    framed: int
    kept: int
    duplicate: int
    rejected: int
    copy_of: str | None
    reasons: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[Example]] = field(default_factory=dict)

    @property
    def adds_up(self) -> bool:
        """Whether every framed record is kept, a duplicate, or rejected for a reason."""
        return self.framed == self.kept + self.duplicate + self.rejected and self.rejected == sum(self.reasons.values())


@dataclass
class Template:
    """Lines of one shape: how many, in how many files, and where the first of them stands."""

    reason: str
    text: str
    lines: int
    files: int
    path: str
    line: int


@dataclass(frozen=True)
class Accounts:
    """All files by path, and all templates, the most frequent first. Templates of notes were kept, not rejected."""

    files: list[FileAccount]
    templates: list[Template]

    @property
    def rejected(self) -> list[Template]:
        """What was rejected."""
        return [each for each in self.templates if each.reason != NOTE]

    @property
    def notes(self) -> list[Template]:
        """What was kept, though nothing was taken from it."""
        return [each for each in self.templates if each.reason == NOTE]


def accounts(case: Case) -> Accounts:
    """Returns the account of a case. Raises if nothing was ingested yet."""
    files = {each.path: each for each in _files(case)}
    shapes: dict[tuple[str, str], list[tuple[int, str, int]]] = defaultdict(list)
    for entry in manifest.holders(manifest.load(case).values()).values():
        folder, account = case.evidence / entry.key, files[entry.path]
        for row in pq.read_table(folder / "shape.parquet").to_pylist():
            shapes[row["reason"], row["shape"]].append((row["records"], entry.path, row["line"]))
            if row["reason"] != NOTE:
                account.reasons[row["reason"]] = account.reasons.get(row["reason"], 0) + row["records"]
        for row in pq.read_table(folder / "example.parquet").to_pylist():
            example = Example(row["line"], row["byte_offset"], row["length"], row["text"])
            account.examples.setdefault(row["reason"], []).append(example)
    return Accounts([files[path] for path in sorted(files)], _templates(shapes))


def _files(case: Case) -> Iterable[FileAccount]:
    con = connect(case)
    try:
        rows = con.execute(
            "SELECT path, format, raw_bytes, decoded_bytes, records_read, records_kept, records_duplicate, "
            "records_rejected, copy_of FROM file ORDER BY path"
        ).fetchall()
    finally:
        con.close()
    return [FileAccount(*row) for row in rows]


def _templates(shapes: dict[tuple[str, str], list[tuple[int, str, int]]]) -> list[Template]:
    """Joins shapes that differ in a few words, reason by reason, in an order that follows from the shapes alone."""
    from drain3.drain import Drain  # noqa: PLC0415 - it takes a third of a second that other commands need not wait

    found: dict[tuple[str, int], Template] = {}
    seen: dict[tuple[str, int], set[str]] = defaultdict(set)
    miners: dict[str, Drain] = {}
    weight = {key: sum(count for count, _, _ in places) for key, places in shapes.items()}
    for key in sorted(shapes, key=lambda key: (-weight[key], key)):
        reason, text = key
        miner = miners.setdefault(reason, Drain(sim_th=_SIMILAR))
        cluster, _ = miner.add_log_message(text if text != OTHERS else f"\x00{text}")
        name = (reason, cluster.cluster_id)
        first = min((path, line) for _, path, line in shapes[key])
        seen[name] |= {path for _, path, _ in shapes[key]}
        template = found.setdefault(name, Template(reason, text, 0, 0, *first))
        template.lines += weight[key]
        template.path, template.line = min((template.path, template.line), first)
        template.text = cluster.get_template().removeprefix("\x00")
    for name, template in found.items():
        template.files = len(seen[name])
    return sorted(found.values(), key=lambda each: (-each.lines, each.reason, each.text, each.path))
