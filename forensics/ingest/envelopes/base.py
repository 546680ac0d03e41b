"""What an envelope is: something that a runtime, a journal or a log store put around each line of a log."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from forensics.ingest.framing.records import MAX_LINE, Context, Line, Opens, Reject


@dataclass(frozen=True)
class Envelope:
    """One kind of envelope. ``begins`` looks at the sampled lines of a file, each perhaps cut.

    ``opens`` yields the lines within, each at the place (line, byte) where it stands in the file. A line that is in no
    such envelope passes as it is, since consoles mix. ``sure``: the shape alone proves it; of the others (a bare time
    stamp) the lines within must be recognised better than those without.
    """

    name: str
    begins: Callable[[list[bytes]], bool]
    opens: Opens
    sure: bool = True


class Halves:
    """Parts of long lines, kept until their last part comes; ``key`` tells streams that interleave apart."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._held: dict[object, list[Line]] = {}

    def add(self, key: object, line: Line, *, last: bool) -> Iterator[Line]:
        """Yields the whole line if ``line`` is its last part. What grows too long is a counted reject."""
        held = self._held.setdefault(key, [])
        held.append(line)
        length = sum(each.length for each in held) if len(held) < 64 or last or len(held) % 64 == 0 else 0
        if length > MAX_LINE:
            del self._held[key]
            self._context.oversized.append(Reject(held[0].number, held[0].offset, "line_too_long", length))
        elif last:
            del self._held[key]
            yield _joined(held)

    def rest(self) -> Iterator[Line]:
        """Yields the lines whose last part never came, as cut short."""
        for key in sorted(self._held, key=lambda each: self._held[each][0].offset):
            self._context.count("lines_without_their_end")
            yield _joined(self._held[key])._replace(ended=False)
        self._held.clear()


def _joined(parts: list[Line]) -> Line:
    if len(parts) == 1:
        return parts[0]
    data, length = b"".join(each.data for each in parts), sum(each.length for each in parts)
    return parts[0]._replace(data=data, ended=parts[-1].ended, length=length)


def mostly(lines: list[bytes], matches: Callable[[bytes], object], share: float = 0.25) -> bool:
    """Whether at least ``share`` of the lines match: consoles mix in what no runtime wrapped."""
    return bool(lines) and sum(bool(matches(line)) for line in lines) >= max(1, share * len(lines))
