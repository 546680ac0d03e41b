"""Two report runs, number by number."""

import csv
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forensics.case.folder import Case
from forensics.errors import ForensicsError


@dataclass(frozen=True)
class Comparison:
    """How many numbers and verdicts were compared, and a sentence for each that differs."""

    numbers: int
    verdicts: int
    files: int
    differences: tuple[str, ...]


def last_run(case: Case) -> Path:
    """Returns the folder of the latest report. Raises if there is none."""
    runs = list(case.runs.glob("*/run.json")) if case.runs.is_dir() else []
    if not runs:
        raise ForensicsError(
            "there is no report to reproduce", where=str(case.root), fix=f"Make one: `forensics report {case.root}`"
        )
    return max(runs, key=lambda path: (read(path)["made_at"], path.parent.name)).parent


def read(path: Path) -> dict[str, Any]:
    """Returns a JSON document of a run. Raises if it is damaged."""
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ForensicsError(
            "the report cannot be read", where=str(path), fix="Restore it, or make it again"
        ) from error
    return found


def tampered(run: Path) -> list[str]:
    """Returns a sentence for each file of a run that is not as it was published."""
    found = []
    for name, facts in sorted(read(run / "run.json")["files"].items()):
        path = run / name
        if not path.is_file():
            found.append(f"{name} of the report is gone; its SHA-256 was {facts['sha256']}")
        elif (now := hashlib.sha256(path.read_bytes()).hexdigest()) != facts["sha256"]:
            found.append(f"{name} of the report was changed after it was published; it was {facts['sha256']}, is {now}")
    return found


def compare(was: Path, now: Path) -> Comparison:
    """Compares summaries, verdicts and files of two run folders."""
    before, after = (dict(_leaves(read(run / "summary.json"))) for run in (was, now))
    differences = [
        f"{name}: the report says {_shown(before, name)}, the evidence gives {_shown(after, name)}"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]
    rows = [_verdicts(run) for run in (was, now)]
    differences += _rows(*rows)
    files = [read(run / "run.json")["files"] for run in (was, now)]
    names = sorted(files[0].keys() | files[1].keys())
    if not differences:
        unlike = [name for name in names if files[0].get(name) != files[1].get(name)]
        differences += [f"{name}: the numbers agree, the bytes do not" for name in unlike]
    return Comparison(len(before), len(rows[0]), len(names), tuple(differences))


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _leaves(each, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        yield name, json.dumps(value)
    else:
        yield name, value


def _shown(values: Mapping[str, Any], name: str) -> str:
    return json.dumps(values[name], ensure_ascii=True) if name in values else "nothing"


def _verdicts(run: Path) -> dict[str, dict[str, str]]:
    with (run / "verdicts.csv").open(encoding="utf-8", newline="") as lines:
        return {row["exchange_id"]: row for row in csv.DictReader(lines)}


def _rows(was: Mapping[str, Mapping[str, str]], now: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    for key in sorted(was.keys() | now.keys()):
        if key not in now or key not in was:
            yield f"exchange {key}: {'not found again' if key in was else 'not in the report'}"
        elif was[key] != now[key]:
            columns = [name for name in was[key] if was[key][name] != now[key].get(name)]
            told = ", ".join(
                f"{name} {was[key][name] or 'empty'} → {now[key].get(name) or 'empty'}" for name in columns
            )
            yield f"exchange {key}: {told}"
