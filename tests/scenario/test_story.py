"""The bundled story: the same bytes every time, lines as the machines write them, a truth that the pages bear out."""

import gzip
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from forensics.case.config import load_config
from forensics.scenario import tokens
from forensics.scenario.exchanges import NEVER, Exchange
from forensics.scenario.plan import DECODE_LIMIT, LIMIT, STORY
from forensics.scenario.pool import Lease, PagedPool
from forensics.scenario.serve import Serving
from forensics.scenario.story import write_story
from forensics.scenario.truth import StoryTruth
from forensics.scenario.world import STORY_START, STORY_WORLD, WORKERS
from tests.stories.writers import hostile_story, plain_story

SEEDS = (1, 2, 3)
ENGINE_PREFIX = re.compile(r"^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d( DP\d)?( TP\d)?\] ")


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, StoryTruth]:
    folder = tmp_path_factory.mktemp("story")
    return folder, plain_story(folder)


@pytest.fixture(scope="module")
def played() -> dict[int, list[Exchange]]:
    return {seed: _serving(seed).play(STORY) for seed in SEEDS}


def _serving(seed: int, *, fixed_engine: bool = False) -> Serving:
    return Serving(STORY_WORLD, seed=seed, start=STORY_START.timestamp(), fixed_engine=fixed_engine)


def _digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _lines(path: Path) -> Iterator[str]:
    data = path.read_bytes()
    yield from (gzip.decompress(data) if path.suffix == ".gz" else data).decode().splitlines()


def test_same_seed_same_bytes(story: tuple[Path, StoryTruth], tmp_path: Path) -> None:
    plain_story(tmp_path)
    assert _digests(tmp_path) == _digests(story[0])


def test_another_seed_is_another_text_with_the_same_shape(story: tuple[Path, StoryTruth], tmp_path: Path) -> None:
    other = plain_story(tmp_path, seed=2)
    assert set(_digests(tmp_path)) == set(_digests(story[0]))
    logs = {name for name, digest in _digests(tmp_path).items() if _digests(story[0])[name] == digest}
    assert not any(name.endswith((".jsonl", ".gz")) for name in logs)
    assert (other.totals["affected"], other.totals["over_pool"]) == (
        story[1].totals["affected"],
        story[1].totals["over_pool"],
    )


def test_declarations_are_valid(story: tuple[Path, StoryTruth]) -> None:
    config = load_config(story[0] / "case.toml")
    assert {tenant.name for tenant in config.tenant} == {tenant.name for tenant in STORY_WORLD.tenants}
    source = config.source_for(str(story[1].logs / "sglang" / "decode-a" / "server.log"))
    assert (source.worker, source.role, source.zone) == ("decode-a", "decode", "Europe/Berlin")
    assert config.source_for("logs/vllm/linnet-24b.log").year == STORY_START.year


def test_totals(story: tuple[Path, StoryTruth]) -> None:
    totals = story[1].totals
    assert totals["affected"] == 12
    assert totals["affected_by_mechanism"] == {"late_write": 2, "over_pool": 10}
    assert totals["affected_by_class"] == {"customer": 12, "internal": 1, "researcher": 1}
    assert totals["disclosure"] == {"with_foreign_text": 10, "none_found": 2}
    assert totals["over_pool"] == {"total": 15, "refused": 2, "no_output": 1, "truncated": 0, "answered": 12}


def test_gateway_holds_every_prompt_whole(story: tuple[Path, StoryTruth]) -> None:
    rows = [json.loads(line) for path in sorted((story[1].logs / "litellm").iterdir()) for line in _lines(path)]
    assert {row["id"] for row in rows} == {item.request_id for item in story[1].exchanges}
    sizes = {row["litellm_call_id"]: tokens.count(tokens.chat_text(row["messages"])) for row in rows}
    assert sizes == {item.call_id: item.prompt_tokens for item in story[1].exchanges}
    starts = [row["startTime"] for row in rows if row["status"] == "success"]
    assert all(isinstance(start, float) for start in starts)


