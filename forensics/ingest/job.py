"""What is known of one content: the job to ingest it, and the ledger of what it held."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

from forensics.case.folder import Case
from forensics.errors import ForensicsError
from forensics.ingest.detect import Detected
from forensics.ingest.streams import Survey

YEARLESS = frozenset({"vllm"})
"""Framings whose dates may have no year."""


@dataclass
class Ledger:
    """What one content holds, as counted when it was read. Times are nanoseconds UTC."""

    file_id: str
    format: str
    zone: str | None
    year: int | None
    records_read: int = 0
    records_kept: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    formats: dict[str, int] = field(default_factory=dict)
    first_ns: int | None = None
    last_ns: int | None = None
    cut_short: bool = False
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def records_rejected(self) -> int:
        return sum(self.rejected.values())

    def check(self, where: str) -> None:
        """Raises unless every record that was read is accounted for."""
        if self.records_read != self.records_kept + self.records_rejected:
            raise ForensicsError(
                f"read {self.records_read:,} records, kept {self.records_kept:,}, rejected {self.records_rejected:,}",
                where=where,
                fix="This is a fault of the program: please report it; nothing of the file was kept",
            )


@dataclass(frozen=True)
class Job:
    """One content to be ingested: where it lies, its hashes, its format, and what is declared about it."""

    label: str
    path: Path
    survey: Survey
    detected: Detected
    zone: str | None
    year: int | None
    recipe: str

    @property
    def wrapping(self) -> str:
        """What was around the records: compressions, encodings and envelopes, the outermost first, or ``none``."""
        names = [self.survey.compression, *self.detected.envelopes]
        return "+".join(names[1:] if names[0] == "none" and names[1:] else names)

    @property
    def identity(self) -> str:
        """What makes this content this content: its decoded bytes, and its name where the name is part of it."""
        named = self.label if self.detected.form.named_by_path else ""
        return f"{self.survey.decoded_sha256}\n{named}" if named else self.survey.decoded_sha256

    @property
    def file_id(self) -> str:
        """16 hex digits: the head of the decoded hash, or of (hash, path) where the path is part of the content."""
        if self.detected.form.named_by_path:
            return hashlib.sha256(self.identity.encode()).hexdigest()[:16]
        return self.survey.decoded_sha256[:16]

    @property
    def key(self) -> str:
        """Name of the evidence folder."""
        parts = [
            self.identity,
            self.detected.form.name,
            self.detected.framing,
            self.detected.form.query.sql,
            self.recipe,
        ]
        year = self.year if self.detected.framing in YEARLESS else None
        parts += [*self.detected.envelopes, self.zone or "", str(year or ""), self.survey.cut or ""]
        return hashlib.sha256("\x00".join(parts).encode()).hexdigest()


def load(case: Case, key: str) -> Ledger | None:
    """Returns the ledger of a content that was ingested already, or None."""
    path = case.evidence / key / "ledger.json"
    try:
        return Ledger(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
