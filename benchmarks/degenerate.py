"""Texts that blow up naive matchers: does each end in time proportional to its size, and is the leak beside it found?

    python benchmarks/degenerate.py [--only CASE …] [--scale 1.0] [--threads 2] [--interrupts 3] [--out degenerate.json]

Each case is swept, and searched by the suspects tier, in a process of its own at a quarter of its size and at its
size: processor seconds and their ratio are printed (four times the text; a fixed start makes it less than four).
Then a sweep of full size is interrupted, as Ctrl-C does, at several moments, and the seconds until the process
has ended are printed. In every case a passage of another tenant's prompt stands in a plain response and beside the
degenerate text in another one; both must be found.
"""

import argparse
import base64
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from sweep import PROBABLE, Made
from sweep_data import Writer

from forensics.match.engine import Shelf, Text, match
from forensics.match.ledger import HOLDER, SOURCE
from forensics.match.sweep.engine import Sweep, threshold
from forensics.match.sweep.state import State

BESIDE = 200  # exchanges of ten tenants around each case
MEGABYTES = 4_000_000
OWNER, READER, OTHER = 20, 21, 22  # tenants of the leak's source, of its readers, of everything else
SUSPECTS_MOST = 100_000  # texts that the suspects tier is given: that tier never sees more
QUARTER = 4

Exchange = tuple[int, str, str]  # tenant, prompt, response


def prose(rng: np.random.Generator, words: int) -> str:
    """Returns made-up words, few of them twice."""
    letters = np.frombuffer(b"etaoinshrdlucmfwypvbgk", dtype=np.uint8)
    text = letters[rng.integers(len(letters), size=6 * words)].reshape(words, 6)
    spaced = np.concatenate([text, np.full((words, 1), 32, dtype=np.uint8)], axis=1).reshape(-1)
    return spaced.tobytes().decode()


def beside(odd: str, leaks: list[str]) -> list[Exchange]:
    """Returns the owner's exchange, whose prompt holds the odd text and two passages, and those who read them."""
    return [
        (OWNER, f"{odd} {leaks[0]} and {leaks[1]} {odd}", "Noted."),
        (OTHER, "What is it?", odd[::-1]),
        (READER, "Tell me more.", f"Here it is: {leaks[0]}. That is all."),
        (READER, "Again.", f"{odd[: len(odd) // 2]} {leaks[1]} {odd[len(odd) // 2 :]}"),
    ]


def hello(size: float, leaks: list[str], _rng: np.random.Generator) -> Iterator[Exchange]:
    """A word repeated 10,000 times, in prompts and responses."""
    yield from beside("hello" * int(10_000 * size), leaks)


def character(size: float, leaks: list[str], _rng: np.random.Generator) -> Iterator[Exchange]:
    """4 MB of one character."""
    yield from beside("a" * int(MEGABYTES * size), leaks)


def base64_text(size: float, leaks: list[str], rng: np.random.Generator) -> Iterator[Exchange]:
    """4 MB of base64, another in each text."""
    for tenant, prompt, response in beside("#", leaks):
        made = [base64.b64encode(rng.bytes(int(0.75 * MEGABYTES * size))).decode() for _ in range(2)]
        yield tenant, prompt.replace("#", made[0]), response.replace("#", made[1])


def identical(size: float, leaks: list[str], rng: np.random.Generator) -> Iterator[Exchange]:
    """A million identical prompts of one tenant, which leak."""
    prompt = f"{prose(rng, 10)} {leaks[0]} {prose(rng, 10)} {leaks[1]}"
    for _ in range(int(1_000_000 * size)):
        yield OWNER, prompt, "Done."
    yield from beside("", leaks)[2:]


def empty(size: float, leaks: list[str], _rng: np.random.Generator) -> Iterator[Exchange]:
    """200,000 exchanges without a letter."""
    for n in range(int(200_000 * size)):
        yield OTHER + n % 7, ("", " ", "\n", "\u200b")[n % 4], ("", "…", "\ufeff")[n % 3]
    yield from beside("", leaks)


