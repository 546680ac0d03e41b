"""The custody log: append-only lines of who did what to the case, and who looked at texts and why."""

import getpass
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from forensics import __version__
from forensics.case.folder import Case
from forensics.errors import ForensicsError


def record(case: Case, action: str, **facts: object) -> None:
    """Appends one event. ``facts`` must be plain JSON values and never hold evidence text."""
    event = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "by": _user(),
        "version": __version__,
        "action": action,
        **facts,
    }
    descriptor = os.open(case.custody, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "a", encoding="utf-8") as log:
        log.write(json.dumps(event, ensure_ascii=True, sort_keys=True) + "\n")


def events(case: Case, action: str) -> Iterator[dict[str, Any]]:
    """Yields the custody log's events of one action, in order."""
    if not case.custody.exists():
        return
    for number, line in enumerate(case.custody.read_text(encoding="utf-8").splitlines(), 1):
        try:
            event = json.loads(line)
        except ValueError as error:
            raise ForensicsError(
                "the custody log is damaged", where=f"{case.custody}:{number}", fix="Restore that line from a backup"
            ) from error
        if event.get("action") == action:
            yield event


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