def test_engine_lines_have_their_shapes(story: tuple[Path, StoryTruth]) -> None:
    for worker in WORKERS:
        if worker.role == "unified":
            continue
        lines = list(_lines(story[1].logs / "sglang" / worker.name / "server.log"))
        assert all(ENGINE_PREFIX.match(line) for line in lines), worker.name
        assert {line[1:11] for line in lines} == {f"{STORY_START:%Y-%m-%d}"}
        assert any(f"max_total_num_tokens={worker.pool}, " in line for line in lines)
        rejects = [line for line in lines if "exceeds the maximum allowed length" in line]
        assert all(f"({worker.limit} tokens)" in line and " TP1]" not in line for line in rejects)
        stats = [line for line in lines if "ReqTimeStats(" in line]
        assert all(re.search(r"bootstrap_room=\d+, input_len=\d+, cached_input_len=\d+, ", line) for line in stats)


def test_request_logs_parse_but_for_the_damage(story: tuple[Path, StoryTruth]) -> None:
    sglang = story[1].logs / "sglang"
    bad = Counter[str]()
    for path in sorted(sglang.rglob("pd-*_0.log*")):
        for line in _lines(path):
            if re.search(r"\] (Receive|Finish)", line):
                continue
            try:
                json.loads(line[line.index("{") :])
            except ValueError:
                bad[path.name] += 1
    assert bad == {"pd-decode-b_0.log": 1, "pd-prefill-a_0.log": 1}
    copies = sorted(sglang.rglob("pd-decode-a_0.log.*"))
    assert len({path.read_bytes() for path in copies}) == len(copies) - 1


def test_other_documents_parse(story: tuple[Path, StoryTruth]) -> None:
    logs = story[1].logs
    for path in [*logs.glob("otel/*"), *logs.glob("sglang/*/metrics/*")]:
        assert all(json.loads(line) for line in _lines(path))
    for path in logs.glob("sglang/server_info/*.json"):
        assert json.loads(path.read_text())["max_req_input_len"] == STORY_WORLD.worker(path.stem).limit
    for path in logs.glob("sse/*.sse"):
        events = path.read_text().split("\n\n")
        assert events[-2:] == ["data: [DONE]", ""]
        assert all(json.loads(event.removeprefix("data: "))["id"] for event in events[:-2])
    assert len(list(logs.glob("sse/*.sse"))) == 4


def test_the_fast_clock_shows(story: tuple[Path, StoryTruth], played: dict[int, list[Exchange]]) -> None:
    exchange = next(item for item in played[1] if item.key == "b01")
    line = next(
        line
        for line in _lines(story[1].logs / "sglang" / "decode-b" / "server.log")
        if exchange.decode_rid in line and "ReqTimeStats" in line
    )
    entry = float(re.search(r"entry_time=([\d.]+)", line).group(1))  # type: ignore[union-attr]
    assert entry == pytest.approx(exchange.times.engine + 1.2, abs=0.001)


