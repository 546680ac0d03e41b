"""Files that grew: what begins with all that a kept content held replaces it, also after a rotation (``app.log.1``)."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from forensics.ingest.manifest import Entry
from forensics.ingest.streams import Decoded


def continued(entry: Entry, path: Path | None, kept: Mapping[str, Entry]) -> set[str]:
    """Returns the keys of kept contents that are the beginning of the content that ``entry`` tells of.

    ``path`` is where its file lies; None (an object, an archive's member) continues nothing, which costs a second
    look at the records that both hold, and finds nothing twice.
    """
    shorter = {
        key: each
        for key, each in kept.items()
        if entry.path.startswith(each.path)
        and each.decoded_bytes < entry.decoded_bytes
        and each.content == each.decoded_sha256
    }
    if path is None or not shorter or entry.content != entry.decoded_sha256:
        return set()
    wanted = sorted({each.decoded_bytes for each in shorter.values()})
    found = _digests(path, entry.path, wanted)
    return {key for key, each in shorter.items() if found.get(each.decoded_bytes) == each.decoded_sha256}


def _digests(path: Path, label: str, lengths: list[int]) -> dict[int, str]:
    """Returns the SHA-256 of the first so many decoded bytes of a file, for each of ``lengths``, ascending."""
    digest, done, found = hashlib.sha256(), 0, {}
    waiting = list(lengths)
    for chunk in Decoded(path, label):
        at = 0
        while waiting and waiting[0] <= done + len(chunk):
            cut = waiting.pop(0) - done
            digest.update(chunk[at:cut])
            found[done + cut] = digest.hexdigest()
            at = cut
        if not waiting:
            return found
        digest.update(chunk[at:])
        done += len(chunk)
    return found
