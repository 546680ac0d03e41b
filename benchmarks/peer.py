"""One peer's work, run by ``peers.py`` with the peers' own Python: ``peer.py PEER WORK IN OUT``. Prints JSON.

``pan13`` (IN: the corpus) writes passages as ``forensics compare`` does. ``planted`` and ``clean`` (IN: texts and truth
as ``accuracy.py`` writes them) tell what is found of leaks and where nothing leaked. ``speed`` (IN: texts as
``sweep_data.py`` writes them) tells how long a peer takes to have all texts ready to be compared.
"""

import io
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

K, GUARANTEE = 25, 30  # copydetect's defaults: noise and guarantee threshold, in characters
SHORTEST_RUN = 12  # sim_text: tokens
WINDOW, STEP = 100, 50  # characters of a response that are held against a prompt at a time
LARGEST = 1 << 16  # characters of a prompt that rapidfuzz is given
WRONG = 100  # one in so many wrong pairs may be hit
WORDS = 5  # of a shingle of datasketch and rensa
PERMUTATIONS = 128
PATIENCE = 300  # seconds
Row = tuple[str, str, int, int, int, int]
_HEAD = re.compile(r"^(\d+)\.s: line (\d+)-(\d+)\s*\|(\d+)\.p: line (\d+)-(\d+)\s*\[\d+\]")


def _texts(path: Path) -> dict[str, str]:
    table = pq.read_table(path)
    return dict(zip(table.column(0).to_pylist(), table.column(1).to_pylist(), strict=True))


def _write(rows: list[Row], out: Path) -> dict[str, Any]:
    names = ("response_id", "prompt_id", "response_start", "response_end", "prompt_start", "prompt_end")
    pq.write_table(pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)}), out)
    return {"passages": len(rows)}


def copydetect_pan13(data: Path, out: Path) -> dict[str, Any]:
    """Winnowing of the given pairs; all pairs would be 5.8 million turns of a loop in Python."""
    from copydetect import CodeFingerprint, compare_files

    texts = {side: _texts(data / f"{side}.parquet") for side in ("suspicious", "source")}
    made: dict[tuple[str, str], Any] = {}

    def print_of(side: str, name: str) -> Any:
        if (side, name) not in made:
            text = io.StringIO(texts[side][name])
            made[side, name] = CodeFingerprint(name, K, GUARANTEE - K + 1, filter=False, fp=text)
        return made[side, name]

    rows: list[Row] = []
    for pair in pq.read_table(data / "pairs.parquet").to_pylist():
        mine, theirs = print_of("suspicious", pair["suspicious"]), print_of("source", pair["source"])
        _, _, (told, held) = compare_files(mine, theirs)
        for begin, end in zip(*told, strict=True):
            first, last = (int(held[0][0]), int(held[1][-1])) if len(held[0]) else (0, 0)
            rows.append((pair["suspicious"], pair["source"], int(begin), int(end), first, last))
    return _write(rows, out)


def sim_text_pan13(data: Path, out: Path) -> dict[str, Any]:
    """Exact runs of words, every suspicious document against every source; places are those of lines."""
    texts = [_texts(data / f"{side}.parquet") for side in ("suspicious", "source")]
    names, lines = [list(each) for each in texts], [[_lines(text) for text in each.values()] for each in texts]
    with tempfile.TemporaryDirectory() as folder:
        for suffix, each in zip("sp", texts, strict=True):
            for number, text in enumerate(each.values()):
                Path(folder, f"{number}.{suffix}").write_text(text, encoding="utf-8")
        listed = [*(f"{n}.s" for n in range(len(names[0]))), "/", *(f"{n}.p" for n in range(len(names[1])))]
        command = ["sim_text", f"-r{SHORTEST_RUN}", "-n", "-T", "-S", "-w200", "-i"]
        told = subprocess.run(
            command, input="\n".join([*listed, ""]), cwd=folder, capture_output=True, text=True, check=True
        )
    rows: list[Row] = []
    for line in told.stdout.splitlines():
        if found := _HEAD.match(line):
            mine, first, last, theirs, source_first, source_last = map(int, found.groups())
            places = lines[0][mine], lines[1][theirs]
            rows.append(
                (
                    names[0][mine], names[1][theirs],
                    places[0][first - 1], places[0][min(last, len(places[0]) - 1)],
                    places[1][source_first - 1], places[1][min(source_last, len(places[1]) - 1)],
                )
            )  # fmt: skip
    return _write(rows, out)