@pytest.mark.parametrize("seed", SEEDS)
def test_sources_released_their_pages_before_they_were_reserved(seed: int, played: dict[int, list[Exchange]]) -> None:
    by_key = {exchange.key: exchange for exchange in played[seed]}
    stale = [(exchange, run) for exchange in played[seed] for run in exchange.stale if run.owner]
    assert stale
    for exchange, run in stale:
        source = by_key[run.owner]
        assert (source.decode, source.rank) == (exchange.decode, exchange.rank)
        assert NEVER < source.times.released <= exchange.times.reserved
        late = source.plan.stalls and not exchange.over_pool
        assert not late or exchange.times.reserved < source.times.landed < exchange.times.ended
        assert 0 <= run.first < run.last <= source.prompt_tokens + (source.response.tokens if source.response else 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_limits_alone_decide_who_is_over_pool(seed: int, played: dict[int, list[Exchange]]) -> None:
    for exchange in played[seed]:
        if exchange.outcome in ("bad_key", "too_long") or exchange.prefill is None:
            assert exchange.over_pool is None
        else:
            assert (exchange.over_pool is not None) == (exchange.prompt_tokens >= exchange.prefill.limit)
            assert (exchange.over_pool == "refused") == (exchange.prompt_tokens >= exchange.decode.limit)
    sizes = {exchange.prompt_tokens for exchange in played[seed]}
    assert {LIMIT - 1, LIMIT, DECODE_LIMIT + 2} <= sizes


@pytest.mark.parametrize("seed", SEEDS)
def test_every_word_said_stood_in_the_pages(seed: int, played: dict[int, list[Exchange]]) -> None:
    by_key = {exchange.key: exchange for exchange in played[seed]}
    spoken = [(exchange, word) for exchange in played[seed] if exchange.response for word in exchange.response.words]
    assert {word.how for _, word in spoken} >= {"verbatim", "garbled", "truncated", "mixed", "paraphrased", "reasoning"}
    for exchange, word in spoken:
        assert word.source in {run.owner for run in exchange.stale}
        source = by_key[word.source]
        sentences = [sentence for item in source.prompt.dossiers for sentence in item.sentences]
        assert word.how == "paraphrased" or word.source_text in sentences
        assert exchange.response
        assert word.output_text in exchange.response.raw


def test_no_page_has_two_owners(monkeypatch: pytest.MonkeyPatch) -> None:
    held: dict[int, set[int]] = {}
    take, release = PagedPool._take, PagedPool.release

    def checked_take(pool: PagedPool, pages: int) -> list[int]:
        taken = take(pool, pages)
        mine = held.setdefault(id(pool), set())
        assert not mine & set(taken)
        mine |= set(taken)
        assert len(mine) == pool.used
        return taken

    def checked_release(pool: PagedPool, lease: Lease) -> None:
        held[id(pool)] -= set(lease.pages)
        release(pool, lease)

    monkeypatch.setattr(PagedPool, "_take", checked_take)
    monkeypatch.setattr(PagedPool, "release", checked_release)
    serving = _serving(1)
    serving.play(STORY)
    assert all(pool.used == 0 for pool in serving.pools.values())


def test_truth_is_consistent(story: tuple[Path, StoryTruth]) -> None:
    folder, truth = story
    saved = json.loads((folder / "truth.json").read_text())
    assert saved["totals"] == truth.totals
    assert len({item["request_id"] for item in saved["exchanges"]}) == len(truth.exchanges) == len(STORY)
    known = {item.request_id: item for item in truth.exchanges}
    for item in truth.exchanges:
        assert (item.mechanism is not None) == (item.integrity == "affected")
        assert (item.source_request_id is not None) == ("confirmed" in item.disclosure)
        if item.source_request_id:
            assert known[item.source_request_id].tenant == item.source_tenant != item.tenant
        if item.mechanism == "late_write":
            assert item.eligible
    assert any(item.eligible and item.integrity == "not_affected" for item in truth.exchanges)
    assert "truth" not in {path.stem for path in truth.logs.rglob("*")}


def test_a_fixed_engine_leaks_nothing(tmp_path: Path) -> None:
    truth = write_story(tmp_path, fixed_engine=True)
    assert truth.totals["affected"] == 0
    assert truth.totals["over_pool"]["answered"] == 0
    assert not any(item.eligible for item in truth.exchanges)
    assert not any(" Deferred KV release" in line for line in _lines(truth.logs / "sglang/decode-b/server.log"))


def test_the_hostile_story_differs_in_texts_only(story: tuple[Path, StoryTruth], tmp_path: Path) -> None:
    truth = hostile_story(tmp_path)
    assert load_config(tmp_path / "case.toml").tenant[0].name == "<script>alert(1)</script>"
    assert truth.totals["affected"] == story[1].totals["affected"]
    assert truth.totals["over_pool"] == story[1].totals["over_pool"]
    plain, hostile = set(_digests(story[0])), set(_digests(tmp_path))
    assert plain == hostile
    gateway = b"".join(
        gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for path in sorted((truth.logs / "litellm").iterdir())
    )
    assert b"onerror=alert" in gateway
    assert b"\\u0000" in gateway
    assert b"\\ud83d" in gateway
    leaked = [word["output_text"] for item in truth.exchanges for word in item.words]
    assert any("=cmd|" in text or "onerror" in text or "{{ config }}" in text for text in leaked)
