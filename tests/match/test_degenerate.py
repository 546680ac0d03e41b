"""Texts that blow up naive matchers, in small: the leak beside is found, and a request to stop is obeyed."""

import base64
from pathlib import Path

import numpy as np
import pytest

from forensics.match.engine import Shelf, Text, match
from forensics.match.ledger import HOLDER, SOURCE
from forensics.match.sweep.state import State
from forensics.match.sweep.workers import Stopped
from tests.match.test_sweep import LEAK, background, corpus, put, sweeping, swept

NOISE = base64.b64encode(np.random.default_rng(1).bytes(100_000)).decode()
OTHER = LEAK[::-1]
ODD = {
    "a word again and again": "hello" * 5_000,
    "one character": "a" * 200_000,
    "base64": NOISE,
    "a line again and again": "the same line\n" * 3_000,
    "zeros": "0" * 100_000,
    "nothing": "",
    "no letters": " \u200b\n" * 1_000,
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD.keys())
def test_a_leak_beside_odd_text_is_found_by_both_tiers(tmp_path: Path, odd: str) -> None:
    texts = background(60)
    texts[6] = (3, 3, "prompt", f"{odd} {LEAK} and {OTHER} {odd}")
    texts[9] = (4, 4, "response", odd[::-1])
    texts[89] = (44, 4, "response", f"{odd[: len(odd) // 2]} {LEAK} {odd[len(odd) // 2 :]}")
    put(texts, 54, "response", OTHER)
    assert {(89, 6), (109, 6)} <= {(p.answer, p.source) for p in swept(corpus(tmp_path, texts), tmp_path)}
    responses = [Text(f"r{n}", "reader", texts[n][3]) for n in (89, 109)]
    prompts = [Text(f"p{n}", f"t{texts[n][1]}", texts[n][3]) for n in range(0, 80, 2)]
    role = np.full(2, SOURCE | HOLDER, dtype=np.uint8)
    found = {(m.response_id, m.source_id) for m in match(responses, Shelf(prompts), lambda _text: role)}
    assert {("r89", "p6"), ("r109", "p6")} <= found


def test_a_prompt_sent_a_thousand_times_by_one_tenant_is_no_common_text(tmp_path: Path) -> None:
    texts = background(40)
    for n in range(40, 1_040):
        texts += [(n, 3, "prompt", f"Summarise: {LEAK}"), (n, 3, "response", "Done.")]
    texts += [(1_040, 4, "prompt", "And?"), (1_040, 4, "response", f"It says: {LEAK}.")]
    found = swept(corpus(tmp_path, texts), tmp_path)
    assert {(p.answer, texts[p.source][1]) for p in found} == {(len(texts) - 1, 3)}


def test_work_that_should_stop_is_not_finished(tmp_path: Path) -> None:
    texts = background(60)
    run = sweeping(corpus(tmp_path, texts), State.open(tmp_path / "state", "test"))
    run._workers.stopped[0] = 1
    with pytest.raises(Stopped):
        run.passages()


def test_arrays_are_kept_whole(tmp_path: Path) -> None:
    kept = {
        "empty": np.empty(0, dtype=np.uint64), "one": np.arange(100_000), "two": np.arange(12).reshape(3, 4)[:, ::2],
        "flags": np.array([True, False]),
    }  # fmt: skip
    state = State.open(tmp_path / "state", "test")
    state.save("step", kept)
    loaded = state.load("step")
    assert loaded is not None
    for name, values in kept.items():
        assert loaded[name].dtype == values.dtype
        assert (loaded[name] == values).all()
