"""Ranks, bounds and costs, by themselves."""

import numpy as np
import pytest

from forensics.timing import statistics
from forensics.timing.statistics import Work, corrected, cost, divide, expected, served, smaller, smaller_overall

COLD = np.linspace(0.8, 1.4, 19)
WARM = np.linspace(0.05, 0.5, 20)


def test_a_first_use_below_all_cold_ones_is_as_unlikely_as_its_arrangement() -> None:
    assert smaller(np.array([0.1, 0.2, 0.3, 0.4]), COLD) == pytest.approx(1 / 8855)


def test_ties_never_speak_for_a_shared_cache() -> None:
    assert smaller(np.ones(8), np.ones(19)) == pytest.approx(1.0)
    assert smaller_overall([(np.ones(8), np.ones(19))] * 9) > 0.999


def test_a_stalled_use_counts_no_more_than_any_slow_one() -> None:
    first = np.array([0.1, 0.2, 0.3, 0.4, 0.45, 0.5])
    slow, stalled = (smaller(np.append(first, each), COLD) for each in (1.0, 90.0))
    assert slow == stalled < 1e-4


def test_many_uses_are_weighed_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    pairs = [(rng.normal(0.8, 0.3, 30), rng.normal(1.0, 0.3, 60)) for _ in range(20)]
    exact = [smaller(*pair) for pair in pairs]
    monkeypatch.setattr(statistics, "EXACT_PAIRS", 0)
    assert [smaller(*pair) for pair in pairs] == pytest.approx(exact, rel=0.5, abs=1e-4)
    assert smaller(rng.normal(1.0, 0.3, 300), rng.normal(1.0, 0.3, 300)) > 0.01


def test_nothing_to_compare_is_no_evidence() -> None:
    assert smaller(np.array([]), COLD) == smaller(COLD, np.array([])) == smaller_overall([]) == 1.0
    assert corrected([]) == []


def test_two_first_uses_of_each_of_many_tenants_add_up() -> None:
    rng = np.random.default_rng(1)
    pairs = [(rng.choice(WARM, 2), COLD) for _ in range(30)]
    assert smaller(*pairs[0]) > 0.004
    assert smaller_overall(pairs) < 1e-9


def test_the_share_is_bounded_from_both_sides() -> None:
    assert divide(COLD, WARM) == pytest.approx((0.8 * 0.5) ** 0.5)
    all_of_them = served([(40, 40), (0, 100), (95, 100)], 0.01)
    none = served([(0, 200), (0, 100), (95, 100)], 0.01)
    few = served([(0, 3), (0, 100), (95, 100)], 0.01)
    assert 0.8 < all_of_them.low < all_of_them.likely <= all_of_them.high == 1.0
    assert none.low == none.likely == 0.0
    assert none.high < 0.05
    assert few.high > 0.8


def test_costs_are_found_through_stalls_and_unseen_hits() -> None:
    rng = np.random.default_rng(7)
    new = rng.uniform(500, 60_000, 800)
    beside = rng.uniform(0, 300, 800)
    taken = (2e7 + 9e4 * new + 1e5 * new * new / 1e5 + 9e4 * beside) * np.exp(rng.normal(0, 0.1, 800))
    taken[:40] *= 12
    taken[40:80] *= 0.05
    work = Work(new, beside, beside**2)
    ratios = taken / expected(work, cost(work, taken))
    assert np.median(ratios[80:]) == pytest.approx(1.0, abs=0.03)
    assert np.quantile(ratios[80:], 0.95) < 1.3
