"""Kills ingest and link at random moments, runs each again to its end, and compares the case with one never disturbed.

    python benchmarks/kills.py --kills 200 [--seed 1] [--logs DIR --declared case.toml]

Without ``--logs`` the bundled story is used. Parts of files are sealed every 50 kB (``--part``), so that kills within a
file are among them. Every run is a fork of this process, which itself opens nothing, and ends by SIGKILL. Exit code 1:
a case differed, or a run did not come to its end.
"""

import argparse
import hashlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import duckdb
import pyarrow.parquet as pq

from forensics.case.database import connect, rebuild
from forensics.case.folder import Case
from forensics.ingest import segment
from forensics.ingest.run import ingest
from forensics.link.run import link
from forensics.scenario.declare import case_toml
from forensics.scenario.story import write_story


def road(folder: Path, logs: Path) -> None:
    """Ingests ``logs`` into the case at ``folder`` and links it."""
    case = Case.open(folder)
    report = ingest(case, [logs])
    assert report.problems == [], report.problems
    with case.lock(), rebuild(case, keep=True) as con:
        link(con, case)


def digest(folder: Path) -> str:
    """Returns a hash of all that the case holds: its tables, each content, and whatever was left over."""
    case, found = Case.open(folder), hashlib.sha256()
    for path in sorted(case.evidence.rglob("*")):
        found.update(str(path.relative_to(case.evidence)).encode())
        if path.suffix == ".parquet":
            found.update(repr(pq.read_table(path).to_pydict()).encode("utf-8", "surrogatepass"))
        elif path.is_file():
            found.update(path.read_bytes())
    found.update(case.manifest.read_bytes())
    con = connect(case)
    try:
        for (name,) in con.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall():
            found.update(name.encode())
            found.update(repr(con.execute(f'SELECT * FROM "{name}" ORDER BY ALL').fetchall()).encode())  # noqa: S608
    finally:
        con.close()
    return found.hexdigest()


def forked(work: Callable[[], object]) -> int:
    """Runs ``work`` in a child and returns its process id."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), 1)
        work()
        code = 0
    except BaseException as error:  # noqa: BLE001 - the parent is told by the code, the reader by this line
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    finally:
        os._exit(code)


def ended(child: int) -> bool:
    """Waits for a child, and returns whether it came to its end."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def told(folder: Path, where: Path) -> str:
    """Returns the digest of a case, made in a child."""
    assert ended(forked(lambda: where.write_text(digest(folder)))), folder
    return where.read_text()


def moment(folder: Path) -> str:
    """Returns what a killed run had come to."""
    evidence = folder / "evidence"
    if (folder / "case.duckdb").exists():
        return "while linking"
    if any(evidence.glob(".*/state.json")):
        return "within a file, parts sealed"
    if any(evidence.glob(".*")):
        return "within a file"
    return "between files" if any(evidence.glob("*")) else "while reading"


def kill_all(root: Path, logs: Path, declared: str, kills: int, dice: Random) -> Counter[str]:
    """Kills as many runs, each at a random moment, and returns when. Raises if a case is not the undisturbed one."""
    plain = root / "plain"
    Case.create(plain, declared)
    began = time.monotonic()
    assert ended(forked(lambda: road(plain, logs)))
    length = time.monotonic() - began
    wanted, moments = told(plain, root / "digest"), Counter[str]()
    folder = root / "case"
    while sum(moments.values()) < kills:
        shutil.rmtree(folder, ignore_errors=True)
        Case.create(folder, declared)
        child = forked(lambda: road(folder, logs))
        time.sleep(dice.random() * length)
        os.kill(child, signal.SIGKILL)
        if ended(child):
            length *= 0.98  # it had ended before
            continue
        when = moment(folder)
        moments[when] += 1
        assert ended(forked(lambda: road(folder, logs))), f"the run after kill {sum(moments.values())} failed"
        assert told(folder, root / "digest") == wanted, f"the case after kill {sum(moments.values())} differs"
        print(f"kill {sum(moments.values())}: {when}; the rerun gave the same case", flush=True)
    return moments


def main() -> int:
    """Prints how many kills fell when, and whether every case came out the same."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", type=int, default=50_000, help="decoded bytes of a sealed part")
    parser.add_argument("--logs", type=Path)
    parser.add_argument("--declared", type=Path)
    arguments = parser.parse_args()
    segment.PART_BYTES = segment.BATCH_BYTES = segment.SMALL = arguments.part  # so that small logs have parts
    with tempfile.TemporaryDirectory(prefix="kills-") as scratch:
        root = Path(scratch)
        if arguments.logs is None:
            assert ended(forked(lambda: write_story(root / "story", seed=arguments.seed)))
        logs = arguments.logs or root / "story" / "logs"
        declared = arguments.declared.read_text(encoding="utf-8") if arguments.declared else case_toml()
        try:
            moments = kill_all(root, logs, declared, arguments.kills, Random(arguments.seed))
        except (AssertionError, duckdb.Error) as error:
            print(f"not the same case: {error}")
            return 1
    print(f"{sum(moments.values())} kills, every case the same: {json.dumps(dict(sorted(moments.items())))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
