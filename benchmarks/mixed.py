"""A large folder of everything through ``ingest``: the most memory of all its processes, and whether the bar is true.

    python benchmarks/mixed.py --gigabytes 5 [--memory 1GB] [--folder DIR] [--json mixed.json]

Writes JSON lines, gzip, zstandard and tar, request logs of SGLang as JSON and as Python's ``repr``, engine logs, lines
within Kubernetes' CRI prefix, lines of 20 MB and shell text, ingests them in a process of its own, and samples its
memory (proportional set size, so that shared pages count once). Exit code 1: more than 2 GiB, a stage whose bar did not
end at its total, or one that stood still for a minute.
"""

import argparse
import gzip
import io
import json
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import IO, Any

import zstandard
from payloads import payload

from forensics.case.folder import Case
from forensics.ingest.run import ingest

BOUND = 2 << 30
STILL = 60.0
"""Seconds without a move of the bar that are a stall."""


def lines_of(kind: str, dice: Random, number: int) -> str:
    """Returns one record of a kind, as its log has it."""
    stamp, rid = f"2026-09-{number % 28 + 1:02d}T10:{number % 60:02d}:07", f"{number:032x}"
    if kind == "engine":
        return f"[{stamp.replace('T', ' ')} TP0] Prefill batch. #new-seq: 1, #new-token: {number % 8192}, #cached-token: 0, token usage: 0.{number % 90:02d}, #running-req: {number % 40}, #queue-req: 0,"  # noqa: E501
    if kind == "cri":
        return f"{stamp}.123456789Z stdout F {lines_of('engine', dice, number)}"
    if kind == "long":
        return json.dumps(payload(dice, number, 20 << 20))
    record = payload(dice, number, 6_000)
    text = record["messages"][1]["content"]
    if kind == "request":
        event = {"timestamp": f"{stamp}.5", "event": "request.finished", "rid": rid}
        answer = {"text": text[:400], "meta_info": {"id": rid, "prompt_tokens": 1500, "completion_tokens": 90}}
        return json.dumps({**event, "obj": {"rid": rid, "bootstrap_room": number + 1, "text": text}, "out": answer})
    if kind == "repr":
        meta = {"id": rid, "prompt_tokens": 1500, "cached_tokens": 0, "completion_tokens": 90}
        return (
            f"[{stamp.replace('T', ' ')}] Finish: obj=GenerateReqInput(rid={rid!r}, bootstrap_room={number + 1}, "
            f"text={text!r}, input_ids={dice.choices(range(150_000), k=400)}), "
            f"out={{'text': {text[:400]!r}, 'meta_info': {meta!r}}}"
        )
    return json.dumps(record)


def fill(out: IO[bytes], kind: str, size: int, first: int) -> None:
    """Writes records of a kind, with shell text between, until they are ``size`` bytes."""
    dice, written, number = Random(first), 0, first
    while written < size:
        data = (lines_of(kind, dice, number) + "\n").encode()
        if number % 5000 == 0 and kind != "long":
            data += b"+ kubectl logs --since=1h decode-0\n"
        out.write(data)
        written, number = written + len(data), number + 1


