"""Mutated copies of every format's sample, through the whole of ingest: no traceback, and every account adds up.

``make mutations`` runs 10,000 for each format; ``make test`` a few hundred. An ingest costs as much as a thousand lines
do, so that one takes as many as there are, in files of ``LINES``.
"""

import bz2
import gzip
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forensics.ingest.rejects import accounts
from forensics.ingest.run import ingest
from tests.ingest.cases import new_case, rows
from tests.ingest.test_damage import SAMPLES
from tests.ingest.test_envelopes import cloud_logging, cri, datadog, docker, journald, logcli, loki_answer, stamped
from tests.ingest.test_sources import tarred, zipped

MUTATIONS = int(os.environ.get("MUTATIONS", "250"))

FILES = 30
"""Mutations that are files of their own; the others are lines."""

LINES = 2000
"""Mutated lines of one file."""

BATCH = 10_000
"""Mutations that go through one ingest, at most."""

DECLARED = '[[source]]\nfiles = "*"\nzone = "Europe/Berlin"\nyear = 2026\n'

SPLINTERS = [
    *(bytes([each]) for each in b"\"'{}[],:\\;-%"),
    *(b"\\ud800", b"null", b"NaN", b"-1", b"1e400", b"true", b"...", b"[]", b"{}", b"$x", b"--", "é😀".encode()),
    *(b"", b" ... ", b"\n", b"\r\n", b"\r", b"\t", b"\x00", b"\x00\x00\x00", b"\x1b[0m", b"\xff\xfe", b"\xed\xa0\x80"),
    *(b"\xef\xbb\xbf", b"\xf0\x9f", b"9" * 30, b"a" * 300),
]

Blow = Callable[[bytes, Random], bytes]


def splinter(data: bytes, dice: Random) -> bytes:
    at = dice.randrange(len(data) + 1)
    return data[:at] + dice.choice(SPLINTERS) + data[at + dice.choice([0, 0, 1, 2, 8, 40]) :]


def flip(data: bytes, dice: Random) -> bytes:
    if not data:
        return data
    at = dice.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << dice.randrange(8))]) + data[at + 1 :]


def cut(data: bytes, dice: Random) -> bytes:
    start, end = sorted((dice.randrange(len(data) + 1), dice.randrange(len(data) + 1)))
    return dice.choice([data[:end], data[start:], data[:start] + data[end:], data + data[start:end]])


def shuffle(data: bytes, dice: Random) -> bytes:
    parts = data.split(dice.choice([b"\n", b",", b'"', b" "]))
    at, to = dice.randrange(len(parts)), dice.randrange(len(parts))
    parts[at], parts[to] = parts[to], parts[at]
    return dice.choice([b"\n", b",", b'"', b" "]).join(parts)


def swap_number(data: bytes, dice: Random) -> bytes:
    places = [at for at in range(len(data)) if data[at : at + 1].isdigit()]
    if not places:
        return data
    at = dice.choice(places)
    value = dice.choice(
        [b"0", b"-", b"9223372036854775808", b"1e9", b".", b"00", b"", b'"x"', b"[1]", b"18446744073709551616"]
    )
    return data[:at] + value + data[at + 1 :]


BLOWS: list[Blow] = [splinter, splinter, flip, cut, shuffle, swap_number]


def mutated(sample: bytes, dice: Random) -> bytes:
    """Returns ``sample`` after one to four blows."""
    for _ in range(dice.choice([1, 1, 2, 4])):
        sample = dice.choice(BLOWS)(sample, dice)
    return sample


def wide(data: bytes) -> bytes:
    return data.decode("utf-8", "replace").encode("utf-16")


def packed(data: bytes) -> bytes:
    return tarred({"x.log": data})


def zip_of(data: bytes) -> bytes:
    return zipped({"x.log": data})


def enveloped(data: bytes, dice: Random) -> bytes:
    lines = (data.decode("utf-8", "replace").splitlines() * 3)[:3] or ["", "", ""]
    return dice.choice([cri, docker, journald, logcli, loki_answer, stamped, cloud_logging, datadog])(lines).encode()


def wrapped(data: bytes, dice: Random) -> bytes:
    """Returns ``data`` in something, which is sometimes struck too."""
    if dice.random() < 0.5:
        data = enveloped(data, dice)
    packings: list[Callable[[bytes], bytes]] = [gzip.compress, bz2.compress, packed, zip_of, wide]
    data = dice.choice(packings)(data)
    return mutated(data, dice) if dice.random() < 0.3 else data


def batch(folder: Path, form: str, dice: Random) -> None:
    """Writes mutations of a sample into ``folder``."""
    sample = SAMPLES[form].encode("utf-8", "surrogatepass")
    folder.mkdir()
    lines = [mutated(sample.rstrip(b"\n"), dice) for _ in range(min(MUTATIONS, BATCH) - FILES)]
    for first in range(0, len(lines), LINES):
        some = [sample.rstrip(b"\n"), *lines[first : first + LINES]]
        (folder / f"lines-{first}.log").write_bytes(b"\n".join(some))
    for number in range(FILES):
        data = mutated(sample, dice)
        (folder / f"{number}.log").write_bytes(wrapped(data, dice) if number % 3 == 0 else data)


def check(root: Path, folder: Path, form: str) -> None:
    """Ingests ``folder`` into a new case, and checks every account.

    What is a file of its own, as a captured body, is not recognised among lines: then all are said to be of its format.
    """
    case = new_case(root / "case", DECLARED)
    report = ingest(case, [folder], threads=1)
    if not any(each.path.startswith("logs/lines-") for each in report.files):
        report = ingest(case, [folder], format=form, threads=1)
    for problem in report.problems:
        assert len(str(problem).splitlines()) == 1, str(problem)
        assert problem.fix
    known = {each.path for each in report.files} | {problem.where for problem in report.problems}
    for name in (f"logs/{path.name}" for path in folder.iterdir()):
        assert any(path == name or (path or "").startswith(f"{name}!") for path in known), name
    assert "query" not in str(report.problems)
    if not report.files:
        return
    for each in accounts(case).files:
        assert each.copy_of is not None or each.adds_up, each
        assert each.framed == each.kept + each.duplicate + each.rejected
    (counted,) = rows(case, "SELECT count(*) AS records, (SELECT sum(records_kept) FROM file) AS kept FROM record")
    assert counted["records"] == counted["kept"]


@pytest.mark.parametrize("form", sorted(SAMPLES))
@settings(max_examples=max(1, MUTATIONS // BATCH), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_mutations_of_every_format(form: str, dice: Random) -> None:
    root = Path(tempfile.mkdtemp(prefix="mutation-"))
    try:
        folder = root / "logs"
        batch(folder, form, Random(dice.getrandbits(64)))  # noqa: S311 - hypothesis chooses the seed
        check(root, folder, form)
    finally:
        shutil.rmtree(root)
