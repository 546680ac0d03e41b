"""When requests come and how long they are: figures fitted once to public traces, and dice that follow them.

``benchmarks/fit_arrivals.py`` made ``FITTED`` and checks it; how is said there. A world takes the shape of the gaps,
not the rate: it has a thousandth of the requests, spread over two weeks with a day and a night.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np


@dataclass(frozen=True)
class Fit:
    """One trace: requests per second, gamma shape of the gaps, log-normal and Pareto figures of the lengths in tokens.

    ``tail_index`` is the Pareto index of the longest fiftieth of the inputs, ``seen_before`` the share of input blocks
    (512 tokens) that an earlier request had sent, where the trace tells.
    """

    per_second: float
    gap_shape: float
    input_mu: float
    input_sigma: float
    input_max: int
    tail_index: float | None
    output_mu: float
    output_sigma: float
    seen_before: float | None


FITTED: Final[dict[str, Fit]] = {
    "azure_2023_code": Fit(2.566, 0.006, 6.999, 1.36, 7_437, None, 2.788, 0.847, None),
    "azure_2023_conversation": Fit(5.53, 0.835, 6.633, 0.985, 14_050, 10.43, 5.019, 0.859, None),
    "mooncake_conversation": Fit(3.401, 0.109, 8.737, 1.199, 126_195, 3.57, 5.336, 1.358, 0.366),
    "mooncake_synthetic": Fit(3.906, 0.978, 7.982, 2.7, 191_378, 3.47, 3.916, 1.768, 0.64),
}

# How much of the world's ordinary traffic is like which trace: declared, not fitted.
MIXTURE: Final = {"azure_2023_conversation": 0.60, "azure_2023_code": 0.28, "mooncake_conversation": 0.12}
GAP_SHAPE: Final = FITTED["azure_2023_conversation"].gap_shape
TAIL_INDEX: Final = FITTED["mooncake_conversation"].tail_index or 3.57
SEEN_BEFORE: Final = FITTED["mooncake_conversation"].seen_before or 0.366
HOUR: Final = 3_600.0


def moments(rng: random.Random, number: int, hours: Sequence[float]) -> list[float]:
    """Returns ``number`` times in seconds, in order: fitted gaps, stretched so that hour ``i`` weighs ``hours[i]``."""
    steps = np.cumsum([rng.gammavariate(GAP_SHAPE, 1 / GAP_SHAPE) for _ in range(number + 1)])
    share = np.concatenate([[0.0], np.cumsum(hours)])
    at = np.interp(steps[:-1] / steps[-1] * share[-1], share, np.arange(len(share)) * HOUR)
    return [round(float(each), 3) for each in at]


def day_and_night(start_hour: float, hours: int) -> list[float]:
    """Returns a weight for each hour from ``start_hour`` (UTC) on: three times as busy at 14:00 as at 02:00."""
    return [1.0 + 0.5 * math.sin((start_hour + hour - 8) / 24 * 2 * math.pi) for hour in range(hours)]


def lengths(rng: random.Random) -> tuple[int, int]:
    """Returns input and output tokens of an ordinary exchange."""
    fit = FITTED[rng.choices(list(MIXTURE), list(MIXTURE.values()))[0]]
    asked = min(fit.input_max, round(rng.lognormvariate(fit.input_mu, fit.input_sigma)))
    return max(1, asked), max(1, round(rng.lognormvariate(fit.output_mu, fit.output_sigma)))


def longer_than(rng: random.Random, least: int, below: int) -> int:
    """Returns a length of ``least`` tokens or more and less than ``below``, from the fitted Pareto tail."""
    while True:
        size = int(least * rng.paretovariate(TAIL_INDEX))
        if size < below:
            return size