def write(folder: Path, total: int, file: int) -> None:
    """Writes files of every kind in turn, of ``file`` decoded bytes each, until ``total`` are there."""
    kinds = [
        "payload",
        "payload.gz",
        "request",
        "engine.zst",
        "payload",
        "repr",
        "cri.gz",
        "long",
        "request.tar",
        "payload",
    ]
    for number in range(max(1, total // file)):
        kind, _, packed = kinds[number % len(kinds)].partition(".")
        path = folder / kind / f"{number:03d}.log{f'.{packed}' if packed else ''}"
        path.parent.mkdir(parents=True, exist_ok=True)
        size, first = min(file, total), number * 1_000_000
        if packed == "gz":
            with gzip.open(path, "wb", compresslevel=1) as out:
                fill(out, kind, size, first)  # type: ignore[arg-type]
        elif packed == "zst":
            with path.open("wb") as raw, zstandard.ZstdCompressor().stream_writer(raw) as out:
                fill(out, kind, size, first)
        elif packed == "tar":
            held = io.BytesIO()
            fill(held, kind, size // 4, first)
            with tarfile.open(path, "w") as archive:
                about = tarfile.TarInfo("node/req/host_0.log")
                about.size = len(held.getvalue())
                archive.addfile(about, io.BytesIO(held.getvalue()))
        else:
            with path.open("wb") as out:
                fill(out, kind, size, first)


class Watched:
    """What a progress bar is told: per stage its total, what was told, and the longest time without a move."""

    def __init__(self) -> None:
        self.stages: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        self._last = time.monotonic()

    def stage(self, name: str, total: int) -> None:
        """A stage begins."""
        with self._lock:
            self._last = time.monotonic()
            self.stages.append({"stage": name, "total": total, "told": 0, "still": 0.0})

    def advance(self, done: int) -> None:
        """The bar moves."""
        with self._lock:
            now = time.monotonic()
            stage = self.stages[-1]
            stage["told"] += done
            stage["still"] = max(stage["still"], now - self._last)
            self._last = now


def run(folder: Path, logs: Path, memory: str, threads: int) -> dict[str, Any]:
    """Ingests in this process, and returns what the bar was told and how long it took."""
    declared = '[[source]]\nfiles = "*"\nzone = "UTC"\nyear = 2026\n'
    case = Case.create(folder, f'{declared}[resources]\nmemory = "{memory}"\nthreads = {threads}\n')
    watched, began = Watched(), time.monotonic()
    report = ingest(case, [logs], threads=threads, progress=watched)
    return {
        "seconds": time.monotonic() - began,
        "cpu": time.process_time(),
        "records": sum(each.records_kept for each in report.files),
        "files": len(report.files),
        "problems": [str(problem) for problem in report.problems],
        "stages": watched.stages,
    }


def tree(root: int) -> Iterator[int]:
    """Yields a process and all below it."""
    yield root
    for task in Path(f"/proc/{root}/task").glob("*/children"):
        for child in task.read_text().split():
            yield from tree(int(child))


def resident(root: int) -> int:
    """Returns the bytes of memory that a process and all below it hold, shared pages in proportion."""
    total = 0
    for process in tree(root):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) << 10
    return total


def sampled(process: "subprocess.Popen[bytes]", read: Callable[[int], int]) -> int:
    """Returns the most memory seen until the process ends."""
    most = 0
    while process.poll() is None:
        try:
            most = max(most, read(process.pid))
        except (OSError, ProcessLookupError):
            continue
        time.sleep(0.2)
    return most


def main() -> int:
    """Prints what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--gigabytes", type=float, default=5.0)
    parser.add_argument("--file-megabytes", type=int, default=200, help="decoded size of one file")
    parser.add_argument("--memory", default="1GB", help="[resources] memory of the case")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        told = run(arguments.run / "case", arguments.run / "logs", arguments.memory, arguments.threads)
        (arguments.run / "told.json").write_text(json.dumps(told), encoding="utf-8")
        return 0
    with tempfile.TemporaryDirectory(prefix="mixed-", dir=arguments.folder) as scratch:
        root = Path(scratch)
        write(root / "logs", int(arguments.gigabytes * 1e9), arguments.file_megabytes * 1_000_000)
        size = sum(path.stat().st_size for path in (root / "logs").rglob("*") if path.is_file())
        command = [sys.executable, __file__, "--run", str(root), "--memory", arguments.memory]
        process = subprocess.Popen([*command, "--threads", str(arguments.threads)])
        most = sampled(process, resident)
        assert process.returncode == 0, process.returncode
        told = json.loads((root / "told.json").read_text(encoding="utf-8"))
    found = {"bytes": size, "most": most, **told}
    print(f"{size / 1e9:.2f} GB, {found['records']:,} records of {found['files']} files in {found['seconds']:.0f} s")
    print(f"at most {most / 2**20:,.0f} MiB; problems: {found['problems'] or 'none'}")
    for each in found["stages"]:
        print(f"  {each['stage']:<10} {each['told']:>14,} of {each['total']:>14,}; longest still {each['still']:.1f} s")
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    true = all(each["told"] == each["total"] for each in found["stages"] if each["total"])
    still = max(each["still"] for each in found["stages"])
    return 0 if most <= BOUND and true and still < STILL else 1


if __name__ == "__main__":
    sys.exit(main())
