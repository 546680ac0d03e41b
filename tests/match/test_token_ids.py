"""Sequences of token ids, through the same engine as texts: from files to files, and in the sweep's folding."""

import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer

from forensics.errors import ForensicsError
from forensics.match.normalise import fold
from forensics.match.sweep.folding import fold_block
from forensics.match.token_ids import MOST, spelled
from tests.match.test_compare import app, compare, jsonl

__all__ = ["app"]  # a fixture

VOCABULARY = 262_144


def ids(seed: int, count: int) -> list[int]:
    return random.Random(seed).choices(range(VOCABULARY), k=count)  # noqa: S311 - no secret


def test_each_token_folds_to_itself_in_both_foldings() -> None:
    text = spelled([0, 1, 127, 65_535, 151_935, VOCABULARY - 1, MOST - 1])
    folded = fold(text)
    assert folded.spelling.decode() == text
    assert folded.start[folded.lead].tolist() == list(range(len(text)))
    raw = np.frombuffer(text.encode(), dtype=np.uint8)
    assert fold_block(raw, np.array([0]), np.array([len(raw)])).data.tobytes() == folded.spelling


def test_a_leak_is_found_and_places_are_tokens(app: typer.Typer, tmp_path: Path) -> None:
    secret = ids(1, 30)
    prompt, response = [*ids(2, 50), *secret, *ids(3, 40)], [*ids(4, 12), *secret, *ids(5, 7)]
    jsonl(tmp_path / "p", [{"id": "p1", "tokens": prompt}, {"id": "p2", "tokens": ids(6, 100)}])
    jsonl(tmp_path / "r", [{"id": "r1", "tokens": response}, {"id": "r2", "tokens": ids(7, 60)}])
    (row,) = compare(app, tmp_path)
    assert (row["response_id"], row["prompt_id"]) == ("r1", "p1")
    assert response[row["response_start"] : row["response_end"]] == secret
    assert prompt[row["prompt_start"] : row["prompt_end"]] == secret


def test_tokens_that_differ_do_not_end_a_passage(app: typer.Typer, tmp_path: Path) -> None:
    secret = ids(11, 60)
    garbled = [ids(12, 1)[0] if at % 20 == 9 else token for at, token in enumerate(secret)]
    for name, tokens in (("p", [*ids(13, 30), *secret]), ("r", [*ids(14, 10), *garbled, *ids(15, 10)])):
        table = pa.table({"id": [name], "tokens": pa.array([tokens]), "tenant": [name]})
        pq.write_table(table, tmp_path / name)
    (row,) = compare(app, tmp_path)
    assert (row["response_start"], row["response_end"]) == (10, 70)
    assert (row["prompt_start"], row["prompt_end"]) == (30, 90)


def test_what_is_no_token_id_or_no_token_file_is_told_with_its_place(app: typer.Typer, tmp_path: Path) -> None:
    jsonl(tmp_path / "p", [{"id": "p1", "tokens": [1, 2]}, {"id": "p2", "tokens": [3, MOST]}])
    jsonl(tmp_path / "r", [{"id": "r1", "tokens": [1]}])
    with pytest.raises(ForensicsError, match=r"is no token id.*") as told:
        compare(app, tmp_path)
    assert str(tmp_path / "p") + ":2" in str(told.value)
    jsonl(tmp_path / "p", [{"id": "p1", "tokens": ["Hello"]}])
    with pytest.raises(ForensicsError, match="no list of token ids"):
        compare(app, tmp_path)
    jsonl(tmp_path / "p", [{"id": "p1", "text": "Hello"}])
    with pytest.raises(ForensicsError, match="the other has token ids"):
        compare(app, tmp_path)
