"""Statistics of prefix-cache timing: how long a prompt should take, and whether first uses follow cold or warm ones.

Ranks, binomial bounds and Benjamini-Hochberg's correction only: no distribution is assumed, and no ratio of means is
taken. Times are nanoseconds; a *ratio* is a time over the time expected of a prompt that was not cached.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy  # loads its parts when they are first used: the distributions take most of a second

Floats = npt.NDArray[np.float64]

SQUARES: Final = 1e5  # tokens; squares are told in this unit, so that all terms are of like size
ROUNDS: Final = 3  # times that costs are fitted again without what is far off
EXACT_PAIRS: Final = 2_000  # up to so many pairs of a first and a cold use the rank test's distribution is exact


@dataclass(frozen=True)
class Groups:
    """Ratios of one tenant's cold, warm and first uses, in one environment (model, clock)."""

    cold: Floats
    warm: Floats
    first: Floats


@dataclass(frozen=True)
class Share:
    """Which share of the first uses was served from a cache, with its bounds; each between 0 and 1."""

    low: float
    likely: float
    high: float


@dataclass(frozen=True)
class Work:
    """What a worker had to do, per request: its new tokens, those computed beside it, and the sum of their squares."""

    new: Floats
    beside: Floats
    beside_squares: Floats

    def terms(self) -> Floats:
        """Returns what the time is made of, a row each: one request, its tokens, their squares, and the others'."""
        new, scale = self.new, SQUARES
        rows: Floats = np.stack([np.ones_like(new), new, new * new / scale, self.beside, self.beside_squares / scale])
        return rows

    def where(self, chosen: npt.NDArray[np.bool_]) -> "Work":
        """Returns the work of some of the requests."""
        return Work(self.new[chosen], self.beside[chosen], self.beside_squares[chosen])


def cost(work: Work, taken: Floats) -> Floats:
    """Returns what each of the terms of ``work`` costs in ns.

    Least squares of the relative error, over those that take up to twice as long or short as the usual one, so that
    stalls and what was cached unseen do not count. Sums are numpy's own: the number of threads changes nothing.
    """
    found = _least_squares(work, taken)
    for _ in range(ROUNDS):
        ratios = taken / expected(work, found)
        usual = float(np.median(ratios))
        near = (ratios > usual / 2) & (ratios < usual * 2)
        found = _least_squares(work.where(near), taken[near])
    return found


def _least_squares(work: Work, taken: Floats) -> Floats:
    """Returns costs of which none is below zero: of all sets of terms the best that has none."""
    terms = work.terms() / taken
    products = np.array([[float((a * b).sum()) for b in terms] for a in terms])
    goals = np.array([float(a.sum()) for a in terms])
    best, least = np.zeros(len(terms)), 0.0
    for size in range(1, len(terms) + 1):
        for chosen in map(list, combinations(range(len(terms)), size)):
            inner = products[np.ix_(chosen, chosen)]
            if np.linalg.cond(inner) > 1e15:
                continue
            found = np.linalg.solve(inner, goals[chosen])
            error = float(found @ inner @ found - 2 * goals[chosen] @ found)
            if (found >= 0).all() and error < least:
                best, least = np.zeros(len(terms)), error
                best[chosen] = found
    return best


def expected(work: Work, costs: Floats) -> Floats:
    """Returns the time to the first token (ns) that ``costs`` (of :func:`cost`) give each request."""
    times: Floats = np.maximum((work.terms() * costs[:, None]).sum(axis=0), 1.0)
    return times


