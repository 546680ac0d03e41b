"""Planted leaks and clean traffic of real texts, judged at the product's own thresholds.

    python benchmarks/accuracy.py CORPORA [--judged] [--each 40] [--only planted|suspects|clean] [--out accuracy.json]

CORPORA is the folder of Parquet corpora. ``planted`` hides leaks in models' answers, over garblings, lengths, scripts,
sizes of the prompt and places in it, and sweeps with no hypothesis. ``suspects`` gives each response twenty candidate
prompts and garbles 25 % of the characters. ``clean`` sweeps answers in which nothing leaked, with public passages that
many tenants quote: one tenant per instruction (easy), and each answer to it another tenant's (hard).

What was tuned was tuned without ``--judged``: with it other dice are thrown and the other half of the instructions is
taken. Prints tables and writes the same as JSON.
"""

import argparse
import json
import math
import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from real_data import answers, clean, planted
from sweep import CONFIRMED, PROBABLE, Made, judge, show_kinds, wilson
from sweep_data import cut, noisy

from forensics.match.engine import Settings, Shelf, Text, match
from forensics.match.ledger import HOLDER, SOURCE
from forensics.match.sweep.calibration import LITERAL, calibrated
from forensics.match.sweep.engine import Sweep, threshold
from forensics.match.sweep.state import State

SEEDS = (21, 22)  # of the dice while tuning, and while judging
TENANTS_QUOTING = 24
CANDIDATES, SUSPECTS, SUSPECT_LETTERS, SUSPECT_NOISE = 20, 100, 200, 0.25


def main() -> None:
    """Runs what is asked for."""
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("corpora", type=Path)
    args.add_argument("--judged", action="store_true")
    args.add_argument("--each", type=int, default=40, help="leaks of each garbling and length")
    args.add_argument("--only", choices=("planted", "suspects", "clean"))
    args.add_argument("--threads", type=int, default=2)
    args.add_argument("--out", type=Path)
    chosen = args.parse_args()
    half = int(chosen.judged)
    result: dict[str, Any] = {"judged": chosen.judged}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if chosen.only in {None, "planted"}:
            planted(chosen.corpora, folder / "planted", chosen.each, SEEDS[half])
            result["planted"] = swept(folder / "planted", chosen.threads)
            show_planted(result["planted"])
        if chosen.only in {None, "suspects"}:
            result["suspects"] = suspects(chosen.corpora, SEEDS[half])
            print(f"suspects tier, 25 % noise at {SUSPECT_LETTERS}: {result['suspects']}")
            result["unrelated"] = unrelated(chosen.corpora, SEEDS[half])
            print(f"suspects tier, unrelated texts: {result['unrelated']}")
        if chosen.only in {None, "clean"}:
            for hard in (False, True):
                kind = "clean, hard" if hard else "clean, easy"
                clean(chosen.corpora, folder / kind, hard=hard, times=TENANTS_QUOTING, seed=SEEDS[half], half=half)
                result[kind] = swept(folder / kind, chosen.threads)
                show_clean(kind, result[kind])
    if chosen.out:
        chosen.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def swept(data: Path, threads: int) -> dict[str, Any]:
    """Returns what sweeping some texts found, by every column of the truth, and by chance."""
    corpus = Made(data)
    probable, confirmed = threshold(corpus.meta, PROBABLE), threshold(corpus.meta, CONFIRMED)
    state = State.open(data / "state", "benchmark")
    sweep = Sweep(
        corpus, state, threads=threads, memory=4 << 30, least_milli=probable, progress=lambda *_: None
    )  # fmt: skip
    found = sweep.passages()
    result: dict[str, Any] = {"responses": sweep.figures.responses, "texts": sweep.figures.texts}
    for by in ("kind", "script", "size", "dense"):
        result[by], result["not_planted"] = judge(data, corpus, found, confirmed, by)
    for strength, least, alike in (("probable", probable, 0), ("confirmed", confirmed, LITERAL)):
        said = calibrated(found, sweep.chance, sweep.figures.responses, least, alike)
        result[strength] = {"found": said.found, "by_chance": said.by_chance, "said": str(said), "milli_bits": least}
    return result


