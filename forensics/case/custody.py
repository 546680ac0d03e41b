"""The custody log: append-only lines of who did what to the case, and who looked at texts and why."""

import getpass
import json
import os
from datetime import UTC, datetime

from forensics import __version__
from forensics.case.folder import Case


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


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
