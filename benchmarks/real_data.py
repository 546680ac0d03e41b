"""Makes exchanges of real texts for the accuracy benchmarks: clean traffic, and the grid of planted leaks.

The files are those of ``sweep_data.py``: ``prompt.parquet``, ``response.parquet``, ``truth.parquet``, ``corpus.json``.
Nothing made here is kept: the corpora are for measuring only.
"""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from sweep_data import Leaks, Writer, cut, escaped, loud, noisy, reworded, verbatim

TENANTS = 805  # of the answers: one for each instruction
MODELS = 12
PASSAGE = 1500  # characters of a document that a tenant quotes
SIZES = {"2 KB": 2_000, "40 KB": 40_000, "400 KB": 400_000, "4 MB": 4_000_000}
LANGUAGES = {"Cyrillic": "ru-RU", "Arabic": "fa-IR", "Chinese": "zh-TW", "Japanese": "ja-JP", "Korean": "ko-KR"}
PIECES = (("2 KB", 100), ("40 KB", 5), ("400 KB", 1))  # prompts that a document is cut into
TRIES = 50  # for a passage in a piece's own script
ALONE, OTHERS = 20, 0.2  # a passage is nobody's alone if a fifth of its runs of twenty letters stand in others' prompts
BOOKS = 6  # documents cut up; as many again are prompts of up to 4 MB

Garble = Callable[[str, random.Random], str]


@dataclass
class Exchange:
    """One prompt and its response."""

    tenant: int
    prompt: str
    response: str


def words_lost(share: float) -> Garble:
    """Returns a garbler that replaces this share of the words by other words of the passage, spelled backwards."""
    return lambda text, rng: reworded(text, rng, share)


def joined(text: str, _rng: random.Random) -> str:
    """Loses all spaces, as a token at a time put together wrongly does."""
    return text.replace(" ", "")


def broken(text: str, rng: random.Random) -> str:
    """Puts a replacement character where a character was cut, every forty characters or so."""
    return "".join("\ufffd" + c if rng.random() < 1 / 40 else c for c in text)


