"""The case folder: where everything of one investigation lives, private to its owner."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from functools import cached_property
from pathlib import Path

from forensics.case.config import CaseConfig, load_config
from forensics.errors import ForensicsError


@dataclass(frozen=True)
class Case:
    """An existing case folder. All paths of the layout in ``docs/architecture.md`` come from here."""

    root: Path

    @classmethod
    def open(cls, root: Path) -> "Case":
        """Returns the case at ``root``. Raises if there is no ``case.toml`` or it is wrong."""
        if not (root / "case.toml").is_file():
            raise ForensicsError(
                "this is not a case folder: it has no case.toml",
                where=str(root),
                fix=f"Make one with `forensics init {root}`",
            )
        case = cls(root)
        _ = case.config
        return case

    @classmethod
    def create(cls, root: Path, declarations: str) -> "Case":
        """Makes a case folder (mode 0700) with ``declarations`` as its ``case.toml``. Raises if it exists already."""
        if (root / "case.toml").exists():
            raise ForensicsError("this folder is a case already", where=str(root), fix="Choose another folder")
        if root.exists() and any(root.iterdir()):
            raise ForensicsError("this folder is not empty", where=str(root), fix="Choose a new or an empty folder")
        root.mkdir(parents=True, exist_ok=True)
        root.chmod(0o700)
        publish_text(root / "case.toml", declarations)
        return cls.open(root)

    @cached_property
    def config(self) -> CaseConfig:
        """What ``case.toml`` declares."""
        return load_config(self.root / "case.toml")

    @property
    def evidence(self) -> Path:
        """Folder of ingested contents, one sub-folder each."""
        return self.root / "evidence"

    @property
    def manifest(self) -> Path:
        """One line per evidence path."""
        return self.root / "manifest.jsonl"

    @property
    def database(self) -> Path:
        """Everything small."""
        return self.root / "case.duckdb"

    @property
    def custody(self) -> Path:
        """Append-only log of who did what."""
        return self.root / "custody.jsonl"

    @property
    def runs(self) -> Path:
        """Folder of published reports."""
        return self.root / "runs"

    @property
    def work(self) -> Path:
        """Scratch, made on demand; whatever lies in it may be deleted while no command runs."""
        folder = self.root / "work"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    @property
    def site(self) -> Path | None:
        """The site's own queries beside the case (``CASE/queries``), if there are any."""
        folder = self.root / "queries"
        return folder if folder.is_dir() else None

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Holds the case for one writer. Raises at once if another process has it; a killed process lets go."""
        with locked(self.root, "another command is writing to this case"):
            yield


@contextmanager
def locked(folder: Path, taken: str) -> Iterator[None]:
    """Holds ``folder`` by its file ``.lock``. Raises at once, saying ``taken``, if another process has it."""
    with (folder / ".lock").open("w") as handle:
        try:
            flock(handle, LOCK_EX | LOCK_NB)
        except BlockingIOError as error:
            raise ForensicsError(taken, where=str(folder), fix="Wait until it has ended") from error
        yield


def publish_text(path: Path, text: str) -> None:
    """Writes ``text`` so that a reader sees the old file or the whole new one, never a part."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
