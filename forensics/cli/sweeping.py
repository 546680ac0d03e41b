"""How far a sweep has come, said on stderr: share done, rate, time left."""

import re
import time
from typing import Final

import typer

from forensics.errors import ForensicsError

_EVERY: Final = 2.0  # seconds
_UNITS: Final = {
    "": 1,
    "K": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "KI": 2**10,
    "MI": 2**20,
    "GI": 2**30,
    "TI": 2**40,
}
_SIZE: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]I?)?B?\s*", re.IGNORECASE)


def memory_bytes(said: str) -> int:
    """Returns the bytes that ``4GB``, ``512MiB`` and the like name."""
    found = _SIZE.fullmatch(said)
    if not found:
        raise ForensicsError(f"{said!r} is no amount of memory", fix="Write a number and a unit, as in 4GB or 512MiB")
    return int(float(found[1]) * _UNITS[(found[2] or "").upper()])


class Ticker:
    """Prints a line every few seconds."""

    def __init__(self, size: int) -> None:
        """``size``: bytes that one step over everything reads."""
        self._size, self._step, self._began, self._said = size, "", 0.0, 0.0

    def __call__(self, step: str, done: int, of: int) -> None:
        """Notes that ``done`` of ``of`` parts of a step are finished."""
        now = time.monotonic()
        if step != self._step or done <= 1:
            self._step, self._began, self._said = step, now, now
        if now - self._said < _EVERY or not done:
            return
        self._said = now
        passed = now - self._began
        rate = self._size * done / of / max(passed, 1e-9) / 1e6
        left = passed * (of - done) / done
        typer.echo(f"sweep    {step} {100 * done // of:>3} %, {rate:,.0f} MB/s, {left:,.0f} s left", err=True)