def long_prompt(size: float, leaks: list[str], rng: np.random.Generator) -> Iterator[Exchange]:
    """One prompt of 4 MB against 100,000 responses; it grows in the number of responses."""
    long = prose(np.random.default_rng(1), MEGABYTES // 7)
    yield from beside(long[: MEGABYTES // 2], leaks)[:1]
    for n in range(int(100_000 * size)):
        yield OTHER + n % 50, "Go on.", prose(rng, 40)
    yield from beside("", leaks)[2:]


CASES: dict[str, Callable[[float, list[str], np.random.Generator], Iterator[Exchange]]] = {
    "hello x 10,000": hello,
    "4 MB of one character": character,
    "4 MB of base64": base64_text,
    "1 M identical prompts": identical,
    "empty texts": empty,
    "4 MB against 100,000": long_prompt,
}


def main() -> None:
    """Runs the cases, or one of them in this process."""
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--only", nargs="+", choices=tuple(CASES), default=list(CASES))
    args.add_argument("--scale", type=float, default=1.0, help="1: the sizes that the cases are named for")
    args.add_argument("--threads", type=int, default=2)
    args.add_argument("--interrupts", type=int, default=3, help="of each case's sweep")
    args.add_argument("--out", type=Path)
    args.add_argument("--run", choices=("sweep", "suspects"), help="one case, in this process, over --data")
    args.add_argument("--data", type=Path)
    chosen = args.parse_args()
    if chosen.run:
        run = sweep if chosen.run == "sweep" else suspects
        print(json.dumps(run(chosen.data, chosen.threads)))
        return
    result = {}
    print(f"{'case':<24}{'tier':<10}{'MB':>8}{'quarter s':>11}{'whole s':>9}{'ratio':>7}{'found':>7}{'GB':>6}")
    for case in chosen.only:
        with tempfile.TemporaryDirectory() as name:
            result[case] = judged(case, Path(name), chosen.scale, chosen.threads, chosen.interrupts)
    if chosen.out:
        chosen.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def judged(case: str, folder: Path, scale: float, threads: int, interrupts: int) -> dict[str, Any]:
    """Returns what the case took at a quarter of its size and whole, by tier, and prints it."""
    sizes = {"quarter": scale / QUARTER, "whole": scale}
    written = {name: make(case, folder / name, size) for name, size in sizes.items()}
    result: dict[str, Any] = {"bytes": written["whole"]}
    for tier in ("sweep", "suspects"):
        told = {name: json.loads(_started(tier, folder / name, threads).communicate()[0]) for name in sizes}
        ratio = told["whole"]["seconds"] / max(told["quarter"]["seconds"], 0.01)
        result[tier] = told | {"ratio": round(ratio, 2)}
        whole = told["whole"]
        print(f"{case:<24}{tier:<10}{written['whole'] / 1e6:>8.1f}{told['quarter']['seconds']:>11.1f}"
              f"{whole['seconds']:>9.1f}{ratio:>7.2f}{whole['found']:>5}/2{whole['peak_gb']:>6.1f}")  # fmt: skip
    result["interrupted"] = [
        interrupted(folder / "whole", threads, result["sweep"]["whole"], (k + 0.5) / interrupts)
        for k in range(interrupts)
    ]
    if interrupts:
        said = ", ".join(f"{each['wall']} s ({each['processor']} s used)" for each in result["interrupted"])
        print(f"{case:<24}ended after an interrupt in {said}", flush=True)
    return result


def make(case: str, out: Path, size: float) -> int:
    """Writes the texts of a case; returns their bytes. The two passages are in ``leaks.json``."""
    out.mkdir()
    rng = np.random.default_rng(3)
    leaks = [prose(rng, 20).strip() for _ in range(2)]
    writer = Writer(out)
    around = [(n % 10, prose(rng, 100), prose(rng, 50)) for n in range(BESIDE)]
    count = 0
    for tenant, prompt, response in (*around, *CASES[case](size, leaks, rng)):
        writer.add(count, tenant, prompt, response)
        count += 1
    writer.close()
    (out / "leaks.json").write_text(json.dumps(leaks), encoding="utf-8")
    pq.write_table(pa.table({"exchange": [count - 2, count - 1]}), out / "readers.parquet")
    return writer.written


def sweep(data: Path, threads: int) -> dict[str, Any]:
    """Returns the processor seconds of a sweep and how many of the two readers it names."""
    corpus = Made(data)
    readers = set(pq.read_table(data / "readers.parquet")["exchange"].to_pylist())
    print("begun", file=sys.stderr, flush=True)
    used, began = time.process_time(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        state = State.open(Path(folder) / "state", "benchmark")
        found = Sweep(
            corpus, state, threads=threads, memory=4 << 30, least_milli=threshold(corpus.meta, PROBABLE),
            progress=lambda *_: None,
        ).passages()  # fmt: skip
    meta = corpus.meta
    named = {int(meta.exchange[p.answer]) for p in found if meta.tenant[p.source] == OWNER}
    return _told(used, began, len(named & readers), others=len({p.answer for p in found}) - len(named & readers))


def suspects(data: Path, threads: int) -> dict[str, Any]:
    """Returns the processor seconds of the suspects tier for the two readers, and how many of them it names."""
    readers = pq.read_table(data / "readers.parquet")["exchange"].to_pylist()
    sides = {side: pq.read_table(data / f"{side}.parquet") for side in ("prompt", "response")}
    told = sides["response"].filter(pc.is_in(sides["response"]["exchange"], pa.array(readers))).to_pylist()
    owned = sides["prompt"].filter(pc.equal(sides["prompt"]["tenant"], OWNER))
    others = sides["prompt"].filter(pc.not_equal(sides["prompt"]["tenant"], OWNER))
    some = others.slice(max(0, len(others) - SUSPECTS_MOST))
    asked = [*owned.to_pylist(), *some.to_pylist()]
    library = Shelf([Text(f"p{row['exchange']}", str(row["tenant"]), row["text"]) for row in asked])
    responses = [Text(f"r{row['exchange']}", str(READER), row["text"]) for row in told]
    role = {mine: np.full(2, 0 if mine else SOURCE | HOLDER, dtype=np.uint8) for mine in (False, True)}
    print("begun", file=sys.stderr, flush=True)
    used, began = time.process_time(), time.monotonic()
    found = match(responses, library, lambda text: role[text.tenant == str(READER)], threads=threads)
    named = {m.response_id for m in found if m.source_tenant == str(OWNER) and m.span.bits_milli >= PROBABLE}
    return _told(used, began, len(named), others=0)


def _told(used: float, began: float, found: int, others: int) -> dict[str, Any]:
    peak = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = time.process_time() - used + children.ru_utime + children.ru_stime
    wall = round(time.monotonic() - began, 2)
    return {"seconds": round(seconds, 2), "wall": wall, "found": found, "others": others, "peak_gb": peak}


def interrupted(data: Path, threads: int, whole: dict[str, Any], share: float) -> dict[str, float]:
    """Returns the seconds that a sweep goes on after an interrupt at this share of its time: by the clock, and used."""
    process = _started("sweep", data, threads, stderr=subprocess.PIPE)
    assert process.stderr is not None
    while "begun" not in process.stderr.readline():
        pass
    time.sleep(whole["wall"] * share)
    used = _used(process.pid)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    if process.returncode is not None:  # it had ended before
        return {"wall": 0.0, "processor": 0.0}
    process.stderr.read()
    _, _, usage = os.wait4(process.pid, 0)
    wall = round(time.monotonic() - began, 2)
    return {"wall": wall, "processor": round(usage.ru_utime + usage.ru_stime - used, 2)}


def _used(process: int) -> float:
    """Returns the processor seconds that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _started(tier: str, data: Path, threads: int, stderr: int = subprocess.DEVNULL) -> "subprocess.Popen[str]":
    command = [sys.executable, __file__, "--run", tier, "--data", str(data), "--threads", str(threads)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True)


if __name__ == "__main__":
    main()