def smaller(first: Floats, reference: Floats) -> float:
    """Returns the probability of ``first`` ranking as low as it does if it were drawn like ``reference``.

    A one-sided rank test whose ranks end where a sixteenth of ``reference`` is passed, if all of ``first`` lie below
    it: what a stall held up, or a cache had forgotten, counts no more against a shared cache than any other slow use.
    Exact up to ``EXACT_PAIRS``, else by the normal approximation. Ties count as if ``first`` were larger, so they never
    speak for a shared cache.
    """
    n, m = len(first), len(reference)
    if not n or not m:
        return 1.0
    order = np.lexsort((np.r_[np.ones(n), np.zeros(m)], np.r_[first, reference]))
    scores = np.minimum(np.arange(n + m), n + m // 16)
    found = int(scores[order < n].sum())
    if n * m <= EXACT_PAIRS:
        return _share_of_sums(scores, n, found)
    mean, spread = n * scores.mean(), scores.std() * math.sqrt(n * m / (n + m - 1))
    return min(1.0, float(scipy.stats.norm.cdf((found - mean + 0.5) / spread)))


def _share_of_sums(scores: npt.NDArray[np.int64], chosen: int, most: int) -> float:
    """Returns the share of all choices of so many ``scores`` that sum up to ``most`` or less."""
    ways = np.zeros((chosen + 1, most + 1))
    ways[0, 0] = 1.0
    for score in scores[scores <= most].tolist():
        ways[1:, score:] += ways[:-1, : most + 1 - score].copy()
    return min(1.0, float(ways[chosen].sum()) / math.comb(len(scores), chosen))


def smaller_overall(pairs: Sequence[tuple[Floats, Floats]]) -> float:
    """Returns the same probability over several groups, each ranked within itself (van Elteren's test)."""
    total = variance = 0.0
    for first, reference in pairs:
        n, m = len(first), len(reference)
        if n and m:
            above = (first[:, None] >= reference[None, :]).sum()
            weight = 1.0 / (n + m + 1)
            total += weight * (float(above) - n * m / 2)
            variance += weight**2 * n * m * (n + m + 1) / 12
    return float(scipy.stats.norm.cdf(total / math.sqrt(variance))) if variance else 1.0


def divide(cold: Floats, warm: Floats) -> float:
    """Returns the value that parts warm from cold best: the most warm ones below it for the fewest cold ones.

    Of all values between the two neighbours that do so equally well, it is their geometric mean.
    """
    points = np.unique(np.r_[cold, warm])
    below_warm = np.searchsorted(np.sort(warm), points, side="left") / len(warm)
    below_cold = np.searchsorted(np.sort(cold), points, side="left") / len(cold)
    best = int(np.argmax(below_warm - below_cold))
    return float(np.sqrt(points[best] * points[max(best - 1, 0)]))


def served(counts: Sequence[tuple[int, int]], alpha: float) -> Share:
    """Returns the share of first uses that a cache served, by ``counts`` of (below the divide, all) of three classes.

    ``counts`` are of first, cold and warm uses. First uses are a mixture of the two; its bounds come from
    Clopper-Pearson bounds of each count, which together fail with a probability of at most ``alpha``.
    """
    (first, cold, warm) = (_bounds(below, of, alpha / 3) for below, of in counts)
    likely = [below / of if of else 0.0 for below, of in counts]
    return Share(
        _mixed(first[0], cold[1], warm[1]), _mixed(likely[0], likely[1], likely[2]), _mixed(first[1], cold[0], warm[0])
    )


def bounds(found: int, of: int, alpha: float) -> Share:
    """Returns a share that was counted outright, with its two-sided bounds."""
    low, high = _bounds(found, of, alpha)
    return Share(low, found / of if of else 0.0, high)


def corrected(chances: Sequence[float]) -> list[float]:
    """Returns chances corrected for their number (Benjamini-Hochberg): the share of false alarms among those below."""
    return [float(each) for each in scipy.stats.false_discovery_control(list(chances))] if chances else []


def _bounds(found: int, of: int, alpha: float) -> tuple[float, float]:
    low = float(scipy.stats.beta.ppf(alpha / 2, found, of - found + 1)) if found else 0.0
    high = float(scipy.stats.beta.ppf(1 - alpha / 2, found + 1, of - found)) if found < of else 1.0
    return low, high


def _mixed(first: float, cold: float, warm: float) -> float:
    """Solves ``first = share * warm + (1 - share) * cold`` for the share."""
    if warm <= cold:
        return 1.0 if first > cold else 0.0
    return min(1.0, max(0.0, (first - cold) / (warm - cold)))
