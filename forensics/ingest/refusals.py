"""Why a file is not taken, and what to do about it: the messages of ingest that several places share."""

from pathlib import Path

from forensics.errors import ForensicsError
from forensics.ingest.job import Ledger


def missing_zone(label: str, form: str) -> ForensicsError:
    """The stamps are local, with the lines that would let the file in."""
    return ForensicsError(
        f"{form} has local time stamps and no zone is declared: refused",
        where=label,
        fix=f'Add to case.toml:\n\n[[source]]\nfiles = "{_toml(label)}"\nzone = "UTC"  # or its host\'s own',
    )


def missing_year(label: str, form: str) -> ForensicsError:
    """The dates have no year, with the lines that would let the file in."""
    return ForensicsError(
        f"{form} has dates without a year and none is declared: refused",
        where=label,
        fix=f'Add to case.toml the [window], or:\n\n[[source]]\nfiles = "{_toml(label)}"\nyear = 2026  # its first',
    )


def changed(label: str) -> ForensicsError:
    """Something writes to the file."""
    return ForensicsError(
        "changed while it was read",
        where=label,
        fix="Copy the file, or wait until nothing writes to it, and ingest it again",
    )


def nothing_of_it(label: str, ledger: Ledger) -> ForensicsError:
    """All was rejected."""
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in ledger.rejected.items())
    return ForensicsError(
        f"holds no record of format {ledger.format} ({reasons or 'no line at all'})",
        where=label,
        fix="Name the right format with --format, leave that out to have it detected, or describe the file in SQL "
        "of your own (`forensics formats new`); `forensics formats try FILE` shows what is there",
    )


def unwritable(folder: Path, error: OSError) -> ForensicsError:
    """The disk is full, or not ours."""
    return ForensicsError(
        f"cannot write to the case ({error.strerror or error})",
        where=str(folder),
        fix="Free some space or check its permissions, and run the same command again",
    )


def _toml(text: str) -> str:
    """Returns a label as a pattern in a TOML basic string: what a pattern would read otherwise stands as ?."""
    safe = "".join("?" if character in "[]*" or character < " " else character for character in text)
    return safe.replace("\\", "\\\\").replace('"', '\\"')
