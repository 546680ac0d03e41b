"""The fitted figures: still what the traces say, and what the dice follow."""
# ruff: noqa: S311 - dice

import random
import runpy
from pathlib import Path
from statistics import median

import pytest

from forensics.scenario import arrivals

FIT = Path(__file__).parents[2] / "benchmarks" / "fit_arrivals.py"


def test_figures_are_those_of_the_traces(capsys: pytest.CaptureFixture[str]) -> None:
    code = runpy.run_path(str(FIT))["main"]()
    if code == 2:
        pytest.skip("no traces under ../shared/data/corpora")
    assert code == 0, capsys.readouterr().out


def test_moments_are_in_order_and_follow_the_hours() -> None:
    at = arrivals.moments(random.Random(1), 4_000, [3.0, 1.0])
    assert at == sorted(at)
    assert 0 <= at[0] < at[-1] <= 2 * arrivals.HOUR
    assert sum(each < arrivals.HOUR for each in at) == pytest.approx(3_000, rel=0.1)


def test_lengths_beyond_a_limit_have_the_fitted_tail() -> None:
    rng = random.Random(1)
    sizes = [arrivals.longer_than(rng, 681_274, 1_048_570) for _ in range(3_000)]
    assert 681_274 <= min(sizes) < max(sizes) < 1_048_570
    within = 1 - (1_048_570 / 681_274) ** -arrivals.TAIL_INDEX
    expected = 681_274 * (1 - within / 2) ** (-1 / arrivals.TAIL_INDEX)
    assert median(sizes) == pytest.approx(expected, rel=0.02)
