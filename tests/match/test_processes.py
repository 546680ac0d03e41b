"""Weighing in processes: the same matches, and no process that outlives its parent."""

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from forensics.case import child
from forensics.errors import ForensicsError
from forensics.match import processes
from forensics.match.engine import Match, Shelf, Text, match
from forensics.match.ledger import HOLDER, SOURCE
from forensics.match.reading import Shared
from forensics.match.weighing import Weighing

WORDS = ["lorry", "solvent", "Trondheim", "brake", "tank", "nine", "coroner", "Ysolde", "cut", "litres", "from", "had"]


def story(seed: int, length: int) -> str:
    dice = random.Random(seed)  # noqa: S311
    return " ".join(dice.choice(WORDS) + str(dice.randrange(99)) * (dice.random() < 0.3) for _ in range(length))


def found(threads: int) -> list[Match]:
    responses = [Text(f"r{i}", "cedar", story(i, 80)[7:-9] + story(90 + i, 60)) for i in range(12)]
    sources = [Text(f"s{i:03d}", f"t{i % 7}", story(i, 900)) for i in range(140)]
    flags = np.full(len(responses), SOURCE | HOLDER, dtype=np.uint8)
    return match(responses, Shelf(sources), lambda _text: flags, threads=threads)


def test_processes_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = found(1)
    started: list[object] = []

    class Pool(ProcessPoolExecutor):
        def __init__(self, *a: Any, **k: Any) -> None:
            started.append(a)
            super().__init__(*a, **k)

    monkeypatch.setattr(processes, "_WORTHWHILE", 0)
    monkeypatch.setattr(child, "ProcessPoolExecutor", Pool)
    assert found(2) == alone
    assert started
    assert {m.response_id for m in alone} == {f"r{i}" for i in range(12)}
    assert not multiprocessing.active_children()


class Runs:
    """What a text shares."""

    runs = ()


class Killed:
    """A search whose process is killed."""

    def matches(self, text: Text, shared: Shared) -> list[Match]:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


def test_a_killed_process_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_WORTHWHILE", 0)
    with pytest.raises(ForensicsError, match="ended from outside"):
        list(processes.weighed([Text("a", None, "x")], {"a": cast(Shared, Runs())}, cast(Weighing, Killed()), 2))
    assert not multiprocessing.active_children()


SLOW = """
import sys, time
sys.path.insert(0, sys.argv[1])
from forensics.match import processes

class Slow:
    def matches(self, text, shared):
        time.sleep(30)

    def __setstate__(self, state):
        print(__import__("os").getpid(), flush=True)

    def __getstate__(self):
        return {"some": 1}

class Runs:
    runs = [0] * 10**6

if __name__ == "__main__":
    from forensics.match.spans import Text
    texts = [Text(str(i), None, "x" * 70_000) for i in range(8)]
    list(processes.weighed(texts, {t.text_id: Runs() for t in texts}, Slow(), 2))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_no_process_outlives_its_parent(tmp_path: Path, how: signal.Signals) -> None:
    script = tmp_path / "slow.py"
    script.write_text(SLOW)
    parent = subprocess.Popen(
        [sys.executable, str(script), str(Path(processes.__file__).parents[2])],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert parent.stdout
    children = [int(parent.stdout.readline()) for _ in range(2)]
    parent.send_signal(how)
    began = time.monotonic()
    parent.wait(timeout=20)
    while any(_runs(pid) for pid in children):
        assert time.monotonic() - began < 20
        time.sleep(0.05)
    assert time.monotonic() - began < 5
    parent.stdout.close()


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
