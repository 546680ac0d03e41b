"""The account of a file: every framed record kept, duplicate or rejected, with examples, and shapes of what is left."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from forensics.cli.app import app
from forensics.ingest import account
from forensics.ingest.account import EXAMPLES, shape
from forensics.ingest.rejects import accounts
from forensics.ingest.run import ingest
from tests.ingest.cases import take
from tests.ingest.test_run import LINE

STAMP = "[2026-03-01 10:00:00 TP0] "


def mixed() -> str:
    lines = [f'{STAMP}A new kind of line for rid={n:032x}, took {n}.5 ms, "quoted {n}"' for n in range(70)]
    lines += [f"+ kubectl exec decode-{n} -- bash -c 'x{n}'" for n in range(40)]
    lines += [f"worker {name} has gone away" for name in ("lune", "sol", "terra")]
    lines += [LINE.format(1, "a", 5, 1).strip(), '{"event": "request.received", "rid": "cut']
    return "\n".join(lines)


def test_counts_examples_and_shapes(tmp_path: Path) -> None:
    case, _ = take(tmp_path, mixed())
    found = accounts(case)
    (each,) = found.files
    assert each.adds_up
    assert (each.framed, each.kept, each.rejected) == (115, 71, 44)
    assert each.reasons == {"foreign_line": 43, "cut_short": 1}
    assert len(each.examples["foreign_line"]) == EXAMPLES
    first = each.examples["foreign_line"][0]
    assert (first.line, first.text) == (71, "+ kubectl exec decode-0 -- bash -c 'x0'")
    assert [(t.lines, t.files, t.line) for t in found.rejected] == [(40, 1, 71), (3, 1, 111), (1, 1, 115)]
    assert found.rejected[1].text == "worker <*> has gone away"
    (note,) = found.notes
    assert (note.lines, note.line) == (70, 1)
    assert note.text == "A new kind of line for rid=<id>, took <n> ms, <text>"


def test_the_bound_of_shapes_keeps_the_sum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account, "MOST_SHAPES", 2)
    words = ["".join(chr(97 + int(digit)) for digit in str(n)) for n in range(300)]
    case, _ = take(tmp_path, f"{STAMP}fired up\n" + "\n".join(words))
    found = accounts(case)
    assert found.files[0].adds_up
    assert sum(template.lines for template in found.rejected) == 300


def test_shapes() -> None:
    assert shape('{"a b": "x\\" y", "n": <n>, "cut": "no end') == '{"a b": <text>, "n": <n>, "cut": <text>'
    assert shape("\x1b[31mred\x1b[0m  'a' ~~~~~~~~") == "red <text> ~~~"


def test_the_command(tmp_path: Path) -> None:
    case, _ = take(tmp_path, mixed() + "\n\x1b]0;title\x07\x1b[2Jclear")
    plain = CliRunner().invoke(app, ["rejects", str(case.root)])
    assert plain.exit_code == 0, plain.output
    assert "116 records framed = 71 kept + 0 duplicates + 45 rejected" in plain.output
    assert "foreign_line: + kubectl exec decode-<n> -- bash -c <text>" in plain.output
    assert "'x0'" not in plain.output
    assert "\x1b" not in plain.output
    shown = CliRunner().invoke(app, ["rejects", str(case.root), "--show-text", "a new format?"])
    assert "bash -c 'x0'" in shown.output
    assert json.loads(case.custody.read_text().splitlines()[-1])["reason"] == "a new format?"
    nothing = CliRunner().invoke(app, ["rejects", str(case.root), "elsewhere/*"])
    assert "0 files: 0 records framed" in nothing.output


def test_templates_do_not_depend_on_the_order_of_files(tmp_path: Path) -> None:
    case, _ = take(tmp_path, mixed())
    (tmp_path / "logs" / "y.log").write_text(mixed().replace("kubectl", "helm").replace("gone", "come"))
    ingest(case, [tmp_path / "logs"])
    wanted = accounts(case).templates
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "logs").mkdir()
    for name in ("y.log", "x.log"):
        (tmp_path / "b" / "logs" / name).write_bytes((tmp_path / "logs" / name).read_bytes())
    other, _ = take(tmp_path / "b", (tmp_path / "logs" / "x.log").read_bytes())
    assert accounts(other).templates == wanted