def _lines(text: str) -> list[int]:
    """Returns where each line begins, and the end of the last."""
    return [0, *(n + 1 for n, sign in enumerate(text) if sign == "\n"), len(text)]


def _planted(data: Path) -> Iterator[tuple[str, str, str, str]]:
    """Yields (kind, response, its prompt, the next leak's prompt) of every leak out of a prompt not too large."""
    truth = pq.read_table(data / "truth.parquet").to_pylist()
    wanted = {leak["source"] for leak in truth}, {leak["response"] for leak in truth}
    held = []
    for side, numbers in zip(("prompt", "response"), wanted, strict=True):
        table = pq.read_table(data / f"{side}.parquet", columns=["exchange", "text"])
        rows = zip(table["exchange"].to_pylist(), table["text"].to_pylist(), strict=True)
        held.append({number: text.casefold() for number, text in rows if number in numbers})
    prompts, responses = held
    small = [leak for leak in truth if len(prompts[leak["source"]]) <= LARGEST]
    for leak, other in zip(small, small[1:] + small[:1], strict=True):
        yield leak["kind"], responses[leak["response"]], prompts[leak["source"]], prompts[other["source"]]


def rapidfuzz_planted(data: Path, _out: Path) -> dict[str, Any]:
    """``partial_ratio`` of windows: the share of right pairs above what one in a hundred wrong pairs reaches."""
    from rapidfuzz import fuzz

    def best(response: str, prompt: str) -> float:
        windows = (response[at : at + WINDOW] for at in range(0, max(1, len(response) - STEP), STEP))
        return max(fuzz.partial_ratio(window, prompt) for window in windows)

    right: dict[str, list[float]] = {}
    wrong: list[float] = []
    for kind, response, prompt, other in _planted(data):
        right.setdefault(kind, []).append(best(response, prompt))
        wrong.append(best(response, other))
    least = sorted(wrong)[-1 - len(wrong) // WRONG]
    kinds = {
        kind: {"planted": len(each), "found": sum(score > least for score in each)} for kind, each in right.items()
    }
    return {"kinds": kinds, "least": least, "pairs": 2 * len(wrong)}


_SHINGLES = """
WITH word AS (
    SELECT exchange, tenant, regexp_extract_all(lower(text), '[\\p{L}\\p{N}]+') AS words
    FROM read_parquet(?)
)
SELECT DISTINCT
    exchange,
    tenant,
    hash(unnest(list_zip(words, words[2:], words[3:], words[4:], words[5:], true))) AS gram
FROM word
"""


def _joined(data: Path) -> list[tuple[int, int]]:
    """Returns (response, prompt) of other tenants that share two shingles of five words of at most two tenants."""
    import duckdb

    with duckdb.connect(config={"threads": 2, "memory_limit": "6GB"}) as con:
        told, held = str(data / "response.parquet"), str(data / "prompt.parquet")
        con.execute(f"CREATE TABLE response_gram AS {_SHINGLES}", [told])
        con.execute(
            f"CREATE TABLE prompt_gram AS FROM ({_SHINGLES}) WHERE gram IN (SELECT gram FROM response_gram)", [held]
        )
        return con.execute(
            """
            WITH rare AS (
                SELECT gram FROM (SELECT gram, tenant FROM prompt_gram UNION ALL SELECT gram, tenant FROM response_gram)
                GROUP BY gram HAVING count(DISTINCT tenant) <= 2
            )
            SELECT r.exchange, p.exchange
            FROM response_gram AS r
            INNER JOIN rare USING (gram)
            INNER JOIN prompt_gram AS p ON p.gram = r.gram AND p.tenant != r.tenant
            GROUP BY ALL HAVING count(*) >= 2
            """
        ).fetchall()


def ngram_join_planted(data: Path, _out: Path) -> dict[str, Any]:
    """A plain join of word shingles in DuckDB: all responses with all prompts."""
    found = set(_joined(data))
    truth = pq.read_table(data / "truth.parquet").to_pylist()
    kinds: dict[str, dict[str, int]] = {}
    for leak in truth:
        row = kinds.setdefault(leak["kind"], {"planted": 0, "found": 0})
        row["planted"] += 1
        row["found"] += (leak["response"], leak["source"]) in found
    true = {(leak["response"], leak["source"]) for leak in truth}
    return {"kinds": kinds, "other_responses": len({response for response, source in found - true})}


def ngram_join_clean(data: Path, _out: Path) -> dict[str, Any]:
    """The same where nothing leaked: responses that hold another tenant's shingles."""
    return {"responses_flagged": len({response for response, _ in _joined(data)})}


def _shingled(data: Path) -> Iterator[tuple[int, list[bytes]]]:
    """Yields (bytes, word shingles) of every text, for as long as patience lasts."""
    began = time.monotonic()
    for side in ("prompt", "response"):
        for batch in pq.ParquetFile(data / f"{side}.parquet").iter_batches(columns=["text"], batch_size=256):
            for text in batch.column(0).to_pylist():
                if time.monotonic() - began > PATIENCE:
                    return
                words = text.lower().split()
                shingles = {" ".join(words[at : at + WORDS]).encode() for at in range(max(1, len(words) - WORDS + 1))}
                yield len(text.encode()), list(shingles)


def datasketch_speed(data: Path, _out: Path) -> dict[str, Any]:
    """MinHash of every text."""
    from datasketch import MinHash

    read = 0
    for size, shingles in _shingled(data):
        MinHash(num_perm=PERMUTATIONS).update_batch(shingles)
        read += size
    return {"bytes": read}


def rensa_speed(data: Path, _out: Path) -> dict[str, Any]:
    """MinHash of every text, in Rust."""
    from rensa import RMinHash

    read = 0
    for size, shingles in _shingled(data):
        RMinHash(num_perm=PERMUTATIONS, seed=1).update([each.decode() for each in shingles])
        read += size
    return {"bytes": read}


def pydivsufsort_speed(data: Path, _out: Path) -> dict[str, Any]:
    """The suffix array of all texts in one, and its longest common prefixes."""
    from pydivsufsort import divsufsort, kasai

    whole = b"\0".join(
        text.encode()
        for side in ("prompt", "response")
        for text in pq.read_table(data / f"{side}.parquet", columns=["text"])["text"].to_pylist()
    )
    kasai(whole, divsufsort(whole))
    return {"bytes": len(whole)}


PEERS: dict[str, Callable[[Path, Path], dict[str, Any]]] = {
    "copydetect pan13": copydetect_pan13,
    "sim_text pan13": sim_text_pan13,
    "rapidfuzz planted": rapidfuzz_planted,
    "ngram_join planted": ngram_join_planted,
    "ngram_join clean": ngram_join_clean,
    "datasketch speed": datasketch_speed,
    "rensa speed": rensa_speed,
    "pydivsufsort speed": pydivsufsort_speed,
}


def main() -> None:
    """Does what is asked for and prints what it took."""
    peer, work, given, out = sys.argv[1:]
    began, used = time.monotonic(), time.process_time()
    told = PEERS[f"{peer} {work}"](Path(given), Path(out))
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    told["seconds"] = round(time.monotonic() - began, 1)
    told["cpu_seconds"] = round(time.process_time() - used + children.ru_utime + children.ru_stime, 1)
    told["peak_gb"] = round(max(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, children.ru_maxrss) / 1e6, 2)
    print(json.dumps(told))


if __name__ == "__main__":
    main()