def interleaved(text: str, _rng: random.Random) -> str:
    """Puts words of the response's own between the two halves."""
    middle = text.find(" ", len(text) // 2)
    middle = middle if middle >= 0 else len(text) // 2
    return f"{text[:middle]} and then, as I said before, {text[middle:]}"


GRID: dict[str, tuple[Garble, tuple[int, ...]]] = {
    "verbatim": (verbatim, (40, 60, 120, 300, 1000)),
    "marked up": (loud, (60, 120, 300)),
    "json once": (lambda text, _rng: json.dumps(text), (60, 120, 300)),
    "json twice": (escaped, (60, 120, 300)),
    "spaces lost": (joined, (60, 120)),
    "U+FFFD": (broken, (120, 300)),
    "interleaved": (interleaved, (120, 300)),
    "noise 2 %": (noisy(0.02), (60, 120)),
    "noise 5 %": (noisy(0.05), (60, 120, 300)),
    "noise 10 %": (noisy(0.10), (100, 300)),
    "noise 20 %": (noisy(0.20), (300, 1000)),
    "words 10 %": (words_lost(0.10), (120, 300)),
    "words 20 %": (words_lost(0.20), (120, 300)),
    "words 30 %": (words_lost(0.30), (300, 1000)),
}


def answers(corpora: Path, *, hard: bool, half: int | None = None) -> list[Exchange]:
    """Returns the models' answers: one tenant per instruction, or (hard) every answer to it another tenant's.

    ``half`` 0 or 1 takes every other instruction: what was tuned on the one half is judged on the other.
    """
    rows = pq.read_table(corpora / "llm_answers.parquet").to_pylist()
    models = sorted({row["model"] for row in rows})
    numbers = {name: n for n, name in enumerate(sorted({row["instruction_id"] for row in rows}))}
    found = []
    for row in rows:
        tenant = numbers[row["instruction_id"]]
        if half is not None and tenant % 2 != half:
            continue
        if hard:
            tenant = (tenant + models.index(row["model"]) * (TENANTS // MODELS)) % TENANTS
        found.append(Exchange(tenant, row["instruction"], row["output"]))
    return found


def quoted(corpora: Path, rng: random.Random, times: int) -> list[Exchange]:
    """Returns prompts and responses in which many tenants quote public prompts and passages of one handbook."""
    public = pq.read_table(corpora / "public_prompts.parquet")["text"].to_pylist()
    documents = pq.read_table(corpora / "multilingual_documents.parquet")["text"].to_pylist()
    passages = [text[:PASSAGE] for text in rng.sample(public, 40)]
    for text in documents:
        for _ in range(3):
            begin = rng.randrange(max(1, len(text) - PASSAGE))
            passages.append(text[begin : begin + PASSAGE])
    found = []
    for passage in passages:
        for tenant in rng.sample(range(TENANTS), times):
            begin = rng.randrange(max(1, len(passage) // 4))
            part = passage[begin : begin + rng.randrange(200, PASSAGE)]
            asked = rng.random() < 0.5
            found.append(
                Exchange(tenant, part if asked else "Quote it, please.", "Noted." if asked else f"It says: {part}")
            )
    return found


def clean(corpora: Path, out: Path, *, hard: bool, times: int, seed: int, half: int | None = None) -> None:
    """Writes traffic in which nothing leaked; ``times`` tenants quote each public passage."""
    rng = random.Random(seed)
    exchanges = answers(corpora, hard=hard, half=half) + quoted(corpora, rng, times)
    rng.shuffle(exchanges)
    write(out, exchanges, [], seed)


def planted(corpora: Path, out: Path, each: int, seed: int) -> None:
    """Writes the grid: ``each`` leaks of each garbling and length, over scripts, prompt sizes and places."""
    rng = random.Random(seed)
    exchanges = list(_sources(corpora, rng))
    of: dict[str, dict[str, list[int]]] = {}
    for n, (script, size, _) in enumerate(exchanges):
        of.setdefault(script, {}).setdefault(size, []).append(n)
    asked = [exchange for _, _, exchange in exchanges]
    shared = shared_grams(asked)
    told = answers(corpora, hard=False, half=seed % 2)
    rng.shuffle(told)
    truth = []
    taken: dict[int, list[tuple[int, int]]] = {}
    target = iter(range(len(told)))
    for kind, (garble, lengths) in GRID.items():
        for length in lengths:
            for k in range(each):
                n, found = next(target), None
                while found is None:
                    script = "Latin" if k % 2 else rng.choice(list(LANGUAGES))
                    size = rng.choice(list(of[script]))
                    source = rng.choice(of[script][size])
                    found = _passage(asked[source].prompt, length, script, taken.setdefault(source, []), rng)
                    found = found if found and alone(found[0], shared) else None
                text, begin, end = found
                taken[source].append((begin, end))
                garbled = garble(text, rng)
                mine = told[n].response
                at = mine.rfind(" ", 0, rng.randrange(len(mine) + 1)) + 1
                told[n].response = f"{mine[:at]}{garbled} {mine[at:]}"
                truth.append({
                    "kind": f"{kind} {length}", "dense": f"{kind} {length}, {_spacing(script)}", "script": script,
                    "size": size, "response": len(asked) + n, "source": source, "response_start": at,
                    "response_end": at + len(garbled), "source_start": begin, "source_end": end,
                })  # fmt: skip
    write(out, asked + told, truth, seed)


def grams(text: str) -> NDArray[np.uint64]:
    """Returns a hash of every ``ALONE`` letters or digits in a row, whatever their case and what stands between."""
    letters = "".join(c for c in text.casefold() if c.isalnum())
    codes = np.frombuffer(letters.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    count = max(0, len(codes) - ALONE + 1)
    hashes = np.zeros(count, dtype=np.uint64)
    for at in range(ALONE):
        hashes = hashes * np.uint64(0x9E3779B97F4A7C15) + codes[at : at + count]
    return hashes


def shared_grams(asked: Sequence[Exchange]) -> NDArray[np.uint64]:
    """Returns, ascending, the grams that the prompts of several tenants hold."""
    of: dict[int, list[NDArray[np.uint64]]] = {}
    for exchange in asked:
        of.setdefault(exchange.tenant, []).append(grams(exchange.prompt))
    hashes, tenants = np.unique(
        np.concatenate([np.unique(np.concatenate(each)) for each in of.values()]), return_counts=True
    )
    return hashes[tenants > 1]


def alone(text: str, shared: NDArray[np.uint64]) -> bool:
    """Says whether one tenant's prompts alone hold this text."""
    mine = grams(text)
    found = shared[np.minimum(np.searchsorted(shared, mine), len(shared) - 1)] == mine
    return bool(found.mean() < OTHERS)


def _sources(corpora: Path, rng: random.Random) -> Iterator[tuple[str, str, Exchange]]:
    """Yields (script, size, exchange): disjoint pieces of documents, each another tenant's prompt."""
    books = pq.read_table(corpora / "long_documents.parquet")["text"].to_pylist()[: 2 * BOOKS]
    rows = pq.read_table(corpora / "multilingual_documents.parquet").to_pylist()
    text_of = {row["language"]: row["text"] for row in rows}
    cut_up = [("Latin", text) for text in books[:BOOKS]]
    cut_up += [(script, text_of[language]) for script, language in LANGUAGES.items()]
    for script, text in cut_up:
        at = 0
        for size, count in PIECES:
            for _ in range(count):
                piece = text[at : at + SIZES[size]]
                at += SIZES[size]
                if len(piece) * 2 > SIZES[size]:
                    yield script, size, Exchange(TENANTS + rng.randrange(400), piece, "Thank you.")
    for n, text in enumerate(books[BOOKS:]):
        yield "Latin", "4 MB", Exchange(TENANTS + 400 + n, text[: SIZES["4 MB"]], "Thank you.")


def _spacing(script: str) -> str:
    return "CJK" if script in {"Chinese", "Japanese", "Korean"} else "spaced"


def _passage(
    text: str, length: int, script: str, taken: list[tuple[int, int]], rng: random.Random
) -> tuple[str, int, int] | None:
    """Returns a stretch in its own script that has not leaked yet, if one is found.

    What the handbook leaves untranslated, many tenants hold; what several readers hold in parts may seem common, too.
    """
    for _ in range(TRIES):
        found = cut(text, length, rng)
        if any(found[1] < end and begin < found[2] for begin, end in taken):
            continue
        letters = [c for c in found[0] if c.isalnum()]
        foreign = sum(c > "\u02ff" for c in letters)
        if script == "Latin" or foreign * 10 >= 7 * len(letters):
            return found
    return None


def write(out: Path, exchanges: list[Exchange], truth: list[dict[str, object]], seed: int) -> None:
    """Writes the files."""
    out.mkdir(parents=True, exist_ok=True)
    writer = Writer(out)
    for n, exchange in enumerate(exchanges):
        writer.add(n, exchange.tenant, exchange.prompt, exchange.response)
    writer.close()
    schema = pa.schema([*Leaks.SCHEMA, ("script", pa.string()), ("size", pa.string()), ("dense", pa.string())])
    pq.write_table(pa.Table.from_pylist(truth, schema=schema), out / "truth.parquet")
    tenants = 1 + max(exchange.tenant for exchange in exchanges)
    figures = {"exchanges": len(exchanges), "tenants": tenants, "bytes": writer.written, "seed": seed}
    (out / "corpus.json").write_text(json.dumps(figures) + "\n", encoding="utf-8")
