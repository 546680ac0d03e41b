"""``python -m forensics.match.ready`` compiles what else is compiled at first use: the first analysis need not wait."""

from typing import Final

import numpy as np

from forensics.match.engine import Shelf, Text, match
from forensics.match.ledger import SOURCE

_MAY_LEAK: Final = np.array([SOURCE], dtype=np.uint8)
_SAID: Final = "Invoice KZ-77310 of 17 March 2027 names Ottilie Brandmeyer, Überlingen, for 48,213 crowns. "


def compile_all() -> int:
    """Compares two small texts; returns how many passages they share."""
    return len(match([Text("response", None, _SAID)], Shelf([Text("text", "", _SAID * 2)]), lambda _: _MAY_LEAK))


if __name__ == "__main__":
    compile_all()
