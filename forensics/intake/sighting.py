"""What an outsider says to have seen, as plain data, and the folder in which a case keeps it.

All of it is a stranger's text: it is stored and shown as data, never obeyed, and every length is bounded.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from forensics.case.folder import Case, publish_text
from forensics.errors import ForensicsError

LONGEST_EXCERPT: Final = 20_000  # characters
LONGEST_WORD: Final = 400  # characters of an id, a name, a note
MOST: Final = 200  # sightings of one report
LARGEST: Final = 2_000_000  # bytes of a report


@dataclass(frozen=True)
class Sighting:
    """One thing seen. ``ids`` are of any kind; ``at_ns`` and ``until_ns`` (UTC) bound its time where it was told."""

    ids: tuple[str, ...] = ()
    at_ns: int | None = None
    until_ns: int | None = None
    model: str = ""
    tenant: str = ""
    excerpt: str = ""
    note: str = ""


@dataclass(frozen=True)
class Report:
    """One outsider's report: its content's SHA-256, who sent it, their reference, and what was seen."""

    sha256: str
    reporter: str
    reference: str
    sightings: tuple[Sighting, ...]


def folder(case: Case) -> Path:
    """Returns where the case keeps reports; it need not exist."""
    return case.root / "intake"


def keep(case: Case, report: Report) -> bool:
    """Writes a report into the case, private to its owner. Returns whether it was new."""
    target = folder(case) / f"{report.sha256[:16]}.json"
    if target.exists():
        return False
    folder(case).mkdir(mode=0o700, exist_ok=True)
    publish_text(target, json.dumps(asdict(report), ensure_ascii=True, indent=1) + "\n")
    return True


def kept(case: Case) -> list[Report]:
    """Returns the case's reports, ordered by their content's hash. Raises if one is damaged."""
    return [_read(path) for path in sorted(folder(case).glob("*.json"))]


def digest(data: bytes) -> str:
    """Returns the SHA-256 of a report as it came."""
    return hashlib.sha256(data).hexdigest()


def checked(sightings: Sequence[Sighting], where: str) -> tuple[Sighting, ...]:
    """Returns the sightings if they can be kept. Raises if there are none, too many, or one is too long or empty."""
    if not sightings:
        raise ForensicsError(
            "no id, time or excerpt was recognised in this report", where=where,
            fix="Write it as TOML: [[sighting]] with id, at, excerpt",
        )  # fmt: skip
    if len(sightings) > MOST:
        raise ForensicsError(f"{len(sightings):,} sightings; at most {MOST}", where=where, fix="Split the report")
    for number, each in enumerate(sightings, 1):
        if not each.ids and each.at_ns is None and not each.excerpt:
            raise ForensicsError(f"sighting {number} has no id, time or excerpt", where=where, fix="Add one of them")
        if len(each.excerpt) > LONGEST_EXCERPT:
            raise ForensicsError(
                f"the excerpt of sighting {number} has {len(each.excerpt):,} characters; at most {LONGEST_EXCERPT:,}",
                where=where, fix="Keep the part that was foreign",
            )  # fmt: skip
        if any(len(word) > LONGEST_WORD for word in (*each.ids, each.model, each.tenant, each.note)):
            raise ForensicsError(
                f"an id, name or note of sighting {number} has more than {LONGEST_WORD} characters", where=where,
                fix="Shorten it; what was seen belongs into the excerpt",
            )  # fmt: skip
    return tuple(sightings)


def _read(path: Path) -> Report:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        sightings = [Sighting(**{**each, "ids": tuple(each["ids"])}) for each in raw.pop("sightings")]
        return Report(**raw, sightings=tuple(sightings))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ForensicsError(
            "this report cannot be read", where=str(path), fix="Delete it and take the report in again"
        ) from error
