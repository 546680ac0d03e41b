"""Timed lines and the files they end up in: order, rotation by the hour, compression without a clock."""

import gzip
import heapq
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from forensics.scenario.world import Worker


@dataclass(frozen=True)
class Line:
    """One log line (without its end) and the true time, in epoch seconds, at which it was written."""

    at: float
    text: str


def ordered(lines: Iterable[Line]) -> list[Line]:
    """Returns ``lines`` in the order of writing; lines of one moment keep the order they were given in."""
    return sorted(lines, key=lambda line: line.at)


def streamed(lines: Iterable[Line], slack: float) -> Iterator[Line]:
    """Yields lines in the order of writing from an iterable that is out of order by at most ``slack`` seconds."""
    waiting: list[tuple[float, int, Line]] = []
    for number, line in enumerate(lines):
        heapq.heappush(waiting, (line.at, number, line))
        while waiting[0][0] < line.at - slack:
            yield heapq.heappop(waiting)[2]
    while waiting:
        yield heapq.heappop(waiting)[2]


def dumps(document: object, *, separators: tuple[str, str] | None = None) -> str:
    """Returns JSON with other scripts left as they are; escaped where half an emoji stands that UTF-8 cannot hold."""
    text = json.dumps(document, ensure_ascii=False, separators=separators)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(document, separators=separators)
    return text


def stamp(worker: Worker, at: float) -> str:
    """Returns the engine's own time stamp: the host's local time, no zone, whole seconds."""
    return f"{worker.local(at):%Y-%m-%d %H:%M:%S}"


def by_hour(worker: Worker, lines: Iterable[Line]) -> dict[str, list[str]]:
    """Returns texts by the host's local hour (``YYYY-MM-DD_HH``), hours in order."""
    hours: dict[str, list[str]] = {}
    for line in ordered(lines):
        hours.setdefault(f"{worker.local(line.at):%Y-%m-%d_%H}", []).append(line.text)
    return hours


def write_lines(path: Path, texts: Iterable[str]) -> None:
    """Writes lines to ``path``; a name that ends in ``.gz`` is compressed, with no time stamp inside."""
    write_bytes(path, "".join(f"{text}\n" for text in texts).encode("utf-8", "surrogatepass"))


def append_lines(path: Path, texts: Iterable[str]) -> None:
    """Writes lines behind those that ``path`` has, one at a time, for logs that are too long to be held."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        for text in texts:
            file.write(text.encode("utf-8", "surrogatepass"))
            file.write(b"\n")


def write_bytes(path: Path, data: bytes) -> None:
    """Writes ``data`` to ``path``, compressed if the name says so, making folders as needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gz":
        packed = io.BytesIO()
        with gzip.GzipFile(fileobj=packed, mode="wb", filename="", mtime=0) as file:
            file.write(data)
        data = packed.getvalue()
    path.write_bytes(data)


def write_rotated(folder: Path, worker: Worker, lines: Iterable[Line]) -> Mapping[str, Path]:
    """Writes a request log as its hourly handler leaves it: the current hour plain, older ones rotated and gzipped.

    Returns the path of each hour's file, in order.
    """
    hours = by_hour(worker, lines)
    name = f"{worker.hostname}_0.log"
    paths = {}
    for number, (hour, texts) in enumerate(hours.items(), 1):
        current = number == len(hours)
        paths[hour] = folder / (name if current else f"{name}.{hour}.gz")
        write_lines(paths[hour], texts)
    return paths
