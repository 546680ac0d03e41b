"""Who is told: commands and addresses that ``audit.toml`` names; nobody, unless it names one."""

import subprocess
import urllib.error
import urllib.request
from collections.abc import Sequence

from forensics.audit import outputs
from forensics.audit.config import Hook
from forensics.audit.result import Result


def tell(hooks: Sequence[Hook], result: Result) -> list[str]:
    """Tells every hook that wants to hear of this result, and returns what went wrong with any.

    A hook gets the lines of ``news.jsonl``. A run that is killed between telling and noting that it told is told again
    by the next: each line's ``id`` says that it is the same.
    """
    lines = outputs.lines(outputs.news(result)).encode()
    return [fault for hook in hooks if _wants(hook, result) and (fault := _tell(hook, result, lines))]


def _wants(hook: Hook, result: Result) -> bool:
    if hook.on == "always":
        return True
    return bool(result.findings or result.drifts or (hook.on == "holes" and result.incomplete))


def _tell(hook: Hook, result: Result, lines: bytes) -> str:
    name = hook.command[0] if hook.command else hook.webhook.partition("?")[0]
    try:
        if hook.command:
            subprocess.run(  # noqa: S603 - the site's own command, as its audit.toml has it, without a shell
                hook.command, input=lines, timeout=hook.timeout_s, check=True, capture_output=True
            )
        else:
            headers = {"Content-Type": "application/x-ndjson", "X-Forensics-Run": str(result.run)}
            asked = urllib.request.Request(hook.webhook, data=lines, headers=headers, method="POST")  # noqa: S310
            with urllib.request.urlopen(asked, timeout=hook.timeout_s):  # noqa: S310 - http or https, as checked
                pass
    except (OSError, subprocess.SubprocessError, urllib.error.URLError) as error:
        return f"hook {name} was not reached ({type(error).__name__}); it will be told again by the next run"
    return ""
