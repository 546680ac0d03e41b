"""``audit.toml``: what an audit reads, keeps, expects and tells, checked and typed."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from forensics.case.config import read_toml
from forensics.errors import ForensicsError

RETENTIONS = ("plaintext", "fingerprints")
SHORTEST_KEY = 16
"""Bytes."""


@dataclass(frozen=True)
class Expect:
    """Whose records are due, and how many: below that, an hour is a hole.

    ``worker`` is a name that ``[[source]]`` of the case's declarations gives, or ``gateway`` for all that clients'
    side recorded. ``hours`` are hours of the day (UTC) that count, all of them if none is listed; ``per_hour`` is the
    least number of records; ``quiet_minutes`` the longest run of minutes without any, 0 for no limit.
    """

    worker: str
    hours: tuple[int, ...] = ()
    per_hour: int = 1
    quiet_minutes: int = 0


@dataclass(frozen=True)
class Postgres:
    """A table of a live database, of which each run copies the new rows.

    ``uri_env`` names the environment variable that holds the address, so that no password stands here. ``column`` is
    the table's time; rows are taken from ``overlap_s`` seconds before the newest one seen, since some are written late.
    """

    uri_env: str
    table: str = "LiteLLM_SpendLogs"
    column: str = "startTime"
    overlap_s: int = 3600


@dataclass(frozen=True)
class Keep:
    """What is kept of what was read, and for how long.

    ``retention`` is ``plaintext``, or ``fingerprints``: then no text stays, only keyed fingerprints and metadata. The
    key is read from the file ``key_file`` or from the environment variable ``key_env``, and never written to the store.
    ``days`` is the window; ``lookback_s`` how far before the new records kept ones are joined with them again.
    ``window`` says how dense fingerprints are: any shared run of ``window`` + 11 folded bytes is seen.
    """

    days: int = 14
    retention: str = "plaintext"
    key_file: str = ""
    key_env: str = ""
    lookback_s: int = 3600
    window: int = 8


@dataclass(frozen=True)
class Floor:
    """When an audit has seen enough: what share of the delivered responses may stay undetermined, in 1/1000."""

    undetermined_milli: int = 0


@dataclass(frozen=True)
class Timing:
    """When the time to a first token has drifted: a run's median beyond ``factor_milli``/1000 of all kept runs'.

    Groups of fewer than ``least`` requests are not compared, nor are those of fewer than ``runs`` kept runs.
    """

    factor_milli: int = 2000
    least: int = 30
    runs: int = 3


@dataclass(frozen=True)
class Output:
    """Where copies of the last run's results go, beside the store: a Prometheus textfile, JSONL, OCSF JSONL."""

    prometheus: str = ""
    jsonl: str = ""
    ocsf: str = ""


@dataclass(frozen=True)
class Hook:
    """Who is told of new findings and holes, if anybody: a command that gets them as JSONL, or an address to post to.

    ``on`` is ``findings`` (also with holes beside them), ``holes`` (either) or ``always``.
    """

    command: tuple[str, ...] = ()
    webhook: str = ""
    on: str = "findings"
    timeout_s: int = 30


@dataclass(frozen=True)
class AuditConfig:
    """All of ``audit.toml``. Paths are relative to its folder.

    ``case`` is a ``case.toml`` with the sources, tenants and models. ``inputs`` are files, folders, patterns and
    ``s3://`` addresses. ``store`` is made by the first run, ``accepted`` is the baseline, if there is one. An hour is
    due ``settle_s`` seconds after its end.
    """

    inputs: tuple[str, ...] = ()
    case: str = "case.toml"
    store: str = "store"
    accepted: str = "accepted.jsonl"
    settle_s: int = 0
    keep: Keep = field(default_factory=Keep)
    postgres: tuple[Postgres, ...] = ()
    expect: tuple[Expect, ...] = ()
    floor: Floor = field(default_factory=Floor)
    timing: Timing = field(default_factory=Timing)
    output: Output = field(default_factory=Output)
    hook: tuple[Hook, ...] = ()

    def key(self, base: Path) -> bytes | None:
        """Returns the secret of the fingerprints, or None where texts are kept. Raises if it is missing or short.

        ``base`` is the folder that paths are relative to.
        """
        keep = self.keep
        if keep.retention == "plaintext":
            return None
        if keep.key_file:
            path = base / keep.key_file
            try:
                secret = path.read_bytes().strip()
            except OSError as error:
                raise ForensicsError(
                    f"cannot read the key of the fingerprints ({error.strerror})", where=str(path), fix=_MAKE_KEY
                ) from error
        elif keep.key_env:
            secret = os.environ.get(keep.key_env, "").encode()
        else:
            raise ForensicsError("retention without texts needs a key", fix=f"Set key_file in [keep]. {_MAKE_KEY}")
        if len(secret) < SHORTEST_KEY:
            raise ForensicsError(
                f"the key of the fingerprints has {len(secret)} bytes, fewer than {SHORTEST_KEY}",
                where=keep.key_file or f"${keep.key_env}",
                fix=_MAKE_KEY,
            )
        return secret


_MAKE_KEY = "Make one with `openssl rand -hex 32 > audit.key && chmod 600 audit.key`, and keep it outside the store"


def load(path: Path) -> AuditConfig:
    """Reads and checks ``audit.toml``. Raises ``ForensicsError`` naming file, line and remedy."""
    config = read_toml(path, AuditConfig, "docs/audit.md has one to start from")
    for what, fix in (*_wrong_keeping(config, path.parent), *_wrong_telling(config)):
        raise ForensicsError(what, where=str(path), fix=fix)
    return config


def _wrong_keeping(config: AuditConfig, base: Path) -> Iterator[tuple[str, str]]:
    keep = config.keep
    if not config.inputs and not config.postgres:
        yield "it names nothing to read", 'Add inputs = ["/var/log/llm"] or a [[postgres]] table'
    if keep.retention not in RETENTIONS:
        yield f"unknown retention {keep.retention!r}", f"Use one of {', '.join(RETENTIONS)}"
    if keep.days < 1 or keep.lookback_s < 0:
        yield "days must be at least 1, lookback_s not negative", "Correct [keep]"
    if not 1 <= keep.window <= 12:
        yield f"window = {keep.window} is not from 1 to 12", "Correct [keep]"
    store = (base / config.store).resolve()
    if keep.key_file and (base / keep.key_file).resolve().is_relative_to(store):
        yield "the key lies in the store, where it would protect nothing", "Move it elsewhere and correct key_file"


def _wrong_telling(config: AuditConfig) -> Iterator[tuple[str, str]]:
    for each in config.expect:
        if any(not 0 <= hour <= 23 for hour in each.hours):
            yield f"hours of {each.worker!r} must be from 0 to 23", "Correct [[expect]]"
    for hook in config.hook:
        if bool(hook.command) == bool(hook.webhook):
            yield "a [[hook]] needs either a command or a webhook", "Give one of the two"
        if hook.on not in ("findings", "holes", "always"):
            yield f"a [[hook]] cannot be told on {hook.on!r}", "Use findings, holes or always"
        if hook.webhook and not re.match(r"https?://", hook.webhook):
            yield f"{hook.webhook!r} is no address to post to", "Write https://…"
