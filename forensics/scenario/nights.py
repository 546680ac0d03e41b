"""Many nights of one deployment that never restarts: what an audit that runs at night is to be judged on.

One simulation plays all nights, so that a long prompt of one night may read pages that another night's requests left;
the logs are then cut at midnight, one folder per night.
"""

import json
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from forensics.scenario.author import Author
from forensics.scenario.declare import case_toml
from forensics.scenario.exchanges import Exchange
from forensics.scenario.logs import engine, gateway, requests, router
from forensics.scenario.logs.lines import Line, dumps, ordered, write_bytes, write_lines
from forensics.scenario.serve import Serving
from forensics.scenario.truth import StoryTruth, truth_of, write_truth
from forensics.scenario.world import ENGINE_START, MAIN, STORY_START, Worker, World
from forensics.scenario.worlds import A0, A1, B0, Plot, Script

DAY_S: Final = 86_400
STYLES: Final = ("verbatim", "garbled", "truncated", "mixed")


@dataclass(frozen=True)
class Nights:
    """What was written: one folder per night, the declarations, and the truth over all of them."""

    folders: tuple[Path, ...]
    case: Path
    truth: StoryTruth


def script(nights: int, leaks: AbstractSet[int], *, seed: int, crowd: int = 4, long: int = 2) -> Script:
    """Plans ``nights`` nights (numbered from 0) of ``crowd`` ordinary exchanges on every rank.

    In the nights of ``leaks``, ``long`` prompts that prefill cannot hold come first on each of two ranks: most pages
    that they read were left by earlier nights.
    """
    plot = Plot("nights", seed)
    first = plot.at
    for night in range(nights):
        plot.at = first + night * DAY_S
        for place in (A0, B0) if night in leaks else ():
            for number in range(long):
                plot.long(6 + number, place, style=STYLES[(night + number) % len(STYLES)])
        for place in (A0, A1, B0):
            plot.crowd(crowd, place, first=plot.rng.randrange(6))
    return plot.script()


def write_nights(folder: Path, script: Script, nights: int, *, seed: int, author: Author | None = None) -> Nights:
    """Writes ``folder/night-NN/…``, ``folder/case.toml`` and ``folder/truth.json``."""
    exchanges = Serving(script.world, seed=seed, start=STORY_START.timestamp(), author=author).play(script.plans)
    for name, lines in _logs(script.world, exchanges, nights, seed):
        for night in range(nights):
            texts = [line.text for line in lines if _night(line.at) == night]
            if texts:
                write_lines(folder / f"night-{night:02}" / name, texts)
    for worker in script.world.workers:
        about = json.dumps(engine.server_info(worker)).encode()
        write_bytes(folder / "night-00" / "sglang" / "server_info" / f"{worker.name}.json", about)
    (folder / "case.toml").write_text(case_toml(script.world), encoding="utf-8")
    truth = truth_of(exchanges, folder)
    write_truth(truth, folder / "truth.json")
    return Nights(tuple(folder / f"night-{night:02}" for night in range(nights)), folder / "case.toml", truth)


def _night(at: float) -> int:
    return max(0, int((at - STORY_START.replace(hour=0, minute=0).timestamp()) // DAY_S))


def _logs(world: World, exchanges: list[Exchange], nights: int, seed: int) -> Iterator[tuple[str, list[Line]]]:
    start = ENGINE_START.timestamp()
    end = (STORY_START + timedelta(days=nights)).timestamp()
    for worker in world.workers:
        yield from _engine(worker, exchanges, seed, start, end)
    yield "router/smg.log", ordered(router.router_log(world, MAIN, exchanges, start=start + 30))
    posted = gateway.posted(exchanges)
    yield (
        "litellm/standard_logging.jsonl",
        [Line(each.times.received, dumps(gateway.payload(each))) for each in posted],
    )


def _engine(
    worker: Worker, exchanges: Iterable[Exchange], seed: int, start: float, end: float
) -> Iterator[tuple[str, list[Line]]]:
    exchanges = list(exchanges)
    printed = engine.server_log(worker, exchanges, start=start, end=end, seed=seed)
    asked = list(requests.request_log(worker, exchanges)) if worker.request_log != "none" else []
    if worker.request_log == "stdout":
        printed += asked
    elif asked:
        yield f"sglang/{worker.name}/req/{worker.hostname}_0.log", ordered(asked)
    yield f"sglang/{worker.name}/server.log", ordered(printed)
