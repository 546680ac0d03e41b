"""Moments as a user writes them, and as nanoseconds UTC, which is how everything of a case counts time."""

from datetime import UTC, datetime
from typing import Final

from forensics.errors import ForensicsError

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def moment(said: str) -> datetime:
    """Returns the time that ``said`` names, in UTC. Raises if it is none, or has no zone."""
    try:
        found = datetime.fromisoformat(said)
    except ValueError as error:
        raise ForensicsError(f"{said!r} is not a time", fix="Write it as 2026-09-10T08:00:00Z") from error
    if found.tzinfo is None:
        raise ForensicsError(f"the time {said!r} has no zone", fix="Write it as 2026-09-10T08:00:00Z")
    return found.astimezone(UTC)


def nanoseconds(when: datetime) -> int:
    """Returns a time with a zone as nanoseconds UTC, to the microsecond."""
    passed = when.astimezone(UTC) - _EPOCH
    return (passed.days * 86_400 + passed.seconds) * 10**9 + passed.microseconds * 1000


def iso(ns: int | None) -> str:
    """Returns nanoseconds UTC as ``2026-09-02T10:00:00Z``, cut to the second; an empty string for none."""
    if ns is None:
        return ""
    return datetime.fromtimestamp(ns // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
