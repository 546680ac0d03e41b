"""The case's own secrets: a reference to quote, and one key per tenant for the commitments in its letter."""

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from forensics.case.folder import Case
from forensics.errors import ForensicsError

FILE = "keys.json"


@dataclass(frozen=True)
class Keys:
    """A case's reference and the secret that every tenant's key is derived from. Neither is evidence."""

    reference: str
    secret: bytes

    def of(self, tenant: str) -> bytes:
        """Returns the tenant's key (32 bytes). It goes into that tenant's letter and nowhere else."""
        return hmac.digest(self.secret, b"tenant\0" + tenant.encode("utf-8", "surrogatepass"), "sha256")

    def id_of(self, tenant: str) -> str:
        """Returns what may stand for the tenant's key in records: eight hex digits that do not tell the key."""
        return hashlib.sha256(b"key id\0" + self.of(tenant)).hexdigest()[:8]


def open_keys(case: Case, evidence: Callable[[], str] = lambda: secrets.token_hex(32)) -> Keys:
    """Returns the case's keys; makes ``CASE/keys.json`` (mode 0600) once, so that later runs commit to the same values.

    ``evidence`` returns the hex digits that the secret is made of: a digest that only holders of the evidence can make.
    """
    path = case.root / FILE
    if not path.exists():
        _create(path, hashlib.sha256(b"case\0" + bytes.fromhex(evidence())))
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        keys = Keys(str(stored["reference"]), bytes.fromhex(stored["secret"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ForensicsError(
            f"cannot read the case's keys ({type(error).__name__})",
            where=str(path),
            fix="Restore it from a copy: with other keys, letters sent so far can no longer be checked",
        ) from error
    if len(keys.secret) != 32:
        raise ForensicsError("the case's secret is not 32 bytes long", where=str(path), fix="Restore it from a copy")
    return keys


def _create(path: Path, digest: "hashlib._Hash") -> None:
    reference = hashlib.sha256(b"reference\0" + digest.digest()).hexdigest()[:8].upper()
    stored = {"reference": f"INC-{reference}", "secret": digest.hexdigest()}
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
        out.write(json.dumps(stored, indent=1) + "\n")
    fresh.replace(path)
