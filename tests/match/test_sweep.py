"""The sweep: every response against every other tenant's text."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forensics.case.folder import Case
from forensics.errors import ForensicsError
from forensics.match.normalise import fold
from forensics.match.sweep import engine, verify
from forensics.match.sweep.case import sweep
from forensics.match.sweep.corpus import Meta, Unit, folded
from forensics.match.sweep.engine import Sweep, threshold
from forensics.match.sweep.folding import fold_block
from forensics.match.sweep.seeding import SPAN, seed_list
from forensics.match.sweep.state import State
from forensics.match.sweep.verify import Passage
from tests.match.story import Story

LATEST = np.iinfo(np.int64).max
LEAK = "the quarterly audit of warehouse nine found forty two crates of unlabelled solvent beside the loading ramp"


@dataclass
class Texts:
    """A corpus of given texts in row groups of ten."""

    units: Sequence[Unit]
    meta: Meta


def corpus(folder: Path, texts: Sequence[tuple[int, int, str, str]]) -> Texts:
    """Returns texts given as (exchange, tenant, side, text); exchange n begins at 10 n and ends five later."""
    path = folder / "texts.parquet"
    schema = pa.schema([("text", pa.string())])
    units = []
    with pq.ParquetWriter(path, schema) as file:
        for begin in range(0, len(texts), 10):
            some = [text for *_, text in texts[begin : begin + 10]]
            file.write_table(pa.table({"text": some}, schema=schema))
            units.append(Unit(path, begin // 10, begin + np.arange(len(some))))
    exchange = np.array([text[0] for text in texts])
    prompt = np.array([text[2] == "prompt" for text in texts])
    meta = Meta(
        tenant=np.array([text[1] for text in texts]), exchange=exchange,
        characters=np.array([len(text[3]) for text in texts]), since=np.where(prompt, 10 * exchange, 10 * exchange + 5),
        began=np.where(prompt, LATEST, 10 * exchange), until=np.where(prompt, LATEST, 10 * exchange + 5),
        prompt=prompt, answer=~prompt, tenants=max(text[1] for text in texts) + 1,
    )  # fmt: skip
    return Texts(units, meta)


def swept(texts: Texts, folder: Path, *, threads: int = 1, memory: int = 2_000_000_000) -> list[Passage]:
    """Returns what a sweep finds above the probable threshold."""
    state = State.open(folder / "state", "test")
    return sweeping(texts, state, threads=threads, memory=memory).passages()


def sweeping(texts: Texts, state: State, *, threads: int = 1, memory: int = 2_000_000_000) -> Sweep:
    least = threshold(texts.meta, 12_000)
    return Sweep(texts, state, threads=threads, memory=memory, least_milli=least, progress=lambda *_: None)


def dice(seed: int) -> Random:
    """Returns dice that fall alike in every run."""
    return Random(seed)  # noqa: S311


def prose(rng: Random, words: int) -> str:
    """Returns made-up words, few of them twice."""
    letters = "etaoinshrdlucmfwypvbgk"
    return " ".join("".join(rng.choice(letters) for _ in range(rng.randint(2, 9))) for _ in range(words))


def background(exchanges: int, seed: int = 1) -> list[tuple[int, int, str, str]]:
    """Returns exchanges of ten tenants that share nothing."""
    rng = dice(seed)
    return [
        (n, n % 10, side, prose(rng, 120 if side == "prompt" else 60))
        for n in range(exchanges)
        for side in ("prompt", "response")
    ]


def put(texts: list[tuple[int, int, str, str]], exchange: int, side: str, text: str) -> None:
    """Puts something into the middle of one text."""
    at = 2 * exchange + (side == "response")
    mine = texts[at][3]
    cut = mine.index(" ", len(mine) // 2)
    texts[at] = (*texts[at][:3], f"{mine[:cut]} {text}{mine[cut:]}")


def test_folding_blocks_says_what_folding_texts_says() -> None:
    rng = dice(7)
    pieces = [
        "aB", "é", "ﬁ", "中", "가", "Ω", "ß", "İ", "ﷺ", "😀", "\u0301", "\u200b", "\u1100", "\u1161", "\u11a8",
        "\\", "\\\\", "\\n", '\\"', "\\u4e2d", "\\u12", "\\ud83d\\ude00", "\\\\ud83d\\\\ude00", "\\ud800", "12",
        " ", "/", "u", "&", "&amp;", "&uuml;", "&#252;", "&#x4e2d;", ";", "#", "x41;", "lt;",
    ]  # fmt: skip
    texts = ["".join(rng.choice(pieces) for _ in range(rng.randint(0, 40))) for _ in range(2000)]
    raw = [text.encode() for text in texts]
    ends = np.cumsum([len(each) for each in raw])
    begins = ends - [len(each) for each in raw]
    block = fold_block(np.frombuffer(b"".join(raw), dtype=np.uint8), begins, ends)
    for i, text in enumerate(texts):
        assert block.data[block.bounds[i] : block.bounds[i + 1]].tobytes() == fold(text).data.tobytes(), text


def test_any_shared_run_of_the_stated_length_shares_a_seed() -> None:
    rng = np.random.default_rng(5)
    for low, high in ((97, 123), (128, 200), (48, 58)):
        for _ in range(300):
            run = rng.integers(low, high, size=SPAN).astype(np.uint8)
            sides = [
                np.concatenate([rng.integers(97, 123, size=40), run, rng.integers(97, 123, size=40)]).astype(np.uint8)
                for _ in range(2)
            ]
            first, second = (set(seed_list(side)[0].tolist()) for side in sides)
            assert first & second


def test_a_leak_is_found_with_exact_ends(tmp_path: Path) -> None:
    texts = background(60)
    put(texts, 3, "prompt", LEAK)
    put(texts, 44, "response", LEAK.upper().replace(" ", "\n"))
    found = swept(corpus(tmp_path, texts), tmp_path)
    assert [(p.answer, p.source) for p in found] == [(89, 6)]
    assert texts[6][3][found[0].span.source_start : found[0].span.source_end] == LEAK
    assert texts[89][3][found[0].span.response_start : found[0].span.response_end].split() == LEAK.upper().split()


def test_own_words_and_later_texts_explain_or_do_not_count(tmp_path: Path) -> None:
    texts = background(60)
    put(texts, 3, "prompt", LEAK)
    put(texts, 14, "prompt", LEAK)  # tenant 4 said it before it was told it
    put(texts, 44, "response", LEAK)
    other = LEAK.replace("warehouse", "greenhouse")[::-1]
    put(texts, 50, "response", other)
    put(texts, 51, "prompt", other)  # came later: cannot be the source
    assert swept(corpus(tmp_path, texts), tmp_path) == []


def test_many_readers_of_one_prompt_do_not_make_it_common(tmp_path: Path) -> None:
    texts = background(60)
    long = prose(dice(3), 60)
    put(texts, 3, "prompt", long)
    for n in (40, 41, 42, 44):
        put(texts, n, "response", long)
    found = swept(corpus(tmp_path, texts), tmp_path)
    assert {(p.answer, p.source) for p in found} >= {(2 * n + 1, 6) for n in (40, 41, 42, 44)}


def test_a_document_that_prompts_and_answers_quote_further_or_less_far_is_no_leak(tmp_path: Path) -> None:
    texts = background(100)
    document = prose(dice(5), 160)
    for n in range(4):
        put(texts, n, "prompt", document[:900])
    for n in range(44, 50):  # the tail stands in four prompts and two responses, the middle in four and six
        put(texts, n, "response", document[100 : 900 if n > 47 else 700])
    assert swept(corpus(tmp_path, texts), tmp_path) == []


def test_what_goes_on_from_a_document_is_probable_at_most(tmp_path: Path) -> None:
    texts = background(100)
    template, private = prose(dice(6), 50), prose(dice(7), 60)
    for n in range(0, 12, 3):
        put(texts, n, "prompt", template)
    put(texts, 20, "prompt", f"{template} {private}")
    put(texts, 61, "response", f"{template} {private}")
    (found,) = swept(corpus(tmp_path, texts), tmp_path)
    assert found.source == 40
    assert found.span.bits_milli == threshold(corpus(tmp_path, texts).meta, 12_000)


def test_what_many_tenants_hold_is_no_leak(tmp_path: Path) -> None:
    texts = background(100)
    for n in range(10):
        put(texts, n, "prompt", LEAK)
    put(texts, 90, "response", LEAK)
    assert swept(corpus(tmp_path, texts), tmp_path) == []


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("memory", [0, 8_000_000_000])
def test_findings_depend_on_neither_memory_nor_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int, memory: int
) -> None:
    monkeypatch.setattr(engine, "SHELF", 6_000)
    monkeypatch.setattr(engine, "SEGMENT", 3)
    texts = background(120)
    for n in range(8):
        leak = prose(dice(n), 14)
        put(texts, n, "prompt", leak)
        put(texts, 115 - 9 * n, "response", leak)
    with_bounds = swept(corpus(tmp_path, texts), tmp_path, threads=threads, memory=memory)
    (tmp_path / "plain").mkdir()
    monkeypatch.undo()
    assert with_bounds
    monkeypatch.setattr(engine, "SHELF", 6_000)
    assert with_bounds == swept(corpus(tmp_path / "plain", texts), tmp_path / "plain", memory=1 << 40)


def test_findings_do_not_depend_on_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = background(60)
    for source in range(0, 20, 2):
        rng = dice(source)
        leak = prose(rng, 40)
        put(texts, source, "prompt", leak)
        put(texts, source + 31, "response", leak)
    alone = swept(corpus(tmp_path, texts), tmp_path)
    (tmp_path / "again").mkdir()
    monkeypatch.setattr(verify, "_WORTHWHILE", 0)
    beside = swept(corpus(tmp_path / "again", texts), tmp_path / "again", threads=2, memory=3_000_000_000)
    assert beside == alone
    assert len(alone) == 10


def test_an_interrupted_sweep_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SEGMENT", 2)
    texts = background(60)
    put(texts, 3, "prompt", LEAK)
    put(texts, 44, "response", LEAK)
    made = corpus(tmp_path, texts)
    state = State.open(tmp_path / "state", "test")

    def stop(step: str, done: int, of: int) -> None:
        if step == "scan" and done >= of // 2:
            raise KeyboardInterrupt

    stopped = Sweep(
        made, state, threads=2, memory=1 << 31, least_milli=threshold(made.meta, 12_000), progress=stop
    )  # fmt: skip
    with pytest.raises(KeyboardInterrupt):
        stopped.passages()
    steps = {path.name for path in (tmp_path / "state" / "test").iterdir()}
    assert "counted-0" in steps
    assert any(name.startswith("scanned-0") for name in steps)
    again = sweeping(made, State.open(tmp_path / "state", "test"))
    assert [(p.answer, p.source) for p in again.passages()] == [(89, 6)]
    assert "count" not in again.figures.seconds


def test_a_lost_text_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = corpus(tmp_path, background(30))
    monkeypatch.setattr(engine, "folded", lambda unit: (each for each in folded(unit) if unit.row_group != 1))
    with pytest.raises(ForensicsError, match="lost or made up rows"):
        swept(made, tmp_path)


def test_degenerate_texts_cost_no_more_and_hide_nothing(tmp_path: Path) -> None:
    noise = base64.b64encode(np.random.default_rng(1).bytes(300_000)).decode()
    texts = background(40)
    odd = ["hello" * 10_000, "a" * 400_000, noise, "", "0" * 50_000, "ab" * 100_000, "the same line\n" * 5_000]
    for n, text in enumerate(odd):
        texts[2 * n] = (n, n, "prompt", f"{text} {LEAK} {n}" if text else "")
        texts[2 * n + 1] = (n, n, "response", text[: len(text) // 2])
    texts += [(40 + n, 9, "prompt", "please summarise the attached minutes of the meeting") for n in range(2_000)]
    texts += [(3_000, 8, "response", f"sure: {LEAK}. {'hello' * 5_000}")]
    found = swept(corpus(tmp_path, texts), tmp_path, threads=2)
    last = len(texts) - 1
    leaked = [p for p in found if p.answer == last]
    assert not leaked  # six tenants hold it
    texts[0] = (0, 0, "prompt", f"{odd[0]} {LEAK[::-1]}")
    texts[-1] = (3_000, 8, "response", f"sure: {LEAK[::-1]}. {'hello' * 5_000} {'a' * 300_000}")
    (tmp_path / "again").mkdir()
    found = swept(corpus(tmp_path / "again", texts), tmp_path / "again", threads=2)
    assert (last, 0) in {(p.answer, p.source) for p in found}


def test_a_case_is_swept_and_the_source_s_placement_said(tmp_path: Path) -> None:
    story = Story(tmp_path)
    rng = dice(2)
    for n in range(40):
        prompt, response = prose(rng, 100), prose(rng, 50)
        if n == 3:
            prompt = f"{prompt} {LEAK}"
        if n == 32:
            response = f"{LEAK} {response}"
        story.exchange(f"x{n:02d}", f"tenant {n % 7}", prompt, response)
    _, con = story.run()
    con.execute("ALTER TABLE exchange ADD COLUMN IF NOT EXISTS dp_rank INTEGER")
    con.execute("ALTER TABLE exchange ADD COLUMN IF NOT EXISTS epoch_ns BIGINT")
    con.execute(
        "UPDATE exchange SET decode_worker = CASE WHEN exchange_id = 'x03' THEN 'd1' ELSE 'd0' END, epoch_ns = 0"
    )
    case = Case.open(tmp_path / "case-1")
    report = sweep(con, case, threads=1, memory=1 << 31, progress=lambda *_: None)
    rows = con.execute(
        "SELECT exchange_id, source_exchange_id, source_side, placement, response_start FROM unexplained_match"
    ).fetchall()
    assert rows == [("x32", "x03", "prompt", "elsewhere", 0)]
    assert report.passages == 1
    assert not (case.work / "sweep").exists()
