"""The whole road over a world of the simulator: logs in, verdicts out."""

from pathlib import Path

from forensics.case.folder import Case
from forensics.cli.analyze import analyze_case
from forensics.ingest.run import ingest
from forensics.scenario.truth import StoryTruth
from forensics.scenario.worlds import Script, write_world


def analysed(root: Path, logs: Path) -> tuple[Case, int]:
    """Returns a case over ``logs`` declared by ``root/case.toml``, and the number of affected responses."""
    case = Case.create(root / "case", (root / "case.toml").read_text(encoding="utf-8"))
    problems = ingest(case, [logs]).problems
    assert not problems, [str(problem) for problem in problems]
    with case.lock():
        return case, analyze_case(case, with_controls=False).affected


def told(root: Path, script: Script, *, seed: int, fixed: bool = False) -> tuple[Case, int, StoryTruth]:
    """Writes a world and takes it through the road; returns the case, its affected responses, and the truth."""
    truth = write_world(root, script, seed=seed, fixed_engine=fixed)
    case, affected = analysed(root, truth.logs)
    return case, affected, truth
