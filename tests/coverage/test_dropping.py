"""What is lost on the way makes nothing clean: small worlds without lines, hours, workers and sources."""

from pathlib import Path

import pytest

from forensics.case.folder import Case
from forensics.ingest.run import ingest
from forensics.scenario.faulty import EVERY
from forensics.scenario.worlds import write_world
from tests.coverage.dropping import drops, judged, parts, too_good

CHOSEN = ("line 1 of 2", "line 2 of 7", "hour 2, every", "every 2th line of the c")
LINES = ("line 1 of 3", "hour 1, the c", "worker decode-a, but", "source sglang_engine_log")
"""What takes away lines that engines' own detectors wrote, or the gateway's record of a cached answer's first call.

Of a log that lacks a few lines, none of them counted, nobody can tell (``line 2 of 7`` of ``freed_pages``).
"""
WHOLE = ("hour 3, the e", "worker prefill-a, but", "source litellm", "source sglang_engine_log")


def _case(name: str, root: Path) -> Case:
    truth = write_world(root, EVERY[name](1), seed=1)
    case = Case.create(root / "case", (root / "case.toml").read_text(encoding="utf-8"))
    assert not ingest(case, [truth.logs]).problems
    return case


@pytest.mark.parametrize("name", ["late_writes", "unseen_retry", "forged"])
def test_what_is_missing_makes_nothing_clean(name: str, tmp_path: Path) -> None:
    case = _case(name, tmp_path)
    before = judged(case)
    assert "undetermined" not in {integrity for integrity, _ in before.told.values()}
    chosen = CHOSEN + WHOLE if name == "late_writes" else CHOSEN[:2]
    taken = {what: drop for what, drop in drops(*parts(case), hours=4).items() if what.startswith(chosen)}
    assert len(taken) >= len(chosen)
    undetermined = 0
    for what, drop in taken.items():
        after = judged(case, drop)
        assert too_good(before, after) == [], what
        undetermined += sum(integrity == "undetermined" for integrity, _ in after.told.values())
    assert undetermined


@pytest.mark.parametrize("name", ["checksums", "collisions", "freed_pages", "all_at_once"])
def test_what_an_engines_own_line_told_is_not_clean_without_it(name: str, tmp_path: Path) -> None:
    case = _case(name, tmp_path)
    before = judged(case)
    taken = {what: drop for what, drop in drops(*parts(case), hours=4).items() if what.startswith(LINES)}
    assert len(taken) == len(LINES)
    for what, drop in taken.items():
        assert too_good(before, judged(case, drop)) == [], what
