"""Peers on the same work, in the same run, in an environment of their own: a table and JSON.

    python benchmarks/peers.py CORPORA SCORER ENVIRONMENT [--only pan13|planted|clean|speed] [--out peers.json]

CORPORA is the folder of Parquet corpora, SCORER ``plagdet.py``. ENVIRONMENT is made at first (``peers.txt``, by pip);
Debian's similarity-tester is used where it is installed. ``pan13``: given pairs (copydetect) and all pairs (sim_text).
``planted``: leaks of the grid out of prompts of up to 65,536 characters, rapidfuzz with right and wrong pairs, a join
of word shingles in DuckDB with all texts. ``clean``: the same join where nothing leaked. ``speed``: 10,000 exchanges.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import venv
from argparse import Namespace
from pathlib import Path
from typing import Any

import pan13
from accuracy import SEEDS, TENANTS_QUOTING, swept
from real_data import clean, planted

HERE = Path(__file__).parent
EXCHANGES = 10_000
Told = dict[str, Any]


def environment(folder: Path) -> Path:
    """Returns the peers' Python, which is made if it is not there."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--requirement", str(HERE / "peers.txt")]
        subprocess.run(install, check=True)
    return python


def peer(python: Path, name: str, work: str, given: Path, out: Path) -> Told:
    """Returns what one peer tells of its work."""
    command = [str(python), str(HERE / "peer.py"), name, work, str(given), str(out)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    told: Told = json.loads(done.stdout)
    return told


def run_pan13(chosen: Namespace, python: Path, folder: Path) -> Told:
    """Scores copydetect on the given pairs and sim_text on all, beside ``forensics compare`` on the given ones."""
    result: Told = {}
    scored = Namespace(data=chosen.corpora / "pan13_train", scorer=chosen.scorer)
    names = ["forensics", "copydetect", *(["sim_text"] if shutil.which("sim_text") else [])]
    for name in names:
        out = folder / f"{name}.parquet"
        if name == "forensics":
            pan13.compare(scored.data, folder, out, given=True)
            told = {}
        else:
            told = peer(python, name, "pan13", scored.data, out)
        result[name] = told | {"kinds": pan13.score(scored, out)}
        for kind in pan13.KINDS:
            row = result[name]["kinds"][kind]
            print(f"{name:12}{kind:28} plagdet {row['plagdet']:.3f}  pair recall {row['pair_recall']:.3f}", flush=True)
        print(
            f"{name:12}pairs of 01 flagged: {result[name]['kinds']['01-no-plagiarism']['pairs_flagged_without_case']}"
        )
    return result


def run_planted(chosen: Namespace, python: Path, folder: Path) -> Told:
    """Returns what a sweep and the peers find of the planted leaks, by kind."""
    planted(chosen.corpora, folder / "planted", chosen.each, SEEDS[1])
    result = {"forensics": {"kinds": swept(folder / "planted", 2)["kind"]}}
    for name in ("rapidfuzz", "ngram_join"):
        result[name] = peer(python, name, "planted", folder / "planted", folder)
    print(f"{'kind':<24}" + "".join(f"{name:>16}" for name in result))
    for kind in result["forensics"]["kinds"]:
        rows = [each["kinds"].get(kind, {"planted": 0}) for each in result.values()]
        print(f"{kind:<24}" + "".join(f"{row.get('found', 0):>8} of {row['planted']:>4}" for row in rows), flush=True)
    return result


def run_clean(chosen: Namespace, python: Path, folder: Path) -> Told:
    """Returns in how many responses the peers find another tenant's text where nothing leaked."""
    result: Told = {}
    for kind in ("easy", "hard"):
        clean(chosen.corpora, folder / kind, hard=kind == "hard", times=TENANTS_QUOTING, seed=SEEDS[1], half=1)
        ours = swept(folder / kind, 2)
        result[kind] = {
            "responses": ours["responses"],
            "forensics": {"responses_flagged": ours["not_planted"]["responses"]},
            "ngram_join": peer(python, "ngram_join", "clean", folder / kind, folder),
        }
        print(kind, result[kind], flush=True)
    return result


def run_speed(chosen: Namespace, python: Path, folder: Path) -> Told:
    """Returns how long each takes for the same texts: a whole sweep, or only what a peer needs before it compares."""
    data, out = folder / "speed", folder / "sweep.json"
    made = [str(HERE / "sweep_data.py"), str(chosen.corpora), str(data), "--exchanges", str(EXCHANGES)]
    subprocess.run([sys.executable, *made], check=True)
    subprocess.run([sys.executable, str(HERE / "sweep.py"), str(data), "--out", str(out)], check=True)
    ours = json.loads(out.read_text(encoding="utf-8"))
    result = {"forensics": {"seconds": ours["sweep_seconds"], "cpu_seconds": ours["cpu_seconds"]}}
    for name in ("datasketch", "rensa", "pydivsufsort"):
        result[name] = peer(python, name, "speed", data, folder)
        print(name, result[name], flush=True)
    return result


RUNS = {"pan13": run_pan13, "planted": run_planted, "clean": run_clean, "speed": run_speed}


def main() -> None:
    """Runs what is asked for."""
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("corpora", type=Path)
    args.add_argument("scorer", type=Path)
    args.add_argument("environment", type=Path)
    args.add_argument("--only", choices=tuple(RUNS))
    args.add_argument("--each", type=int, default=40, help="leaks of each garbling and length")
    args.add_argument("--out", type=Path)
    chosen = args.parse_args()
    python = environment(chosen.environment)
    result: Told = {}
    for name, run in RUNS.items():
        if chosen.only in {None, name}:
            with tempfile.TemporaryDirectory() as folder:
                result[name] = run(chosen, python, Path(folder))
    if chosen.out:
        chosen.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
