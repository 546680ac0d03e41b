"""Fits arrivals and lengths to public traces of LLM services, and checks the figures that the simulator carries.

Reads ``../shared/data/corpora/arrival_traces.parquet`` (Azure LLM inference 2023, CC BY; Mooncake FAST'25,
Apache-2.0). Per trace: the gaps' gamma shape by moments (1 / CV squared), the log-normal of input and output tokens by
the mean and deviation of their logarithms, the largest input, the Pareto index of the longest fiftieth of inputs (Hill;
none where they are cut off), and the share of input blocks that an earlier request had sent. Prints the table of
``forensics/scenario/arrivals.py`` and exits 1 if it differs from what stands there.

    .venv/bin/python benchmarks/fit_arrivals.py
"""

import sys
from pathlib import Path

import numpy as np
import polars as pl

from forensics.scenario.arrivals import FITTED, Fit

TRACES = Path(__file__).parents[2] / "shared" / "data" / "corpora" / "arrival_traces.parquet"

NO_TAIL = 0.02  # mean log excess below which a trace's lengths are cut off rather than tailing off


def fit(rows: pl.DataFrame) -> Fit:
    """Returns the figures of one trace, ordered by time."""
    gaps = np.diff(rows["at_seconds"].to_numpy())
    asked, said = rows["input_tokens"].to_numpy().clip(1), rows["output_tokens"].to_numpy().clip(1)
    ordered = np.sort(asked)[::-1].astype(float)
    top = len(ordered) // 50
    tail = np.log(ordered[:top] / ordered[top]).mean()
    return Fit(
        per_second=round(float(1 / gaps.mean()), 3),
        gap_shape=round(float((gaps.mean() / gaps.std()) ** 2), 3),
        input_mu=round(float(np.log(asked).mean()), 3),
        input_sigma=round(float(np.log(asked).std()), 3),
        input_max=int(asked.max()),
        tail_index=round(float(1 / tail), 2) if tail > NO_TAIL else None,
        output_mu=round(float(np.log(said).mean()), 3),
        output_sigma=round(float(np.log(said).std()), 3),
        seen_before=_seen_before(rows["block_ids"].to_list()),
    )


def _seen_before(requests: list[list[int] | None]) -> float | None:
    """Returns the share of blocks that an earlier request had; None where the trace has no blocks."""
    seen: set[int] = set()
    total = again = 0
    for blocks in requests:
        total += len(blocks or ())
        again += sum(block in seen for block in blocks or ())
        seen.update(blocks or ())
    return round(again / total, 3) if total else None


def main() -> int:
    """Prints what the traces say; returns 1 where the simulator says otherwise, 2 without traces."""
    if not TRACES.exists():
        print(f"no traces at {TRACES}", file=sys.stderr)
        return 2
    table = pl.read_parquet(TRACES).sort("trace", "at_seconds")
    found = {str(name[0]): fit(rows) for name, rows in table.group_by("trace", maintain_order=True)}
    for name, figures in found.items():
        print(f'    "{name}": {figures},')
    wrong = [name for name, figures in found.items() if FITTED.get(name) != figures]
    print(f"differs from forensics/scenario/arrivals.py: {', '.join(wrong) or 'nothing'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
