"""The evidence of a case, read again where it lies: what is the same, what changed, what is gone."""

from collections.abc import Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

from forensics.case import custody
from forensics.case.folder import Case
from forensics.case.scratch import Scratch
from forensics.errors import ForensicsError
from forensics.ingest import manifest
from forensics.ingest.run import ingest


@dataclass(frozen=True)
class Given:
    """The paths of one ``ingest`` as the user gave them, the folder they were given in, and the format if one was."""

    paths: tuple[str, ...]
    folder: Path
    wanted: str | None = None


@dataclass(frozen=True)
class Reading:
    """What became of the evidence: sentences for what changed or is gone, and how many files the case never held."""

    same: int
    faults: tuple[str, ...]
    strangers: int


def recorded(case: Case) -> list[Given]:
    """Returns what was given to each ``ingest``, from the custody log. Raises if that does not tell."""
    found = []
    for event in custody.events(case, "ingest"):
        if "given" not in event:
            raise ForensicsError(
                "the custody log does not tell where the evidence lay",
                where=str(case.custody),
                fix=f"Name its places: `forensics reproduce {case.root} PATH…`",
            )
        found.append(Given(tuple(event["given"]), Path(event["folder"]), event["wanted"]))
    return found


def read_again(case: Case, scratch: Scratch, given: Sequence[Given], *, threads: int) -> Reading:
    """Ingests the same evidence into ``scratch`` and compares it with the case's manifest, by hash.

    Files that the case never held are left out again, so that what stands in ``scratch`` is the same evidence or is
    said to differ.
    """
    missing: dict[str, str] = {}
    for each in given:
        paths = [path for path in each.paths if path != "-"]
        for path in paths:
            try:
                with chdir(each.folder):
                    ingest(scratch, [path], format=each.wanted, threads=threads)
            except (ForensicsError, OSError) as error:
                missing[path] = error.what if isinstance(error, ForensicsError) else str(error.strerror)
    before, after = manifest.load(case), manifest.load(scratch)
    kept = {path: entry for path, entry in after.items() if path in before}
    if kept and len(kept) < len(after):
        manifest.save(scratch, kept)
        manifest.build(scratch, kept)
    faults = [fault for path in sorted(before) if (fault := _fault(before[path], after.get(path)))]
    same = len(before) - len(faults)
    if faults:
        faults += [f"{path} cannot be read: {what}" for path, what in sorted(missing.items())]
    return Reading(same, tuple(faults), len(after) - len(kept))


def _fault(was: manifest.Entry, now: manifest.Entry | None) -> str | None:
    if now is None:
        return f"{was.path} is gone; its SHA-256 was {was.raw_sha256}"
    if now.raw_sha256 != was.raw_sha256:
        return f"{was.path} has changed; its SHA-256 was {was.raw_sha256} and is {now.raw_sha256}"
    if now.format != was.format:
        return f"{was.path} was read as {was.format} and now is as {now.format}; its content is the same"
    return None
