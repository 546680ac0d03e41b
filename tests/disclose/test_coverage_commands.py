"""The commands coverage and tenants, and what the report says of holes and of tenants that may be one."""

from pathlib import Path

import typer
from typer.testing import CliRunner

from forensics.cli import coverage, tenants

from .world import SECOND, START, World, incident

MINUTE = 60 * SECOND


def holed() -> World:
    """The incident, with a hole in a log, an unseen stretch, and two tenants that may be one."""
    world = incident()
    for number in range(30):
        row = {"source": "log", "at_ns": START + number * MINUTE, "request": f"r{number}"}
        world.rows["request_seen"].append({"who": "decode-0", "present": number not in (7, 8, 9), **row})
    world.rows["coverage"].append({
        "who": "decode-0", "source": "log", "hour_ns": START, "counted_by": "other logs", "expected": 30, "present": 27,
    })  # fmt: skip
    world.rows["gap"].append({
        "who": "decode-0", "source": "log", "how": "other logs", "reason": "engine_log_missing", "missing": 3,
        "from_ns": START + 6 * MINUTE, "to_ns": START + 10 * MINUTE,
    })  # fmt: skip
    world.rows["blind"].append({
        "worker": "decode-0", "from_ns": START, "to_ns": START + MINUTE, "reason": "retention_expired",
    })  # fmt: skip
    world.rows["tenant_proposal"] += [
        {"proposal": 1, "tenant": "acme", "named": True, "shared_bytes": 400},
        {"proposal": 1, "tenant": "unresolved 1a2b3c4d", "named": False, "shared_bytes": 400},
    ]
    return world


def test_both_commands_tell_what_is_missing(tmp_path: Path) -> None:
    case = holed().build(tmp_path / "case")
    app = typer.Typer()
    for command in (coverage, tenants):
        command.register(app)
    shown = CliRunner().invoke(app, ["coverage", str(case.root), "--gaps"], catch_exceptions=False).stdout
    assert "░" in shown
    assert "30         27          3" in shown
    assert "engine_log_missing" in shown
    assert "decode-0 (retention_expired)" in shown
    shown = CliRunner().invoke(app, ["tenants", str(case.root)], catch_exceptions=False).stdout
    assert "Proposal 1" in shown
    assert "acme (named by a rule)" in shown
    assert "Nothing was joined" in shown
