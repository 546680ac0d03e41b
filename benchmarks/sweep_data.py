"""Makes texts to sweep: varied, with the declared lengths, a few very long prompts, and planted leaks kept apart.

    python benchmarks/sweep_data.py CORPORA OUT --exchanges 100000 [--leaks 200] [--seed 1]

CORPORA is the folder of Parquet corpora (``llm_answers``, ``pan13_train``, ``multilingual_documents``, …). OUT gets
``prompt.parquet`` and ``response.parquet`` (exchange, tenant, text) and ``truth.parquet``. Lengths are those of
``azure_2023_conversation`` at four characters a token. Every text is made of phrases of the corpora, one to four words
at a time, so phrases recur among tenants as in any language and longer passages do not; a tenth of the prompts open
with one of a few hundred texts that many tenants use, and a tenth repeat the tenant's exchange before.
"""

import argparse
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba as nb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

CHARACTERS = 4  # of a token
GROUP = 8_000_000  # bytes of text in a row group
LONG, LONG_BYTES = 50, 4_000_000
SPACELESS = 12  # one exchange in so many is Chinese, Japanese or Korean


def main() -> None:
    """Writes the texts and the truth."""
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("corpora", type=Path)
    args.add_argument("out", type=Path)
    args.add_argument("--exchanges", type=int, default=10_000)
    args.add_argument("--tenants", type=int)
    args.add_argument("--leaks", type=int, default=200, help="of each kind")
    args.add_argument("--long", type=int, default=LONG)
    args.add_argument("--seed", type=int, default=1)
    chosen = args.parse_args()
    make(
        chosen.corpora, chosen.out, chosen.exchanges, chosen.tenants or max(20, chosen.exchanges // 100),
        chosen.leaks, chosen.long, chosen.seed,
    )  # fmt: skip


def make(corpora: Path, out: Path, exchanges: int, tenants: int, leaks: int, long: int, seed: int) -> None:
    """Writes so many exchanges of so many tenants, with ``leaks`` of each kind and ``long`` long prompts."""
    out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    trace = pq.read_table(corpora / "arrival_traces.parquet", filters=[("trace", "=", "azure_2023_conversation")])
    lengths = np.stack([trace["input_tokens"].to_numpy(), trace["output_tokens"].to_numpy()], axis=1) * CHARACTERS
    size = lengths[rng.integers(len(lengths), size=exchanges)]
    for place in rng.choice(exchanges, size=min(long, exchanges), replace=False):
        size[place, 0] = LONG_BYTES
    popularity = 1 / np.arange(10, tenants + 10)
    tenant = rng.choice(tenants, size=exchanges, p=popularity / popularity.sum()).astype(np.int32)
    spaceless = rng.integers(SPACELESS, size=exchanges) == 0
    spaced, dense = _phrases(corpora)
    shared = pq.read_table(corpora / "public_prompts.parquet")["text"].to_pylist()[:400]
    writer = Writer(out)
    before: dict[int, tuple[str, str]] = {}
    turn = rng.random(exchanges)
    plan = Leaks(leaks, tenant, size, spaceless, turn >= 0.2, random.Random(seed))
    for begin in range(0, exchanges, 2000):
        some = range(begin, min(begin + 2000, exchanges))
        prompts = _texts(spaced, dense, size[some, 0], spaceless[some], int(rng.integers(1 << 31)))
        responses = _texts(spaced, dense, size[some, 1], spaceless[some], int(rng.integers(1 << 31)))
        for i, n in enumerate(some):
            prompt, response = prompts[i], responses[i]
            if turn[n] < 0.1:
                prompt = shared[int(turn[n] * 10 * len(shared))][: len(prompt)] + "\n\n" + prompt[: len(prompt) // 2]
            elif turn[n] < 0.2 and int(tenant[n]) in before and len(prompt) < 100_000:
                prompt = "\n\n".join([*before[int(tenant[n])], prompt[: len(prompt) // 4]])
            prompt, response = plan.take(n, prompt, response)
            if len(prompt) < 20_000:
                before[int(tenant[n])] = (prompt, response)
            writer.add(n, int(tenant[n]), prompt, response)
    writer.close()
    pq.write_table(pa.Table.from_pylist(plan.truth, schema=Leaks.SCHEMA), out / "truth.parquet")
    figures = {"exchanges": exchanges, "tenants": tenants, "bytes": writer.written, "seed": seed}
    (out / "corpus.json").write_text(json.dumps(figures) + "\n", encoding="utf-8")
    print(json.dumps(figures))


class Leaks:
    """Decides which response gets what of which earlier prompt, how garbled, and keeps the truth."""

    SCHEMA = pa.schema([
        ("kind", pa.string()), ("response", pa.int64()), ("source", pa.int64()), ("response_start", pa.int64()),
        ("response_end", pa.int64()), ("source_start", pa.int64()), ("source_end", pa.int64()),
    ])  # fmt: skip

    def __init__(self, each: int, tenant: Any, size: Any, spaceless: Any, fresh: Any, rng: random.Random) -> None:
        """``each`` leaks of each kind, from prompts that are ``fresh``: what many tenants send cannot be traced."""
        exchanges = len(tenant)
        self.truth: list[dict[str, Any]] = []
        self._rng = rng
        self._wanted: dict[int, list[tuple[str, int]]] = {}
        self._held: dict[int, str] = {}
        self._planned: dict[int, tuple[str, int]] = {}
        long = [n for n in range(exchanges) if size[n, 0] > 1_000_000]
        for kind in KINDS:
            dense = kind.startswith("cjk")
            for k in range(each):
                for _ in range(1000):
                    source = rng.choice(long) if long and k % 20 == 0 and not dense else rng.randrange(exchanges - 1)
                    target = rng.randrange(source + 1, min(source + 20_000, exchanges)) if source + 1 < exchanges else 0
                    fits = bool(spaceless[source]) == dense and bool(spaceless[target]) == dense
                    if (
                        (
                            target
                            and fits
                            and fresh[source]
                            and tenant[source] != tenant[target]
                            and target not in self._planned
                        )
                        and size[source, 0] >= 1600
                        and size[target, 1] >= 80
                    ):
                        break
                else:
                    continue
                self._planned[target] = (kind, source)
                self._wanted.setdefault(source, []).append((kind, target))

    def take(self, n: int, prompt: str, response: str) -> tuple[str, str]:
        """Notes a prompt that will leak, and puts into a response what leaks into it."""
        if n in self._planned:
            kind, source = self._planned[n]
            garble = KINDS[kind][1]
            text, begin, end = self._held.pop(n)  # type: ignore[misc]
            leaked = garble(text, self._rng)
            at = self._rng.randrange(len(response) + 1)
            at = response.rfind(" ", 0, at) + 1
            response = response[:at] + leaked + " " + response[at:]
            self.truth.append({
                "kind": kind, "response": n, "source": source, "response_start": at, "response_end": at + len(leaked),
                "source_start": begin, "source_end": end,
            })  # fmt: skip
        for kind, target in self._wanted.get(n, []):
            self._held[target] = cut(prompt, KINDS[kind][0], self._rng)  # type: ignore[assignment]
        return prompt, response


def cut(text: str, letters: int, rng: random.Random) -> tuple[str, int, int]:
    """Returns a stretch of so many letters and digits, and where it stands."""
    begin = rng.randrange(max(1, len(text) - 3 * letters))
    begin = text.rfind(" ", 0, begin) + 1
    end, count = begin, 0
    while end < len(text) and count < letters:
        count += text[end].isalnum()
        end += 1
    return text[begin:end], begin, end


def verbatim(text: str, _rng: random.Random) -> str:
    """Changes nothing."""
    return text


def noisy(share: float) -> Callable[[str, random.Random], str]:
    """Returns a garbler that changes, loses or doubles this share of the characters."""

    def garble(text: str, rng: random.Random) -> str:
        pool = [c for c in text if c.isalnum()] or ["x"]
        out = []
        for character in text:
            if rng.random() >= share:
                out.append(character)
                continue
            kind = rng.randrange(3)
            if kind == 0:
                out.append(rng.choice(pool))
            elif kind == 1:
                out += [character, rng.choice(pool)]
        return "".join(out)

    return garble


def reworded(text: str, rng: random.Random, share: float = 0.2) -> str:
    """Replaces a share of the words; a passage without spaces is reworded in stretches of two characters."""
    if text.count(" ") * 20 < len(text):
        pairs = [text[at : at + 2] for at in range(0, len(text), 2)]
        return "".join(rng.choice(pairs)[::-1] if rng.random() < share else pair for pair in pairs)
    words = text.split(" ")
    return " ".join(rng.choice(words)[::-1] if rng.random() < share else word for word in words)


def loud(text: str, _rng: random.Random) -> str:
    """Capitals, Markdown marks and a line for each word."""
    return "\n".join(f"**{word}**" for word in text.upper().split())


def escaped(text: str, _rng: random.Random) -> str:
    """A JSON string within a JSON string."""
    return json.dumps(json.dumps(text))


KINDS: dict[str, tuple[int, Callable[[str, random.Random], str]]] = {
    "verbatim 60": (60, verbatim),
    "marked up 60": (60, loud),
    "json twice 60": (60, escaped),
    "noise 5 % 120": (120, noisy(0.05)),
    "noise 10 % 300": (300, noisy(0.10)),
    "words 20 % 300": (300, reworded),
    "cjk verbatim 40": (40, verbatim),
    "cjk noise 10 % 100": (100, noisy(0.10)),
}


class Writer:
    """Parquet files of prompts and of responses, in row groups of bounded size."""

    def __init__(self, out: Path) -> None:
        self._schema = pa.schema([("exchange", pa.int64()), ("tenant", pa.int32()), ("text", pa.string())])
        self._files = {
            side: pq.ParquetWriter(out / f"{side}.parquet", self._schema, compression="zstd")
            for side in ("prompt", "response")
        }
        self._rows: dict[str, list[tuple[int, int, str]]] = {"prompt": [], "response": []}
        self._size = {"prompt": 0, "response": 0}
        self.written = 0

    def add(self, n: int, tenant: int, prompt: str, response: str) -> None:
        """Takes one exchange."""
        for side, text in (("prompt", prompt), ("response", response)):
            self._rows[side].append((n, tenant, text))
            self._size[side] += len(text.encode())
            if self._size[side] >= GROUP:
                self._flush(side)

    def _flush(self, side: str) -> None:
        rows = self._rows[side]
        if rows:
            columns = [list(column) for column in zip(*rows, strict=True)]
            self._files[side].write_table(pa.table(columns, schema=self._schema))
        self.written += self._size[side]
        self._rows[side], self._size[side] = [], 0

    def close(self) -> None:
        """Writes what is left."""
        for side, file in self._files.items():
            self._flush(side)
            file.close()


def _phrases(corpora: Path) -> tuple[Any, Any]:
    """Returns (bytes, places where a phrase may begin or end) of spaced and of spaceless texts."""
    spaced = pq.read_table(corpora / "llm_answers.parquet")["output"].to_pylist()
    spaced += pq.read_table(corpora / "pan13_train" / "source.parquet")["text"].to_pylist()
    other = pq.read_table(corpora / "multilingual_documents.parquet").to_pylist()
    dense = [row["text"] for row in other if row["language"] in {"zh-CN", "zh-TW", "zh-cn", "ja-JP", "ja", "chinese"}]
    spaced += [
        row["text"] for row in other if row["language"] in {"de-DE", "fr-FR", "ru-RU", "pl-PL", "es-ES", "ko-KR"}
    ]
    first = np.frombuffer("\n".join(spaced).encode(), dtype=np.uint8)
    second = np.frombuffer("".join(dense).encode(), dtype=np.uint8)
    breaks = np.array([32 <= c < 48 or c in (10, 58, 59, 95) for c in range(256)])
    return (first, np.flatnonzero(breaks[first]) + 1), (second, np.flatnonzero((second & 0xC0) != 0x80))


def _texts(spaced: Any, dense: Any, size: Any, spaceless: Any, seed: int) -> list[str]:
    texts = []
    for k, (length, plain) in enumerate(zip(size.tolist(), spaceless.tolist(), strict=True)):
        data, cuts = dense if plain else spaced
        out = np.empty(length + 4096, dtype=np.uint8)
        n = _salad(data, cuts, length, (seed + 7919 * k) % (1 << 31), out)
        texts.append(out[:n].tobytes().decode("utf-8", "ignore"))
    return texts


@nb.njit(cache=True)
def _salad(data: Any, cuts: Any, length: int, seed: int, out: Any) -> int:
    np.random.seed(seed)
    n = 0
    while n < length:
        k = np.random.randint(0, len(cuts) - 10)
        begin, end = cuts[k], cuts[k + 1 + np.random.randint(0, 4)]
        end = min(end, begin + 60)
        while data[end] & 0xC0 == 0x80:
            end -= 1
        for at in range(begin, end):
            out[n] = data[at]
            n += 1
    return n


if __name__ == "__main__":
    main()
