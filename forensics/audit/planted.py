"""The control of what an audit has beside the stages: fingerprints of a planted text, which must be found again."""

from pathlib import Path
from typing import Final

import numpy as np

from forensics.audit.fingerprints import Key, every
from forensics.audit.shelf import Shelf, Writer
from forensics.errors import ForensicsError
from forensics.match.library import Part
from forensics.match.normalise import fold
from forensics.match.spans import Text

_WORDS: Final = (
    "Zerlina Obermoser-Quist owes 4,317 crowns for the blue handcart that Ferenc Vadnay left at the Halstow quay on 9 "
    "March, against receipt 88213; the wheel was broken, and she will pay when it has been mended."
)
_FROM: Final = _WORDS.index("blue")
_PART: Final = Part(
    exchange_id="control", side="prompt", part=0, message_index=0, field="content", record_id="control:0:0",
    tenant="forensics-control", nameless=False, since_ns=None, characters=len(_WORDS),
)  # fmt: skip


def watch(folder: Path, key: Key, window: int) -> None:
    """Keeps a text's fingerprints in ``folder`` (scratch) as a run does, and looks for a passage as the next one does.

    Raises if it is not found in its place: then nothing that is kept could be.
    """
    writer = Writer(folder, 0, key, window)
    writer.take(_PART, Text(_PART.text_id, _PART.tenant, _WORDS))
    writer.finish()
    values, _ = every(fold(_WORDS[_FROM:].upper().replace(" ", "\n")), key)
    places = {int(start) for hits in Shelf(folder).look_up(np.unique(values)) for start in hits.start}
    expected = len(values) // window
    if len({start for start in places if start >= _FROM}) < expected:
        raise ForensicsError(
            "a positive control failed: a passage of a planted text was not found by its fingerprints",
            where="the fingerprints of kept texts",
            fix="Nothing was counted: a run that cannot find what it keeps cannot say that nothing happened",
        )
