"""The rolling store: its folder, its lock, and the watermark, whose replacement is the one moment a run counts from.

Everything of a run is written under names of its own first. What the watermark does not name is what a killed run left,
and is removed; so a run happened wholly or not at all.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from forensics.case.folder import locked, publish_text
from forensics.errors import ForensicsError
from forensics.ingest.manifest import Entry

VERSION: Final = 1


@dataclass
class Seen:
    """An input as it was when it was read: what must be equal for it to be left alone. ``refused`` says why it gave
    nothing, if it did not."""

    signature: list[int]
    refused: str = ""


@dataclass
class Watermark:
    """What the store holds and what was told, after ``run`` runs.

    ``seen`` maps inputs to how they were; ``contents`` maps keys of kept contents to their manifest entries; ``runs``
    are those whose exchanges are kept, with their time range; ``reported``, ``holes`` and ``answers`` are what was
    told, ``untold`` the runs whose results nobody was given yet; ``since`` holds, for each table of a database, the
    newest time read. Times are ns UTC.
    """

    run: int = 0
    stamp_ns: int = 0
    version: int = VERSION
    began_ns: int | None = None
    latest_ns: int | None = None
    seen: dict[str, Seen] = field(default_factory=dict)
    contents: dict[str, dict[str, Any]] = field(default_factory=dict)
    runs: dict[str, list[int | None]] = field(default_factory=dict)
    reported: list[dict[str, Any]] = field(default_factory=list)
    holes: list[list[Any]] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    since: dict[str, str] = field(default_factory=dict)
    key_id: str = ""
    untold: list[int] = field(default_factory=list)

    def entries(self) -> dict[str, Entry]:
        """Returns the manifest entries of the kept contents by key."""
        return {key: Entry(**value) for key, value in self.contents.items()}


@dataclass(frozen=True)
class Store:
    """An existing store."""

    root: Path

    @classmethod
    def open(cls, root: Path) -> "Store":
        """Returns the store at ``root``, made with mode 0700 if there is none. Raises if something else is there."""
        if root.exists() and not root.is_dir():
            raise ForensicsError("the store is not a folder", where=str(root), fix="Correct store = …")
        if root.is_dir() and any(root.iterdir()) and not (root / ".lock").exists():
            raise ForensicsError(
                "this folder is not an audit's store, and not empty", where=str(root), fix="Name another folder"
            )
        root.mkdir(parents=True, exist_ok=True)
        root.chmod(0o700)
        return cls(root)

    @property
    def evidence(self) -> Path:
        """One folder per kept content."""
        return self.root / "evidence"

    @property
    def kept(self) -> Path:
        """One folder per run: its exchanges, and the fingerprints of its texts."""
        return self.root / "kept"

    @property
    def runs(self) -> Path:
        """One folder per run: what it told."""
        return self.root / "runs"

    @property
    def work(self) -> Path:
        """Scratch of the run that has the lock."""
        return self.root / "work"

    @property
    def watermark(self) -> Path:
        """The file whose replacement makes a run count."""
        return self.root / "watermark.json"

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Holds the store for one run. Raises at once if another has it; a killed one lets go."""
        with locked(self.root, "another audit is running on this store"):
            yield

    def load(self) -> Watermark:
        """Returns what the last finished run left. Raises if it is damaged or of another version."""
        if not self.watermark.exists():
            return Watermark()
        try:
            raw = json.loads(self.watermark.read_text(encoding="utf-8"))
            if raw.get("version") != VERSION:
                raise ForensicsError(
                    f"the store is of version {raw.get('version')}, this program's is {VERSION}",
                    where=str(self.watermark),
                    fix="Use the program that made it, or begin a new store",
                )
            raw["seen"] = {label: Seen(**value) for label, value in raw["seen"].items()}
            return Watermark(**raw)
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise ForensicsError(
                f"the watermark cannot be read ({type(error).__name__})",
                where=str(self.watermark),
                fix="Restore it from a backup; without it, begin a new store: findings would be told again",
            ) from error

    def tidy(self, mark: Watermark) -> None:
        """Removes what no finished run left, and makes the folders."""
        shutil.rmtree(self.work, ignore_errors=True)
        for folder, named in (
            (self.evidence, set(mark.contents)),
            (self.kept, set(mark.runs)),
            (self.runs, {run_name(number) for number in range(1, mark.run + 1)}),
        ):
            folder.mkdir(mode=0o700, exist_ok=True)
            for each in folder.iterdir():
                if each.name not in named:
                    shutil.rmtree(each)
        self.work.mkdir(mode=0o700)

    def commit(self, mark: Watermark) -> None:
        """Makes everything that ``mark`` names count."""
        for folder in (self.evidence, self.kept, self.runs):
            _sync(folder)
        publish_text(self.watermark, json.dumps(asdict(mark), sort_keys=True, indent=1) + "\n")
        _sync(self.root)


def run_name(number: int) -> str:
    """Returns the name of a run's folders."""
    return f"{number:06d}"


def publish(new: Path, place: Path) -> None:
    """Moves a finished folder to its place, its files on the disk before their name is."""
    for each in sorted(new.rglob("*")):
        _sync(each)
    _sync(new)
    if place.exists():
        shutil.rmtree(place)
    new.rename(place)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