def suspects(corpora: Path, seed: int) -> dict[str, Any]:
    """Returns how many garbled leaks the suspects tier finds, and wrong sources it names, at the probable threshold."""
    rng = random.Random(seed)
    sources = pq.read_table(corpora / "pan13_train" / "source.parquet")["text"].to_pylist()
    told = answers(corpora, hard=False)
    found = wrong = 0
    for k in range(SUSPECTS):
        prompts = [Text(f"p{n}", f"t{n}", text) for n, text in enumerate(rng.sample(sources, CANDIDATES))]
        leak = noisy(SUSPECT_NOISE)(cut(prompts[0].text, SUSPECT_LETTERS, rng)[0], rng)
        mine = rng.choice(told).response
        at = mine.rfind(" ", 0, rng.randrange(len(mine) + 1)) + 1
        response = Text(f"r{k}", "mine", f"{mine[:at]}{leak} {mine[at:]}")
        role = np.array([SOURCE | HOLDER], dtype=np.uint8)
        weight: dict[str, int] = {}
        for each in match([response], Shelf(prompts), lambda _text, role=role: role):  # type: ignore[misc]
            weight[each.source_id] = weight.get(each.source_id, 0) + each.span.bits_milli
        least = round(1000 * math.log2(CANDIDATES)) + PROBABLE
        found += weight.get("p0", 0) >= least
        wrong += any(bits >= least for name, bits in weight.items() if name != "p0")
    return {"planted": SUSPECTS, "found": found, "wilson": wilson(found, SUSPECTS), "wrong_source": wrong}


def unrelated(corpora: Path, seed: int) -> dict[str, int]:
    """Returns in how many pairs of unrelated texts the suspects tier finds what, by exact runs and by letters too."""
    rng = random.Random(seed)
    sources = pq.read_table(corpora / "pan13_train" / "source.parquet")["text"].to_pylist()
    prompts = pq.read_table(corpora / "public_prompts.parquet")["text"].to_pylist()
    texts = [
        Text(f"p{n}", f"t{n}", text) for n, text in enumerate(rng.sample(sources, 300) + rng.sample(prompts, 1_000))
    ]
    told = [
        Text(f"r{n}", f"m{n}", each.response) for n, each in enumerate(rng.sample(answers(corpora, hard=False), 400))
    ]
    role = np.full(len(told), SOURCE | HOLDER, dtype=np.uint8)
    result = {"pairs": len(texts) * len(told)}
    for name, garbled in (("exact runs alone", False), ("letters too", True)):
        weight: Counter[tuple[str, str]] = Counter()
        for each in match(told, Shelf(texts), lambda _text: role, Settings(garbled=garbled)):
            weight[each.response_id, each.source_id] += each.span.bits_milli
        result |= {f"{bits} bits, {name}": sum(each >= 1000 * bits for each in weight.values()) for bits in (8, 16)}
    return result


def show_planted(result: dict[str, Any]) -> None:
    """Prints the tables of the grid."""
    for by in ("kind", "script", "size"):
        show_kinds(result[by])
    show_kinds({kind: row for kind, row in result["dense"].items() if kind.endswith("CJK")})
    print("not planted:", result["not_planted"], "| probable:", result["probable"]["said"])


def show_clean(kind: str, result: dict[str, Any]) -> None:
    """Prints what was found where there is nothing to find."""
    for strength in ("probable", "confirmed"):
        said = result[strength]
        rate = 10_000 * said["found"] / max(result["responses"], 1)
        print(f"{kind}, {result['responses']:,} responses, {strength} (from {said['milli_bits'] / 1000:.1f} bits): "
              f"{said['said']}; {rate:.1f} in 10,000 responses")  # fmt: skip


if __name__ == "__main__":
    main()
