"""``forensics compare`` from files to files."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from typer.testing import CliRunner

from forensics.cli.compare import register
from forensics.errors import ForensicsError

PASSAGE = "Der Zeuge Ottokar Brandmeier sah am 14. März 2027 um 23:46 Uhr zwei Lieferwagen vor der Halle 17 stehen."
ECHO = "Frau Wilhelmine Achterberg kündigte den Pachtvertrag über Flurstück 88/4 mit Schreiben vom 2. Juli 2026."
SAME = "Bitte beachten Sie, dass unsere Geschäftsstelle an Feiertagen von Besuchern nicht betreten werden kann."


@pytest.fixture
def app() -> typer.Typer:
    made = typer.Typer()
    register(made)
    made.command("other")(lambda: None)
    return made


def jsonl(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def compare(app: typer.Typer, folder: Path, *more: str) -> list[dict[str, Any]]:
    out = folder / "m.parquet"
    arguments = ["--prompts", str(folder / "p"), "--responses", str(folder / "r"), "--out", str(out), *more]
    result = CliRunner().invoke(app, ["compare", *arguments])
    if isinstance(result.exception, ForensicsError):
        raise result.exception
    assert result.exit_code == 0, result.output
    rows: list[dict[str, Any]] = pq.read_table(out).to_pylist()
    return rows


def test_offsets_are_code_points_of_the_originals(app: typer.Typer, tmp_path: Path) -> None:
    prompt = f"😀 Akte 12. {PASSAGE}\nEnde."
    response = f"Hier, bitte: {PASSAGE} Mehr weiß ich nicht. 😀"
    jsonl(tmp_path / "p", [{"id": "p1", "text": prompt}, {"id": "p2", "text": "Nichts davon."}])
    jsonl(tmp_path / "r", [{"id": "r1", "text": response}])
    (row,) = compare(app, tmp_path)
    assert (row["response_id"], row["prompt_id"]) == ("r1", "p1")
    assert response[row["response_start"] : row["response_end"]] == PASSAGE
    assert prompt[row["prompt_start"] : row["prompt_end"]] == PASSAGE
    assert row["bits"] > 40
    assert row["similarity"] == 1.0


def test_tenants_explain_away_what_is_their_own_or_everybodys(app: typer.Typer, tmp_path: Path) -> None:
    prompts: list[dict[str, object]] = [{"id": "a", "tenant": "birch", "text": f"{PASSAGE} {ECHO} {SAME}"}]
    prompts += [{"id": f"s{i}", "tenant": f"t{i}", "text": f"Guten Tag {i}. {SAME}"} for i in range(5)]
    prompts += [{"id": "own", "tenant": "cedar", "text": ECHO}]
    jsonl(tmp_path / "p", prompts)
    jsonl(
        tmp_path / "r",
        [
            {"id": "leak", "tenant": "alder", "text": f"Gern. {PASSAGE}"},
            {"id": "boiler", "tenant": "alder", "text": f"Gern. {SAME}"},
            {"id": "echo", "tenant": "cedar", "text": f"Gern. {ECHO}"},
        ],
    )
    weight = {row["response_id"]: row["bits"] for row in compare(app, tmp_path) if row["prompt_id"] == "a"}
    assert weight["leak"] > 30
    assert weight.get("boiler", 0) < 12
    assert weight.get("echo", 0) < 12


def test_pairs_limit_the_work_and_ignore_tenants(app: typer.Typer, tmp_path: Path) -> None:
    rows = [{"id": name, "tenant": "one", "text": f"{name}. {PASSAGE}"} for name in ("a", "b", "c")]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "p")
    pq.write_table(pa.Table.from_pylist(rows[:2]), tmp_path / "r")
    pairs = jsonl(tmp_path / "pairs", [{"response_id": "a", "prompt_id": "c"}])
    found = compare(app, tmp_path, "--pairs", str(pairs))
    assert {(row["response_id"], row["prompt_id"]) for row in found} == {("a", "c")}


@pytest.mark.parametrize(
    ("prompts", "says"),
    [
        ([{"id": "a", "body": "x"}], "column 'text' is missing"),
        ([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], "stands there twice"),
        ([{"id": None, "text": "x"}], "an id is missing"),
        ([{"id": "a", "text": "x", "tenant": "t"}], "no tenant column"),
    ],
)
def test_bad_input_is_one_clear_error(
    app: typer.Typer, tmp_path: Path, prompts: list[dict[str, object]], says: str
) -> None:
    jsonl(tmp_path / "p", prompts)
    jsonl(tmp_path / "r", [{"id": "r", "text": "x"}])
    with pytest.raises(ForensicsError, match=says):
        compare(app, tmp_path)


def test_binary_input_is_refused(app: typer.Typer, tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(bytes(range(256)) * 10)
    jsonl(tmp_path / "r", [{"id": "r", "text": "x"}])
    with pytest.raises(ForensicsError, match="neither Parquet nor JSON lines"):
        compare(app, tmp_path)
